import type { Schedule } from '@carillon/contract'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { createPool } from '../../platform/database/pool.ts'
import { createWake } from '../../platform/queue/wake.ts'
import { createScheduler, runDueSchedule } from './scheduler.ts'

const carillon = useCarillon()
const intent = {
  notification_type: 'report',
  audience: { kind: 'users', user_ids: ['ada'] },
  channels: ['email'],
  payload: { title: 'The week' },
}
const weekly = { name: 'Weekly report', cron: '0 9 * * 1', timezone: 'Europe/Berlin', intent }
const run = (pool = carillon.pool) => runDueSchedule({ pool, onAccepted: () => {} })
const create = async (more: object = {}): Promise<Schedule> => {
  const answer = await carillon.request('POST', '/v1/schedules', { body: { ...weekly, ...more } })
  expect(answer.status).toBe(201)
  return answer.body
}
const get = async (id: string): Promise<Schedule> =>
  (await carillon.request('GET', `/v1/schedules/${id}`)).body
const change = (id: string, body: object) => carillon.request('PATCH', `/v1/schedules/${id}`, { body })
const records = async () => carillon.readAll('/v1/records?notification_type=report')
/** As if time had passed. */
const makeDue = (id: string, ago = '1 second') =>
  carillon.pool.query('update schedules set next_run_at = now() - $2::interval where id = $1', [id, ago])

beforeAll(() => carillon.putUser('ada', { email: 'ada@example.com' }))
beforeEach(async () => {
  await carillon.pool.query('delete from schedules')
  await carillon.pool.query('delete from records')
})

describe('/v1/schedules', () => {
  it('creates, reads, lists, changes and removes', async () => {
    const created = await create()
    expect(created).toMatchObject({
      ...weekly,
      is_active: true,
      producer: 'api',
      last_run_at: null,
      last_error: '',
    })
    expect(new Date(created.next_run_at!).getTime()).toBeGreaterThan(Date.now())
    expect(await get(created.id)).toEqual(created)
    const second = await create({ name: 'Second' })
    expect((await carillon.readAll('/v1/schedules', 1)).map(each => each.id)).toEqual([second.id, created.id])
    const changed = (await change(created.id, { cron: '@daily', name: 'Daily' })).body
    expect(changed).toMatchObject({ cron: '@daily', name: 'Daily', intent })
    expect(changed.next_run_at).not.toBe(created.next_run_at)
    expect((await carillon.request('DELETE', `/v1/schedules/${created.id}`)).status).toBe(204)
    expect((await carillon.request('GET', `/v1/schedules/${created.id}`)).status).toBe(404)
    expect((await change(created.id, {})).status).toBe(404)
  })

  it.each([
    ['101 levels', `${'{"a":'.repeat(101)}1${'}'.repeat(101)}`, 'invalid_payload'],
    ['more than 64 KiB', JSON.stringify({ a: 'x'.repeat(65_536) }), 'payload_too_large'],
    ['a number that cannot be stored', '{"a":1e99999}', 'invalid_payload'],
  ])('refuses a payload with %s when it is saved, not when it runs', async (_what, payload, code) => {
    const { id } = await create()
    const text = JSON.stringify({ intent: { ...intent, payload: 0 } }).replace(
      '"payload":0',
      `"payload":${payload}`,
    )
    const { intent: _, ...others } = weekly
    const whole = `${JSON.stringify(others).slice(0, -1)},${text.slice(1)}`
    for (const [method, path, body] of [
      ['POST', '/v1/schedules', whole],
      ['PATCH', `/v1/schedules/${id}`, text],
    ] as const) {
      const answer = await carillon.request(method, path, { rawBody: body })
      expect(problemOf(answer)).toMatchObject({ code, errors: [{ field: 'intent.payload' }] })
    }
    expect(await carillon.readAll('/v1/schedules')).toHaveLength(1)
  })

  it('a change without a body changes nothing', async () => {
    const { id, ...created } = await create()
    const answer = await carillon.request('PATCH', `/v1/schedules/${id}`)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      cron: created.cron,
      intent: created.intent,
      next_run_at: created.next_run_at,
    })
  })

  it('has no next run when it is switched off; switched on again, it continues from now', async () => {
    const { id } = await create()
    expect((await change(id, { is_active: false })).body.next_run_at).toBeNull()
    expect(await run()).toBe(false)
    expect(Date.parse((await change(id, { is_active: true })).body.next_run_at)).toBeGreaterThan(Date.now())
  })

  it('shows when an expression would run, in UTC and in local time', async () => {
    const query = 'cron=30%208%20*%20*%201-5&timezone=Asia/Tokyo&count=3'
    const { runs } = (await carillon.request('GET', `/v1/schedules/preview?${query}`)).body
    expect(runs).toHaveLength(3)
    expect(runs[0]).toEqual({
      at: expect.stringMatching(/T23:30:00.000Z$/),
      local: expect.stringMatching(/T08:30:00\+09:00$/),
    })
    const { id, next_run_at } = await create()
    const own = (await carillon.request('GET', `/v1/schedules/${id}/preview?count=2`)).body
    expect(own.runs).toHaveLength(2)
    expect(own.runs[0].at).toBe(next_run_at)
  })

  it.each([
    ['an invalid expression', { cron: 'often' }, 'cron'],
    ['an expression that never matches', { cron: '0 0 30 2 *' }, 'cron'],
    ['an unknown zone', { timezone: 'Mars/Olympus' }, 'timezone'],
    ['an intent without a payload', { intent: { ...intent, payload: undefined } }, 'intent.payload'],
    [
      'a time inside the intent',
      { intent: { ...intent, send_at: '2030-01-01T00:00:00Z' } },
      'intent.send_at',
    ],
  ])('%s is refused', async (_name, more, field) => {
    const answer = await carillon.request('POST', '/v1/schedules', { body: { ...weekly, ...more } })
    expect(problemOf(answer)).toMatchObject({ status: 400, errors: [{ field }] })
  })

  it('belongs to its tenant', { tags: 'S004-7' }, async () => {
    const { id } = await create()
    const { key } = await carillon.createTenant('elsewhere')
    expect((await carillon.request('GET', `/v1/schedules/${id}`, { key })).status).toBe(404)
    expect((await carillon.request('DELETE', `/v1/schedules/${id}`, { key })).status).toBe(404)
    expect(await carillon.readAll('/v1/schedules', 10, key)).toEqual([])
  })
})

describe('a run', () => {
  it('sends the intent with its payload byte for byte, and sets the next time', async () => {
    const payload = '{"title" : "The week", "n": 1.0}'
    const rawBody = JSON.stringify(weekly).replace(JSON.stringify(intent.payload), payload)
    const { id } = (await carillon.request('POST', '/v1/schedules', { rawBody })).body as Schedule
    await makeDue(id)
    const { next_run_at: due } = await get(id)
    expect(await run()).toBe(true)
    expect(await run()).toBe(false)
    const schedule = await get(id)
    expect(schedule).toMatchObject({ last_run_at: due, last_error: '' })
    expect(Date.parse(schedule.next_run_at!)).toBeGreaterThan(Date.now())
    const record = (await carillon.request('GET', `/v1/records/${schedule.last_notification_id}`)).body
    expect(record).toMatchObject({
      source: 'schedule',
      producer: 'api',
      idempotency_key: `schedule:${id}:${due}`,
      payload_json: payload,
      routes: { pending: 1 },
    })
  })

  it('that was missed for days happens once, and the schedule continues', async () => {
    const { id } = await create({ cron: '* * * * *' })
    await makeDue(id, '3 days')
    while (await run());
    expect(await records()).toHaveLength(1)
    expect(Date.parse((await get(id)).next_run_at!)).toBeGreaterThan(Date.now() - 60_000)
  })

  it('that is refused says why, tells the operator, and does not stop the schedule', async () => {
    const { id } = await create({ intent: { ...intent, audience: { kind: 'users', user_ids: ['nobody'] } } })
    await makeDue(id)
    expect(await run()).toBe(true)
    const schedule = await get(id)
    expect(schedule).toMatchObject({
      last_error: expect.stringContaining('"nobody"'),
      last_notification_id: null,
    })
    expect(Date.parse(schedule.next_run_at!)).toBeGreaterThan(Date.now())
    const events = await carillon.readAll('/v1/system-events')
    expect(events[0]).toMatchObject({ event_type: 'schedule_failed', subject: id })
  })

  it('of a suspended tenant is left out; it says why, and nobody is told of a failure', async () => {
    const { id } = await create()
    await makeDue(id)
    const failures = async () => (await carillon.readAll('/v1/system-events')).length
    const before = await failures()
    await carillon.pool.query('update tenants set suspended_at = now()')
    expect(await run()).toBe(true)
    await carillon.pool.query('update tenants set suspended_at = null')
    expect(await get(id)).toMatchObject({ last_error: expect.stringContaining('suspended') })
    expect(await failures()).toBe(before)
    expect([await records(), await run()]).toEqual([[], false])
  })

  it('is all or nothing: after a failure in the middle it is still due', async () => {
    const { id } = await create()
    await makeDue(id)
    await carillon.pool.query(
      'alter table schedules add constraint broken check (last_run_at is null) not valid',
    )
    await expect(run()).rejects.toThrow('broken')
    await carillon.pool.query('alter table schedules drop constraint broken')
    expect(await records()).toHaveLength(0)
    expect(await run()).toBe(true)
    expect(await records()).toHaveLength(1)
  })

  it('happens once with several schedulers at work', async () => {
    const ids = []
    for (let n = 0; n < 20; n++) {
      const { id } = await create({ name: `No ${n}`, intent: { ...intent, payload: { n } } })
      await makeDue(id)
      ids.push(id)
    }
    const pools = [1, 2, 3].map(() => createPool(carillon.url, { max: 2 }))
    const schedulers = pools.map(pool =>
      createScheduler({ pool, wake: createWake(), pollMs: 5, onAccepted: () => {}, onError: () => {} }),
    )
    for (const scheduler of schedulers) await scheduler.start()
    for (const round of [1, 2]) {
      await waitFor(async () => (await records()).length >= 20 * round, { what: 'every schedule to run' })
      if (round === 1) for (const id of ids) await makeDue(id)
    }
    const due = 'select from schedules where next_run_at <= now()'
    await waitFor(async () => (await carillon.pool.query(due)).rowCount === 0, {
      what: 'no schedule to be due',
    })
    for (const scheduler of schedulers) await scheduler.stop()
    await Promise.all(pools.map(pool => pool.end()))
    const keys = (await records()).map(record => record.idempotency_key)
    expect(keys).toHaveLength(40)
    expect(new Set(keys).size).toBe(40)
  })
})
