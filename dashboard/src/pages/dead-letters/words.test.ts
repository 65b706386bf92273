import type { DeadLetter } from '@carillon/contract'
import { expect, test } from 'vitest'
import { causeOf, nameOf, storyOf } from './words.ts'

const letter = {
  source: '',
  op: '',
  notification_type: 'welcome',
  channel: 'email',
  recipient_ref: 'user:ada',
  provider: 'smtp-main',
  final_attempt_count: 2,
  failure_reason: 'max_retries_exceeded',
} as DeadLetter

test('a letter is told in one sentence and its ending', () => {
  expect(storyOf(letter)).toBe(
    'The email message to ada was given up after 2 attempts with smtp-main. Every one of them failed.',
  )
  expect(storyOf({ ...letter, final_attempt_count: 0, failure_reason: 'target_missing' })).toBe(
    'The email message to ada was given up before the first attempt. What it was for does not exist any more.',
  )
  expect(
    storyOf({ ...letter, channel: null, source: 'webhook', op: 'notification.sent', provider: '' }),
  ).toBe('The work “webhook · notification.sent” was given up after 2 attempts. Every one of them failed.')
})

test('a cause names the provider that is to blame', () => {
  expect(causeOf(letter)).toBe('smtp-main kept failing')
  expect(causeOf({ ...letter, provider: '' })).toBe('It kept failing')
})

test('work of the outbox goes by its kind and event', () => {
  expect(nameOf(letter)).toBe('welcome')
  expect(nameOf({ ...letter, source: 'kv', op: 'update' })).toBe('kv · update')
})
