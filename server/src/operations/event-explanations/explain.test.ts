import type { EventExplanation } from '@carillon/contract'
import { beforeAll, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { aConsumer, drainAll, emit, orderAll } from '../../../test/events.ts'
import { fanOut, tell } from '../../../test/fanout.ts'

const carillon = useCarillon()
const put = (path: string, body: object = {}) => carillon.request('PUT', path, { body })
const THREAD = '/v1/threads/issue/7'
const PEOPLE = ['actor', 'author', 'gone', 'ignoring', 'left', 'mentioned', 'muted', 'owner', 'watcher']

beforeAll(async () => {
  for (const id of PEOPLE) await carillon.putUser(id, { email: `${id}@example.com` })
  await put('/v1/topics/repo')
  await put(THREAD, { topic: 'repo', author_id: 'author' })
  await put('/v1/topics/repo/watch', { user_id: 'watcher' })
  await put('/v1/topics/repo/watch', { user_id: 'actor' })
  await put('/v1/topics/repo/watch', { user_id: 'ignoring', level: 'ignore' })
  await put('/v1/topics/repo/members/owner', { role: 'owner', watch: false })
  await put(`${THREAD}/subscription`, { user_id: 'left', subscribed: false })
  for (const user of ['left', 'ignoring', 'muted']) await put(`${THREAD}/participants/assignee/${user}`)
  await put('/v1/users/muted/preferences', { channels: { in_app: { enabled: false } } })
})

const comment = (more: object = {}) => ({
  kind: 'issue_comment_created',
  actor_id: 'actor',
  thread: { kind: 'issue', id: '7' },
  relations: { mention: ['mentioned', 'stranger'] },
  ...more,
})

async function explain(eventId: string, query = ''): Promise<EventExplanation> {
  const answer = await carillon.request('GET', `/v1/events/${eventId}/explain?limit=100&${query}`)
  expect(answer.status).toBe(200)
  return answer.body
}

const outcomesOf = ({ people }: EventExplanation) =>
  Object.fromEntries(people.map(({ user_id, outcome }) => [user_id, outcome]))

it('explaining an event says of each person who was told, by which rule, or why not', {
  tags: ['S001-21', 'S001-22'],
}, async () => {
  const [event] = await tell(carillon, comment())
  const explanation = await explain(event!)
  expect(explanation).toMatchObject({
    status: 'done',
    summary: 'People were told: 4 notifications came of it.',
  })
  expect(outcomesOf(explanation)).toEqual({
    ...{
      actor: 'actor',
      author: 'told',
      ignoring: 'ignores_topic',
      left: 'unsubscribed',
      mentioned: 'told',
    },
    ...{ muted: 'told', owner: 'no_rule', stranger: 'unknown_user', watcher: 'told' },
  })
  const of = (id: string) => explanation.people.find(({ user_id }) => user_id === id)
  expect(of('mentioned')).toMatchObject({
    ...{ relations: ['mention'], relation: 'mention', reason: 'mention', is_recorded: true },
    text: 'Told for the reason "mention" on in_app, email, by the built-in rule for "issue_comment_created" and the relation "mention", which also reaches people who muted it.',
    inbox: { is_latest: true, is_read: false, event_count: 1, text: 'In the inbox, unread.' },
  })
  expect(of('mentioned')?.notification_ids).toHaveLength(1)
  // without the inbox, the mail is left
  expect(of('muted')).toMatchObject({
    inbox: null,
    is_recorded: true,
    text: expect.stringContaining('on email,'),
  })
  expect(of('watcher')?.relations).toEqual(['watching'])
  expect(of('left')).toMatchObject({ relation: null, is_recorded: false, relations: ['assignee'] })
  expect(explanation.notification_ids).toHaveLength(4)
  expect(explanation.rules.map(({ relation }) => relation)).toEqual([
    'mention',
    'assignee',
    'author',
    'commenter',
    'subscribed',
    'watching',
  ])
  const texts = explanation.decisions.map(({ text }) => text)
  expect(texts[0]).toMatch(
    /^Accepted from .*: "issue_comment_created" by "actor", about the thread issue "7", in the topic "repo"\.$/,
  )
  expect(texts.at(-1)).toMatch(/as they are now\.$/)
})

it('explaining an event shows people page by page, and one alone as on the page', async () => {
  const [event] = await tell(carillon, comment())
  const { people } = await explain(event!)
  const paged: unknown[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path = `/v1/events/${event}/explain?limit=2${cursor && `&cursor=${cursor}`}`
    const { body } = await carillon.request('GET', path)
    expect(body.people.length).toBeLessThanOrEqual(2)
    paged.push(...body.people)
    cursor = body.next_cursor
  }
  expect(paged).toEqual(people)
  for (const person of people)
    expect((await explain(event!, `user_id=${person.user_id}`)).people).toEqual([person])
})

it('explaining an event says that a person stands in no relation to the event', async () => {
  const [event] = await tell(carillon, comment())
  const { people } = await explain(event!, 'user_id=gone')
  expect(people).toMatchObject([{ user_id: 'gone', relations: [], outcome: 'no_relation', relation: null }])
  expect(people[0]?.text).toMatch(/^They stand in no relation to the event/)
})

it('explaining an event says that a person may not see a private topic', { tags: 'S001-25' }, async () => {
  await put('/v1/topics/secret', { visibility: 'private' })
  const relations = { mention: ['mentioned'] }
  const [event] = await tell(carillon, { kind: 'mentioned', topic: 'secret', relations })
  const { people, summary } = await explain(event!)
  expect(people).toMatchObject([{ user_id: 'mentioned', outcome: 'not_member', relation: 'mention' }])
  expect(summary).toBe('Nobody was told.')
})

it('explaining an event tells of a tenant’s rule, a switched off inbox and missing channels', async () => {
  await put('/v1/fanout-rules/deployed/mention', { channels: ['in_app'], notification_type: 'deployment' })
  const relations = { mention: ['muted', 'author'] }
  const [event] = await tell(carillon, { kind: 'deployed', relations })
  const explanation = await explain(event!)
  expect(outcomesOf(explanation)).toEqual({ author: 'told', muted: 'in_app_off' })
  expect(explanation.people[0]?.text).toBe(
    'Told for the reason "mention" on in_app, by the tenant’s own rule for "deployed" and the relation "mention".',
  )
  await carillon.putType('deployment', { channels: ['email'] })
  const [later] = await tell(carillon, { kind: 'deployed', relations })
  expect(outcomesOf(await explain(later!))).toEqual({ author: 'no_channel', muted: 'no_channel' })
})

it('explaining an event knows who was told even if they would not be told now', async () => {
  const thread = { kind: 'issue', id: 'changed' }
  await put('/v1/threads/issue/changed', { topic: 'repo', author_id: 'author' })
  const [event] = await tell(carillon, comment({ thread }))
  await put('/v1/threads/issue/changed/subscription', { user_id: 'author', subscribed: false })
  await carillon.request('DELETE', '/v1/topics/repo/watch?user_id=watcher')
  const { people } = await explain(event!)
  const author = people.find(({ user_id }) => user_id === 'author')
  expect(author).toMatchObject({ outcome: 'told', reason: 'author', is_recorded: true })
  expect(author?.text).toMatch(/Things have changed since; by now: Not told: they left the thread/)
  const gone = await explain(event!, 'user_id=watcher')
  expect(gone.people).toMatchObject([
    { outcome: 'told', reason: 'watching', relations: [], is_recorded: true },
  ])
  await put('/v1/topics/repo/watch', { user_id: 'watcher' })
})

it('explaining an event says how far fan-out is: unordered, waiting, failed, given up or done', async () => {
  const unordered = await emit(carillon.pool, comment())
  expect(await explain(unordered)).toMatchObject({ status: 'unordered', people: [] })
  await orderAll(carillon.pool)
  const last = await emit(carillon.pool, comment())
  await orderAll(carillon.pool)
  expect(await explain(unordered)).toMatchObject({
    status: 'waiting',
    summary: 'Accepted; nobody has been told yet.',
  })
  const textsOf = async (id: string) => (await explain(id)).decisions.map(({ text }) => text)
  expect(await textsOf(last)).toContain('Fan-out reads 1 event before it.')

  const failing = aConsumer(
    () => {
      throw new Error('out of order')
    },
    { name: 'notify_fanout' },
  )
  await drainAll(carillon.pool, failing, carillon.tenantId)
  expect(await explain(unordered)).toMatchObject({ status: 'retrying' })
  expect((await textsOf(unordered)).join()).toMatch(
    /failed at it 1 time, and tries again at .*Last error: out of order/,
  )
  for (let tries = 1; tries < 5; tries++) {
    await carillon.pool.query('update domain_events_processed set next_attempt_at = null')
    await drainAll(carillon.pool, failing, carillon.tenantId)
  }
  expect(await explain(unordered)).toMatchObject({ status: 'dead_letter', notification_ids: [] })
  expect((await textsOf(unordered)).join()).toMatch(
    /gave it up after 5 attempts \(dead letter .*\): out of order/,
  )
  await carillon.pool.query('update domain_events_processed set next_attempt_at = null, tries = 0')
  await fanOut(carillon)
  expect(await explain(last)).toMatchObject({ status: 'done' })
})

it('explaining an event says that the thread was deleted, and that a kind has no rule', async () => {
  const [event] = await tell(carillon, comment({ thread: { kind: 'issue', id: 'deleted' } }))
  await carillon.request('DELETE', '/v1/threads/issue/deleted')
  const gone = await explain(event!)
  expect(gone.decisions.map(({ decision }) => decision)).toContain('gone')
  const [unruled] = await tell(carillon, comment({ kind: 'unheard_of' }))
  expect((await explain(unruled!)).summary).toBe('Nobody was told: "unheard_of" has no rule.')
})

it('an event can only be explained with a key of its tenant that may read events', async () => {
  const [event] = await tell(carillon, comment())
  const path = `/v1/events/${event}/explain`
  const { key } = await carillon.createKey({ name: 'writer', scopes: ['events:write'] })
  expect(problemOf(await carillon.request('GET', path, { key })).code).toBe('forbidden')
  const other = await carillon.createTenant('other')
  expect(problemOf(await carillon.request('GET', path, { key: other.key })).code).toBe('not_found')
})

it('explaining a record names its event, the relation and the rule, with the person’s inbox row', {
  tags: 'S001-21',
}, async () => {
  const [event] = await tell(carillon, comment({ thread: { kind: 'issue', id: 'r' }, topic: 'repo' }))
  const { notification_ids } = (await explain(event!, 'user_id=mentioned')).people[0]!
  const path = `/v1/records/${notification_ids[0]}/explain`
  const { body } = await carillon.request('GET', path)
  const textOf = (name: string) =>
    body.decisions.find((each: { decision: string }) => each.decision === name)?.text
  expect(textOf('event')).toBe(
    `Caused by the event ${event}: "issue_comment_created" by "actor", about the thread issue "r", in the topic "repo".`,
  )
  expect(textOf('rule')).toBe(
    'The relation "mention" decided, by the built-in rule for "issue_comment_created" and the relation "mention", which also reaches people who muted it.',
  )
  expect(body.people).toMatchObject([
    {
      recipient_ref: 'user:mentioned',
      inbox: { is_read: false, is_latest: true },
      routes: [{ channel: 'email' }],
    },
  ])
  await carillon.request('POST', `/v1/inbox/${body.people[0].inbox.id}/done?user_id=mentioned`)
  await put('/v1/fanout-rules/issue_comment_created/mention', { channels: ['in_app'] })
  const later = await carillon.request('GET', path)
  expect(later.body.people[0].inbox.text).toMatch(/done at/)
  expect(JSON.stringify(later.body.decisions)).toMatch(/by now it is the tenant’s own rule/)
  await carillon.request('DELETE', '/v1/fanout-rules/issue_comment_created/mention')
})

it('explaining a record shows that a gate skipped a person who has left the thread', {
  tags: 'S001-25',
}, async () => {
  const thread = { kind: 'issue', id: 'since' }
  const [event] = await tell(carillon, comment({ thread, relations: { assignee: ['author'] } }))
  await put('/v1/threads/issue/since/subscription', { user_id: 'author', subscribed: false })
  const { notification_ids } = (await explain(event!, 'user_id=author')).people[0]!
  carillon.deliver(() => ({ kind: 'sent' }))
  await carillon.settled(notification_ids[0]!, 'skipped')
  const { body } = await carillon.request('GET', `/v1/records/${notification_ids[0]}/explain`)
  expect(body.people[0].routes[0]).toMatchObject({ status: 'skipped', reason: 'thread_unsubscribed' })
})

it('explaining a record for one person shows an inbox row without routes', async () => {
  await put('/v1/fanout-rules/noted/mention', { channels: ['in_app'] })
  const [event] = await tell(carillon, { kind: 'noted', relations: { mention: ['author'] } })
  const { notification_ids } = await explain(event!)
  const { body } = await carillon.request('GET', `/v1/records/${notification_ids[0]}/explain?user_id=author`)
  expect(body.summary).toBe('In inboxes alone: nobody gets it on another channel.')
  expect(body.people).toMatchObject([
    { recipient_ref: 'user:author', routes: [], inbox: { is_latest: true } },
  ])
})
