import { beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { drainAll, emit } from '../../../test/events.ts'
import { useScripts } from '../../../test/running-scripts.ts'
import { createTriggersConsumer } from './event-consumer.ts'

const carillon = useCarillon()
const scripts = useScripts(carillon)
const drain = () =>
  drainAll(
    carillon.pool,
    createTriggersConsumer(() => {}),
    carillon.tenantId,
  )
const fired = async () => (await carillon.pool.query('select * from outbox order by seq')).rows
const reset = () =>
  carillon.request('POST', '/v1/event-consumers/triggers/reset', { body: { to_event_id: 0 } })

beforeEach(async () => {
  for (const table of ['triggers', 'outbox', 'domain_events'])
    await carillon.pool.query(`delete from ${table}`)
})

describe('a trigger of the kind event', () => {
  it('fires for events of its kind and topic, in the order of the log', async () => {
    const script = await scripts.script('export default event')
    const [all, some] = [
      await scripts.trigger('event', script, { event_kind: '*' }),
      await scripts.trigger('event', script, { event_kind: 'issue_*', topic: 'shop' }),
    ]
    const event_id = await emit(carillon.pool, { kind: 'issue_opened', topic: 'shop', actor_id: 'ada' })
    await emit(carillon.pool, { kind: 'issue_opened', topic: 'other' })
    await emit(carillon.pool, { kind: 'paid', topic: 'shop' })
    await drain()
    const rows = await fired()
    expect(rows.filter(row => row.target_id === all)).toHaveLength(3)
    expect(rows.filter(row => row.target_id === some)).toMatchObject([
      { source_kind: 'event', op: 'emitted', trigger_depth: 0, context: { origin: 'user:ada' } },
    ])
    expect(JSON.parse(rows[0].payload)).toMatchObject({ event_id, kind: 'issue_opened', actor: 'ada' })
  })

  it('runs its script once per event, however often the log is read', async () => {
    const script = await scripts.script('export default event.data.payload.n')
    await scripts.trigger('event', script, { event_kind: '*' })
    await emit(carillon.pool, { kind: 'paid', payload: { n: 7 } })
    await drain()
    await reset()
    await drain()
    expect(await fired()).toHaveLength(1)
    scripts.start()
    await scripts.settled()
    await reset()
    await drain()
    expect(await fired()).toEqual([])
    expect(await scripts.runs()).toMatchObject([{ kind: 'event', status: 'succeeded' }])
  })

  it('goes on with the chain of dispatches that led to the event', async () => {
    const script = await scripts.script('export default 1')
    await scripts.trigger('event', script, { event_kind: '*' })
    await emit(carillon.pool)
    await carillon.pool.query('update domain_events set trigger_depth = 5')
    await drain()
    expect(await fired()).toMatchObject([{ trigger_depth: 5 }])
  })
})
