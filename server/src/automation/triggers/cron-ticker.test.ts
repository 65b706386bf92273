import type { CreatedTrigger, CronTrigger } from '@carillon/contract'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { useCarillon } from '../../../test/carillon.ts'
import { addScript } from '../../../test/scripts.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { createPool } from '../../platform/database/pool.ts'
import { createWake } from '../../platform/queue/wake.ts'
import { createCronTicker, fireDueTrigger } from './cron-ticker.ts'

const carillon = useCarillon()
let scriptId: string

const tick = (pool = carillon.pool) => fireDueTrigger({ pool, onFired: () => {} })
const tickAll = async () => {
  while (await tick());
}
const create = async (config: object, more: object = {}): Promise<CreatedTrigger> => {
  const body = { name: 'A trigger', kind: 'cron', script_id: scriptId, config, ...more }
  const answer = await carillon.request('POST', '/v1/triggers', { body })
  expect([answer.status, answer.body]).toEqual([201, answer.body])
  return answer.body
}
const get = async (id: string): Promise<z.infer<typeof CronTrigger>> =>
  (await carillon.request('GET', `/v1/triggers/${id}`)).body
const change = async (id: string, body: object): Promise<z.infer<typeof CronTrigger>> =>
  (await carillon.request('PATCH', `/v1/triggers/${id}`, { body })).body
const fired = async () => (await carillon.pool.query('select * from outbox order by seq')).rows
const scheduled = async () => (await fired()).map(row => JSON.parse(row.payload).scheduled_at)
/** As if time had passed. */
const setDue = (id: string, at: string) =>
  carillon.pool.query('update cron_trigger_details set next_run_at = $2 where trigger_id = $1', [id, at])
const makeDue = (id: string, seconds = 1) => setDue(id, new Date(Date.now() - seconds * 1000).toISOString())
const isAhead = (time: string | null) => expect(Date.parse(time!)).toBeGreaterThan(Date.now())

beforeAll(async () => {
  scriptId = await addScript(carillon.pool, carillon.tenantId)
})
beforeEach(async () => {
  for (const table of ['triggers', 'outbox', 'admin_system_events'])
    await carillon.pool.query(`delete from ${table}`)
})

describe('a cron trigger', () => {
  it('knows when it runs next, from its creation on; fired, it continues with the time after', async () => {
    const { id } = await create({ cron: '0 9 * * 1', timezone: 'Europe/Berlin' })
    isAhead((await get(id)).next_run_at)
    expect(await tick()).toBe(false)
    await makeDue(id)
    const { next_run_at: due } = await get(id)
    expect(await tick()).toBe(true)
    expect(await tick()).toBe(false)
    const after = await get(id)
    expect(after.last_run_at).toBe(due)
    isAhead(after.next_run_at)
    expect(await fired()).toMatchObject([
      {
        ...{ tenant_id: carillon.tenantId, source_kind: 'cron', op: 'run', target_id: id },
        context: { trigger_id: id, script_id: scriptId, origin: 'cron' },
        ...{ trigger_depth: 0, max_attempts: 3, backoff: 'exponential', base_ms: 1000 },
      },
    ])
    expect(await scheduled()).toEqual([due])
  })

  it('tells the script the time of its zone, across a clock change', async () => {
    const { id } = await create({ cron: '30 2 * * *', timezone: 'Europe/Berlin', misfire_policy: 'run_all' })
    await setDue(id, '2024-03-30T01:30:00Z')
    await tick()
    const events = (await fired()).slice(0, 3).map(row => JSON.parse(row.payload))
    expect(events).toEqual([
      { scheduled_at: '2024-03-30T01:30:00.000Z', local: '2024-03-30T02:30:00+01:00' },
      { scheduled_at: '2024-03-31T01:00:00.000Z', local: '2024-03-31T03:00:00+02:00' },
      { scheduled_at: '2024-04-01T00:30:00.000Z', local: '2024-04-01T02:30:00+02:00' },
    ])
  })

  it.each([
    ['run_once', 1],
    ['run_all', 100],
  ])('that missed three days of minutes under %s fires %i times', async (misfire_policy, runs) => {
    const { id } = await create({ cron: '* * * * *', misfire_policy })
    await makeDue(id, 3 * 86_400)
    await tick()
    expect(await fired()).toHaveLength(runs)
    isAhead((await get(id)).next_run_at)
  })

  it('that missed its time under skip does not fire, and waits for the next', async () => {
    const { id } = await create({ cron: '0 0 1 1 *', misfire_policy: 'skip' })
    await makeDue(id, 120)
    expect(await tick()).toBe(true)
    expect(await fired()).toEqual([])
    expect(await get(id)).toMatchObject({ last_run_at: null })
    isAhead((await get(id)).next_run_at)
    await makeDue(id, 5)
    await tick()
    expect(await fired()).toHaveLength(1)
  })

  it('that is disabled has no next run; enabled again, it continues from now', async () => {
    const { id } = await create({ cron: '0 0 1 1 *', misfire_policy: 'run_all' }, { is_enabled: false })
    expect((await get(id)).next_run_at).toBeNull()
    isAhead((await change(id, { is_enabled: true })).next_run_at)
    await makeDue(id, 86_400)
    expect((await change(id, { is_enabled: false })).next_run_at).toBeNull()
    await tickAll()
    isAhead((await change(id, { is_enabled: true })).next_run_at)
    await tickAll()
    expect(await fired()).toEqual([])
  })

  it('keeps its next time when something else is changed, and gets another with other times', async () => {
    const { id } = await create({ cron: '0 0 1 1 *' })
    const { next_run_at } = await get(id)
    expect((await change(id, { name: 'x', config: { misfire_policy: 'skip' } })).next_run_at).toBe(
      next_run_at,
    )
    const moved = await change(id, { config: { timezone: 'Asia/Tokyo' } })
    expect(Date.parse(next_run_at!) - Date.parse(moved.next_run_at!)).toBe(9 * 3600 * 1000)
  })

  it('of a suspended tenant does not fire, and does not make up for it later', async () => {
    const { id } = await create({ cron: '0 0 1 1 *', misfire_policy: 'run_all' })
    await makeDue(id)
    await carillon.pool.query('update tenants set suspended_at = now() where id = $1', [carillon.tenantId])
    await tickAll()
    await carillon.pool.query('update tenants set suspended_at = null where id = $1', [carillon.tenantId])
    await tickAll()
    expect(await fired()).toEqual([])
    isAhead((await get(id)).next_run_at)
  })
})

describe('the ticker', () => {
  it('fires each run once, though two of them are at work', async () => {
    const ids: string[] = []
    for (let n = 0; n < 20; n++) ids.push((await create({ cron: '0 0 1 1 *' })).id)
    for (const id of ids) await makeDue(id)
    const times = await Promise.all(ids.map(async id => (await get(id)).next_run_at))
    const pools = [1, 2].map(() => createPool(carillon.url, { max: 2 }))
    let woken = 0
    const tickers = pools.map(pool =>
      createCronTicker({ pool, wake: createWake(), pollMs: 5, onFired: () => woken++, onError: () => {} }),
    )
    for (const ticker of tickers) await ticker.start()
    const due = 'select from cron_trigger_details where next_run_at <= now()'
    await waitFor(async () => (await carillon.pool.query(due)).rowCount === 0, { what: 'nothing to be due' })
    for (const ticker of tickers) await ticker.stop()
    await Promise.all(pools.map(pool => pool.end()))
    const runs = (await fired()).map(row => `${row.target_id} ${JSON.parse(row.payload).scheduled_at}`)
    expect(runs.sort()).toEqual(ids.map((id, i) => `${id} ${times[i]}`).sort())
    expect(woken).toBe(20)
  })

  it('passes over a run that another holds', async () => {
    const [held, free] = [await create({ cron: '0 0 1 1 *' }), await create({ cron: '0 0 1 1 *' })]
    await makeDue(held.id, 60)
    await makeDue(free.id)
    const other = await carillon.pool.connect()
    await other.query('begin')
    await other.query('select from cron_trigger_details where trigger_id = $1 for update', [held.id])
    expect([await tick(), await tick()]).toEqual([true, false])
    expect((await fired()).map(row => row.target_id)).toEqual([free.id])
    await other.query('rollback')
    other.release()
    expect([await tick(), await tick()]).toEqual([true, false])
    expect(await fired()).toHaveLength(2)
  })

  it('is all or nothing: a ticker that dies in the middle has fired nothing, and the run is still due', async () => {
    const { id } = await create({ cron: '* * * * *', misfire_policy: 'run_all' })
    await makeDue(id, 180)
    const pool = createPool(carillon.url, { max: 1 })
    await pool.query('select 1')
    const lock = await carillon.pool.connect()
    await lock.query('begin')
    // It waits before its first row.
    await lock.query('lock table outbox in share mode')
    const ticking = tick(pool).catch(error => error)
    const waiting =
      "select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%fire_trigger%'"
    const pid = await waitFor(async () => (await carillon.pool.query(waiting)).rows[0]?.pid, {
      what: 'the ticker to fire',
    })
    await carillon.pool.query('select pg_terminate_backend($1)', [pid])
    expect(await ticking).toBeInstanceOf(Error)
    await lock.query('rollback')
    lock.release()
    await pool.end()
    expect(await fired()).toEqual([])
    await waitFor(() => tick(), { what: 'the lock of the dead one to go, and the run to happen' })
    expect((await fired()).length).toBeGreaterThanOrEqual(3)
  })

  it.each([
    ['an expression that cannot be read', "cron = 'broken'"],
    ['a time zone that is not known', "timezone = 'Mars/Olympus'"],
  ])('puts off a trigger with %s, tells the operator, and fires the others', async (_what, broken) => {
    const [bad, good] = [await create({ cron: '0 0 1 1 *' }), await create({ cron: '0 0 1 1 *' })]
    await carillon.pool.query(`update cron_trigger_details set ${broken} where trigger_id = $1`, [bad.id])
    await makeDue(bad.id, 60)
    await makeDue(good.id)
    await tickAll()
    expect((await fired()).map(row => row.target_id)).toEqual([good.id])
    const { rows } = await carillon.pool.query(
      'select next_run_at > now() as is_later from cron_trigger_details where trigger_id = $1',
      [bad.id],
    )
    expect(rows).toEqual([{ is_later: true }])
    expect(await carillon.readAll('/v1/system-events')).toMatchObject([
      { event_type: 'trigger_failed', subject: bad.id },
    ])
  })

  it('puts off a trigger whose row the outbox refuses, and leaves nothing of it', async () => {
    const { id } = await create({ cron: '* * * * *', misfire_policy: 'run_all' })
    await makeDue(id, 180)
    const refusing = `alter table outbox add constraint broken check (payload not like '%:00.000Z%' or source_kind <> 'cron') not valid`
    await carillon.pool.query(refusing)
    await tickAll()
    await carillon.pool.query('alter table outbox drop constraint broken')
    expect(await fired()).toEqual([])
    isAhead((await get(id)).next_run_at)
  })
})
