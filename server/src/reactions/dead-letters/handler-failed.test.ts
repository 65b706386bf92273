import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { addLetterTrigger } from '../../../test/letter-triggers.ts'
import { listAttempts } from '../../delivery/routes/attempts.ts'
import { readdressRoute, replayRoutes } from '../../delivery/routes/replay.ts'
import { transaction } from '../../platform/database/pool.ts'
import { claimRows } from '../outbox/claim.ts'
import { completeRows } from '../outbox/complete.ts'
import { decideDispatch } from '../outbox/decide.ts'
import { enqueue } from '../outbox/enqueue.ts'
import { replayDeadLetter, resolveDeadLetter } from './dead-letters.ts'

const carillon = useCarillon()
const routes = { replay: replayRoutes, readdress: readdressRoute, listAttempts }

beforeEach(async () => {
  for (const table of ['outbox', 'records', 'dead_letters', 'scripts'])
    await carillon.pool.query(`delete from ${table}`)
})

const request = (method: 'GET' | 'POST', path: string, body?: object) =>
  carillon.request(method, `/v1/dead-letters/${path}`, body && { body })
const open = () => carillon.readAll('/v1/dead-letters')
const count = async () => (await request('GET', 'count')).body.open
const fail = async (...ids: string[]) => {
  const letters = JSON.stringify(ids.map(id => ({ tenant_id: carillon.tenantId, id })))
  return (await carillon.pool.query('select handler_failed($1) as marked', [letters])).rows[0].marked
}

async function deadOutboxRow(): Promise<string> {
  const { tenantId: tenant_id, pool } = carillon
  await enqueue(pool, [
    { tenant_id, source_kind: 'kv', op: 'insert', target_id: randomUUID(), payload: '{}' },
  ])
  return giveUp('kv')
}

/** Gives up everything of the kind. Returns the newest letter. */
async function giveUp(kind: string): Promise<string> {
  const rows = await claimRows(carillon.pool, [], { [kind]: 100 }, 100, 'me', 30)
  const failed = rows.map(row => decideDispatch(row, { kind: 'permanent', message: 'no' }, 0.5))
  await completeRows(carillon.pool, 'me', failed)
  return (await open())[0].id
}

/** Lets everything that is due fail for good. Returns the newest letter. */
async function failRoutes(): Promise<string> {
  const worker = carillon.deliver(() => ({ kind: 'permanent', message: 'no' }))
  await expect
    .poll(async () => (await carillon.pool.query("select from routes where status <> 'dead'")).rowCount)
    .toBe(0)
  await worker.stop()
  return (await open())[0].id
}

async function deadRoute(): Promise<string> {
  await carillon.send()
  return failRoutes()
}

/** What a run does, as a part of its own transaction. */
const replayFromRun = (id: string, depth: number) =>
  transaction(carillon.pool, tx => replayDeadLetter(tx, routes, carillon.tenantId, id, null, depth))

describe('a letter whose handler failed', () => {
  it('is open: it counts, is listed with what happened, and is not resolved', {
    tags: ['S003-20', 'S003-22'],
  }, async () => {
    const id = await deadRoute()
    expect(await fail(id)).toBe(1)
    expect(await count()).toBe(1)
    expect(await open()).toMatchObject([{ id, resolution: 'handler_failed', resolved_at: null }])
    expect(await carillon.readAll('/v1/dead-letters?state=resolved')).toEqual([])
    expect((await carillon.request('GET', '/v1/metrics/overview')).body.open_dead_letters.count).toBe(1)
  })

  it.each([
    ['a route', deadRoute],
    ['the outbox', deadOutboxRow],
  ])('about %s can be replayed, once', { tags: ['S003-20', 'S003-25'] }, async (_what, dead) => {
    const id = await dead()
    await fail(id)
    expect((await request('POST', `${id}/replay`)).body).toMatchObject({ id, resolution: 'replayed' })
    expect(problemOf(await request('POST', `${id}/replay`))).toMatchObject({ code: 'already_resolved' })
    expect(await count()).toBe(0)
  })

  it('can be ignored, and is replayed by a filter like any other', { tags: 'S003-20' }, async () => {
    const [ignored, replayed] = [await deadRoute(), await deadOutboxRow()]
    await fail(ignored, replayed)
    expect((await request('POST', `${ignored}/resolve`)).body).toMatchObject({ resolution: 'ignored' })
    const answer = await request('POST', 'replay', { filter: { source: 'kv' } })
    expect(answer.body).toMatchObject({ matched: 1, replayed: 1, remaining: 0 })
  })

  it('is still the only open one of its route', { tags: 'S003-20' }, async () => {
    const id = await deadRoute()
    await fail(id)
    const copy = `insert into dead_letters select (jsonb_populate_record(d, jsonb_build_object(
      'id', gen_random_uuid(), 'resolution', null))).* from dead_letters d`
    await expect(carillon.pool.query(copy)).rejects.toMatchObject({ constraint: 'dead_letters_one_open' })
  })

  it('stays as it is if somebody resolved it before, and can be resolved by another handler later', {
    tags: ['S003-20', 'S003-21'],
  }, async () => {
    const [resolved, failed] = [await deadRoute(), await deadRoute()]
    await request('POST', `${resolved}/resolve`, { resolution: 'handled_by_script' })
    expect(await fail(resolved, failed, randomUUID())).toBe(1)
    expect((await request('GET', resolved)).body.resolution).toBe('handled_by_script')
    const how = { resolution: 'handled_by_script' } as const
    await transaction(carillon.pool, tx => resolveDeadLetter(tx, carillon.tenantId, failed, how, null))
    expect((await request('GET', failed)).body).toMatchObject({ ...how, resolved_by: null })
    expect(await count()).toBe(0)
  })

  it('is marked only in its own tenant', { tags: 'S003-20' }, async () => {
    const id = await deadRoute()
    const letters = JSON.stringify([{ tenant_id: (await carillon.createTenant('other')).id, id }])
    await carillon.pool.query('select handler_failed($1)', [letters])
    expect((await open())[0].resolution).toBeNull()
  })
})

describe('a replay by a run', () => {
  it('happens once, and a second one is a conflict', { tags: 'S003-25' }, async () => {
    const id = await deadOutboxRow()
    await replayFromRun(id, 2)
    await expect(replayFromRun(id, 2)).rejects.toMatchObject({ code: 'already_resolved' })
    const { rows } = await carillon.pool.query('select attempt_count, context, trigger_depth from outbox')
    expect(rows).toMatchObject([{ attempt_count: 0, trigger_depth: 2 }])
  })

  it('has no reply_to any more', { tags: ['S003-14', 'S003-25'] }, async () => {
    const id = await deadOutboxRow()
    await carillon.pool.query(
      `update dead_letters set dispatch = jsonb_set(dispatch, '{context,reply_to}', '"nobody"')`,
    )
    await request('POST', `${id}/replay`)
    const { rows } = await carillon.pool.query('select context from outbox')
    expect(rows[0].context).toEqual({ redelivery_of: expect.any(String) })
  })

  it.each([
    ['a route', deadRoute, failRoutes],
    ['the outbox', deadOutboxRow, () => giveUp('kv')],
  ])(
    'goes on with the chain that led to it, about %s; a person’s replay starts at 0',
    { tags: ['S003-12', 'S003-25'] },
    async (_what, dead, failAgain) => {
      await addLetterTrigger(carillon.pool, carillon.tenantId)
      const depths = async () =>
        (
          await carillon.pool.query(
            "delete from outbox where source_kind = 'dead_letter' returning trigger_depth",
          )
        ).rows.map(row => row.trigger_depth)
      let id = await dead()
      expect(await depths()).toEqual([1])
      await replayFromRun(id, 2)
      id = await failAgain()
      expect(await depths()).toEqual([3])
      await replayFromRun(id, 4)
      id = await failAgain()
      expect(await depths()).toEqual([5])
      await request('POST', `${id}/replay`)
      await failAgain()
      expect(await depths()).toEqual([1])
    },
  )
})
