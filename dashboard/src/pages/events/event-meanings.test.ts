import { expect, test } from 'vitest'
import { meaningsOf } from './event-meanings.ts'

const labels = (text: string) => meaningsOf(text).map(({ label }) => label)

test('two words may be a thread', () => {
  expect(meaningsOf('issue 42')[0]).toMatchObject({ filter: { thread_kind: 'issue', thread_id: '42' } })
  expect(labels('acme/api')).toEqual(['Kind', 'Topic', 'Done by'])
})

test('an id opens its event', () => {
  expect(labels('01a1ee96-5666-7d38-92fb-241c06796fa1')[0]).toBe('Open the event')
})
