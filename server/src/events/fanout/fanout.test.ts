import { beforeAll, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { emit, orderAll } from '../../../test/events.ts'
import { aFanout, fanOut, tell, tellingOf } from '../../../test/fanout.ts'

const carillon = useCarillon()
const put = (path: string, body: object = {}) => carillon.request('PUT', path, { body })
const watch = (topic: string, user_id: string, level = 'all') =>
  put(`/v1/topics/${topic}/watch`, { user_id, level })
const rows = async (where = 'true') =>
  (await carillon.pool.query(`select * from notifications where ${where} order by user_id, created_at`)).rows
const rowOf = async (user: string, thread: string) =>
  (await rows(`user_id = '${user}' and thread_id = '${thread}'`))[0]
const comment = (id: string, more: object = {}) => ({
  ...{ kind: 'issue_comment_created', topic: 'repo', actor_id: 'bob', thread: { kind: 'issue', id } },
  ...more,
})
const told = async (event: object) => tellingOf(carillon, (await tell(carillon, event))[0]!)

beforeAll(async () => {
  for (const id of ['ada', 'bob', 'cy', 'dan']) await carillon.putUser(id, { email: `${id}@example.com` })
  await put('/v1/topics/repo', { title: 'The repository', url: 'https://example.com/repo' })
})

describe('coalescing', () => {
  it('five events on a thread leave one row; without a thread, each its own', {
    tags: ['S001-1', 'S001-3'],
  }, async () => {
    await watch('repo', 'ada')
    for (let n = 0; n < 5; n++) await tell(carillon, comment('1'))
    expect(await rows(`user_id = 'ada' and thread_id = '1'`)).toMatchObject([{ event_count: 5 }])
    for (let n = 0; n < 5; n++)
      await tell(carillon, { kind: 'issue_created', topic: 'repo', actor_id: 'bob' })
    expect(await rows(`user_id = 'ada' and thread_id is null`)).toHaveLength(5)
  })

  it('replaces what the row says, and makes it unread', { tags: ['S001-2', 'S001-5'] }, async () => {
    await tell(carillon, comment('2', { payload: { title: 'First', body: 'One' } }))
    const first = await rowOf('ada', '2')
    await carillon.pool.query(
      `update notifications set is_read = true, read_at = now(), done_at = now(), saved_at = now() where id = $1`,
      [first.id],
    )
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
      last_event_at: new Date(occurred_at),
      summary: { title: 'Second', number: 7, actors: ['cy', 'bob'], url: 'https://example.com/repo' },
    })
    expect(second.saved_at).not.toBeNull()
    expect(Number(second.source_event_id)).toBeGreaterThan(Number(first.source_event_id))
  })

  it('says what the thread or topic is called where the event does not', async () => {
    const thread = { kind: 'issue', id: 'titled', title: 'It crashes', url: 'https://example.com/7' }
    await tell(carillon, comment('titled', { thread }))
    expect(await rowOf('ada', 'titled')).toMatchObject({ title: 'It crashes', summary: { url: thread.url } })
    await tell(carillon, comment('untitled'))
    expect(await rowOf('ada', 'untitled')).toMatchObject({ title: 'The repository' })
  })

  it('keeps a snooze, except for what passes a mute', async () => {
    const snooze = () =>
      carillon.pool.query(
        `update notifications set snoozed_until = now() + interval '1 day' where user_id = 'ada' and thread_id = '3'`,
      )
    await tell(carillon, comment('3'))
    await snooze()
    await tell(carillon, comment('3'))
    expect(await rowOf('ada', '3')).toMatchObject({ event_count: 2, snoozed_until: expect.any(Date) })
    await tell(carillon, comment('3', { relations: { mention: ['ada'] } }))
    expect(await rowOf('ada', '3')).toMatchObject({ event_count: 3, snoozed_until: null })
  })
})

describe('who is told', () => {
  it('never the actor, and nobody who does not exist; repeats collapse', {
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
    expect(await rowOf('leaver', '5')).toBeUndefined()
  })

  it('only members of a topic that turned private before the event is fanned out', {
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
    // the topic of the thread counts too, if the event names none
    const { topic: _, ...without } = comment('6', { thread, relations: { mention: ['ada', 'cy'] } })
    expect(await told(without)).toEqual(['cy mention in_app+email'])
  })

  it('only members of the topic that the thread moved to, whatever topic the event names', {
    tags: 'S001-25',
  }, async () => {
    await put('/v1/topics/vault', { visibility: 'private' })
    await put('/v1/topics/vault/members/cy', { watch: false })
    const relations = { mention: ['ada', 'cy'] }
    const moved = await emit(carillon.pool, comment('moved', { relations }))
    await orderAll(carillon.pool)
    await put('/v1/threads/issue/moved', { topic: 'vault', title: 'Secret' })
    await fanOut(carillon)
    expect(await tellingOf(carillon, moved)).toEqual(['cy mention in_app+email'])
  })

  it('only members, of an event that is not public', { tags: 'S001-25' }, async () => {
    await watch('open', 'ada')
    await watch('open', 'cy')
    await put('/v1/topics/open/members/ada')
    expect(await told(comment('7', { topic: 'open', is_public: false }))).toEqual([
      'ada watching in_app+email',
    ])
    // without a topic there are no members: only those whom it names are told anyway
    const direct = { kind: 'mentioned', is_public: false, relations: { mention: ['dan'] } }
    expect(await told(direct)).toEqual(['dan mention in_app+email'])
  })

  it.each([
    ['topic', '/v1/topics/doomed'],
    ['thread', '/v1/threads/issue/doomed'],
  ])('nobody, if the %s was deleted since', async (_what, path) => {
    await watch('doomed', 'ada')
    const relations = { mention: ['cy'] }
    const event = await emit(carillon.pool, comment('doomed', { topic: 'doomed', relations }))
    await orderAll(carillon.pool)
    await carillon.request('DELETE', path)
    await fanOut(carillon)
    expect(await tellingOf(carillon, event)).toEqual([])
  })

  it('nobody of another tenant', async () => {
    const other = await carillon.createTenant('other')
    await carillon.request('PUT', '/v1/users/ada', { body: {}, key: other.key })
    await carillon.request('PUT', '/v1/topics/repo/watch', { body: { user_id: 'ada' }, key: other.key })
    await tell(carillon, comment('8'))
    expect(await rows(`tenant_id = '${other.id}'`)).toEqual([])
    await emit(carillon.pool, comment('8', { tenant: 'other', actor_id: 'zoe' }))
    await fanOut({ pool: carillon.pool, tenantId: other.id })
    expect(await rows(`tenant_id = '${other.id}'`)).toMatchObject([{ user_id: 'ada', reason: 'watching' }])
    expect(await rowOf('ada', '8')).toMatchObject({ last_actor_id: 'bob' })
  })
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

  it('an explicit subscription notifies even under ignore, an automatic one does not', {
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

  it('no watch means participating; kinds tell of more, unless the topic is ignored', {
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

  it('subscribes the author, commenters and those whom an event names', {
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

  it('makes a watch as participant, never over a choice', { tags: 'S001-14' }, async () => {
    await watch('fresh', 'dan', 'ignore')
    await tell(carillon, comment('w', { topic: 'fresh', relations: { mention: ['cy', 'dan'] } }))
    const watches = await carillon.readAll('/v1/topics/fresh/watches')
    expect(watches.map(({ user_id, level, is_automatic }) => [user_id, level, is_automatic])).toEqual([
      ['bob', 'participating', true],
      ['cy', 'participating', true],
      ['dan', 'ignore', false],
    ])
  })

  it('counts from the next event on: the one that subscribed somebody tells them nothing more', async () => {
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

  it('switch it off altogether, for a reason or for a category, and leave other channels alone', async () => {
    await prefer('cy', { channels: { in_app: { enabled: false } } })
    expect(await cyIsTold('p1')).toEqual(['cy mention email'])
    await prefer('cy', { reasons: { mention: { in_app: false } } })
    expect(await cyIsTold('p2')).toEqual(['cy mention email'])
    await carillon.putType('issue_comment_created', { channels: ['in_app', 'email'], category: 'issues' })
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

  it('a type in the catalog has only its own channels', async () => {
    await carillon.putType('issue_comment_created', { channels: ['in_app'] })
    expect(await cyIsTold('p7')).toEqual(['cy mention in_app'])
    await carillon.request('DELETE', '/v1/notification-types/issue_comment_created')
  })
})

describe('fanning out again', () => {
  const state = async () => ({
    inbox: await rows(),
    routes: (await carillon.pool.query('select * from routes order by notification_id, route_id')).rows,
    records: (await carillon.pool.query('select * from records order by notification_id')).rows,
    subscriptions: (await carillon.pool.query('select * from notification_threads order by 2, 4')).rows,
  })
  const reset = () =>
    carillon.pool.query(
      `update domain_events_processed set last_event_id = 0 where consumer = 'notify_fanout' and tenant_id = $1`,
      [carillon.tenantId],
    )

  it('changes nothing: no unread flip, no second mail', { tags: 'S001-19' }, async () => {
    await carillon.pool.query('update notifications set is_read = true, read_at = now()')
    const before = await state()
    await reset()
    await fanOut(carillon)
    expect(await state()).toEqual(before)
  })

  it('sends no second mail to somebody whose relation has changed since', { tags: 'S001-19' }, async () => {
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

  it('a large event goes on after the last person who is done, and is the same in small portions', async () => {
    const people = Array.from({ length: 250 }, (_, n) => `p${String(n).padStart(3, '0')}`)
    await carillon.pool.query(
      `with added as (insert into users (tenant_id, id, email) select $1, id, id || '@example.com' from unnest($2::text[]) id)
       insert into watches (tenant_id, topic, user_id, level) select $1, 'crowd', id, 'all' from unnest($2::text[]) id`,
      [carillon.tenantId, people],
    )
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
    const { rows: records } = await carillon.pool.query(
      'select reason, expanded_at is not null as is_expanded from records where event_id = $1 order by reason',
      [parts],
    )
    expect(records).toEqual([
      { reason: 'mention', is_expanded: true },
      { reason: 'watching', is_expanded: true },
    ])
  })

  it('a large event that became a dead letter in the middle goes on, and tells nobody twice', async () => {
    const event = await emit(carillon.pool, comment('crowd3', { topic: 'crowd' }))
    await orderAll(carillon.pool)
    // The first portion is committed, and then the event fails for good.
    await carillon.pool.query('select fan_out($1, $2, $3, 60)', [carillon.tenantId, event, ''])
    expect(await tellingOf(carillon, event)).toHaveLength(60)
    await carillon.pool.query(
      `update notifications set is_read = true, read_at = now() where thread_id = 'crowd3'`,
    )
    await fanOut(carillon, aFanout(carillon.pool, { most: 100 }))
    expect(await tellingOf(carillon, event)).toHaveLength(250)
    expect(await rows(`thread_id = 'crowd3' and event_count = 1 and is_read`)).toHaveLength(60)
    expect(await rows(`thread_id = 'crowd3'`)).toHaveLength(250)
  })
})

it('a thread of a kind that the tenant does not have is refused, with the field', {
  tags: 'S001-4',
}, async () => {
  const body = { kind: 'invoice_paid', thread: { kind: 'invoice', id: '1' } }
  const problem = problemOf(await carillon.request('POST', '/v1/events', { body }))
  expect([problem.code, problem.errors?.[0]?.field]).toEqual(['invalid_request', 'thread.kind'])
})

it('an escalation of an event without a thread is not sent once the inbox row was read', async () => {
  await carillon.putType('mentioned', { channels: ['in_app'], escalate: [{ channel: 'email', after: 600 }] })
  const [event] = await tell(carillon, { kind: 'mentioned', relations: { mention: ['cy'] } })
  const wasRead = async () =>
    (
      await carillon.pool.query(
        `select was_read(tenant_id, notification_id, 'user:cy') as read from records where event_id = $1`,
        [event],
      )
    ).rows[0].read
  expect(await tellingOf(carillon, event!)).toEqual(['cy mention in_app+email'])
  expect(await wasRead()).toBe(false)
  await carillon.pool.query(`update notifications set is_read = true, read_at = now() where user_id = 'cy'`)
  expect(await wasRead()).toBe(true)
})
