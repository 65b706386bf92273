import { type SpanContext, trace } from '@opentelemetry/api'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base'
import { describe, expect, it, vi } from 'vitest'
import { createExportQueue } from './export-queue.ts'
import { createDropReport } from './start.ts'

const aSpan = (traceFlags = 1) => {
  const context: SpanContext = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags }
  return trace.wrapSpanContext(context) as unknown as ReadableSpan
}

/** A queue before an exporter whose answers the test gives. */
function setUp(options: { maxWaiting?: number; delayMs?: number } = {}) {
  const dropped: [number, string][] = []
  const exports: { spans: ReadableSpan[]; answer: (error?: Error) => void }[] = []
  const exporter: SpanExporter = {
    export: (spans, done) =>
      void exports.push({ spans, answer: error => done(error ? { code: 1, error } : { code: 0 }) }),
    shutdown: async () => {},
  }
  const onDropped = (count: number, reason: string) => void dropped.push([count, reason])
  return { queue: createExportQueue({ exporter, onDropped, delayMs: 0, ...options }), exports, dropped }
}

describe('the queue of spans before the collector', () => {
  it('sends what gathered, one batch at a time', async () => {
    const { queue, exports } = setUp()
    for (let n = 0; n < 600; n++) queue.onEnd(aSpan())
    await expect.poll(() => exports.length).toBe(1)
    queue.onEnd(aSpan())
    expect(exports[0]!.spans).toHaveLength(512)
    exports[0]!.answer()
    await expect.poll(() => exports.length).toBe(2)
    expect(exports[1]!.spans).toHaveLength(89)
  })

  it('sends what ends in the very moment in which a batch has been sent', async () => {
    const { queue, exports } = setUp()
    queue.onEnd(aSpan())
    await expect.poll(() => exports.length).toBe(1)
    exports[0]!.answer()
    await Promise.resolve()
    queue.onEnd(aSpan())
    await expect.poll(() => exports.length).toBe(2)
  })

  it('leaves out what is not sampled', async () => {
    const { queue, exports } = setUp()
    queue.onEnd(aSpan(0))
    queue.onEnd(aSpan())
    await expect.poll(() => exports.length).toBe(1)
    expect(exports[0]!.spans).toHaveLength(1)
  })

  it('holds a bounded number while the collector hangs, and counts the rest', async () => {
    const { queue, exports, dropped } = setUp({ maxWaiting: 10 })
    queue.onEnd(aSpan())
    await expect.poll(() => exports.length).toBe(1)
    for (let n = 0; n < 13; n++) queue.onEnd(aSpan())
    expect(dropped).toEqual(Array(3).fill([1, 'too many wait for the collector']))
  })

  it('drops a batch that the collector refuses, and goes on with the next', async () => {
    const { queue, exports, dropped } = setUp()
    queue.onEnd(aSpan())
    await expect.poll(() => exports.length).toBe(1)
    queue.onEnd(aSpan())
    exports[0]!.answer(new Error('Internal Server Error'))
    await expect.poll(() => exports.length).toBe(2)
    expect(dropped).toEqual([[1, 'Internal Server Error']])
  })

  it('sends the rest when it closes, but does not wait for a collector that hangs', async () => {
    const { queue, exports, dropped } = setUp({ delayMs: 60_000 })
    queue.onEnd(aSpan())
    const closed = queue.close(60_000)
    await expect.poll(() => exports.length).toBe(1)
    exports[0]!.answer()
    await closed
    expect(dropped).toEqual([])

    const hanging = setUp({ delayMs: 60_000 })
    for (let n = 0; n < 600; n++) hanging.queue.onEnd(aSpan())
    await hanging.queue.close(1)
    hanging.queue.onEnd(aSpan())
    expect(hanging.dropped.map(([count]) => count)).toEqual([88, 1])
  })
})

it('drops are told once a minute, with how many there were since', () => {
  const tell = vi.fn()
  const clock = { ms: 0 }
  const report = createDropReport(tell, () => clock.ms)
  for (let n = 0; n < 5; n++) report(10, 'away')
  clock.ms = 60_000
  report(1, 'still away')
  expect(tell.mock.calls).toEqual([
    [10, 'away'],
    [41, 'still away'],
  ])
})
