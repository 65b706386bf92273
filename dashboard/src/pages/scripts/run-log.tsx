import type { RunLogLine } from '@carillon/contract'
import { classes } from '../../ui/classes.ts'

const COLOURS = { info: '', warn: 'text-warn', error: 'text-bad' } as const

export function RunLog({ lines }: { lines: RunLogLine[] }) {
  if (lines.length === 0) return <p className="text-muted">Nothing was logged.</p>
  return (
    <ol className="max-h-64 overflow-auto rounded-control bg-bg p-3 font-mono text-code">
      {lines.map(({ level, message }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines are known by their order
        <li key={i} className={classes('break-words whitespace-pre-wrap', COLOURS[level])}>
          {level !== 'info' && <span className="sr-only">{level}: </span>}
          {message}
        </li>
      ))}
    </ol>
  )
}
