/** npm run prove: makes the clone ready and proves in earnest what the tests only touch; arguments are passed on. */
import { ensureReady } from './setup.mjs'

await ensureReady()
const program = new URL('../e2e/dist/e2e/prove/main.js', import.meta.url)
process.argv = [process.execPath, program.pathname, ...process.argv.slice(2)]
await import(program.href)
