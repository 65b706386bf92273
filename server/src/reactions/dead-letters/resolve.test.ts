import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const resolve = (id: string, body: object = {}) =>
  carillon.request('POST', `/v1/dead-letters/${id}/resolve`, { body })
const list = (query = '') => carillon.readAll(`/v1/dead-letters?${query}`)
const count = async () => (await carillon.request('GET', '/v1/dead-letters/count')).body.open

beforeAll(() => carillon.putUser('op'))
beforeEach(() => carillon.pool.query('delete from records'))

async function deadLetter(change: Record<string, unknown> = {}): Promise<string> {
  const worker = carillon.deliver(() => ({ kind: 'permanent', message: 'no' }))
  const notificationId = await carillon.send()
  await carillon.settled(notificationId, 'dead')
  await worker.stop()
  const { rows } = await carillon.pool.query('select id from dead_letters where notification_id = $1', [
    notificationId,
  ])
  for (const [column, value] of Object.entries(change)) {
    await carillon.pool.query(`update dead_letters set ${column} = $2 where id = $1`, [rows[0].id, value])
  }
  return rows[0].id
}

describe('the list of dead letters', () => {
  it('S002-11 shows open letters, newest first, and resolved or all of them on request; the count is of open ones', async () => {
    const ids = [await deadLetter(), await deadLetter(), await deadLetter()]
    await resolve(ids[1]!)
    expect((await list()).map(letter => letter.id)).toEqual([ids[2], ids[0]])
    expect((await list('state=resolved')).map(letter => letter.id)).toEqual([ids[1]])
    expect((await list('state=all')).map(letter => letter.id)).toEqual([...ids].reverse())
    expect(await count()).toBe(2)
  })

  it.each([
    ['channel=push', { channel: 'push' }],
    ['notification_type=other', { notification_type: 'other' }],
    ['failure_reason=worker_lost', { failure_reason: 'worker_lost' }],
    ['failure_classification=transient', { failure_classification: 'transient' }],
    ['created_before=2026-01-02T00:00:00Z', { created_at: '2026-01-01T00:00:00Z' }],
    ['created_after=2040-01-01T00:00:00Z', { created_at: '2040-06-01T00:00:00Z' }],
  ])('S002-11 filters by %s', async (query, change) => {
    const wanted = await deadLetter(change)
    await deadLetter()
    expect((await list(query)).map(letter => letter.id)).toEqual([wanted])
  })

  it.each([
    ['source', { source: 'kv' }],
    ['trigger_id', { trigger_id: randomUUID() }],
    ['script_id', { script_id: randomUUID() }],
  ])('S003-17 S003-23 the list, the count and the replay filter by %s', async (_name, filter) => {
    const wanted = await deadLetter(filter)
    await deadLetter(filter).then(resolve)
    await deadLetter()
    const query = new URLSearchParams(filter).toString()
    expect(await list(query)).toMatchObject([{ id: wanted, ...filter }])
    expect((await carillon.request('GET', `/v1/dead-letters/count?${query}`)).body.open).toBe(1)
    const answer = await carillon.request('POST', '/v1/dead-letters/replay', { body: { filter } })
    expect(answer.body).toMatchObject({ matched: 1, replayed: 1, remaining: 0 })
    expect((await list(`state=resolved&${query}`)).map(letter => letter.resolution).toSorted()).toEqual([
      'ignored',
      'replayed',
    ])
  })

  it('S003-23 routes are a source too', async () => {
    const route = await deadLetter()
    await deadLetter({ source: 'kv' })
    expect((await list('source=route')).map(letter => letter.id)).toEqual([route])
  })

  it('belongs to the tenant: another tenant sees none and counts none', async () => {
    const id = await deadLetter()
    const { key } = await carillon.createTenant('letters-elsewhere')
    expect(await carillon.readAll('/v1/dead-letters?state=all', 100, key)).toEqual([])
    expect((await carillon.request('GET', '/v1/dead-letters/count', { key })).body).toEqual({ open: 0 })
    expect(problemOf(await carillon.request('GET', `/v1/dead-letters/${id}`, { key })).code).toBe('not_found')
    const resolved = await carillon.request('POST', `/v1/dead-letters/${id}/resolve`, { key, body: {} })
    expect(problemOf(resolved).code).toBe('not_found')
    expect(await count()).toBe(1)
  })
})

describe('resolving a dead letter', () => {
  it('S002-11 sets resolution, time and person together and leaves the route dead', async () => {
    const id = await deadLetter()
    const { body } = await resolve(id, { resolution: 'handled_by_script', resolved_by: 'op' })
    expect(body).toMatchObject({
      resolution: 'handled_by_script',
      resolved_by: 'op',
      resolved_at: expect.any(String),
    })
    expect((await carillon.routesOf(body.notification_id))[0]!.status).toBe('dead')
  })

  it('S002-11 means ignored unless given, and works without a body', async () => {
    const id = await deadLetter()
    const answer = await carillon.request('POST', `/v1/dead-letters/${id}/resolve`)
    expect(answer.body).toMatchObject({ resolution: 'ignored', resolved_by: null })
  })

  it('S002-11 twice is a conflict that keeps the first resolution', async () => {
    const id = await deadLetter()
    const first = await resolve(id, { resolved_by: 'op' })
    const problem = problemOf(await resolve(id, { resolution: 'handled_by_script' }))
    expect(problem).toMatchObject({ status: 409, code: 'already_resolved' })
    expect((await carillon.request('GET', `/v1/dead-letters/${id}`)).body).toMatchObject(first.body)
  })

  it('S002-11 S002-34 stays when the user who did it is deleted; only the reference is cleared', async () => {
    await carillon.putUser('leaving')
    const id = await deadLetter()
    await resolve(id, { resolved_by: 'leaving' })
    await carillon.request('DELETE', '/v1/users/leaving')
    const letter = (await carillon.request('GET', `/v1/dead-letters/${id}`)).body
    expect(letter).toMatchObject({
      resolved_by: null,
      resolution: 'ignored',
      resolved_at: expect.any(String),
    })
  })

  it('needs an existing user in resolved_by', async () => {
    const id = await deadLetter()
    const problem = problemOf(await resolve(id, { resolved_by: 'ghost' }))
    expect(problem).toMatchObject({ code: 'recipient_not_found', errors: [{ field: 'resolved_by' }] })
    expect(await count()).toBe(1)
  })

  it.each(['replayed', 'handler_failed', 'forgotten', '', null])(
    'S003-18 the API refuses the resolution %j',
    async resolution => {
      const id = await deadLetter()
      const problem = problemOf(await resolve(id, { resolution }))
      expect([problem.code, problem.errors?.[0]?.field]).toEqual(['invalid_request', 'resolution'])
      expect(await count()).toBe(1)
    },
  )

  it.each([
    ["resolution = 'forgotten', resolved_at = now()", 'dead_letters_resolution_check'],
    ["resolution = 'ignored'", 'dead_letters_resolution_whole'],
    ['resolved_at = now()', 'dead_letters_resolution_whole'],
    ["resolution = 'handler_failed', resolved_at = now()", 'dead_letters_resolution_whole'],
    ["failure_reason = 'bad luck'", 'dead_letters_failure_reason_check'],
    ["source_kind = 'dream'", 'dead_letters_source_kind_check'],
  ])('S003-18 S003-20 the database refuses %s', async (change, constraint) => {
    const id = await deadLetter()
    const update = carillon.pool.query(`update dead_letters set ${change} where id = $1`, [id])
    await expect(update).rejects.toMatchObject({ code: '23514', constraint })
  })

  it('S003-20 by a handler that failed leaves the letter open, and it can still be replayed', async () => {
    const id = await deadLetter()
    await carillon.pool.query("update dead_letters set resolution = 'handler_failed' where id = $1", [id])
    expect(await count()).toBe(1)
    expect((await carillon.request('POST', `/v1/dead-letters/${id}/replay`)).body.resolution).toBe('replayed')
  })
})
