import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  resolve: {
    // Tests see the sources as they are now, not the last build.
    alias: {
      '@carillon/contract': source('contract/src/index.ts'),
      '@carillon/sdk': source('sdk/src/index.ts'),
    },
  },
  test: {
    include: ['{contract,sdk,server,scripts,examples,e2e}/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // As with waitFor(): how long a busy machine takes proves nothing.
    expect: { poll: { timeout: 25_000 } },
    globalSetup: 'server/test/global-setup.ts',
    reporters: ['default', source('server/test/closing-line-reporter.ts')],
  },
})
