/**
 * What has ended waits here to be sent to the collector, one batch at a time. Whatever the collector does, nobody waits for
 * it: beyond a number, and when a batch could not be sent, spans are dropped and counted.
 */
import { setTimeout as setTimeoutPromise } from 'node:timers/promises'
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace-base'
import { runOutside } from './active-span.ts'

export interface ExportQueueOptions {
  exporter: SpanExporter
  onDropped: (count: number, reason: string) => void
  maxWaiting?: number
  delayMs?: number
}

export interface ExportQueue extends SpanProcessor {
  /** Sends what waits, and drops what could not be sent by then. */
  close(timeoutMs: number): Promise<void>
}

const MAX_BATCH = 512
/** About ten megabytes. */
const MAX_WAITING = 8192
/** Gathers the spans of a quiet system too. */
const DELAY_MS = 1000
const SAMPLED = 1

export function createExportQueue(options: ExportQueueOptions): ExportQueue {
  const { exporter, onDropped, maxWaiting = MAX_WAITING, delayMs = DELAY_MS } = options
  let waiting: ReadableSpan[] = []
  let sending: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  function send(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    sending ??= sendAll().finally(() => {
      sending = undefined
      schedule()
    })
    return sending
  }

  function schedule(): void {
    if (sending !== undefined || waiting.length === 0 || isClosed) return
    if (waiting.length >= MAX_BATCH) void runOutside(send)
    else timer ??= runOutside(() => setTimeout(send, delayMs).unref())
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0 && !isClosed) {
      const batch = waiting.splice(0, MAX_BATCH)
      const error = await exported(batch)
      if (error !== undefined) onDropped(batch.length, error)
    }
  }

  function exported(batch: ReadableSpan[]): Promise<string | undefined> {
    return new Promise(resolve =>
      exporter.export(batch, ({ code, error }) =>
        resolve(code === 0 ? undefined : error?.message || 'the collector did not take them'),
      ),
    )
  }

  return {
    onStart() {},
    onEnd(span) {
      if ((span.spanContext().traceFlags & SAMPLED) === 0) return
      if (isClosed || waiting.length >= maxWaiting) return onDropped(1, 'too many wait for the collector')
      waiting.push(span)
      schedule()
    },
    forceFlush: send,
    async close(timeoutMs) {
      const patience = new AbortController()
      await Promise.race([send(), whenOver(timeoutMs, patience.signal)])
      patience.abort()
      isClosed = true
      if (waiting.length > 0) onDropped(waiting.length, 'this process stopped before they were sent')
      waiting = []
      void exporter.shutdown().catch(() => {})
    },
    shutdown: async () => {},
  }
}

async function whenOver(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeoutPromise(ms, undefined, { signal, ref: false }).catch(() => {})
}
