import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { type TracedCarillon, useTracedCarillon } from '../../../test/traced-carillon.ts'
import { waitFor } from '../../../test/wait-for.ts'

const carillon = useCarillon()
let unique = 0

/** Sends a message to the http provider and gives its headers there. */
async function deliver(traced: TracedCarillon, headers: Record<string, string> = {}) {
  const user = `user-${++unique}`
  await traced.request('PUT', `/v1/users/${user}`, { body: {} })
  const body = {
    notification_type: 'code',
    audience: { kind: 'users', user_ids: [user] },
    channels: ['push'],
    payload: { title: user },
  }
  const before = traced.receiver.requests.length
  const answer = await traced.request('POST', '/v1/intents', { body, headers })
  expect(answer.status).toBe(202)
  await waitFor(async () => traced.receiver.requests.length > before, { what: 'the message' })
  return { id: answer.body.notification_id, headers: traced.receiver.requests.at(-1)!.headers }
}
const aTraceparent = () => `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`

describe('a collector that fails', () => {
  const traced = useTracedCarillon(carillon, collector => ({
    CARILLON_TRACES_URL: collector.tracesUrl,
    CARILLON_SHUTDOWN_SECONDS: '1',
  }))
  const warnings = () => traced.log.filter(({ msg }) => msg === 'traces did not reach the collector')
  const droppedSpans = async () =>
    Number(
      /^carillon_spans_dropped_total (\d+)$/m.exec(await (await fetch(`${traced.url}/metrics`)).text())?.[1],
    )

  it('a collector that answers with errors delays no message; lost spans are counted and reported once', async () => {
    traced.collector.answerWith(() => ({ status: 500 }))
    await deliver(traced)
    await waitFor(async () => (await droppedSpans()) > 0, { what: 'dropped spans' })
    const before = await droppedSpans()
    await deliver(traced)
    await waitFor(async () => (await droppedSpans()) > before, { what: 'more dropped spans' })
    expect(warnings()).toHaveLength(1)
  })

  it('a collector that hangs delays neither messages nor the end of the process', async () => {
    traced.collector.answerWith(() => 'hang')
    const before = traced.collector.requests.length
    await deliver(traced)
    await waitFor(async () => traced.collector.requests.length > before, { what: 'an export that hangs' })
    await deliver(traced)
    await traced.stop()
  })
})

describe('without a collector', () => {
  const untraced = useTracedCarillon(carillon, () => ({}))

  it('without a collector, a traceparent is stored and passed on unchanged, and none is made up', async () => {
    const traceparent = aTraceparent()
    const traced = await deliver(untraced, { traceparent })
    expect(traced.headers.traceparent).toBe(traceparent)
    expect((await untraced.request('GET', `/v1/records/${traced.id}`)).body.traceparent).toBe(traceparent)
    const plain = await deliver(untraced)
    expect(plain.headers).not.toHaveProperty('traceparent')
    expect((await untraced.request('GET', `/v1/records/${plain.id}`)).body.traceparent).toBe('')
    expect(untraced.log.filter(line => 'trace_id' in line)).toEqual([])
  })
})

describe('a share of the traces', () => {
  const traced = useTracedCarillon(carillon, collector => ({
    CARILLON_TRACES_URL: collector.tracesUrl,
    CARILLON_TRACES_RATIO: '0',
  }))

  it('the ratio of traces is of those that begin here; a caller that records is recorded', async () => {
    const own = await deliver(traced)
    expect(own.headers.traceparent).toMatch(/-00$/)
    const traceparent = aTraceparent()
    await deliver(traced, { traceparent })
    await waitFor(async () => traced.collector.spans().some(({ name }) => name === 'deliver push'), {
      what: 'the trace of the caller',
    })
    expect(new Set(traced.collector.spans().map(({ traceId }) => traceId)).size).toBeLessThanOrEqual(2)
    const own_id = own.headers.traceparent!.toString().split('-')[1]!
    expect(traced.collector.spans(own_id)).toEqual([])
  })
})
