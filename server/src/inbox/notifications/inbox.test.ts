import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { inboxOf } from './inbox.fixture.ts'

const carillon = useCarillon()
const inbox = inboxOf(carillon)

beforeAll(async () => {
  for (const user of ['ada', 'bob']) await carillon.putUser(user)
})
beforeEach(() => inbox.clear())

it('the inbox lists own rows and announcements by their last event, and no hidden or expired ones', {
  tags: ['S001-7', 'S004-2'],
}, async () => {
  const at = (minute: number) => `2026-03-01T10:0${minute}:00Z`
  await inbox.add(
    { title: 'old', last_event_at: at(1) },
    { title: 'everybody', user: null, last_event_at: at(2) },
    { title: 'new', last_event_at: at(3) },
    { title: 'of bob', user: 'bob', last_event_at: at(4) },
    { title: 'hidden', last_event_at: at(5), deleted_at: at(5) },
    { title: 'expired', last_event_at: at(5), expires_at: at(6) },
    { title: 'taken back', user: null, last_event_at: at(5), deleted_at: at(5) },
  )
  expect(await inbox.titles('ada')).toEqual(['new', 'everybody', 'old'])
  expect(await inbox.titles('bob')).toEqual(['of bob', 'everybody'])
})

it('pages of the inbox lose and repeat no row with equal times, own or announced', {
  tags: 'S001-7',
}, async () => {
  const last_event_at = '2026-03-01T10:00:00.123Z'
  for (let i = 0; i < 7; i++)
    await inbox.add({ title: `own ${i}`, last_event_at }, { title: `all ${i}`, user: null, last_event_at })
  const whole = (await inbox.list('ada')).map(({ id }) => id)
  expect(new Set(whole).size).toBe(14)
  expect(whole).toEqual([...whole].sort().reverse())
  for (const limit of [1, 2, 3, 5])
    expect((await inbox.list('ada', '', limit)).map(({ id }) => id)).toEqual(whole)
})

it('the badge counts unread rows, but none that are done, snoozed, hidden or expired', {
  tags: ['S001-7', 'S004-5'],
}, async () => {
  const past = '2026-01-01T00:00:00Z'
  await inbox.add(
    {},
    { user: null },
    { user: 'bob' },
    { is_read: true, read_at: past },
    { done_at: past },
    { snoozed_until: '2100-01-01T00:00:00Z' },
    { snoozed_until: past },
    { deleted_at: past },
    { expires_at: past },
  )
  expect(await inbox.unread('ada')).toBe(3)
  expect(await inbox.list('ada', 'is:unread')).toHaveLength(3)
  expect(await inbox.unread('bob')).toBe(2)
})

it('the inbox of an unknown person, or of none, is refused', async () => {
  for (const path of ['', '/unread-count', '/changes?since=1:1:'])
    expect([path, problemOf(await inbox.get('ghost', path)).code]).toEqual([path, 'not_found'])
  const problem = problemOf(await carillon.request('GET', '/v1/inbox'))
  expect([problem.code, problem.errors?.[0]?.field]).toEqual(['missing_field', 'user_id'])
})

it('the inbox is that of the key’s own user by default', async () => {
  await inbox.add({ title: 'mine' })
  const { key } = await carillon.createKey({ name: 'of ada', scopes: ['inbox:read'], user_id: 'ada' })
  expect((await carillon.request('GET', '/v1/inbox', { key })).body.data).toMatchObject([{ title: 'mine' }])
})

it('reading a row sets is_read and read_at together, and reading it again keeps the first time', {
  tags: 'S004-3',
}, async () => {
  const [id] = await inbox.add({})
  const first = (await inbox.post('ada', `/${id}/read`)).body
  expect([first.is_read, typeof first.read_at]).toEqual([true, 'string'])
  expect((await inbox.post('ada', `/${id}/read`)).body).toEqual(first)
  expect((await inbox.post('ada', `/${id}/unread`)).body).toMatchObject({ is_read: false, read_at: null })
})

it.each([null, 'ada'])('each state of a row can be set again and taken back (row of %s)', async user => {
  const [id] = await inbox.add({ user })
  const until = new Date(Date.now() + 3_600_000).toISOString()
  for (const [action, field, back] of [
    ['done', 'done_at', 'undone'],
    ['save', 'saved_at', 'unsave'],
    ['snooze', 'snoozed_until', 'unsnooze'],
  ] as const) {
    const body = action === 'snooze' ? { until } : {}
    const first = (await inbox.post('ada', `/${id}/${action}`, body)).body
    expect([action, typeof first[field]]).toEqual([action, 'string'])
    expect((await inbox.post('ada', `/${id}/${action}`, body)).body).toEqual(first)
    expect((await inbox.post('ada', `/${id}/${back}`)).body[field]).toBeNull()
  }
})

it('a hidden row is gone from list and badge, is not found by its id, and stays in the table', {
  tags: 'S004-5',
}, async () => {
  const [id, all] = await inbox.add({}, { user: null })
  for (const each of [id, all]) expect((await inbox.post('ada', `/${each}/hide`)).status).toBe(204)
  expect([await inbox.titles('ada'), await inbox.unread('ada')]).toEqual([[], 0])
  for (const each of [id, all]) {
    expect((await inbox.get('ada', `/${each}`)).status).toBe(404)
    expect((await inbox.post('ada', `/${each}/hide`)).status).toBe(404)
  }
  expect((await carillon.pool.query('select from notifications')).rowCount).toBe(2)
  expect(await inbox.unread('bob')).toBe(1)
})

it('an announcement that one person reads stays unread for the others', {
  tags: 'S004-4',
}, async () => {
  const [id] = await inbox.add({ user: null, title: 'maintenance' })
  await inbox.post('ada', `/${id}/read`)
  expect([await inbox.unread('ada'), await inbox.unread('bob')]).toEqual([0, 1])
  await inbox.post('ada', `/${id}/done`)
  expect([await inbox.titles('ada'), await inbox.titles('bob')]).toEqual([[], ['maintenance']])
})

it('another person’s or tenant’s inbox row answers like a missing one', {
  tags: ['S001-8', 'S004-7'],
}, async () => {
  const [ofBob] = await inbox.add({ user: 'bob' })
  const other = await carillon.createTenant('other')
  await carillon.request('PUT', '/v1/users/ada', { body: {}, key: other.key })
  const missing = await inbox.post('ada', '/01900000-0000-7000-8000-000000000000/read')
  const shape = ({ status, body }: typeof missing) => [
    status,
    body.code,
    body.detail.replace(/[0-9a-f-]{36}/, ''),
  ]
  for (const action of ['read', 'unread', 'done', 'undone', 'save', 'unsave', 'unsnooze', 'hide']) {
    expect(shape(await inbox.post('ada', `/${ofBob}/${action}`))).toEqual(shape(missing))
    const path = `/v1/inbox/${ofBob}/${action}?user_id=ada`
    expect(shape(await carillon.request('POST', path, { body: {}, key: other.key }))).toEqual(shape(missing))
  }
  expect(await inbox.list('bob')).toMatchObject([{ is_read: false, done_at: null, saved_at: null }])
})

it('a bulk action changes the person’s own rows, and names the ids they do not have', {
  tags: 'S001-8',
}, async () => {
  const [a, all, b] = await inbox.add({ title: 'a' }, { user: null, title: 'all' }, { user: 'bob' })
  const body = { action: 'read', ids: [a, all, b, a] }
  const answer = (await inbox.post('ada', '/actions', body)).body
  expect(
    answer.changed.map((item: { title: string; is_read: boolean }) => [item.title, item.is_read]),
  ).toEqual([
    ['a', true],
    ['all', true],
  ])
  expect([answer.missing, answer.unread]).toEqual([[b], 0])
  expect(await inbox.unread('bob')).toBe(2)
})

it('a snooze into the past is refused', async () => {
  const [id] = await inbox.add({})
  const problem = problemOf(await inbox.post('ada', `/${id}/snooze`, { until: '2020-01-01T00:00:00Z' }))
  expect([problem.code, problem.errors?.[0]?.field]).toEqual(['invalid_timestamp', 'until'])
})

describe('events on a thread', () => {
  const thread = { thread_kind: 'issue', thread_id: '7' }

  it('events on a thread coalesce into one row, unread again, with the same id', {
    tags: ['S001-1', 'S001-2', 'S001-5'],
  }, async () => {
    await inbox.event(1, ['ada'], { ...thread, last_actor_id: 'bob' })
    const [first] = await inbox.list('ada')
    await inbox.post('ada', `/${first.id}/done`)
    for (const id of [2, 3, 4, 5]) await inbox.event(id, ['ada'], { ...thread, kind: `kind ${id}` })
    const [row, ...others] = await inbox.list('ada')
    expect(others).toEqual([])
    expect(row).toMatchObject({
      id: first.id,
      created_at: first.created_at,
      is_read: false,
      done_at: null,
      kind: 'kind 5',
      title: 'event 5',
      event_count: 5,
      last_actor_id: null,
      summary: { actors: ['bob'] },
    })
    const { rows } = await carillon.pool.query('select source_event_id from notifications')
    expect(rows).toEqual([{ source_event_id: '5' }])
  })

  it('an event that comes again changes nothing in the inbox', { tags: 'S001-2' }, async () => {
    await inbox.event(2, ['ada'], thread)
    const [row] = await inbox.list('ada')
    await inbox.post('ada', `/${row.id}/read`)
    const [before] = await inbox.list('ada')
    await inbox.event(2, ['ada'], thread)
    await inbox.event(1, ['ada'], thread)
    expect(await inbox.list('ada')).toEqual([before])
  })

  it('an event without a thread makes one row of its own', { tags: 'S001-3' }, async () => {
    for (const id of [1, 2, 2, 1]) await inbox.event(id, ['ada', 'bob'])
    expect(await inbox.titles('ada')).toEqual(['event 2', 'event 1'])
  })

  it('an event keeps a snooze, unless it passes a mute', async () => {
    await inbox.event(1, ['ada'], thread)
    const [row] = await inbox.list('ada')
    const until = new Date(Date.now() + 3_600_000).toISOString()
    await inbox.post('ada', `/${row.id}/snooze`, { until })
    await inbox.event(2, ['ada'], thread)
    expect(await inbox.titles('ada')).toEqual([])
    expect(await inbox.titles('ada', 'is:snoozed')).toEqual(['event 2'])
    await inbox.event(3, ['ada'], thread, { isPassing: true })
    expect(await inbox.titles('ada')).toEqual(['event 3'])
  })

  it('an event that arrives after the person looked is not read away', async () => {
    await inbox.event(1, ['ada'], thread)
    const shown = (await inbox.get('ada')).body
    await inbox.event(2, ['ada'], thread)
    const id = shown.data[0].id
    const seen_version = shown.version
    for (const action of ['read', 'done'])
      expect((await inbox.post('ada', `/${id}/${action}`, { seen_version })).body.is_read).toBe(false)
    expect(
      (await inbox.post('ada', '/actions', { action: 'hide', ids: [id], seen_version })).body.unread,
    ).toBe(1)
    const now = (await inbox.get('ada')).body
    expect((await inbox.post('ada', `/${id}/read`, { seen_version: now.version })).body.is_read).toBe(true)
  })

  it('every update of an inbox row or receipt moves its updated_at', { tags: 'S001-9' }, async () => {
    const [own, all] = await inbox.add({}, { user: null })
    const times: number[] = []
    for (const action of ['read', 'unread', 'save', 'unsave', 'done'])
      for (const id of [own, all])
        times.push(Date.parse((await inbox.post('ada', `/${id}/${action}`)).body.updated_at))
    const each = (offset: number) => times.filter((_, i) => i % 2 === offset)
    for (const moved of [each(0), each(1)]) expect(moved).toEqual([...new Set(moved)].sort((a, b) => a - b))
  })
})
