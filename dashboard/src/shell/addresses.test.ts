import { expect, test } from 'vitest'
import { addressOf } from './addresses.ts'

test('an id is one part of the address, whatever it contains', () => {
  expect(addressOf('user', 'a/b?c#d%e')).toBe('/people/a%2Fb%3Fc%23d%25e')
  expect(addressOf('template', 'order paid/email/en')).toBe('/templates/order%20paid/email/en')
})

test('a topic and a thread lead to what happened in them', () => {
  expect(addressOf('topic', 'acme/api & co')).toBe('/events?topic=acme%2Fapi+%26+co')
  expect(addressOf('thread', 'issue:acme:42')).toBe('/events?thread_kind=issue&thread_id=acme%3A42')
})
