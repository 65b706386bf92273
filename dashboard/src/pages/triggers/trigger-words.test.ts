import type { Trigger } from '@carillon/contract'
import { expect, it } from 'vitest'
import { sayHint } from './trigger-words.ts'

const trigger = (changes: Partial<Trigger>) =>
  ({ kind: 'cron', is_enabled: true, config: {}, ...changes }) as Trigger

it.each([
  ['a time', trigger({}), 'It runs at its next time.'],
  ['a call', trigger({ kind: 'http' }), 'It runs when its address is called.'],
  ['nothing while it is off', trigger({ is_enabled: false }), 'It is switched off, so nothing makes it run.'],
])('a trigger that has not run yet waits for %s', (_, given, words) => {
  expect(sayHint(given)).toBe(words)
})
