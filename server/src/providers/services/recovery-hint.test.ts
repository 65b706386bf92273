import { describe, expect, it } from 'vitest'
import { type Classification, classify, type Failure, recoveryHint } from './recovery-hint.ts'

describe('an outcome is classified as', { tags: 'S000-23' }, () => {
  it.each<[Failure['kind'], Classification]>([
    ['retry', 'transient'],
    ['rate_limited', 'rate_limited'],
    ['permanent', 'permanent'],
    ['config', 'config'],
    ['uncertain', 'uncertain'],
  ])('%s → %s', (kind, classification) => {
    expect(classify({ kind, message: '' })).toBe(classification)
  })
})

describe('the recovery hint for', { tags: 'S000-25' }, () => {
  it.each<[Classification, RegExp]>([
    ['transient', /^The email provider kept failing\..*replay\.$/],
    ['rate_limited', /throttling.*quota.*replay\.$/],
    ['permanent', /^The mail server refused the message\..*will fail again\.$/],
    ['config', /^Correct the email provider's.*credentials.*replay\.$/],
    ['uncertain', /may have arrived.*before replaying\.$/],
  ])('%s says what to do', (classification, advice) => {
    expect(recoveryHint(classification, 'email')).toMatch(advice)
  })

  it.each(['in_app', 'email', 'sms', 'push', 'chat', 'webhook'] as const)(
    'a permanent failure is short and mentions %s',
    channel => {
      const others = ['in_app', 'email', 'sms', 'push', 'chat', 'webhook'] as const
      const hint = recoveryHint('permanent', channel)
      expect(hint.length).toBeLessThan(160)
      expect(others.filter(other => recoveryHint('permanent', other) === hint)).toEqual([channel])
    },
  )
})
