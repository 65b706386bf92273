import { expect, test } from 'vitest'
import { attemptOf, countsOf, isUnderway, mergePeople } from './decisions.ts'

const at = '2026-11-18T12:16:32.613Z'

test('the attempt of a decision', () => {
  expect(attemptOf({ at, decision: 'retry', text: 'Attempt 12: no answer.' })).toBe(12)
  expect(attemptOf({ at, decision: 'routed', text: 'To ada@example.com on email.' })).toBeUndefined()
})

test('counts come worst first and without zeros', () => {
  expect(countsOf({ sent: 3, dead: 1, skipped: 0 })).toEqual([
    ['dead', 1],
    ['sent', 3],
  ])
  expect(isUnderway({ sent: 3 })).toBe(false)
  expect(isUnderway({ sent: 3, retrying: 1 })).toBe(true)
})

test('a person whose messages are on several pages is one person', () => {
  const route = (channel: 'chat' | 'email') => ({
    route_id: `${channel}:user:ada`,
    channel,
    status: 'sent' as const,
    reason: '',
    summary: '',
    decisions: [],
  })
  const page = (channel: 'chat' | 'email') => ({
    people: [{ recipient_ref: 'user:ada', inbox: null, routes: [route(channel)] }],
  })
  const people = mergePeople([page('chat'), page('email')])
  expect(people.map(({ routes }) => routes.map(({ channel }) => channel))).toEqual([['chat', 'email']])
})
