import { beforeAll, beforeEach, expect, it } from 'vitest'
import { create } from '../../../test/calls/call.ts'
import { AN_INTENT, useCarillon } from '../../../test/carillon.ts'
import { tell } from '../../../test/fanout.ts'
import { openTransaction, untilBlocked } from '../../../test/open-transaction.ts'
import { createWake } from '../../platform/queue/wake.ts'
import type { Outcome } from '../../providers/services/provider.ts'
import { type Archived, archiveOnce, createArchiver } from './archive.ts'
import { useFinished } from './finished.fixture.ts'
import { moveBatch } from './queries.ts'

const carillon = useCarillon()
const { age, ageRoutes, ageInPlace, ids, told, expectOnePlace } = useFinished(carillon)
const archive = () => archiveOnce(carillon.pool)
const keep = (days: object) => carillon.request('PATCH', '/v1/tenant', { body: days })

beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com', locale: 'de' })
  await carillon.putUser('bob', { email: 'bob@example.com' })
})
beforeEach(async () => {
  for (const table of ['records', 'records_archive', 'dead_letters', 'digests', 'webhook_deliveries'])
    await carillon.pool.query(`delete from ${table}`)
  await keep({ record_hot_days: 90, record_retention_days: 365 })
})

const toBoth = { audience: { kind: 'users', user_ids: ['ada', 'bob'] }, channels: ['email'] }

async function sendAs(outcome: Outcome, status: string, intent: object = {}): Promise<string> {
  const worker = carillon.deliver(() => outcome)
  const id = await carillon.send(intent)
  await carillon.settled(id, status)
  await worker.stop()
  return id
}
const sent = (intent: object = {}) => sendAs({ kind: 'sent' }, 'sent', intent)

it('finished records are archived after their hot time, and the API tells the same of them', {
  tags: 'S002-29',
}, async () => {
  await sent(toBoth)
  const dead = await sendAs({ kind: 'permanent', message: 'no such mailbox' }, 'dead', toBoth)
  for (const letter of await carillon.readAll('/v1/dead-letters'))
    await carillon.request('POST', `/v1/dead-letters/${letter.id}/resolve`, { body: {} })
  const cancelled = await carillon.send({ ...toBoth, send_at: '2031-01-01T00:00:00Z' })
  await carillon.request('POST', `/v1/records/${cancelled}/cancel`)
  await sent()
  const endpoint = { url: 'https://example.com', events: ['notification.sent'] }
  const webhook = await create(carillon, '/v1/webhooks', endpoint)
  await carillon.pool.query(
    `insert into webhook_deliveries (tenant_id, id, webhook_id, notification_id, event_id, event_type, payload, attempts)
       values ($1, gen_random_uuid(), $3, $2, gen_random_uuid(), 'notification.failed', '{}', '[]')`,
    [carillon.tenantId, dead, webhook],
  )
  await age(91)
  const before = await told()
  expect(before.records).toHaveLength(4)
  expect(await archive()).toMatchObject({ records: 4, routes: 7 })
  expect(await ids('records')).toEqual([])
  expect(await ids('route_attempts')).toEqual([])
  expect(await told()).toEqual(before)
  await expectOnePlace()
  expect(await archive()).toMatchObject({ records: 0, routes: 0 })
  for (const [query, routes] of [
    ['status=dead', 2],
    ['user_id=ada', 3],
    ['notification_type=order_shipped', 7],
    ['channel=email', 7],
  ] as const)
    expect([query, await carillon.readAll(`/v1/routes?${query}`)]).toEqual([
      query,
      Array(routes).fill(expect.anything()),
    ])
  const [record] = before.records
  expect(await carillon.readAll(`/v1/records?idempotency_key=${record.idempotency_key}`)).toEqual([record])
  const answer = await carillon.request('POST', `/v1/records/${record.notification_id}/cancel`)
  expect([answer.status, answer.body.code]).toEqual([409, 'nothing_to_cancel'])
})

it('records are archived after the tenant’s own time, and not if they are kept no longer than that', {
  tags: 'S002-29',
}, async () => {
  await sent()
  await age(89)
  expect(await archive()).toMatchObject({ records: 0 })
  await keep({ record_hot_days: 30 })
  expect(await archive()).toMatchObject({ records: 1 })
  await sent()
  await age(31)
  await keep({ record_retention_days: 30 })
  expect(await archive()).toMatchObject({ records: 0 })
})

it('records that are open, just changed or still needed are not archived', { tags: 'S002-29' }, async () => {
  const waiting = await carillon.send({ send_at: '2031-01-01T00:00:00Z' })
  const expanding = await carillon.send({ audience: { kind: 'tenant' } })
  const letter = await sendAs({ kind: 'permanent', message: 'no' }, 'dead')
  const protectedKey = await sent({ idempotency_key: 'still protects' })
  const reported = await sent()
  await age(91)
  const now = await ids('records')
  await carillon.pool.query(
    `update records set idempotency_expires_at = now() + interval '1 day' where idempotency_key = 'still protects'`,
  )
  // the newest id: each was made after the one before
  await carillon.pool.query('update routes set updated_at = now() where notification_id = $1', [now.at(-1)])
  expect(await archive()).toMatchObject({ records: 0 })
  expect([waiting, expanding, letter, protectedKey, reported]).toHaveLength(now.length)
  expect(await ids('records')).toEqual(now)
})

it('a digest and its items are archived only after the digest has closed', { tags: 'S002-29' }, async () => {
  await carillon.putType('order_shipped', { channels: ['email'], digest: { window: 3600 } })
  const id = await carillon.send()
  const worker = carillon.deliver(() => ({ kind: 'sent' }))
  const [route] = await carillon.settled(id, 'skipped')
  await ageInPlace(91)
  expect(await archive()).toMatchObject({ records: 0 })
  await carillon.skipWaiting()
  await carillon.settled(route!.digest_id!, 'sent')
  await worker.stop()
  await ageRoutes(91)
  const before = await told()
  expect(await archive()).toMatchObject({ records: 2 })
  expect(await told()).toEqual(before)
  await carillon.request('DELETE', '/v1/notification-types/order_shipped')
})

it('the archiver leaves locked records for the next time instead of waiting', {
  tags: 'S002-29',
}, async () => {
  await sent()
  await sent(toBoth)
  await age(91)
  const holder = await openTransaction(carillon.pool)
  await holder.client.query(`select from routes where user_id = 'ada' for update`)
  expect(await archive()).toMatchObject({ records: 1, routes: 1 })
  await holder.rollback()
  expect(await archive()).toMatchObject({ records: 1, routes: 2 })
  await expectOnePlace()
})

it('a batch of the archiver ends with the record that fills the batch, however large the record is', async () => {
  for (let n = 0; n < 3; n++) await sent(toBoth)
  await age(91)
  const errors: unknown[] = []
  const wake = createWake()
  const done: Archived[] = []
  const archiver = createArchiver({
    pool: carillon.pool,
    wake,
    intervalMs: 3_600_000,
    batch: { records: 500, routes: 1 },
    onArchived: archived => void done.push(archived),
    onError: error => void errors.push(error),
  })
  await archiver.start()
  await expect.poll(() => done).toMatchObject([{ records: 3, routes: 6 }])
  await archiver.stop()
  await archiver.stop()
  expect(errors).toEqual([])
})

it('an event whose records are archived is not told again, and is explained as before', {
  tags: 'S002-29',
}, async () => {
  const [event] = await tell(carillon, {
    kind: 'mentioned',
    is_public: false,
    relations: { mention: ['ada'] },
  })
  const worker = carillon.deliver(() => ({ kind: 'sent' }))
  for (const id of await ids('records')) await carillon.settled(id, 'sent')
  await worker.stop()
  await ageInPlace(91)
  await carillon.pool.query(`update domain_events set created_at = created_at - interval '91 days'`)
  const explained = async () => (await carillon.request('GET', `/v1/events/${event}/explain`)).body
  const before = await explained()
  expect((await archive()).routes).toBeGreaterThan(0)
  expect(await explained()).toEqual(before)
  const { rows } = await carillon.pool.query(`select people from fan_out($1, $2, '', 60)`, [
    carillon.tenantId,
    event,
  ])
  expect(rows).toEqual([{ people: 0 }])
  expect(await ids('records')).toEqual([])
})

it('a deleted person takes their archived routes along, and a deleted tenant everything', {
  tags: ['S002-34', 'S003-27'],
}, async () => {
  await carillon.putUser('eve', { email: 'eve@example.com' })
  await sent({ audience: { kind: 'users', user_ids: ['ada', 'eve'] }, channels: ['email'] })
  const { id, key } = await carillon.createTenant('other')
  const answer = await carillon.request('POST', '/v1/intents', { body: AN_INTENT, key })
  await carillon.request('POST', `/v1/records/${answer.body.notification_id}/cancel`, { key })
  await age(91)
  expect(await archive()).toMatchObject({ records: 2, routes: 3 })
  await carillon.request('DELETE', '/v1/users/eve')
  expect((await carillon.readAll('/v1/routes')).map(route => route.user_id)).toEqual(['ada'])
  const measured = await carillon.pool.query('select row_count::integer from tenant_rows($1)', [id])
  const deleted = await carillon.pool.query('select delete_tenant_rows($1, 1000)', [id])
  expect(deleted.rows[0].delete_tenant_rows).toBeGreaterThan(0)
  expect(measured.rows[0].row_count).toBeGreaterThan(3)
  await carillon.pool.query('delete from tenants where id = $1', [id])
  expect(await ids('records_archive')).toHaveLength(1)
  await expectOnePlace()
})

it('a person who is deleted while their routes are being archived takes the routes along', {
  tags: 'S003-27',
}, async () => {
  await carillon.putUser('eve', { email: 'eve@example.com' })
  await sent({ audience: { kind: 'users', user_ids: ['ada', 'eve'] }, channels: ['email'] })
  await age(91)
  const mover = await openTransaction(carillon.pool)
  await moveBatch(mover.client, carillon.tenantId, undefined, { records: 10, routes: 10 })
  const deletion = carillon.request('DELETE', '/v1/users/eve')
  await untilBlocked(carillon.pool, 1, 'the deletion to wait for the mover')
  await mover.commit()
  expect((await deletion).status).toBe(204)
  expect((await carillon.readAll('/v1/routes')).map(route => route.user_id)).toEqual(['ada'])
  await expectOnePlace()
})

it('a dead letter stays with its archived route, and goes with the route', { tags: 'S000-31' }, async () => {
  await sendAs({ kind: 'permanent', message: 'no' }, 'dead')
  const [letter] = await carillon.readAll('/v1/dead-letters')
  await carillon.request('POST', `/v1/dead-letters/${letter.id}/resolve`, { body: {} })
  await age(91)
  await archive()
  const shown = (await carillon.request('GET', `/v1/dead-letters/${letter.id}`)).body
  expect(shown.payload_json).toContain('Your order')
  await carillon.pool.query('delete from records_archive')
  expect(await ids('dead_letters')).toEqual([])
})

it('the archive shows nothing of one tenant to another', { tags: 'S002-29' }, async () => {
  await sent(toBoth)
  await age(91)
  await archive()
  const [id] = await ids('records_archive')
  const { key } = await carillon.createTenant('curious')
  for (const path of ['', '/routes', '/explain'])
    expect((await carillon.request('GET', `/v1/records/${id}${path}`, { key })).status).toBe(404)
  for (const path of ['/v1/records', '/v1/routes', '/v1/routes?user_id=ada'])
    expect((await carillon.request('GET', path, { key })).body.data).toEqual([])
})

it('the tables of the archive have the columns of the live ones, in the same order', {
  tags: 'S002-29',
}, async () => {
  for (const table of ['records', 'routes', 'route_attempts']) {
    const columns = async (name: string) =>
      (
        await carillon.pool.query(
          `select attname, format_type(atttypid, atttypmod) as type, attnotnull from pg_attribute
             where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
          [`carillon.${name}`],
        )
      ).rows
    expect(await columns(`${table}_archive`)).toEqual(await columns(table))
  }
})
