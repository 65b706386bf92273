import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import type { CollectedSpan } from '../../../test/receivers/collector.ts'
import { useTracedCarillon } from '../../../test/traced-carillon.ts'
import { waitFor } from '../../../test/wait-for.ts'

const carillon = useCarillon()
const traced = useTracedCarillon(carillon, collector => ({ CARILLON_TRACES_URL: collector.tracesUrl }))

const newTrace = (flags = '01') => {
  const traceId = randomBytes(16).toString('hex')
  const spanId = randomBytes(8).toString('hex')
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${flags}` }
}
const aPush = (user: string) => ({
  notification_type: 'order_shipped',
  audience: { kind: 'users', user_ids: [user] },
  channels: ['push'],
  payload: { title: 'Your order', body: 'It is for ada@example.com, and secret.' },
})
/** The spans of a trace once they have all arrived, by name. */
async function traceOf(traceId: string, ...names: string[]): Promise<Record<string, CollectedSpan>> {
  const byName = () => Object.fromEntries(traced.collector.spans(traceId).map(span => [span.name, span]))
  await waitFor(async () => names.every(name => name in byName()), { what: `the spans ${names.join(', ')}` })
  return byName()
}
const postsWith = (traceId: string) =>
  traced.receiver.requests.filter(({ headers }) => headers.traceparent?.includes(traceId))

beforeAll(async () => {
  for (const user of ['ada', 'bob']) await carillon.putUser(user, { email: `${user}@example.com` })
  const webhook = { url: `${traced.receiver.url}/hook`, events: ['notification.sent'] }
  expect((await traced.request('POST', '/v1/webhooks', { body: webhook })).status).toBe(201)
})

describe('one trace from the caller to the webhook', () => {
  const trace = newTrace()
  let spans: Record<string, CollectedSpan>
  let id: string

  beforeAll(async () => {
    const { traceparent } = trace
    const body = aPush('ada')
    const answer = await traced.request('POST', '/v1/intents', { body, headers: { traceparent } })
    id = answer.body.notification_id
    const names = ['POST /v1/intents', 'accept intent', 'deliver push', 'call provider', 'dispatch webhook']
    spans = await traceOf(trace.traceId, ...names)
  })

  it('the spans of request, acceptance, attempt, provider call and webhook follow one from the other', {
    tags: 'S002-32',
  }, () => {
    const parentOf = (name: string) => spans[name]!.parentSpanId
    expect(parentOf('POST /v1/intents')).toBe(trace.spanId)
    expect(parentOf('accept intent')).toBe(spans['POST /v1/intents']!.spanId)
    expect(parentOf('deliver push')).toBe(spans['accept intent']!.spanId)
    expect(parentOf('call provider')).toBe(spans['deliver push']!.spanId)
    expect(parentOf('dispatch webhook')).toBe(spans['accept intent']!.spanId)
    expect(Object.values(spans).filter(({ isError }) => isError)).toEqual([])
  })

  it('the spans of a trace say what they were about', () => {
    expect(spans['POST /v1/intents']).toMatchObject({
      kind: 2,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v1/intents',
        'http.response.status_code': 202,
        'carillon.tenant_id': carillon.tenantId,
      },
    })
    expect(spans['deliver push']).toMatchObject({
      kind: 5,
      events: ['claimed'],
      attributes: {
        'carillon.tenant_id': carillon.tenantId,
        'carillon.notification_id': id,
        'carillon.channel': 'push',
        'carillon.provider': 'http',
        'carillon.attempt': 1,
        'carillon.outcome': 'sent',
      },
    })
  })

  it('the provider and the webhook get the span of their call, not that of the caller', () => {
    const calls = traced.collector.spans(trace.traceId).filter(({ name }) => name === 'POST')
    expect(calls.map(({ parentSpanId }) => parentSpanId).sort()).toEqual(
      [spans['call provider']!.spanId, spans['dispatch webhook']!.spanId].sort(),
    )
    const received = postsWith(trace.traceId).map(({ headers }) => headers.traceparent)
    expect(received.sort()).toEqual(calls.map(({ traceparent }) => traceparent).sort())
  })

  it('the statement that many intents share has a trace of its own, linked both ways', async () => {
    const accepted = spans['accept intent']!
    const isLinked = ({ links }: CollectedSpan) => links.some(({ spanId }) => spanId === accepted.spanId)
    const batch = traced.collector.spans().find(span => span.name === 'accept intents' && isLinked(span))!
    expect(batch.traceId).not.toBe(trace.traceId)
    expect(accepted.links).toEqual([{ traceId: batch.traceId, spanId: batch.spanId }])
  })

  it('a record has the span that accepted it, and its explanation the trace', async () => {
    const record = (await traced.request('GET', `/v1/records/${id}`)).body
    expect(record.traceparent).toBe(spans['accept intent']!.traceparent)
    const { decisions } = (await traced.request('GET', `/v1/records/${id}/explain`)).body
    expect(decisions.map(({ text }: { text: string }) => text).join(' ')).toContain(`trace ${trace.traceId}`)
  })

  it('the log lines of the attempt and the dispatch name their spans', async () => {
    const lineOf = (msg: string) =>
      traced.log.find(line => line.msg === msg && line.trace_id === trace.traceId)
    await waitFor(async () => lineOf('dispatch') !== undefined, { what: 'the line of the dispatch' })
    expect(lineOf('attempt')).toMatchObject({ notification_id: id, span_id: spans['deliver push']!.spanId })
    expect(lineOf('dispatch')).toMatchObject({ span_id: spans['dispatch webhook']!.spanId })
  })

  it('no span holds anything of the payload, an address or a key', () => {
    const sent = traced.collector.requests.map(({ body }) => body.toString()).join('\n')
    for (const secret of ['ada@example.com', 'It is for', carillon.key]) expect(sent).not.toContain(secret)
  })
})

it('fifty intents of two tenants at once keep their traces apart', async () => {
  const other = await carillon.createTenant('other')
  await traced.request('PUT', '/v1/users/ada', { body: {}, key: other.key })
  const sent = await Promise.all(
    Array.from({ length: 50 }, async (_, n) => {
      const trace = newTrace()
      const tenant = n % 2 === 0 ? { id: carillon.tenantId, key: carillon.key } : other
      const { traceparent } = trace
      const options = { body: { ...aPush('ada'), idempotency_key: `${n}` }, headers: { traceparent } }
      const answer = await traced.request('POST', '/v1/intents', { ...options, key: tenant.key })
      return { ...trace, tenantId: tenant.id, id: answer.body.notification_id }
    }),
  )
  for (const { traceId, spanId, tenantId, id } of sent) {
    const spans = await traceOf(traceId, 'POST /v1/intents', 'accept intent', 'deliver push')
    expect(spans['POST /v1/intents']!.parentSpanId).toBe(spanId)
    const values = (key: string) =>
      new Set(traced.collector.spans(traceId).flatMap(({ attributes }) => attributes[key] ?? []))
    expect(values('carillon.tenant_id')).toEqual(new Set([tenantId]))
    expect(values('carillon.notification_id')).toEqual(new Set([id]))
  }
})

it('a trace that its caller does not record is passed on and not recorded here', async () => {
  const trace = newTrace('00')
  const options = { body: aPush('bob'), headers: { traceparent: trace.traceparent } }
  await traced.request('POST', '/v1/intents', options)
  await waitFor(async () => postsWith(trace.traceId).length === 2, { what: 'the message and its webhook' })
  expect(postsWith(trace.traceId).map(({ headers }) => headers.traceparent!.slice(-3))).toEqual([
    '-00',
    '-00',
  ])
  const later = newTrace()
  await traced.request('GET', '/v1/records', { headers: { traceparent: later.traceparent } })
  await traceOf(later.traceId, 'GET /v1/records')
  expect(traced.collector.spans(trace.traceId)).toEqual([])
})

it('a request without a trace begins one; a probe does not', async () => {
  await fetch(`${traced.url}/healthz`)
  const { body } = await traced.request('POST', '/v1/intents', { body: aPush('ada') })
  const { traceparent } = (await traced.request('GET', `/v1/records/${body.notification_id}`)).body
  await traceOf(traceparent.split('-')[1], 'POST /v1/intents', 'deliver push')
  expect(traced.collector.spans().filter(({ name }) => name.includes('healthz'))).toEqual([])
})

it('the span of a failure has the kind of the failure and not its message', async () => {
  const trace = newTrace()
  const options = { headers: { traceparent: trace.traceparent } }
  await traced.request('POST', '/v1/intents', { ...options, body: aPush('nobody@example.com') })
  const spans = await traceOf(trace.traceId, 'accept intent', 'POST /v1/intents')
  expect(spans['accept intent']).toMatchObject({
    isError: true,
    attributes: { 'error.type': 'recipient_not_found' },
  })
  expect(spans['POST /v1/intents']).toMatchObject({ isError: false })
  expect(JSON.stringify(spans)).not.toContain('nobody')
})

it('large audiences, events and the calls of scripts belong to the trace of their cause', async () => {
  const [everybody, event] = [newTrace(), newTrace()]
  const body = { ...aPush('ada'), audience: { kind: 'tenant' } }
  await traced.request('POST', '/v1/intents', { body, headers: { traceparent: everybody.traceparent } })
  const expanded = await traceOf(everybody.traceId, 'expand audience', 'deliver push')
  expect(expanded['expand audience']!.parentSpanId).toBe(expanded['accept intent']!.spanId)

  await traced.request('PATCH', '/v1/tenant', { body: { script_http_allowed: true } })
  const source = `export default async () => { await http.fetch('${traced.receiver.url}/script') }`
  const script = await traced.request('POST', '/v1/scripts', { body: { name: 'caller', source } })
  expect(script.status, JSON.stringify(script.body)).toBe(201)
  const trigger = {
    name: 'on news',
    kind: 'event',
    script_id: script.body.id,
    config: { event_kind: 'news' },
  }
  const created = await traced.request('POST', '/v1/triggers', { body: trigger })
  expect(created.status, JSON.stringify(created.body)).toBe(201)
  await traced.request('POST', '/v1/events', {
    body: { kind: 'news', payload: {} },
    headers: { traceparent: event.traceparent },
  })
  const spans = await traceOf(event.traceId, 'append event', 'dispatch event', 'GET')
  expect(spans.GET!.parentSpanId).toBe(spans['dispatch event']!.spanId)
  const fetched = traced.receiver.requests.find(({ path }) => path.endsWith('/script'))
  expect(fetched?.headers.traceparent).toBe(spans.GET!.traceparent)
})

it('a stopping process sends the spans that were not sent yet', async () => {
  const trace = newTrace()
  await traced.request('GET', '/v1/records', { headers: { traceparent: trace.traceparent } })
  await traced.stop()
  expect(traced.collector.spans(trace.traceId).map(({ name }) => name)).toContain('GET /v1/records')
  expect(traced.log.filter(({ msg }) => msg === 'traces did not reach the collector')).toEqual([])
})
