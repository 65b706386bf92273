/** npm test: makes the clone ready and runs the tests in this process; arguments are passed on. */
import { ensureReady } from './setup.mjs'

await ensureReady()
const program = new URL('../node_modules/vitest/vitest.mjs', import.meta.url)
process.argv = [process.execPath, program.pathname, 'run', ...process.argv.slice(2)]
await import(program.href)
