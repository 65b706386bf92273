/** Runs a command line inside the test, with streams that record what was written. */
import type { Environment } from '../platform/config/config.ts'
import type { Terminal } from './output/terminal.ts'
import { run } from './program.ts'

export interface FakeTerminal extends Terminal {
  written: { stdout: string; stderr: string }
  waits: number[]
  exits: number[]
  signal(name: 'SIGINT' | 'SIGTERM'): void
  clock: { ms: number }
}

export interface TerminalOptions {
  environment?: Environment
  stdin?: string
  /** A terminal of this width; without it the output goes to a pipe. */
  columns?: number
  color?: boolean
}

export function fakeTerminal(options: TerminalOptions = {}): FakeTerminal {
  const written = { stdout: '', stderr: '' }
  const waits: number[] = []
  const exits: number[] = []
  const clock = { ms: 0 }
  const listeners: [string, () => void][] = []
  const tty = options.columns === undefined ? {} : { isTTY: true, columns: options.columns }
  return {
    written,
    waits,
    exits,
    clock,
    stdout: { ...tty, write: text => (written.stdout += text) },
    stderr: { ...tty, write: text => (written.stderr += text) },
    readStdin: async () => options.stdin ?? '',
    environment: options.environment ?? {},
    color: options.color ?? false,
    now: () => clock.ms,
    sleep: async ms => void waits.push(ms),
    onSignal: (name, listener) => listeners.push([name, listener]),
    exit: code => exits.push(code),
    signal(name) {
      for (const [known, listener] of listeners) if (known === name) listener()
    },
  }
}

export interface Outcome {
  code: number
  stdout: string
  stderr: string
}

/** Runs `carillon <args>` against the API at `url` with the key ck_test. */
export async function carillon(url: string, args: string[], options: TerminalOptions = {}): Promise<Outcome> {
  const environment = { CARILLON_URL: url, CARILLON_API_KEY: 'ck_test', ...options.environment }
  const terminal = fakeTerminal({ ...options, environment })
  const code = await run(args, terminal)
  return { code, ...terminal.written }
}
