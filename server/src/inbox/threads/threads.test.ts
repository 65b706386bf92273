import { beforeAll, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const put = (path: string, body?: object) => carillon.request('PUT', path, body === undefined ? {} : { body })

beforeAll(async () => {
  for (const id of ['ada', 'bob']) await carillon.putUser(id)
})

it('threads are put, changed, listed by topic and deleted', async () => {
  const thread = { topic: 'repo', title: 'It crashes', url: 'https://example.com/1', author_id: 'ada' }
  expect((await put('/v1/threads/issue/1', thread)).body).toMatchObject({
    kind: 'issue',
    id: '1',
    ...thread,
  })
  await put('/v1/threads/pr/2', { topic: 'repo' })
  await put('/v1/threads/issue/3', {})
  const ids = async (query: string) =>
    (await carillon.readAll(`/v1/threads${query}`, 1)).map(({ kind, id }) => `${kind}/${id}`)
  expect(await ids('')).toEqual(['issue/1', 'issue/3', 'pr/2'])
  expect(await ids('?topic=repo')).toEqual(['issue/1', 'pr/2'])
  const change = await carillon.request('PATCH', '/v1/threads/issue/1', { body: { title: 'It works' } })
  expect(change.body).toMatchObject({ ...thread, title: 'It works' })
  expect((await carillon.request('DELETE', '/v1/threads/issue/1')).status).toBe(204)
  expect(problemOf(await carillon.request('GET', '/v1/threads/issue/1')).code).toBe('not_found')
})

it('threads are of the kinds issue and pr, or of those that the tenant has', { tags: 'S001-4' }, async () => {
  const problem = problemOf(await put('/v1/threads/invoice/1', {}))
  expect([problem.code, problem.errors?.[0]?.field]).toEqual(['invalid_request', 'kind'])
  expect(problem.errors?.[0]?.message).toContain('issue, pr')
  const kinds = (thread_kinds: string[]) =>
    carillon.request('PATCH', '/v1/tenant', { body: { thread_kinds } })
  expect((await kinds(['issue', 'pr', 'invoice'])).body.thread_kinds).toEqual(['issue', 'pr', 'invoice'])
  expect((await put('/v1/threads/invoice/1', {})).status).toBe(200)
  expect(problemOf(await kinds(['a', 'a'])).errors?.[0]?.field).toBe('thread_kinds')
})

it('a thread needs an author who exists, and loses one who is deleted', async () => {
  const problem = problemOf(await put('/v1/threads/issue/4', { author_id: 'ghost' }))
  expect([problem.code, problem.errors?.[0]?.field]).toEqual(['recipient_not_found', 'author_id'])
  await carillon.putUser('leaver')
  await put('/v1/threads/issue/4', { author_id: 'leaver' })
  await carillon.request('DELETE', '/v1/users/leaver')
  expect((await carillon.request('GET', '/v1/threads/issue/4')).body.author_id).toBeNull()
})

describe('ensure_threads', () => {
  const ensure = async (thread: {
    kind: string
    id: string
    topic?: string
    [field: string]: string | undefined
  }) => {
    const given = JSON.stringify([{ tenant_id: carillon.tenantId, ...thread }])
    if (thread.topic !== undefined) await carillon.pool.query('select ensure_topics($1)', [given])
    await carillon.pool.query('select ensure_threads($1)', [given])
  }
  const read = async (id: string) => (await carillon.request('GET', `/v1/threads/issue/${id}`)).body

  it('ensure_threads makes a thread with its topic, and later replaces only title and address', async () => {
    await ensure({ kind: 'issue', id: 'e1', topic: 'made', title: 'First', author_id: 'ada' })
    await ensure({ kind: 'issue', id: 'e1', topic: 'other', title: 'Second', author_id: 'bob', url: '/x' })
    await ensure({ kind: 'issue', id: 'e1' })
    expect(await read('e1')).toMatchObject({ topic: 'made', title: 'Second', author_id: 'ada', url: '/x' })
  })

  it('ensure_threads adds a missing topic and author, and leaves out an unknown author', async () => {
    await ensure({ kind: 'issue', id: 'e2', author_id: 'ghost' })
    expect(await read('e2')).toMatchObject({ topic: null, author_id: null })
    await ensure({ kind: 'issue', id: 'e2', topic: 'late', author_id: 'bob' })
    expect(await read('e2')).toMatchObject({ topic: 'late', author_id: 'bob' })
  })
})

it('a participant has a relation to a thread until it is taken away', async () => {
  await put('/v1/threads/pr/9', {})
  const path = '/v1/threads/pr/9/participants'
  const first = (await put(`${path}/reviewer/ada`)).body
  expect(first).toMatchObject({ relation: 'reviewer', user_id: 'ada' })
  expect((await put(`${path}/reviewer/ada`)).body).toEqual(first)
  await put(`${path}/assignee/bob`)
  expect((await carillon.readAll(path, 1)).map(each => each.user_id)).toEqual(['bob', 'ada'])
  const remove = () => carillon.request('DELETE', `${path}/reviewer/ada`)
  expect((await remove()).status).toBe(204)
  expect(problemOf(await remove()).code).toBe('not_found')
})

it.each([
  ['pr/missing/participants/assignee/ada', 'not_found'],
  ['pr/10/participants/assignee/ghost', 'recipient_not_found'],
  ['pr/10/participants/watching/ada', 'invalid_request'],
  ['pr/10/participants/Assignee/ada', 'invalid_request'],
])('putting the participant %s fails with %s', async (path, code) => {
  await put('/v1/threads/pr/10', {})
  expect(problemOf(await put(`/v1/threads/${path}`)).code).toBe(code)
})
