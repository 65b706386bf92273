import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { IN_OWN_PROCESS, LongestFirst } from './server/test/order.ts'

const NO_SOURCES = ['**/node_modules/**', '**/dist/**']
const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Tests name the requirements that they prove: `npm test -- --tags-filter=S000-7` runs the proof of one. */
const requirements = readFileSync(source('docs/reference/requirements.md'), 'utf8')
const tags = [...requirements.matchAll(/^\| (S\d+-\d+) \| (.*) \|$/gm)].map(([, name, description]) => ({
  name: name!,
  description: description!,
}))

export const resolve = {
  // Tests see the sources as they are now, not the last build.
  alias: {
    '@carillon/contract': source('contract/src/index.ts'),
    '@carillon/sdk/inbox': source('sdk/src/browser.ts'),
    '@carillon/sdk': source('sdk/src/index.ts'),
  },
}

export const shared = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // As with waitFor(): how long a busy machine takes proves nothing.
  expect: { poll: { timeout: 25_000 } },
}

export default defineConfig({
  test: {
    tags,
    pool: 'forks',
    // More than the machine has cores: a worker that waits for a process or the database needs none.
    maxWorkers: 4,
    // Only here: each project that had it too would start a PostgreSQL of its own.
    globalSetup: 'server/test/global-setup.ts',
    reporters: ['default', source('server/test/closing-line-reporter.ts')],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        resolve,
        test: {
          ...shared,
          name: 'apart',
          include: IN_OWN_PROCESS,
          exclude: NO_SOURCES,
        },
      },
      {
        resolve,
        test: {
          ...shared,
          name: 'whole',
          include: ['{scripts,examples,e2e}/**/*.test.ts'],
          exclude: [...NO_SOURCES, ...IN_OWN_PROCESS],
          // What they test runs in processes of its own; a browser and a site serve all files of a worker.
          isolate: false,
          setupFiles: 'server/test/leave-nothing.ts',
        },
      },
      {
        resolve,
        test: {
          ...shared,
          name: 'together',
          include: ['{contract,sdk,inbox,dashboard,server}/**/*.test.ts'],
          exclude: [...NO_SOURCES, ...IN_OWN_PROCESS],
          // Loading the server takes longer than most files' tests, so the files of a worker load it once.
          isolate: false,
          setupFiles: 'server/test/leave-nothing.ts',
        },
      },
    ],
  },
})
