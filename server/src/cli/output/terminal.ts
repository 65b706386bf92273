/** What a command needs from the process around it, so that tests can run the whole program without one. */
import type { Environment } from '../../platform/config/config.ts'

interface Stream {
  /** false: the reader is slow; wait for `drain` before writing more. */
  write(text: string): unknown
  once?(event: 'drain', listener: () => void): unknown
  isTTY?: boolean
  columns?: number
}

export interface Terminal {
  stdout: Stream
  stderr: Stream
  readStdin(): Promise<string>
  /** undefined: the environment of the process, which only config/ may read. */
  environment: Environment | undefined
  /** Whether colours are wanted at all: a terminal that can show them, and no NO_COLOR. */
  color: boolean
  now(): number
  sleep(ms: number): Promise<void>
  onSignal(signal: 'SIGINT' | 'SIGTERM', listener: () => void): void
  /** Ends the process at once; only when a person insists. */
  exit(code: number): void
}
