import { randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { canStartRedis, useRedis } from '../../../test/redis.ts'
import { useTracedCarillon } from '../../../test/traced-carillon.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { FLAT, INTENT } from './reading.fixture.ts'

describe.skipIf(!canStartRedis)('entries of a stream in traces', () => {
  const carillon = useCarillon()
  const server = useRedis()
  const tenants: Record<string, string> = {}
  let redis: Redis

  beforeAll(async () => {
    redis = new Redis(server.url)
    const { id, key } = await carillon.createTenant('second')
    Object.assign(tenants, { first: carillon.tenantId, second: id })
    for (const tenantKey of [carillon.key, key]) {
      const put = (path: string, body: object) => carillon.request('PUT', path, { key: tenantKey, body })
      await put('/v1/users/ada', { email: 'ada@example.com' })
      await put('/v1/notification-types/order_paid', { channels: ['push'] })
    }
  })
  afterAll(() => redis.disconnect())
  const traced = useTracedCarillon(carillon, collector => ({
    CARILLON_TRACES_URL: collector.tracesUrl,
    CARILLON_STREAMS: JSON.stringify([
      { name: 'first', url: server.url, key: 'first' },
      { name: 'second', url: server.url, key: 'second', tenant: 'second' },
    ]),
  }))

  const add = (stream: string, intent: object) => redis.xadd(stream, '*', 'intent', JSON.stringify(intent))
  const spansOf = (traceId: string) =>
    Object.fromEntries(traced.collector.spans(traceId).map(span => [span.name, span]))

  it('each continues the trace of whoever wrote it, and no other', { tags: 'S002-32' }, async () => {
    const entries = Array.from({ length: 40 }, (_, i) => ({
      stream: i % 2 === 0 ? 'first' : 'second',
      traceId: randomBytes(16).toString('hex'),
      parent: randomBytes(8).toString('hex'),
    }))
    await Promise.all(
      entries.map(({ stream, traceId, parent }, i) =>
        add(stream, {
          ...FLAT,
          idempotency_key: `traced-${i}`,
          trace_id: `00-${traceId}-${parent}-01`,
          payload_json: '{"title": "kept to ourselves"}',
        }),
      ),
    )
    await waitFor(async () => entries.every(({ traceId }) => 'deliver push' in spansOf(traceId)), {
      what: 'the spans of every entry',
    })
    for (const { stream, traceId, parent } of entries) {
      const spans = spansOf(traceId)
      expect(spans['receive entry']).toMatchObject({
        parentSpanId: parent,
        attributes: {
          'messaging.system': 'redis',
          'messaging.destination.name': stream,
          'carillon.tenant_id': tenants[stream],
        },
      })
      expect(spans['accept intent']!.parentSpanId).toBe(spans['receive entry']!.spanId)
      expect(spans['deliver push']!.parentSpanId).toBe(spans['accept intent']!.spanId)
      const owners = Object.values(spans).map(({ attributes }) => attributes['carillon.tenant_id'])
      expect(owners.filter(owner => owner !== undefined && owner !== tenants[stream])).toEqual([])
    }
    const told = JSON.stringify(traced.collector.spans())
    for (const secret of ['ada@example.com', 'kept to ourselves', carillon.key])
      expect(told).not.toContain(secret)
  })

  it('begins one where nobody did, and says of what it refused only the kind', async () => {
    await add('first', { ...INTENT, idempotency_key: 'alone', notification_type: 'x'.repeat(300) })
    await add('first', { ...INTENT, idempotency_key: 'here', channels: ['push'] })
    const { rows } = await waitFor(
      async () => {
        const found = await carillon.pool.query(
          "select traceparent from records where idempotency_key = 'here'",
        )
        return found.rowCount === 1 && found
      },
      { what: 'the record' },
    )
    const traceId = rows[0].traceparent.split('-')[1]
    await waitFor(async () => 'receive entry' in spansOf(traceId), { what: 'its span' })
    expect(spansOf(traceId)['receive entry']!.parentSpanId).toBeFalsy()
    expect(JSON.stringify(traced.collector.spans())).not.toContain('xxxxxxxx')
  })
})
