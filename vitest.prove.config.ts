/** Proofs that take minutes, as `npm run prove` runs them. Their tags count like those of tests. */
import { defineConfig } from 'vitest/config'
import tests, { resolve, shared } from './vitest.config.ts'

export default defineConfig({
  test: {
    ...tests.test,
    projects: [{ resolve, test: { ...shared, name: 'prove', include: ['{e2e,server/src}/**/*.prove.ts'] } }],
  },
})
