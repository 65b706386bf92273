/** Colours of the two streams; picocolors handles NO_COLOR, FORCE_COLOR and what the terminal can show. */
import pc from 'picocolors'
import type { Terminal } from './terminal.ts'

export type Colors = ReturnType<typeof pc.createColors>

export function stdoutColors({ color }: Terminal, json: boolean): Colors {
  return pc.createColors(color && !json)
}

/** Decided separately: stderr may go to a file while stdout is a terminal. */
export function stderrColors({ color, stderr }: Terminal): Colors {
  return pc.createColors(color && stderr.isTTY === true)
}
