/** npm run bench: makes the clone ready and runs the benchmarks in this process; arguments are passed on. */
import { ensureReady } from './setup.mjs'

await ensureReady()
const program = new URL('../bench/dist/main.js', import.meta.url)
process.argv = [process.execPath, program.pathname, ...process.argv.slice(2)]
await import(program.href)
