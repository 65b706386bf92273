/** What others do to a stream of NATS while it is read: each message becomes one record or one malformed intent all the same. */
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { canStartNats, useNats } from '../../../test/nats.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { connectNats } from '../../platform/streams/nats.ts'
import { entriesOf, FLAT, readStreams, stopReading } from './reading.fixture.ts'

describe.skipIf(!canStartNats)('a stream of NATS', () => {
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
    for (const table of ['records', 'malformed_intents', 'streams'])
      await carillon.pool.query(`delete from ${table}`)
  })
  const manager = () => jetstreamManager(connection)
  const billing = () => ({ name: 'billing', url: server.urls, stream: 'INTENTS' })
  const addStream = async () =>
    void (await (await manager()).streams.add({ name: 'INTENTS', subjects: ['intents.>'] }))
  let keys = 0
  const publish = async (fields: object = {}) =>
    (
      await jetstream(connection).publish(
        'intents.paid',
        JSON.stringify({ ...FLAT, idempotency_key: `n-${++keys}`, ...fields }),
      )
    ).seq
  const kept = async () => Object.values(await entriesOf(carillon)).toSorted()
  const becomes = (...as: string[]) =>
    waitFor(async () => JSON.stringify(await kept()) === JSON.stringify(as.toSorted()), {
      what: `${as.length} entries`,
      deadlineMs: 12_000,
    })

  it('whose consumer is deleted is read on', async () => {
    await addStream()
    await readStreams(carillon, [billing()])
    await publish()
    await becomes('record')
    const { consumers } = await manager()
    // The server removes its folder while it still writes there, and then says that it could not.
    await waitFor(() => consumers.delete('INTENTS', 'carillon'), { what: 'it to be deleted' })
    await publish()
    await becomes('record', 'record')
  })

  it('that is deleted and made anew is read on', async () => {
    await addStream()
    await readStreams(carillon, [billing()])
    await publish()
    await becomes('record')
    await (await manager()).streams.delete('INTENTS')
    await addStream()
    await publish()
    await becomes('record', 'record')
  })

  it('that is purged is read on', async () => {
    await addStream()
    await readStreams(carillon, [billing()])
    await publish()
    await becomes('record')
    await (await manager()).streams.purge('INTENTS')
    await publish()
    await becomes('record', 'record')
  })

  it('whose consumer gives up after some tries is not read, and says so', async () => {
    await addStream()
    await (await manager()).consumers.add('INTENTS', {
      durable_name: 'carillon',
      ack_policy: AckPolicy.Explicit,
      max_deliver: 2,
    })
    await publish()
    const reading = await readStreams(carillon, [billing()])
    await waitFor(async () => reading.errors.some(error => /max_deliver/.test(error)), {
      what: 'the refusal',
    })
    expect(await kept()).toEqual([])
  })

  it('whose consumer is changed so that it gives up is not read any longer, until it is changed back', async () => {
    await addStream()
    const reading = await readStreams(carillon, [billing()])
    await publish()
    await becomes('record')
    const { consumers } = await manager()
    await consumers.update('INTENTS', 'carillon', { max_deliver: 1 })
    await waitFor(async () => reading.errors.some(error => /max_deliver/.test(error)), {
      what: 'the refusal',
    })
    const shown = async () => (await carillon.request('GET', '/v1/streams/billing')).body
    await waitFor(async () => /max_deliver/.test((await shown()).last_error), { what: 'it to be shown' })
    await publish()
    await consumers.update('INTENTS', 'carillon', { max_deliver: -1 })
    await becomes('record', 'record')
  })

  it('whose consumer waits for less than a lease waits for one', async () => {
    await addStream()
    const { consumers } = await manager()
    await consumers.add('INTENTS', {
      durable_name: 'carillon',
      ack_policy: AckPolicy.Explicit,
      ack_wait: 1_000_000_000,
      max_ack_pending: 1,
    })
    for (let n = 0; n < 3; n++) await publish()
    await readStreams(carillon, [billing()])
    await becomes('record', 'record', 'record')
    expect((await consumers.info('INTENTS', 'carillon')).config.ack_wait).toBe(30_000_000_000)
  })
})
