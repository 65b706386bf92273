import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { tell, tellingOf } from '../../../test/fanout.ts'

const carillon = useCarillon()
const put = (path: string, body: object = {}) => carillon.request('PUT', path, { body })

/** A person in each relation, named after it, and one in none. */
const PEOPLE = [
  'mention',
  'assignee',
  'reviewer',
  'author',
  'commenter',
  'subscribed',
  'watching',
  'owner',
  'nobody',
]

beforeAll(async () => {
  for (const id of [...PEOPLE, 'actor']) await carillon.putUser(id, { email: `${id}@example.com` })
  await put('/v1/topics/repo')
  await put('/v1/topics/repo/members/owner', { role: 'owner', watch: false })
  await put('/v1/topics/repo/watch', { user_id: 'watching' })
})

let threads = 0

/** Makes an event of the kind on a new thread, to which each person has their relation; tells who was told. */
async function happens(
  kind: string,
  threadKind = kind.startsWith('pr_') ? 'pr' : 'issue',
): Promise<string[]> {
  const id = String(++threads)
  const path = `/v1/threads/${threadKind}/${id}`
  await put(path, { topic: 'repo', author_id: 'author' })
  for (const relation of ['assignee', 'reviewer', 'commenter'])
    await carillon.request('PUT', `${path}/participants/${relation}/${relation}`)
  await put(`${path}/subscription`, { user_id: 'subscribed' })
  const thread = { kind: threadKind, id }
  const [event] = await tell(carillon, {
    ...{ kind, topic: 'repo', thread, actor_id: 'actor' },
    relations: { mention: ['mention', 'mention'] },
  })
  return tellingOf(carillon, event!)
}

const COMMENTED = [
  'assignee assignment in_app+email',
  'author author in_app+email',
  'commenter commenter in_app+email',
  'mention mention in_app+email',
  'subscribed subscribed in_app+email',
  'watching watching in_app+email',
]
const CLOSED = [
  'assignee assignment in_app+email',
  'author author in_app+email',
  'subscribed subscribed in_app+email',
  'watching watching in_app',
]
const OWNED = ['owner repo_admin_action in_app+email']

describe('the built-in rules', { tags: ['S001-21', 'S001-22', 'S001-23'] }, () => {
  it.each([
    ['issue_created', ['mention mention in_app+email', 'watching watching in_app+email']],
    ['pr_opened', ['mention mention in_app+email', 'watching watching in_app+email']],
    ['issue_comment_created', COMMENTED],
    ['pr_comment_created', COMMENTED],
    ['issue_assigned', ['assignee assignment in_app+email', 'mention mention in_app+email']],
    ['pr_assigned', ['assignee assignment in_app+email', 'mention mention in_app+email']],
    ['issue_closed', CLOSED],
    ['issue_reopened', CLOSED],
    ['pr_closed', CLOSED],
    ['pr_reopened', CLOSED],
    ['pr_merged', CLOSED],
    ['review_requested', ['reviewer review_requested in_app+email']],
    ['review_submitted', ['author author in_app+email', 'subscribed subscribed in_app']],
    ['mentioned', ['mention mention in_app+email']],
    ['check_failed', ['author author in_app']],
    ['check_fixed', ['author author in_app']],
    ['repo_archived', OWNED],
    ['repo_unarchived', OWNED],
    ['repo_visibility_changed', OWNED],
    ['repo_soft_deleted', OWNED],
    ['repo_restored', OWNED],
    ['repo_transfer_requested', OWNED],
    ['repo_transfer_accepted', OWNED],
    // Without a rule, nobody is told.
    ['repo_starred', []],
    ['something_else', []],
  ])('people are told of %s as the built-in rules say', async (kind, told) => {
    expect(await happens(kind)).toEqual(told)
  })

  it('built-in rules reach some people who ignore the topic and left the thread', {
    tags: 'S001-22',
  }, async () => {
    const muted: Record<string, string[]> = {}
    for (const user of PEOPLE) await put('/v1/topics/repo/watch', { user_id: user, level: 'ignore' })
    for (const kind of [
      'issue_created',
      'issue_comment_created',
      'issue_assigned',
      'issue_closed',
      'review_requested',
      'mentioned',
    ])
      muted[kind] = await happens(kind)
    for (const user of PEOPLE.filter(user => user !== 'watching'))
      await carillon.request('DELETE', `/v1/topics/repo/watch?user_id=${user}`)
    await put('/v1/topics/repo/watch', { user_id: 'watching' })
    const chosen = 'subscribed subscribed in_app+email'
    expect(muted).toEqual({
      issue_created: ['mention mention in_app+email'],
      issue_comment_created: ['mention mention in_app+email', chosen],
      issue_assigned: ['mention mention in_app+email'],
      issue_closed: [chosen],
      review_requested: ['reviewer review_requested in_app+email'],
      mentioned: ['mention mention in_app+email'],
    })
  })

  it('the first relation that has a rule gives the reason', { tags: 'S001-21' }, async () => {
    const thread = { kind: 'issue', id: 'many' }
    await put('/v1/threads/issue/many', { topic: 'repo', author_id: 'nobody' })
    await carillon.request('PUT', '/v1/threads/issue/many/participants/assignee/nobody')
    await put('/v1/topics/repo/watch', { user_id: 'nobody' })
    const reasons = []
    for (const [kind, relations] of [
      ['issue_comment_created', { mention: ['nobody'] }],
      ['issue_comment_created', {}],
      ['check_failed', { mention: ['nobody'] }],
      ['issue_created', { assignee: ['nobody'] }],
    ] as const) {
      const [event] = await tell(carillon, { kind, topic: 'repo', thread, actor_id: 'actor', relations })
      reasons.push((await tellingOf(carillon, event!)).find(each => each.startsWith('nobody')))
    }
    await carillon.request('DELETE', '/v1/topics/repo/watch?user_id=nobody')
    expect(reasons).toEqual([
      'nobody mention in_app+email',
      'nobody assignment in_app+email',
      'nobody author in_app',
      'nobody watching in_app+email',
    ])
  })
})
