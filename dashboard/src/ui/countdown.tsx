/** How long something still waits, second by second. */
import { useSyncExternalStore } from 'react'

let second = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  // It stood still while nobody listened.
  if (timer === undefined) second = Date.now()
  timer ??= setInterval(() => {
    second = Date.now()
    for (const each of listeners) each()
  }, 1_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

const two = (value: number): string => String(value).padStart(2, '0')

export function sayCountdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  if (seconds === 0) return 'any moment'
  const [minutes, hours, days] = [60, 3_600, 86_400].map(size => Math.floor(seconds / size)) as [
    number,
    number,
    number,
  ]
  if (days > 1) return `in ${days} days ${hours % 24} h`
  if (hours > 0) return `in ${hours} h ${two(minutes % 60)} min`
  if (minutes > 0) return `in ${minutes} min ${two(seconds % 60)} s`
  return `in ${seconds} s`
}

export function Countdown({ until }: { until: string }) {
  const now = useSyncExternalStore(subscribe, () => second)
  return (
    <span className="tabular whitespace-nowrap" aria-live="off">
      {sayCountdown(Date.parse(until) - now)}
    </span>
  )
}
