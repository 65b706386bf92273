import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { headers, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { canStartNats, useNats } from '../../../test/nats.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { connectNats } from '../../platform/streams/nats.ts'
import { CLOUD_EVENT, entriesOf, FLAT, INTENT, readStreams, stopReading } from './reading.fixture.ts'

describe.skipIf(!canStartNats)('intents from NATS JetStream', () => {
  const carillon = useCarillon()
  const server = useNats()
  let connection: NatsConnection
  beforeAll(async () => {
    connection = await connectNats(server.urls, 'test')
    await carillon.putUser('ada', { email: 'ada@example.com' })
  })
  afterAll(() => connection.close())
  afterEach(async () => {
    await stopReading()
    await (await manager()).streams.delete('INTENTS').catch(() => {})
    await carillon.pool.query('delete from records')
    await carillon.pool.query('delete from malformed_intents')
    await carillon.pool.query('delete from streams')
  })
  const manager = () => jetstreamManager(connection)
  const billing = () => ({ name: 'billing', url: server.urls, stream: 'INTENTS' })
  const addStream = async () =>
    void (await (await manager()).streams.add({ name: 'INTENTS', subjects: ['intents.>', 'other.>'] }))
  const publish = async (body: unknown, head: Record<string, string> = {}, subject = 'intents.paid') => {
    const given = headers()
    for (const [name, value] of Object.entries(head)) given.set(name, value)
    const data = body instanceof Uint8Array || typeof body === 'string' ? body : JSON.stringify(body)
    return (await jetstream(connection).publish(subject, data, { headers: given })).seq
  }
  const consumer = async () => (await manager()).consumers.info('INTENTS', 'carillon')
  /** By sequence, when all are acknowledged. */
  const settled = (count: number) =>
    waitFor(
      async () => {
        const kept = await entriesOf(carillon)
        const { num_pending, num_ack_pending } = await consumer()
        if (Object.keys(kept).length !== count || num_pending + num_ack_pending > 0) return false
        return Object.fromEntries(Object.entries(kept).map(([id, as]) => [id.split('-')[0], as]))
      },
      { what: `${count} entries`, deadlineMs: 10_000 },
    )

  it('come as the JSON of an intent or of flat fields; others are malformed', {
    tags: ['S000-1', 'S000-2', 'S000-28'],
  }, async () => {
    await addStream()
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    await publish(INTENT, { traceparent })
    await publish(FLAT)
    await publish('no JSON', { 'Nats-Msg-Id': 'bad' })
    await publish(new Uint8Array([0xff]))
    await publish({ ...FLAT, occurred_at_ms: 5 })
    await readStreams(carillon, [billing()])
    expect(await settled(5)).toEqual({
      1: 'record',
      2: 'record',
      3: 'invalid_request',
      4: 'invalid_request',
      5: 'invalid_request',
    })
    const { rows } = await carillon.pool.query('select * from records order by source_entry_id')
    expect(rows).toMatchObject([
      { producer: 'billing', traceparent, source: 'nats/billing/INTENTS' },
      { producer: 'shop', idempotency_key: 'order-1', payload_json: FLAT.payload_json },
    ])
    const { body } = await carillon.request('GET', '/v1/malformed-intents?limit=100')
    expect(body.data).toContainEqual(
      expect.objectContaining({
        producer: 'billing',
        raw_fields: { headers: { 'nats-msg-id': 'bad' }, data: 'no JSON' },
      }),
    )
  })

  it('come as CloudEvents, whole or with headers; the same event is one notification', async () => {
    await addStream()
    await publish(CLOUD_EVENT, { 'Content-Type': 'application/cloudevents+json' })
    const { data, ...attributes } = CLOUD_EVENT
    const head = Object.entries(attributes).map(([name, value]) => [`ce-${name}`, value])
    await publish(data, { ...Object.fromEntries(head), 'Content-Type': 'application/json' })
    const reading = await readStreams(carillon, [billing()])
    await waitFor(async () => reading.counts.accepted === 1 && reading.counts.duplicate === 1, {
      what: 'both messages',
    })
    const { rows } = await carillon.pool.query('select notification_type, payload_json from records')
    expect(rows).toEqual([{ notification_type: 'order_paid', payload_json: '{"order":1}' }])
  })

  it('are the same notification if they have the same message id', async () => {
    const streams = (await manager()).streams
    // Nothing is recognised by the server itself.
    await streams.add({ name: 'INTENTS', subjects: ['intents.>'], duplicate_window: 100_000_000 })
    const first = await publish(INTENT, { 'Nats-Msg-Id': 'order-1' })
    const repeat = await waitFor(
      async () => {
        const seq = await publish(INTENT, { 'Nats-Msg-Id': 'order-1' })
        return seq !== first && seq
      },
      { what: 'the window to pass' },
    )
    const reading = await readStreams(carillon, [billing()])
    await waitFor(async () => reading.counts.accepted === 1 && reading.counts.duplicate === 1, {
      what: 'both messages',
    })
    expect(repeat).toBe(2)
    const { rows } = await carillon.pool.query('select idempotency_key from records')
    expect(rows).toEqual([{ idempotency_key: 'order-1' }])
  })

  it('are given again when they are not acknowledged, and then they are duplicates', {
    tags: 'S000-3',
  }, async () => {
    await addStream()
    await publish(FLAT)
    const first = await readStreams(carillon, [billing()])
    await settled(1)
    await first.stop()
    await (await manager()).consumers.delete('INTENTS', 'carillon')
    const second = await readStreams(carillon, [billing()])
    await waitFor(async () => second.counts.duplicate === 1, { what: 'the entry to be read again' })
    expect(Object.values(await settled(1))).toEqual(['record'])
  })

  it('of a stream that was made anew are others, though they have the same sequence', async () => {
    for (const idempotency_key of ['old', 'new']) {
      await addStream()
      expect(await publish({ ...FLAT, idempotency_key })).toBe(1)
      const reading = await readStreams(carillon, [billing()])
      await waitFor(async () => reading.counts.accepted === 1, { what: idempotency_key })
      await stopReading()
      await (await manager()).streams.delete('INTENTS')
    }
    expect(Object.keys(await entriesOf(carillon))).toHaveLength(2)
  })

  it('of other subjects are left alone', async () => {
    await addStream()
    await publish(FLAT, {}, 'other.paid')
    const wanted = await publish({ ...FLAT, idempotency_key: 'wanted' })
    await readStreams(carillon, [{ ...billing(), subject: 'intents.>' }])
    expect(await settled(1)).toEqual({ [wanted]: 'record' })
  })

  it('are not read from a stream that does not exist, until it does', async () => {
    const reading = await readStreams(carillon, [billing()])
    await waitFor(async () => reading.errors.length > 0, { what: 'the failure' })
    expect(reading.errors[0]).toBe('stream billing: stream not found')
    const shown = async () => (await carillon.request('GET', '/v1/streams/billing')).body
    await waitFor(async () => (await shown()).status === 'failing', { what: 'the failure in the list' })
    expect(await shown()).toMatchObject({ kind: 'nats', place: 'INTENTS', last_error: 'stream not found' })
    await addStream()
    await publish(FLAT)
    expect(await settled(1)).toEqual({ 1: 'record' })
    await waitFor(async () => (await shown()).status === 'reading', { what: 'the recovery in the list' })
  })

  it('wait while the stream is paused; what waits is shown', async () => {
    await addStream()
    await readStreams(carillon, [billing()])
    const change = (is_paused: boolean) =>
      carillon.request('PATCH', '/v1/streams/billing', { body: { is_paused } })
    await waitFor(async () => (await change(true)).status === 200, { what: 'the stream in the list' })
    const { num_waiting } = await waitFor(
      async () => {
        const info = await consumer()
        return info.num_waiting === 0 && info
      },
      { what: 'nobody to read' },
    )
    expect(num_waiting).toBe(0)
    await publish(FLAT)
    const shown = async () => (await carillon.request('GET', '/v1/streams')).body.data[0]
    await waitFor(async () => (await shown()).waiting === 1, { what: 'the lag' })
    expect(await shown()).toMatchObject({ status: 'paused', oldest_at: expect.any(String) })
    await change(false)
    expect(await settled(1)).toEqual({ 1: 'record' })
  })
})
