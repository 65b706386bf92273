import { expect, it } from 'vitest'
import { AN_INTENT } from '../../../test/carillon.ts'
import { openTransaction } from '../../../test/open-transaction.ts'
import { createWake } from '../../platform/queue/wake.ts'
import { useAging } from './retention.fixture.ts'
import { createRetentionSweeper, type Swept } from './retention.ts'

const { carillon, sweep, age, sent, dead } = useAging()
const exists = async (id: string) => (await carillon.request('GET', `/v1/records/${id}`)).status === 200
const letterOf = async (id: string) =>
  (await carillon.readAll('/v1/dead-letters?state=all')).find(letter => letter.notification_id === id)

it('retention deletes finished records past their time, with routes, attempts and dead letters', {
  tags: 'S000-31',
}, async () => {
  const [old, young] = [await dead(), await sent()]
  await age('records', 90, old)
  await age('records', 89, young)
  expect(await sweep()).toMatchObject({ records: 1 })
  expect([await exists(old), await exists(young)]).toEqual([false, true])
  expect(await carillon.rowCounts()).toMatchObject({ routes: 1, route_attempts: 1, dead_letters: 0 })
})

it('retention keeps records that are waiting or being expanded, however old they are', {
  tags: 'S000-31',
}, async () => {
  const waiting = await carillon.send({ send_at: '2031-01-01T00:00:00Z' })
  const expanding = await carillon.send({ audience: { kind: 'tenant' } })
  await age('records', 1000)
  expect(await sweep()).toMatchObject({ records: 0 })
  expect([await exists(waiting), await exists(expanding)]).toEqual([true, true])
})

it('retention frees the idempotency key with the record', { tags: 'S000-31' }, async () => {
  const body = { ...AN_INTENT, idempotency_key: 'kept' }
  const { notification_id } = (await carillon.request('POST', '/v1/intents', { body })).body
  await carillon.request('POST', `/v1/records/${notification_id}/cancel`)
  await age('records', 90)
  await sweep()
  expect((await carillon.request('POST', '/v1/intents', { body })).status).toBe(202)
})

it('retention of records follows each tenant’s own setting', { tags: 'S000-31' }, async () => {
  const other = await carillon.createTenant('forgetful')
  await carillon.request('PATCH', '/v1/tenant', { body: { record_retention_days: 10 }, key: other.key })
  const answer = await carillon.request('POST', '/v1/intents', { body: AN_INTENT, key: other.key })
  await carillon.request('POST', `/v1/records/${answer.body.notification_id}/cancel`, { key: other.key })
  const ours = await sent()
  await age('records', 10)
  expect(await sweep()).toMatchObject({ records: 1 })
  expect(await exists(ours)).toBe(true)
})

it('retention of records works through more than one batch, and does not wait for a locked row', async () => {
  const held = await sent()
  await carillon.pool.query(
    `insert into records select (jsonb_populate_record(r, jsonb_build_object('notification_id', gen_random_uuid(),
         'idempotency_key', n))).* from records r, generate_series(1, 2500) n`,
  )
  await age('records', 91)
  const holder = await openTransaction(carillon.pool)
  await holder.client.query('select from records where notification_id = $1 for update', [held])
  expect(await sweep()).toMatchObject({ records: 2500 })
  await holder.rollback()
  expect(await sweep()).toMatchObject({ records: 1 })
})

it('retention of malformed intents has a pass and a setting of its own', { tags: 'S000-31' }, async () => {
  const id = await sent()
  const malformed = (n: number) => ({ intents: [{ source_entry_id: `m${n}` }] })
  await carillon.request('POST', '/v1/intents/batch', { body: malformed(1) })
  await age('malformedIntents', 30)
  await age('records', 30)
  await carillon.request('POST', '/v1/intents/batch', { body: malformed(2) })
  expect(await sweep()).toMatchObject({ records: 0, malformed_intents: 1, dead_letters: 0 })
  const left = await carillon.readAll('/v1/malformed-intents')
  expect(left.map(row => row.source_entry_id)).toEqual(['m2'])
  expect(await exists(id)).toBe(true)
})

it('dead letters are deleted at their age and leave their routes; open ones only after a warning', {
  tags: ['S002-11', 'S003-26'],
}, async () => {
  const [open, resolved, fresh] = [await dead(), await dead(), await dead()]
  for (const id of [resolved, fresh]) {
    await carillon.request('POST', `/v1/dead-letters/${(await letterOf(id)).id}/resolve`, { body: {} })
  }
  for (const id of [open, resolved]) await age('letters', 31, id)
  expect(await sweep()).toMatchObject({ records: 0, dead_letters: 1 })
  expect(await letterOf(open)).toBeDefined()
  expect(await letterOf(fresh)).toBeDefined()
  expect(await letterOf(resolved)).toBeUndefined()
  expect((await carillon.routesOf(resolved))[0]!.status).toBe('dead')
  await age('warningsOfLetters', 1, open)
  expect(await sweep()).toMatchObject({ records: 0, dead_letters: 1 })
  expect((await carillon.routesOf(open))[0]!.status).toBe('dead')
})

it('dead letters are deleted in batches until none is left, without waiting for a locked one', {
  tags: 'S003-26',
}, async () => {
  await dead()
  await carillon.request('POST', '/v1/dead-letters/replay', { body: { filter: {} } })
  await carillon.pool.query(
    `insert into dead_letters select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid()))).*
       from dead_letters d, generate_series(1, 5500) n`,
  )
  await age('letters', 31)
  const holder = await openTransaction(carillon.pool)
  await holder.client.query('select from dead_letters limit 1 for update')
  expect(await sweep()).toMatchObject({ dead_letters: 5500 })
  await holder.rollback()
  expect(await sweep()).toMatchObject({ dead_letters: 1 })
})

it('the retention sweeper warns of open dead letters that are about to be deleted', {
  tags: 'S003-26',
}, async () => {
  await dead()
  await age('letters', 28)
  let sweeps = 0
  const sweeper = createRetentionSweeper({
    pool: carillon.pool,
    wake: createWake(),
    intervalMs: 3_600_000,
    onSwept: () => void sweeps++,
    onError: () => {},
  })
  await sweeper.start()
  await expect.poll(() => sweeps).toBe(1)
  await sweeper.stop()
  const path = '/v1/system-events?event_type=dead_letters_expiring'
  expect(await carillon.readAll(path)).toMatchObject([{ details: { letters: 1 } }])
})

it('the retention sweeper sweeps on start and when woken, reports, survives a failing round, and stops', async () => {
  const sweeps: Swept[] = []
  const errors: unknown[] = []
  const wake = createWake()
  const sweeper = createRetentionSweeper({
    pool: carillon.pool,
    wake,
    intervalMs: 3_600_000,
    onSwept: swept => void sweeps.push(swept),
    onError: error => void errors.push(error),
  })
  await sent()
  await age('records', 91)
  await sweeper.start()
  await expect.poll(() => sweeps).toMatchObject([{ records: 1 }])
  await carillon.pool.query('alter table malformed_intents rename to hidden')
  wake.call()
  await expect.poll(() => errors.length).toBe(1)
  await carillon.pool.query('alter table hidden rename to malformed_intents')
  wake.call()
  await expect.poll(() => sweeps.length).toBe(2)
  await sweeper.stop()
  await sweeper.stop()
})
