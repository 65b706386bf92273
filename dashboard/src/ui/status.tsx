/** How something stands: a shape, a word and a colour, the same everywhere. Colour is never alone. */
import type { ReactNode } from 'react'
import { classes } from './classes.ts'

export type Tone = 'ok' | 'info' | 'warn' | 'bad' | 'idle'
type Shape = 'dot' | 'ring' | 'cross' | 'clock' | 'dash'

const TONES: Record<Tone, string> = {
  ok: 'bg-ok-soft text-ok',
  info: 'bg-info-soft text-info',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  idle: 'bg-idle-soft text-idle',
}

const SHAPES: Record<Shape, string> = {
  dot: 'M8 4.500a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7Z',
  ring: 'M8 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8Z',
  cross: 'm4.5 4.5 7 7m0-7-7 7',
  clock: 'M8 3a5 5 0 1 1 0 10A5 5 0 0 1 8 3Zm0 2.500V8l1.75 1.25',
  dash: 'M4 8h8',
}

/** Every status word of the API, by what it means to whoever looks. */
const STATUSES: Record<string, [Tone, Shape]> = {
  sent: ['ok', 'dot'],
  delivered: ['ok', 'dot'],
  succeeded: ['ok', 'dot'],
  active: ['ok', 'dot'],
  closed: ['ok', 'dot'],
  published: ['ok', 'dot'],
  replayed: ['ok', 'dot'],
  resolved: ['ok', 'dot'],
  handled_by_script: ['ok', 'dot'],
  pending: ['info', 'ring'],
  running: ['info', 'ring'],
  retrying: ['info', 'clock'],
  retry: ['info', 'clock'],
  postponed: ['warn', 'clock'],
  rate_limited: ['warn', 'clock'],
  half_open: ['warn', 'ring'],
  uncertain: ['warn', 'ring'],
  draft: ['warn', 'ring'],
  paused: ['warn', 'dash'],
  skipped: ['idle', 'dash'],
  inactive: ['idle', 'dash'],
  ignored: ['idle', 'dash'],
  expired: ['idle', 'ring'],
  cancelled: ['idle', 'ring'],
  dead: ['bad', 'cross'],
  failed: ['bad', 'cross'],
  permanent: ['bad', 'cross'],
  config: ['bad', 'cross'],
  lost: ['bad', 'cross'],
  handler_failed: ['bad', 'cross'],
  open: ['bad', 'cross'],
  critical: ['bad', 'cross'],
  high: ['warn', 'ring'],
  medium: ['info', 'ring'],
  low: ['idle', 'dash'],
}

interface StatusProps {
  status: string
  /** What to call it, if not by its own name. */
  label?: string
  tone?: Tone
  className?: string
}

export function Status({ status, label, tone, className }: StatusProps) {
  const [ownTone, shape] = STATUSES[status] ?? ['idle', 'dot']
  return (
    <span
      className={classes(
        'inline-flex items-center gap-1 rounded-full py-0.5 pr-2 pl-1 align-middle text-sm font-medium whitespace-nowrap',
        TONES[tone ?? ownTone],
        className,
      )}
    >
      <StatusShape shape={shape} />
      {label ?? status.replaceAll('_', ' ')}
    </span>
  )
}

function StatusShape({ shape }: { shape: Shape }) {
  return (
    <svg
      width="14"
      height="14"
      viewBox="0 0 16 16"
      aria-hidden="true"
      fill={shape === 'dot' ? 'currentColor' : 'none'}
      stroke={shape === 'dot' ? 'none' : 'currentColor'}
      strokeWidth="1.75"
      strokeLinecap="round"
    >
      <path d={SHAPES[shape]} />
    </svg>
  )
}

/** A word that is no status: a channel, a reason, a role. */
export function Chip({
  children,
  tone,
  className,
}: {
  children: ReactNode
  tone?: Tone
  className?: string
}) {
  return (
    <span
      className={classes(
        'inline-flex max-w-full items-center rounded-full border px-1.5 align-middle py-px text-sm whitespace-nowrap',
        tone ? `${TONES[tone]} border-transparent` : 'border-border text-muted',
        className,
      )}
    >
      <span className="cut">{children}</span>
    </span>
  )
}
