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
  it('shows open letters, newest first, and resolved or all of them on request; the count is of open ones', {
    tags: 'S002-11',
  }, async () => {
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
  ])('filters by %s', { tags: 'S002-11' }, async (query, change) => {
    const wanted = await deadLetter(change)
    await deadLetter()
    expect((await list(query)).map(letter => letter.id)).toEqual([wanted])
  })

  it.each([
    ['source', { source: 'kv' }],
    ['trigger_id', { trigger_id: randomUUID() }],
    ['script_id', { script_id: randomUUID() }],
  ])(
    'the list, the count and the replay filter by %s',
    { tags: ['S003-17', 'S003-23'] },
    async (_name, filter) => {
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
    },
  )

  it('routes are a source too', { tags: 'S003-23' }, async () => {
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
  it('sets resolution, time and person together and leaves the route dead', { tags: 'S002-11' }, async () => {
    const id = await deadLetter()
    const { body } = await resolve(id, { resolution: 'handled_by_script', resolved_by: 'op' })
    expect(body).toMatchObject({
      resolution: 'handled_by_script',
      resolved_by: 'op',
      resolved_at: expect.any(String),
    })
    expect((await carillon.routesOf(body.notification_id))[0]!.status).toBe('dead')
  })

  it('means ignored unless given, and works without a body', { tags: 'S002-11' }, async () => {
    const id = await deadLetter()
    const answer = await carillon.request('POST', `/v1/dead-letters/${id}/resolve`)
    expect(answer.body).toMatchObject({ resolution: 'ignored', resolved_by: null })
  })

  it('twice is a conflict that keeps the first resolution', { tags: 'S002-11' }, async () => {
    const id = await deadLetter()
    const first = await resolve(id, { resolved_by: 'op' })
    const problem = problemOf(await resolve(id, { resolution: 'handled_by_script' }))
    expect(problem).toMatchObject({ status: 409, code: 'already_resolved' })
    expect((await carillon.request('GET', `/v1/dead-letters/${id}`)).body).toMatchObject(first.body)
  })

  it('stays when the user who did it is deleted; only the reference is cleared', {
    tags: ['S002-11', 'S002-34'],
  }, async () => {
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
    'the API refuses the resolution %j',
    { tags: 'S003-18' },
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
  ])('the database refuses %s', { tags: ['S003-18', 'S003-20'] }, async (change, constraint) => {
    const id = await deadLetter()
    const update = carillon.pool.query(`update dead_letters set ${change} where id = $1`, [id])
    await expect(update).rejects.toMatchObject({ code: '23514', constraint })
  })

  it('by a handler that failed leaves the letter open, and it can still be replayed', {
    tags: 'S003-20',
  }, async () => {
    const id = await deadLetter()
    await carillon.pool.query("update dead_letters set resolution = 'handler_failed' where id = $1", [id])
    expect(await count()).toBe(1)
    expect((await carillon.request('POST', `/v1/dead-letters/${id}/replay`)).body.resolution).toBe('replayed')
  })
})
