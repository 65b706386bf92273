/** npm start: makes the clone ready and runs the server in this process, so that Ctrl-C reaches it directly and once. */
import { ensureReady } from './setup.mjs'

await ensureReady()
const program = new URL('../server/bin/carillon.js', import.meta.url)
process.argv = [process.execPath, program.pathname, 'start', ...process.argv.slice(2)]
await import(program.href)
