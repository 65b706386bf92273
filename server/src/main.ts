/** The process: connects arguments, streams and signals to the command line. */
import { setTimeout as sleep } from 'node:timers/promises'
import pc from 'picocolors'
import { run } from './cli/program.ts'
import { useUtc } from './platform/config/utc.ts'

useUtc()

// `carillon records | head` closes the pipe early; that is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

const exitCode = await run(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  readStdin,
  environment: undefined,
  color: pc.isColorSupported,
  now: Date.now,
  sleep: ms => sleep(ms),
  onSignal: (signal, listener) => process.on(signal, listener),
  exit: code => process.exit(code),
})

// Exits without waiting for an empty event loop: an idle connection must not keep a finished command alive.
process.stdout.write('', () => process.stderr.write('', () => process.exit(exitCode)))

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
