/** What a script writes into its log: bounded, since it is stored with every run. */
import type { RunLogLine } from '@carillon/contract'
import { storable } from '../../platform/text/cut.ts'

const MAX_LINES = 100
const MAX_BYTES = 16 * 1024
const CUT: RunLogLine = { level: 'warn', message: '… cut' }

export interface RunLog {
  readonly lines: RunLogLine[]
  add(line: RunLogLine): void
}

export function createRunLog(): RunLog {
  const lines: RunLogLine[] = []
  let bytesLeft = MAX_BYTES
  let isCut = false

  function end(): void {
    isCut = true
    lines.push(CUT)
  }

  return {
    lines,
    add({ level, message }) {
      if (isCut) return
      if (lines.length === MAX_LINES) return end()
      // Measured as it is stored: a line of control characters becomes six times as long.
      const kept = storable(message, bytesLeft, 'json')
      lines.push({ level, message: kept })
      bytesLeft -= Buffer.byteLength(JSON.stringify(kept)) - 2
      if (kept.length < message.length) end()
    },
  }
}
