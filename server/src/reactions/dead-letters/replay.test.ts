import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import type { Service } from '../../platform/queue/service.ts'
import type { Outcome } from '../../providers/services/provider.ts'

const carillon = useCarillon()
const FAIL: Outcome = { kind: 'permanent', message: 'No such mailbox' }
let worker: Service | undefined

beforeAll(async () => {
  await carillon.putUser('op', { email: 'op@example.com' })
})
afterEach(async () => {
  await worker?.stop()
})

const replay = (id: string, key?: string) =>
  carillon.request('POST', `/v1/dead-letters/${id}/replay`, key === undefined ? {} : { key })
const replayMany = (body: object) => carillon.request('POST', '/v1/dead-letters/replay', { body })
const openLetters = () => carillon.readAll('/v1/dead-letters')

/** Routes that became dead, with one letter each. No worker runs afterwards. */
async function deadLetters(
  count: number,
  intent: object = {},
): Promise<{ id: string; notification_id: string }[]> {
  worker = carillon.deliver(() => FAIL)
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push(await carillon.send(intent))
  for (const id of ids) await carillon.settled(id, 'dead')
  await worker.stop()
  return (await openLetters()).filter(letter => ids.includes(letter.notification_id)).reverse()
}

async function deadLetter(intent: object = {}) {
  return (await deadLetters(1, intent))[0]!
}

describe('replaying a dead letter', () => {
  it('makes the route due now with a fresh budget and without its errors, and says who did it', {
    tags: 'S002-11',
  }, async () => {
    const letter = await deadLetter()
    const { key } = await carillon.createKey({
      name: 'operator',
      scopes: ['dead_letters:write'],
      user_id: 'op',
    })
    const answer = await replay(letter.id, key)
    expect(answer.body).toMatchObject({ id: letter.id, resolution: 'replayed', resolved_by: 'op' })
    const [route] = await carillon.routesOf(letter.notification_id)
    expect(route).toMatchObject({
      status: 'pending',
      attempt_count: 0,
      next_attempt_at: answer.body.resolved_at,
      finished_at: null,
      last_error_message: '',
      last_error_classification: '',
      last_error_at: null,
    })
  })

  it('delivers it, once', { tags: 'S002-11' }, async () => {
    const letter = await deadLetter()
    await replay(letter.id)
    let sent = 0
    worker = carillon.deliver(() => {
      sent++
      return { kind: 'sent' }
    })
    await carillon.settled(letter.notification_id, 'sent')
    expect(sent).toBe(1)
  })

  it('whose route fails again leaves a new letter with the whole history', { tags: 'S002-11' }, async () => {
    const letter = await deadLetter()
    await replay(letter.id)
    worker = carillon.deliver(() => FAIL)
    await carillon.settled(letter.notification_id, 'dead')
    const again = (await openLetters()).find(each => each.notification_id === letter.notification_id)
    expect(again.id).not.toBe(letter.id)
    const { attempts, final_attempt_count } = (await carillon.request('GET', `/v1/dead-letters/${again.id}`))
      .body
    expect(final_attempt_count).toBe(1)
    expect(attempts.map((attempt: { attempt_no: number }) => attempt.attempt_no)).toEqual([1, 2])
    const all = (await carillon.readAll('/v1/dead-letters?state=all')).filter(
      each => each.notification_id === letter.notification_id,
    )
    expect(all.map(each => each.resolution)).toEqual([null, 'replayed'])
  })

  it('twice is a conflict and changes nothing', { tags: 'S002-11' }, async () => {
    const letter = await deadLetter()
    await replay(letter.id)
    const before = await carillon.routesOf(letter.notification_id)
    const problem = problemOf(await replay(letter.id))
    expect(problem).toMatchObject({ status: 409, code: 'already_resolved' })
    expect(problem.detail).toMatch(/^It was resolved as replayed at 20/)
    expect(await carillon.routesOf(letter.notification_id)).toEqual(before)
  })

  it('by several operators at once makes exactly one new attempt', { tags: 'S002-11' }, async () => {
    const letter = await deadLetter()
    const answers = await Promise.all([1, 2, 3, 4].map(() => replay(letter.id)))
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 409, 409, 409])
    let attempts = 0
    worker = carillon.deliver(() => {
      attempts++
      return FAIL
    })
    await carillon.settled(letter.notification_id, 'dead')
    expect(attempts).toBe(1)
  })

  it('waits for a colleague who has not committed yet, and is then a conflict', {
    tags: 'S002-11',
  }, async () => {
    const letter = await deadLetter()
    const colleague = await carillon.pool.connect()
    await colleague.query('begin')
    await colleague.query(
      "update dead_letters set resolved_at = now(), resolution = 'ignored' where id = $1",
      [letter.id],
    )
    const answer = replay(letter.id)
    const waiting =
      "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    await expect.poll(async () => (await carillon.pool.query(waiting)).rowCount).toBe(1)
    await colleague.query('commit')
    colleague.release()
    expect(problemOf(await answer)).toMatchObject({
      code: 'already_resolved',
      detail: expect.stringContaining('ignored'),
    })
    expect((await carillon.routesOf(letter.notification_id))[0]!.status).toBe('dead')
  })

  it('of another tenant, or one that does not exist, is not found', { tags: 'S003-24' }, async () => {
    const letter = await deadLetter()
    const other = await carillon.createTenant('other')
    expect(problemOf(await replay(letter.id, other.key)).code).toBe('not_found')
    expect(problemOf(await replay('01900000-0000-7000-8000-000000000000')).code).toBe('not_found')
    expect((await carillon.routesOf(letter.notification_id))[0]!.status).toBe('dead')
  })
})

describe('replaying many', () => {
  it('counts in a dry run, then replays the oldest first up to the limit', async () => {
    const letters = await deadLetters(5, { notification_type: 'bulk' })
    await deadLetters(1, { notification_type: 'untouched' })
    const filter = { notification_type: 'bulk' }
    const dry = await replayMany({ filter, dry_run: true })
    expect(dry.body).toEqual({ dry_run: true, matched: 5, replayed: 0, remaining: 5 })
    const first = await replayMany({ filter, limit: 2 })
    expect(first.body).toEqual({ dry_run: false, matched: 5, replayed: 2, remaining: 3 })
    const open = (await openLetters()).map(letter => letter.id)
    expect(letters.map(letter => open.includes(letter.id))).toEqual([false, false, true, true, true])
    expect((await replayMany({ filter })).body).toEqual({
      dry_run: false,
      matched: 3,
      replayed: 3,
      remaining: 0,
    })
    expect((await openLetters()).filter(letter => letter.notification_type === 'untouched')).toHaveLength(1)
  })

  it('by two operators at once replays each letter once', async () => {
    const letters = await deadLetters(20, { notification_type: 'race' })
    const filter = { notification_type: 'race' }
    const answers = await Promise.all([1, 2, 3].map(() => replayMany({ filter })))
    expect(answers.reduce((sum, answer) => sum + answer.body.replayed, 0)).toBe(20)
    const { rows } = await carillon.pool.query(
      "select count(*)::integer from routes where status = 'pending' and attempt_count = 0 and notification_id = any ($1)",
      [letters.map(letter => letter.notification_id)],
    )
    expect(rows[0].count).toBe(20)
  })

  it.each([
    ['no filter', {}, 'filter'],
    ['a misspelt filter', { filter: { chanel: 'email' } }, 'filter.chanel'],
    ['a limit of 0', { filter: {}, limit: 0 }, 'limit'],
    ['a limit beyond 10,000', { filter: {}, limit: 10_001 }, 'limit'],
  ])('refuses %s, because a slip must not replay everything', async (_name, body, field) => {
    const before = (await openLetters()).length
    const problem = problemOf(await replayMany(body))
    expect([problem.code, problem.errors?.[0]?.field]).toEqual(['invalid_request', field])
    expect(await openLetters()).toHaveLength(before)
  })
})
