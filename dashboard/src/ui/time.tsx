/** Times as people say them, in the viewer's zone; the exact one on hover. */
import { useSyncExternalStore } from 'react'
import { classes } from './classes.ts'

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })
const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' })
const clock = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})

const STEPS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

export function sayTime(at: Date, now: number): string {
  const seconds = (at.getTime() - now) / 1000
  const distance = Math.abs(seconds)
  if (distance < 10) return 'now'
  if (distance < 60) return relative.format(Math.round(seconds), 'second')
  if (distance > 14 * 86_400) return day.format(at)
  const [unit, length] = STEPS.find(([, size]) => distance >= size)!
  return relative.format(Math.trunc(seconds / length), unit)
}

/** One clock for all times on the page. */
let now = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  // It stood still while nobody listened.
  if (timer === undefined) now = Date.now()
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of listeners) each()
  }, 5_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

export const useNow = (): number => useSyncExternalStore(subscribe, () => now)

export function Time({ value, className }: { value: string | null; className?: string }) {
  const current = useNow()
  if (value === null) return <span className="text-muted">–</span>
  const at = new Date(value)
  return (
    <time
      dateTime={value}
      title={exact.format(at)}
      className={classes('tabular whitespace-nowrap', className)}
    >
      {sayTime(at, current)}
    </time>
  )
}

/** The time of day, for timelines; on another day than the one before, the day too. */
export function ClockTime({ value, previous }: { value: string; previous?: string | undefined }) {
  const at = new Date(value)
  const isNewDay = previous === undefined || new Date(previous).toDateString() !== at.toDateString()
  return (
    <time dateTime={value} title={exact.format(at)} className="tabular whitespace-nowrap text-muted">
      {isNewDay && <span className="block text-xs">{day.format(at)}</span>}
      {clock.format(at)}
    </time>
  )
}

const short = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

/** Such as 18 Nov, 15:59; the year only if it is another. */
export function sayMoment(at: Date): string {
  // From an address that somebody typed.
  if (Number.isNaN(at.getTime())) return 'no time'
  return at.getFullYear() === new Date().getFullYear()
    ? short.format(at)
    : `${day.format(at)}, ${clock.format(at)}`
}

/** A time within a sentence. */
export function ShortTime({ value }: { value: string }) {
  const at = new Date(value)
  return (
    <time dateTime={value} title={exact.format(at)} className="tabular whitespace-nowrap">
      {sayMoment(at)}
    </time>
  )
}

export function sayDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(ms < 10_000 ? 1 : 0))} s`
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`
  if (ms < 2 * 86_400_000) return `${Math.round(ms / 3_600_000)} h`
  return `${Math.round(ms / 86_400_000)} days`
}
