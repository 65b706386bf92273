/** What happened, in order: the time at the left, one sentence each, more when one asks for it. */
import { type ReactNode, useState } from 'react'
import { classes } from './classes.ts'
import type { Tone } from './status.tsx'
import { ClockTime } from './time.tsx'

export interface Moment {
  at: string
  text: ReactNode
  tone?: Tone
  /** Unfolded on request: a provider's answer, a payload. */
  detail?: ReactNode
  /** Who or what did it. */
  by?: string
}

const MARKS: Record<Tone, string> = {
  ok: 'bg-ok',
  info: 'bg-info',
  warn: 'bg-warn',
  bad: 'bg-bad',
  idle: 'bg-idle',
}

interface TimelineProps {
  label: string
  moments: Moment[]
  /** A time before the first moment; if it was on the same day, the day is not said again. */
  after?: string
}

export function Timeline({ label, moments, after }: TimelineProps) {
  return (
    <ol aria-label={label} className="flex flex-col">
      {moments.map(({ at, text, tone = 'idle', detail, by }, i) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: moments are only ever added at the end
          key={i}
          className="grid grid-cols-[4.75rem_0.75rem_minmax(0,1fr)] gap-x-3"
        >
          <div className="text-right text-sm">
            <ClockTime value={at} previous={moments[i - 1]?.at ?? after} />
          </div>
          <div className="relative flex justify-center">
            {i < moments.length - 1 && (
              <span aria-hidden="true" className="absolute top-2 bottom-0 w-px bg-border" />
            )}
            <span
              aria-hidden="true"
              className={classes('relative mt-1.5 size-2 shrink-0 rounded-full', MARKS[tone])}
            />
          </div>
          <div className={classes('min-w-0 break-words', i < moments.length - 1 && 'pb-3')}>
            {detail === undefined ? text : <Unfolding summary={text}>{detail}</Unfolding>}
            {by && <span className="text-muted"> {by}</span>}
          </div>
        </li>
      ))}
    </ol>
  )
}

/** Its content is made, and asked for, when it is first unfolded. */
function Unfolding({ summary, children }: { summary: ReactNode; children: ReactNode }) {
  const [wasOpen, setWasOpen] = useState(false)
  return (
    <details onToggle={event => event.currentTarget.open && setWasOpen(true)}>
      <summary className="marker:text-muted">{summary}</summary>
      {wasOpen && <div className="mt-2">{children}</div>}
    </details>
  )
}
