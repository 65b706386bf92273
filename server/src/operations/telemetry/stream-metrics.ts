/** What came from streams through this process, and what waits in them as their readers last reported it. */
import { Counter, Gauge, type Registry } from 'prom-client'

export interface StreamState {
  stream: string
  waiting: number | null
  oldest_seconds: number
  is_paused: boolean
}

export interface StreamMetrics {
  /** `outcome` is accepted, duplicate, malformed, or trimmed: deleted from the stream before it could be accepted. */
  entries(stream: string, outcome: string, count: number): void
  /** undefined: the database does not say. */
  show(streams: StreamState[] | undefined): void
}

export function createStreamMetrics(register: Registry): StreamMetrics {
  const registers = [register]
  const labelNames = ['stream'] as const
  const entries = new Counter({
    name: 'carillon_stream_entries_total',
    help: 'Entries of streams by outcome: accepted, duplicate, malformed, or trimmed before they could be accepted',
    labelNames: ['stream', 'outcome'],
    registers,
  })
  const waiting = new Gauge({
    name: 'carillon_stream_waiting',
    help: 'Entries of a stream that are neither accepted nor kept as malformed',
    labelNames,
    registers,
  })
  const oldest = new Gauge({
    name: 'carillon_stream_oldest_seconds',
    help: 'How long the oldest of them has been waiting',
    labelNames,
    registers,
  })
  const paused = new Gauge({
    name: 'carillon_stream_paused',
    help: 'Whether a stream is paused',
    labelNames,
    registers,
  })
  return {
    entries: (stream, outcome, count) => entries.inc({ stream, outcome }, count),
    show(streams) {
      for (const gauge of [waiting, oldest, paused]) gauge.reset()
      for (const state of streams ?? []) {
        const { stream } = state
        if (state.waiting !== null) waiting.set({ stream }, state.waiting)
        oldest.set({ stream }, state.oldest_seconds)
        paused.set({ stream }, state.is_paused ? 1 : 0)
      }
    },
  }
}
