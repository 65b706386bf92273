import { beforeAll, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { emit, orderAll } from '../../../test/events.ts'
import { aFanout, fanOut, tell, tellingOf, toldOf } from '../../../test/fanout.ts'
import { addPeople } from '../../../test/people.ts'

const carillon = useCarillon()
const put = (path: string, body: object = {}) => carillon.request('PUT', path, { body })
const watch = (topic: string, user_id: string, level = 'all') =>
  put(`/v1/topics/${topic}/watch`, { user_id, level })
const rows = async (where = 'true') =>
  (await carillon.pool.query(`select * from notifications where ${where} order by user_id, created_at`)).rows
const inboxOf = (user: string, q = '', key?: string) =>
  carillon.readAll(`/v1/inbox?user_id=${user}&q=${encodeURIComponent(`is:all ${q}`)}`, 100, key)
const rowOf = async (user: string, thread: string) => (await inboxOf(user, `thread:issue/${thread}`))[0]
const act = (user: string, id: string, action: string, body: object = {}) =>
  carillon.request('POST', `/v1/inbox/${id}/${action}?user_id=${user}`, { body })
const readAll = async (...users: string[]) => {
  for (const user of users) await carillon.request('POST', `/v1/inbox/read-all?user_id=${user}`, { body: {} })
}
const comment = (id: string, more: object = {}) => ({
  ...{ kind: 'issue_comment_created', topic: 'repo', actor_id: 'bob', thread: { kind: 'issue', id } },
  ...more,
})
const told = async (event: object) => tellingOf(carillon, (await tell(carillon, event))[0]!)

beforeAll(async () => {
  for (const id of ['ada', 'bob', 'cy', 'dan']) await carillon.putUser(id, { email: `${id}@example.com` })
  await put('/v1/topics/repo', { title: 'The repository', url: 'https://example.com/repo' })
})

it('five events on a thread leave one row, and five without a thread leave five', {
  tags: ['S001-1', 'S001-3'],
}, async () => {
  await watch('repo', 'ada')
  for (let n = 0; n < 5; n++) await tell(carillon, comment('1'))
  expect(await inboxOf('ada', 'thread:issue/1')).toMatchObject([{ event_count: 5 }])
  for (let n = 0; n < 5; n++) await tell(carillon, { kind: 'issue_created', topic: 'repo', actor_id: 'bob' })
  const withoutThread = (await inboxOf('ada')).filter(({ thread }) => thread === null)
  expect(withoutThread).toHaveLength(5)
})

it('a later event replaces what the row says, and makes it unread', {
  tags: ['S001-2', 'S001-5'],
}, async () => {
  await tell(carillon, comment('2', { payload: { title: 'First', body: 'One' } }))
  const first = await rowOf('ada', '2')
  for (const action of ['read', 'save', 'done']) await act('ada', first.id, action)
  const occurred_at = '2031-01-02T03:04:05.000Z'
  const closed = {
    kind: 'issue_closed',
    actor_id: 'cy',
    payload: { title: 'Second', number: 7 },
    occurred_at,
  }
  await tell(carillon, comment('2', { ...closed, relations: { assignee: ['ada'] } }))
  const second = await rowOf('ada', '2')
  expect(second).toMatchObject({
    ...{
      id: first.id,
      created_at: first.created_at,
      kind: 'issue_closed',
      reason: 'assignment',
      title: 'Second',
    },
    ...{ is_read: false, read_at: null, done_at: null, event_count: 2, last_actor_id: 'cy' },
    last_event_at: occurred_at,
    summary: { title: 'Second', number: 7, actors: ['cy', 'bob'], url: 'https://example.com/repo' },
  })
  expect(second.saved_at).not.toBeNull()
  const [stored] = await rows(`id = '${first.id}'`)
  const [latest] = await carillon.readAll('/v1/events?thread_kind=issue&thread_id=2')
  expect(Number(stored.source_event_id)).toBe(latest.id)
})

it('a row says what the thread or topic is called where the event does not', async () => {
  const thread = { kind: 'issue', id: 'titled', title: 'It crashes', url: 'https://example.com/7' }
  await tell(carillon, comment('titled', { thread }))
  expect(await rowOf('ada', 'titled')).toMatchObject({ title: 'It crashes', summary: { url: thread.url } })
  await tell(carillon, comment('untitled'))
  expect(await rowOf('ada', 'untitled')).toMatchObject({ title: 'The repository' })
})

it('an event keeps a snooze unless it passes a mute', async () => {
  await tell(carillon, comment('3'))
  const until = new Date(Date.now() + 86_400_000).toISOString()
  await act('ada', (await rowOf('ada', '3')).id, 'snooze', { until })
  await tell(carillon, comment('3'))
  expect(await rowOf('ada', '3')).toMatchObject({ event_count: 2, snoozed_until: until })
  await tell(carillon, comment('3', { relations: { mention: ['ada'] } }))
  expect(await rowOf('ada', '3')).toMatchObject({ event_count: 3, snoozed_until: null })
})

it('fan-out never tells the actor or unknown people, and each person once', {
  tags: ['S001-23', 'S001-24'],
}, async () => {
  const relations = { mention: ['cy', 'ghost', 'cy', 'bob'], assignee: ['bob', 'cy'] }
  expect(await told(comment('4', { relations }))).toEqual([
    'ada watching in_app+email',
    'cy mention in_app+email',
  ])
})

it('a deleted user leaves no rows, and a deleted actor only empties the row', {
  tags: 'S001-6',
}, async () => {
  await carillon.putUser('leaver')
  await carillon.putUser('doer')
  await tell(carillon, comment('5', { actor_id: 'doer', relations: { mention: ['leaver'] } }))
  expect(await rowOf('leaver', '5')).toMatchObject({ last_actor_id: 'doer' })
  await carillon.request('DELETE', '/v1/users/doer')
  expect(await rowOf('leaver', '5')).toMatchObject({ last_actor_id: null })
  await carillon.request('DELETE', '/v1/users/leaver')
  expect(await rows(`user_id = 'leaver'`)).toEqual([])
})

it('only members are told of an event whose topic turned private before its fan-out', {
  tags: 'S001-25',
}, async () => {
  for (const user of ['ada', 'cy']) await watch('club', user)
  await put('/v1/topics/club/members/cy', { watch: false })
  const event = await emit(carillon.pool, comment('6', { topic: 'club', relations: { mention: ['ada'] } }))
  await orderAll(carillon.pool)
  await carillon.request('PATCH', '/v1/topics/club', { body: { visibility: 'private' } })
  await fanOut(carillon)
  expect(await tellingOf(carillon, event)).toEqual(['cy watching in_app+email'])
  const thread = { kind: 'issue', id: '6' }
  // The topic of the thread counts too, if the event names none.
  const { topic: _, ...without } = comment('6', { thread, relations: { mention: ['ada', 'cy'] } })
  expect(await told(without)).toEqual(['cy mention in_app+email'])
})

it('only members of the topic that the thread moved to are told, whatever topic the event names', {
  tags: 'S001-25',
}, async () => {
  await put('/v1/topics/vault', { visibility: 'private' })
  await put('/v1/topics/vault/members/cy', { watch: false })
  await put('/v1/topics/repo/members/ada', { watch: false })
  const relations = { mention: ['ada', 'cy'] }
  const moved = await emit(carillon.pool, comment('moved', { relations }))
  await orderAll(carillon.pool)
  await put('/v1/threads/issue/moved', { topic: 'vault', title: 'Secret' })
  await fanOut(carillon)
  expect(await tellingOf(carillon, moved)).toEqual(['cy mention in_app+email'])
})

it('only members are told of an event that is not public', { tags: 'S001-25' }, async () => {
  await watch('open', 'ada')
  await watch('open', 'cy')
  await put('/v1/topics/open/members/ada')
  expect(await told(comment('7', { topic: 'open', is_public: false }))).toEqual(['ada watching in_app+email'])
  // Without a topic there are no members: only people whom the event names are told anyway.
  const direct = { kind: 'mentioned', is_public: false, relations: { mention: ['dan'] } }
  expect(await told(direct)).toEqual(['dan mention in_app+email'])
})

it.each([
  ['topic', '/v1/topics/doomed'],
  ['thread', '/v1/threads/issue/doomed'],
])('nobody is told of an event whose %s was deleted since', async (_what, path) => {
  await watch('doomed', 'ada')
  const relations = { mention: ['cy'] }
  const event = await emit(carillon.pool, comment('doomed', { topic: 'doomed', relations }))
  await orderAll(carillon.pool)
  await carillon.request('DELETE', path)
  await fanOut(carillon)
  expect(await tellingOf(carillon, event)).toEqual([])
})

it('an event tells no people of another tenant', async () => {
  const other = await carillon.createTenant('other')
  await carillon.request('PUT', '/v1/users/ada', { body: {}, key: other.key })
  await carillon.request('PUT', '/v1/topics/repo/watch', { body: { user_id: 'ada' }, key: other.key })
  await tell(carillon, comment('8'))
  expect(await inboxOf('ada', '', other.key)).toEqual([])
  await emit(carillon.pool, comment('8', { tenant: 'other', actor_id: 'zoe' }))
  await fanOut({ pool: carillon.pool, tenantId: other.id })
  expect(await inboxOf('ada', '', other.key)).toMatchObject([{ reason: 'watching' }])
  expect(await rowOf('ada', '8')).toMatchObject({ last_actor_id: 'bob' })
})

describe('mutes', () => {
  const choose = (id: string, user_id: string, subscribed: boolean) =>
    put(`/v1/threads/issue/${id}/subscription`, { user_id, subscribed })
  const aboutDan = async (event: object) => (await told(event)).filter(each => each.startsWith('dan'))

  it('leaving a thread silences it for a watcher, its author and an assignee, but not for a mention', {
    tags: 'S001-12',
  }, async () => {
    await watch('repo', 'dan')
    await put('/v1/threads/issue/left', { topic: 'repo', author_id: 'dan' })
    await choose('left', 'dan', false)
    expect(await aboutDan(comment('left', { relations: { assignee: ['dan'] } }))).toEqual([])
    expect(await aboutDan(comment('left', { relations: { mention: ['dan'] } }))).toEqual([
      'dan mention in_app+email',
    ])
    expect(
      await aboutDan(comment('left', { kind: 'review_requested', relations: { reviewer: ['dan'] } })),
    ).toEqual(['dan review_requested in_app+email'])
    // A mention tells once; the person has still left.
    expect(await aboutDan(comment('left'))).toEqual([])
  })

  it('an explicit subscription tells even a person who ignores the topic, an automatic one does not', {
    tags: 'S001-12',
  }, async () => {
    await watch('repo', 'dan', 'ignore')
    await tell(carillon, comment('automatic', { relations: { mention: ['dan'] } }))
    expect(
      (await carillon.request('GET', '/v1/threads/issue/automatic/subscription?user_id=dan')).body,
    ).toMatchObject({ subscribed: true, reason: 'mention' })
    expect(await aboutDan(comment('automatic'))).toEqual([])
    await choose('automatic', 'dan', true)
    expect(await aboutDan(comment('automatic'))).toEqual(['dan subscribed in_app+email'])
  })

  it('a person without a watch only participates, and kinds tell of more unless the topic is ignored', {
    tags: 'S001-14',
  }, async () => {
    const set = (level: string, kinds: string[]) =>
      put('/v1/topics/some/watch', { user_id: 'dan', level, kinds })
    const closed = (id: string) => comment(id, { kind: 'issue_closed', topic: 'some' })
    expect(await aboutDan(closed('k1'))).toEqual([])
    await set('participating', ['issue_created'])
    expect(await aboutDan(closed('k1'))).toEqual([])
    await set('participating', ['issue_created', 'issue_closed'])
    expect(await aboutDan(closed('k1'))).toEqual(['dan watching in_app'])
    await set('ignore', ['issue_closed'])
    expect(await aboutDan(closed('k1'))).toEqual([])
  })
})

describe('involvement', () => {
  const subscriptions = async (id: string) =>
    Object.fromEntries(
      (await carillon.readAll(`/v1/threads/issue/${id}/subscriptions`)).map(each => [
        each.user_id,
        each.reason,
      ]),
    )

  it('an event subscribes the author, commenters and the people it names', {
    tags: ['S001-10', 'S001-11'],
  }, async () => {
    const thread = { kind: 'issue', id: 'inv', author_id: 'ada' }
    const relations = { mention: ['cy'], assignee: ['dan'] }
    await tell(carillon, comment('inv', { topic: 'calm', thread, relations }))
    expect(await subscriptions('inv')).toEqual({
      ...{ ada: 'author', bob: 'commenter', cy: 'mention', dan: 'assigned' },
    })
    await put('/v1/threads/issue/inv/subscription', { user_id: 'cy', subscribed: false })
    await tell(
      carillon,
      comment('inv', { relations: { reviewer: ['ada'], assignee: ['cy'], mention: ['cy'] } }),
    )
    expect(await subscriptions('inv')).toMatchObject({ ada: 'author', cy: 'manual_unsubscribe' })
  })

  it('an event makes participants watch the topic, and never replaces a choice', {
    tags: 'S001-14',
  }, async () => {
    await watch('fresh', 'dan', 'ignore')
    await tell(carillon, comment('w', { topic: 'fresh', relations: { mention: ['cy', 'dan'] } }))
    const watches = await carillon.readAll('/v1/topics/fresh/watches')
    expect(watches.map(({ user_id, level, is_automatic }) => [user_id, level, is_automatic])).toEqual([
      ['bob', 'participating', true],
      ['cy', 'participating', true],
      ['dan', 'ignore', false],
    ])
  })

  it('a subscription tells nothing of the event that made it', async () => {
    await put('/v1/fanout-rules/followed/subscribed', { channels: ['in_app'] })
    const event = {
      kind: 'followed',
      actor_id: 'bob',
      thread: { kind: 'issue', id: 'next', author_id: 'ada' },
    }
    expect(await told(event)).toEqual([])
    expect(await subscriptions('next')).toEqual({ ada: 'author' })
    expect(await told(event)).toEqual(['ada subscribed in_app'])
  })
})

describe('preferences for the inbox', () => {
  const prefer = (user: string, body: object) => put(`/v1/users/${user}/preferences`, body)
  const cyIsTold = async (id: string) =>
    (await told(comment(id, { relations: { mention: ['cy'] } }))).filter(each => each.startsWith('cy'))

  it('preferences switch off the inbox altogether, for a reason or a category, and no other channel', async () => {
    await prefer('cy', { channels: { in_app: { enabled: false } } })
    expect(await cyIsTold('p1')).toEqual(['cy mention email'])
    await prefer('cy', { reasons: { mention: { in_app: false } } })
    expect(await cyIsTold('p2')).toEqual(['cy mention email'])
    await carillon.putType('issue_comment_created', { channels: ['in_app', 'email'], category: 'issues' })
    await put('/v1/categories/issues', { required: false })
    await prefer('cy', { categories: { issues: { in_app: false } } })
    expect(await cyIsTold('p3')).toEqual(['cy mention email'])
    await put('/v1/categories/issues', { required: true })
    expect(await cyIsTold('p4')).toEqual(['cy mention in_app+email'])
    await carillon.request('DELETE', '/v1/categories/issues')
    await prefer('cy', {})
    await put('/v1/preferences', { categories: { issues: { in_app: false } } })
    expect(await cyIsTold('p5')).toEqual(['cy mention email'])
    await prefer('cy', { categories: { issues: { in_app: true } } })
    expect(await cyIsTold('p6')).toEqual(['cy mention in_app+email'])
    await put('/v1/preferences', {})
    await prefer('cy', {})
  })

  it('an event of a type in the catalog uses only the type’s channels', async () => {
    await carillon.putType('issue_comment_created', { channels: ['in_app'] })
    expect(await cyIsTold('p7')).toEqual(['cy mention in_app'])
    await carillon.request('DELETE', '/v1/notification-types/issue_comment_created')
  })
})

it('an escalation of an event is not sent once the inbox row was read', async () => {
  await carillon.putType('mentioned', { channels: ['in_app'], escalate: [{ channel: 'email', after: 600 }] })
  const mention = { kind: 'mentioned', relations: { mention: ['cy'] } }
  const [read, unread] = await tell(carillon, mention, mention)
  expect(await tellingOf(carillon, read!)).toEqual(['cy mention in_app+email'])
  const [, row] = await inboxOf('cy', 'kind:mentioned')
  await act('cy', row.id, 'read')
  await carillon.skipWaiting()
  const worker = carillon.deliver(() => ({ kind: 'sent' }))
  const becomesOf = async (event: string) => {
    const [record] = await carillon.readAll(`/v1/records?event_id=${event}`)
    const [route] = await carillon.settled(record.notification_id, 'sent', 'skipped')
    return [route!.status, route!.reason]
  }
  expect(await becomesOf(read!)).toEqual(['skipped', 'read'])
  expect(await becomesOf(unread!)).toEqual(['sent', ''])
  await worker.stop()
  await carillon.request('DELETE', '/v1/notification-types/mentioned')
})

describe('fanning out again', () => {
  const state = async () => ({
    inbox: await rows(),
    routes: (await carillon.pool.query('select * from routes order by notification_id, route_id')).rows,
    records: (await carillon.pool.query('select * from records order by notification_id')).rows,
    subscriptions: (await carillon.pool.query('select * from notification_threads order by 2, 4')).rows,
  })
  const reset = () =>
    carillon.request('POST', '/v1/event-consumers/notify_fanout/reset', { body: { to_event_id: 0 } })

  it('fanning out again flips no row to unread and sends no second mail', { tags: 'S001-19' }, async () => {
    await readAll('ada', 'bob', 'cy', 'dan')
    const before = await state()
    await reset()
    await fanOut(carillon)
    expect(await state()).toEqual(before)
  })

  it('fanning out again sends no second mail to a person whose relation has changed', {
    tags: 'S001-19',
  }, async () => {
    const [event] = await tell(
      carillon,
      comment('changed', { topic: 'calm', relations: { assignee: ['dan'] } }),
    )
    await put('/v1/threads/issue/changed/subscription', { user_id: 'dan' })
    await carillon.pool.query(
      `update domain_events set relations = '{"mention": ["dan"]}' where event_id = $1`,
      [event],
    )
    const before = (await state()).routes
    await reset()
    await fanOut(carillon)
    expect((await state()).routes).toEqual(before)
    expect(await rowOf('dan', 'changed')).toMatchObject({ reason: 'assignment', event_count: 1 })
  })

  it('a large event is fanned out in portions as it would be at once', async () => {
    const people = Array.from({ length: 250 }, (_, n) => `p${String(n).padStart(3, '0')}`)
    await addPeople(carillon, people, 'crowd')
    await put('/v1/topics/crowd')
    const whole = await emit(carillon.pool, comment('crowd1', { topic: 'crowd' }))
    await fanOut(carillon)
    const parts = await emit(
      carillon.pool,
      comment('crowd2', { topic: 'crowd', relations: { mention: ['p100'] } }),
    )
    await fanOut(carillon, aFanout(carillon.pool, { most: 60 }))
    const inParts = await tellingOf(carillon, parts)
    expect(inParts).toHaveLength(250)
    expect(inParts.map(each => each.replace('mention', 'watching'))).toEqual(await tellingOf(carillon, whole))
    const records = await carillon.readAll(`/v1/records?event_id=${parts}`)
    expect(records.map(({ reason }) => reason).sort()).toEqual(['mention', 'watching'])
    for (const record of records) expect(record.expanded_at).not.toBeNull()
  })

  it('a large event that was cut off in the middle goes on, and tells nobody twice', async () => {
    const event = await emit(carillon.pool, comment('crowd3', { topic: 'crowd' }))
    await orderAll(carillon.pool)
    // The first portion is committed, and then the event fails for good.
    await carillon.pool.query('select fan_out($1, $2, $3, 60)', [carillon.tenantId, event, ''])
    const first = await toldOf(carillon, event)
    expect(first).toHaveLength(60)
    await readAll(...first.map(({ user }) => user))
    await fanOut(carillon, aFanout(carillon.pool, { most: 100 }))
    expect(await tellingOf(carillon, event)).toHaveLength(250)
    expect(await rows(`thread_id = 'crowd3' and event_count = 1 and is_read`)).toHaveLength(60)
    expect(await rows(`thread_id = 'crowd3'`)).toHaveLength(250)
  })
})

it('an event on a thread of a kind that the tenant does not have is refused with the field', {
  tags: 'S001-4',
}, async () => {
  const body = { kind: 'invoice_paid', thread: { kind: 'invoice', id: '1' } }
  const problem = problemOf(await carillon.request('POST', '/v1/events', { body }))
  expect([problem.code, problem.errors?.[0]?.field]).toEqual(['invalid_request', 'thread.kind'])
})
