import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { openTransaction } from '../../../test/open-transaction.ts'
import { createWake } from '../../platform/queue/wake.ts'
import { inboxOf } from './inbox.fixture.ts'
import { createInboxWaker, wakeRows } from './wake-loop.ts'

const carillon = useCarillon()
const inbox = inboxOf(carillon)
const thread = { thread_kind: 'issue', thread_id: '7' }

beforeAll(async () => {
  await carillon.putUser('ada', { timezone: 'Asia/Tokyo' })
  for (const user of ['bob', 'eve']) await carillon.putUser(user)
})
beforeEach(() => inbox.clear())

describe('filters', () => {
  const now = new Date().toISOString()
  beforeEach(async () => {
    await inbox.add(
      { title: 'mentioned', reason: 'mention', topic: 'docs', kind: 'comment', last_actor_id: 'bob' },
      { title: 'assigned', reason: 'assign', topic: 'api', message: '100% done_now', ...thread },
      { title: 'read', is_read: true, read_at: now },
      { title: 'done', done_at: now, reason: 'mention' },
      { title: 'saved', saved_at: now, done_at: now, is_read: true, read_at: now },
      { title: 'snoozed', snoozed_until: '2100-01-01T00:00:00Z' },
      { title: 'everybody', user: null, topic: 'api' },
    )
  })

  it.each([
    ['', ['everybody', 'read', 'assigned', 'mentioned']],
    ['is:unread', ['everybody', 'assigned', 'mentioned']],
    ['is:read', ['read']],
    ['is:done', ['saved', 'done']],
    ['is:saved', ['saved']],
    ['-is:saved', ['everybody', 'read', 'assigned', 'mentioned']],
    ['is:snoozed', ['snoozed']],
    ['is:all', ['everybody', 'snoozed', 'saved', 'done', 'read', 'assigned', 'mentioned']],
    ['reason:mention', ['mentioned']],
    ['reason:mention reason:assign', ['assigned', 'mentioned']],
    ['-reason:mention is:unread', ['everybody', 'assigned']],
    ['topic:api', ['everybody', 'assigned']],
    ['topic:api -from:bob thread:issue/7', ['assigned']],
    ['topic:""', ['read']],
    ['from:bob', ['mentioned']],
    ['kind:comment', ['mentioned']],
    ['-thread:issue/7 topic:api', ['everybody']],
    ['100%', ['assigned']],
    ['"DONE_now"', ['assigned']],
    ['0% -assigned', []],
    ['1%done', []],
    ['d_ne', []],
    ['"\\\\done"', []],
    ['NOT assigned topic:api', ['everybody']],
    ['type:t is:saved', ['saved']],
    ['type:other', []],
  ])('the filter "%s" shows %j', async (q, titles) => {
    expect(await inbox.titles('ada', q)).toEqual(titles)
  })

  it('a filter that cannot be understood is refused with the field and the character', async () => {
    const problem = problemOf(await inbox.get('ada', `?q=${encodeURIComponent('is:unread is:red')}`))
    expect(problem).toMatchObject({ code: 'invalid_request', errors: [{ field: 'q', column: 14 }] })
    const inBody = problemOf(await inbox.post('ada', '/read-all', { q: '"' }))
    expect(inBody).toMatchObject({ code: 'invalid_request', errors: [{ field: 'q', column: 1 }] })
    expect((await inbox.get('ada', '?q=%00')).status).toBeLessThan(500)
  })
})

it('inbox groups by topic are counted, newest first, and their filters list them', async () => {
  const at = (minute: number) => `2026-03-01T10:0${minute}:00Z`
  await inbox.add(
    { title: 'a1', topic: 'a', last_event_at: at(1) },
    { title: 'b1', topic: 'b', last_event_at: at(2), is_read: true, read_at: at(2) },
    { title: 'a2', topic: 'a', last_event_at: at(3), user: null },
    { title: 'none', last_event_at: at(0) },
  )
  const groups = await carillon.readAll('/v1/inbox/groups?user_id=ada&by=topic', 1)
  expect(groups.map(({ key, total, unread }) => [key, total, unread])).toEqual([
    ['a', 2, 2],
    ['b', 1, 0],
    ['', 1, 1],
  ])
  const listed = await Promise.all(groups.map(({ query }) => inbox.titles('ada', query)))
  expect(listed).toEqual([['a2', 'a1'], ['b1'], ['none']])
  const { data } = (
    await inbox.get('ada', `/groups?by=topic&q=${encodeURIComponent('topic:a topic:b is:unread')}`)
  ).body
  expect(data.map(({ query }: { query: string }) => query)).toEqual(['is:unread topic:a'])
})

it('inbox groups by date are the days of the person’s own time zone', async () => {
  // In Tokyo, which is nine hours ahead, the second is already the next day.
  await inbox.add(
    { title: 'day', last_event_at: '2026-03-01T14:59:59.999Z' },
    { title: 'next day', last_event_at: '2026-03-01T15:00:00Z' },
  )
  const groups = await carillon.readAll('/v1/inbox/groups?user_id=ada&by=date', 1)
  expect(groups.map(({ key }) => key)).toEqual(['2026-03-02', '2026-03-01'])
  expect(await inbox.titles('ada', 'date:2026-03-01')).toEqual(['day'])
  expect(await inbox.titles('ada', '-date:2026-03-01')).toEqual(['next day'])
  expect(await inbox.titles('ada', 'date:2026-03-01 date:2026-03-02')).toEqual(['next day', 'day'])
})

describe('reading everything', () => {
  it('read-all reads 1,210 own and common rows, no other person’s, and nothing the second time', {
    tags: 'S001-8',
  }, async () => {
    await inbox.addMany('ada', 1203)
    await inbox.addMany(null, 7)
    await inbox.addMany('bob', 3)
    const first = (await inbox.post('ada', '/read-all')).body
    expect([first.read, first.unread]).toEqual([1210, 0])
    const times = 'select max(updated_at) as last from notifications'
    const { rows } = await carillon.pool.query(times)
    expect((await inbox.post('ada', '/read-all')).body).toMatchObject({ read: 0, unread: 0 })
    expect((await carillon.pool.query(times)).rows).toEqual(rows)
    expect(await inbox.unread('bob')).toBe(10)
  })

  it('read-all reads what its filter matches', async () => {
    await inbox.addMany('ada', 10)
    expect((await inbox.post('ada', '/read-all', { q: 'topic:"topic 1"' })).body).toMatchObject({
      read: 5,
      unread: 5,
    })
  })

  it('read-all leaves unread what came after the person looked', async () => {
    await inbox.event(1, ['ada'], thread)
    await inbox.add({ title: 'seen' })
    const { version } = (await inbox.get('ada')).body
    await inbox.event(2, ['ada'], thread)
    await inbox.add({ title: 'new' }, { title: 'new for all', user: null })
    expect((await inbox.post('ada', '/read-all', { seen_version: version })).body).toMatchObject({
      read: 1,
      unread: 3,
    })
    expect(await inbox.titles('ada', 'is:unread')).toEqual(['new for all', 'new', 'event 2'])
  })

  it('read-all neither swallows an event that is being written nor deadlocks with its writer', async () => {
    await inbox.event(1, ['ada'], thread)
    await inbox.event(2, ['ada'], { ...thread, thread_id: '8' })
    const fanOut = await openTransaction(carillon.pool)
    const db = fanOut.client
    await inbox.event(3, ['ada'], { ...thread, thread_id: '8' }, { db })
    const reading = inbox.post('ada', '/read-all')
    // It has read the row of the first thread and waits for the other, which the fan-out holds.
    await expect.poll(async () => (await inbox.titles('ada', 'is:read')).length).toBe(1)
    await inbox.event(4, ['ada'], thread, { db })
    await fanOut.commit()
    expect((await reading).body).toMatchObject({ read: 1, unread: 2 })
  })
})

it.each([null, 'ada'])(
  'a snooze ends by itself: the row is unread again and a change for clients (row of %s)',
  async user => {
    const [id] = await inbox.add({ user })
    const until = new Date(Date.now() + 3_600_000).toISOString()
    await inbox.post('ada', `/${id}/read`)
    await inbox.post('ada', `/${id}/snooze`, { until })
    const { version } = (await inbox.get('ada')).body
    expect(await inbox.titles('ada')).toEqual([])
    expect((await wakeRows(carillon.pool)).woken).toEqual([])
    await inbox.endSnoozes()
    const told: unknown[] = []
    const waker = createInboxWaker({
      pool: carillon.pool,
      wake: createWake(),
      pollMs: 20,
      onInbox: (tenantId, userIds) => void told.push([tenantId, userIds]),
      onError: () => {},
    })
    await waker.start()
    await expect.poll(() => told).toEqual([[carillon.tenantId, ['ada']]])
    await waker.stop()
    expect(await inbox.list('ada')).toMatchObject([{ is_read: false, snoozed_until: null }])
    expect((await inbox.get('ada', `/changes?since=${version}`)).body.changed).toMatchObject([{ id }])
  },
)

it('a snooze that has ended is not read away, and its row is no longer done', async () => {
  const [id] = await inbox.add({})
  await inbox.post('ada', `/${id}/done`)
  await inbox.post('ada', `/${id}/snooze`, { until: new Date(Date.now() + 3_600_000).toISOString() })
  const { version } = (await inbox.get('ada')).body
  await inbox.endSnoozes()
  await wakeRows(carillon.pool)
  const body = { seen_version: version }
  expect((await inbox.post('ada', '/read-all', body)).body).toMatchObject({ read: 0, unread: 1 })
  expect(await inbox.list('ada')).toMatchObject([{ id, is_read: false, done_at: null }])
})

it('saved rows and announcements are removed when they expire', async () => {
  const [own, all] = await inbox.add({ saved_at: new Date() }, { user: null })
  const { version } = (await inbox.get('ada')).body
  await inbox.expire()
  expect(await inbox.titles('ada', 'is:all')).toEqual([])
  await wakeRows(carillon.pool)
  const changes = (await inbox.get('ada', `/changes?since=${version}`)).body
  expect([changes.changed, changes.removed.sort()]).toEqual([[], [own, all].sort()])
})

describe('changes since a version', () => {
  const changesSince = async (version: string) => (await inbox.get('ada', `/changes?since=${version}`)).body

  it('changes since a version include what committed later than what was read', async () => {
    const [own, all] = await inbox.add({ title: 'own' }, { title: 'all', user: null })
    const late = await openTransaction(carillon.pool)
    await inbox.event(1, ['ada'], { kind: 'late' }, { db: late.client })
    await inbox.post('ada', `/${all}/read`)
    const shown = (await inbox.get('ada')).body
    expect(await changesSince(shown.version)).toMatchObject({
      reset: false,
      changed: [],
      removed: [],
      unread: 1,
    })
    await late.commit()
    const next = await changesSince(shown.version)
    expect(next.changed.map(({ kind }: { kind: string }) => kind)).toEqual(['late'])
    await inbox.post('ada', `/${own}/hide`)
    await inbox.post('ada', `/${all}/unread`)
    const last = await changesSince(next.version)
    expect([last.changed.map(({ id }: { id: string }) => id), last.removed]).toEqual([[all], [own]])
    expect(await changesSince(last.version)).toMatchObject({ changed: [], removed: [], unread: 2 })
    await inbox.add({ user: 'bob' })
    expect(await changesSince(last.version)).toMatchObject({ changed: [], removed: [] })
  })

  it('changes are answered with a reset if there are too many or the version is unknown', async () => {
    const { version } = (await inbox.get('ada')).body
    await inbox.addMany('ada', 201)
    const reset = { reset: true, changed: [], removed: [], unread: 201 }
    expect(await changesSince(version)).toMatchObject(reset)
    expect(await changesSince('999999999999:999999999999:')).toMatchObject(reset)
  })

  it('a version from before a restore is answered with a reset', async () => {
    await inbox.add({})
    const { version } = (await inbox.get('ada')).body
    const { etag } = (await inbox.get('ada', '/unread-count')).headers
    const count = () => inbox.get('ada', '/unread-count', { 'if-none-match': String(etag) })
    expect((await count()).status).toBe(304)
    await inbox.restore()
    // As many transactions have passed as in the history that is gone, so numbers alone would say that nothing is new.
    expect((await count()).status).toBe(200)
    expect(await changesSince(version)).toMatchObject({ reset: true, unread: 1 })
    const seen = { seen_version: version }
    expect((await inbox.post('ada', '/read-all', seen)).body).toMatchObject({ read: 0, unread: 1 })
    const now = (await inbox.get('ada')).body
    expect(await changesSince(now.version)).toMatchObject({ reset: false, changed: [] })
    expect((await inbox.post('ada', '/read-all', { seen_version: now.version })).body).toMatchObject({
      read: 1,
    })
  })

  it('a version without an epoch is answered as before', async () => {
    const { version } = (await inbox.get('ada')).body
    const [id] = await inbox.add({})
    const { reset, changed } = await changesSince(version.replace(/:[0-9a-f]{8}$/, ''))
    expect([reset, changed.map((item: { id: string }) => item.id)]).toEqual([false, [id]])
  })

  it.each([
    '',
    '1',
    '1:2',
    '2:1:',
    '5:9:3',
    '5:9:9',
    '5:9:6,6',
    '0:1:',
    'a:b:',
    '1:1:1',
    '1:1::xyz',
    '1:1:0123abcd',
  ])('the version "%s" is refused', async since => {
    const problem = problemOf(await inbox.get('ada', `/changes?since=${since}`))
    expect([problem.code, problem.errors?.[0]?.field]).toEqual(['invalid_request', 'since'])
  })
})

it('reading and marking inbox rows works while records, routes, events and statistics are locked', {
  tags: 'S004-9',
}, async () => {
  const [id] = await inbox.add({}, { user: null })
  const busy = await openTransaction(carillon.pool)
  await busy.client.query(
    'lock table notification_metrics, records, routes, domain_events in access exclusive mode',
  )
  expect(await inbox.unread('ada')).toBe(2)
  expect((await inbox.post('ada', `/${id}/read`)).body.is_read).toBe(true)
  expect((await inbox.post('ada', '/read-all')).body).toMatchObject({ read: 1, unread: 0 })
})

it.each(['', '/unread-count'])('polling "%s" by ETag answers 304 until something changes', async path => {
  const [id] = await inbox.add({})
  const poll = async (etag: string) => inbox.get('ada', path, { 'if-none-match': etag })
  const first = await inbox.get('ada', path)
  expect(first.headers['x-poll-interval']).toBeDefined()
  const etag = String(first.headers.etag)
  expect(await poll(etag)).toMatchObject({ status: 304, body: expect.toSatisfy(body => !body) })
  await inbox.add({ user: 'bob' })
  expect((await poll(etag)).status).toBe(304)
  for (const change of [
    () => inbox.post('ada', `/${id}/read`),
    () => inbox.add({ user: null }),
    () => inbox.post('ada', `/${id}/hide`),
  ]) {
    const before = String((await inbox.get('ada', path)).headers.etag)
    await change()
    expect((await poll(before)).status).toBe(200)
  }
  expect((await poll('W/"nonsense"')).status).toBe(200)
})

it.each(['', '/unread-count'])(
  'polling "%s" confirms no answer that a browser kept of another person',
  async path => {
    await inbox.add({ title: 'Ada’s' })
    const adas = await inbox.get('ada', path)
    expect(adas.headers).toMatchObject({
      vary: 'Origin, Authorization',
      'cache-control': 'private, no-cache',
    })
    const etag = String(adas.headers.etag)
    expect((await inbox.get('bob', path, { 'if-none-match': etag })).status).toBe(200)
    const { body } = await inbox.get('ada', path)
    expect((await inbox.get('bob', path, { 'if-none-match': `W/"${body.version}"` })).status).toBe(200)
    const other = await carillon.createTenant(`another ${path}`)
    await carillon.request('PUT', '/v1/users/ada', { key: other.key, body: {} })
    const elsewhere = { key: other.key, headers: { 'if-none-match': etag } }
    expect((await carillon.request('GET', `/v1/inbox${path}?user_id=ada`, elsewhere)).status).toBe(200)
  },
)

it('a 304 lets a cache keep what it has', async () => {
  await inbox.add({})
  const etag = String((await inbox.get('ada')).headers.etag)
  const { status, headers } = await inbox.get('ada', '', { 'if-none-match': etag })
  expect(status).toBe(304)
  expect(headers).toMatchObject({
    etag,
    vary: 'Origin, Authorization',
    'cache-control': 'private, no-cache',
    'x-poll-interval': expect.anything(),
  })
  expect(headers).not.toHaveProperty('content-length')
})

it('polling by time answers 304 only once a late commit is out of the question', async () => {
  await inbox.add({})
  const poll = async (since: string) => (await inbox.get('ada', '', { 'if-modified-since': since })).status
  const modified = async () => String((await inbox.get('ada')).headers['last-modified'])
  expect(await poll(await modified())).toBe(200)
  await carillon.pool.query('alter table notifications disable trigger stamp_row')
  await carillon.pool.query("update notifications set updated_at = now() - interval '2 minutes'")
  await carillon.pool.query('alter table notifications enable trigger stamp_row')
  const since = await modified()
  expect(await poll(since)).toBe(304)
  expect(await poll(new Date(Date.parse(since) - 1000).toUTCString())).toBe(200)
  await inbox.add({ user: null })
  expect(await poll(since)).toBe(200)
})
