import { describe, expect, it } from 'vitest'
import { type HttpAnswer, HttpFailure } from '../../platform/outgoing/http-client.ts'
import {
  type ErrorRule,
  jsonIn,
  judgeAnswer,
  judgeFailure,
  Misconfigured,
  withoutSecrets,
} from './http-provider.ts'
import { faultOf, type Outcome } from './provider.ts'
import type { Failure } from './recovery-hint.ts'

const now = () => Date.parse('2026-03-01T12:00:00Z')

function judge(status: number, body = '', headers: Record<string, string> = {}): Outcome {
  return judgeAnswer({ status, headers, body }, [], answer => jsonIn(answer, 'id'), now)
}

describe('without a rule the status decides', { tags: 'S000-23' }, () => {
  it.each([
    [200, 'sent'],
    [202, 'sent'],
    [204, 'sent'],
    [301, 'permanent'],
    [307, 'permanent'],
    [400, 'permanent'],
    [401, 'config'],
    [403, 'config'],
    [404, 'permanent'],
    [408, 'retry'],
    [410, 'permanent'],
    [422, 'permanent'],
    [429, 'rate_limited'],
    [500, 'retry'],
    [502, 'retry'],
    [503, 'retry'],
    [504, 'retry'],
  ])('%i → %s', (status, kind) => {
    expect(judge(status).kind).toBe(kind)
  })

  it.each([429, 503])('%i passes on how long the receiver asks us to wait', status => {
    expect(judge(status, '', { 'retry-after': '7' })).toHaveProperty('retry_after_ms', 7000)
    expect(judge(status)).not.toHaveProperty('retry_after_ms')
  })

  it('a redirect says where it leads and that it was not followed', () => {
    expect(judge(308, '', { location: 'https://other.example/' })).toEqual({
      kind: 'permanent',
      message: 'HTTP 308 to https://other.example/; redirects are not followed',
    })
  })

  it('a failure quotes the beginning of the body', () => {
    expect(judge(422, `bad number ${'x'.repeat(9999)}`)).toMatchObject({
      message: expect.stringMatching(/^HTTP 422: bad number x{400,500}$/),
    })
  })
})

describe('the first rule that matches', () => {
  const answer: HttpAnswer = { status: 400, headers: {}, body: '{"code":7}' }

  it.each([
    ['may test the status', { status: 400, then: 'retry' as const }, 'retry'],
    ['may test for several statuses', { status: [400, 422], then: 'retry' as const }, 'retry'],
    ['may test the body', { body: /"code":7/, then: 'config' as const }, 'config'],
    ['must match in every part', { status: 401, body: /"code":7/, then: 'config' as const }, 'permanent'],
    ['may turn a refusal into a success', { body: /"code":7/, then: 'sent' as const }, 'sent'],
  ])('%s', (_title, rule, kind) => {
    expect(judgeAnswer(answer, [rule], undefined, now).kind).toBe(kind)
  })

  it('wins over later ones and may suppress', () => {
    const rules = [
      { body: /7/, then: 'suppress' as const, reason: 'unsubscribed' as const },
      { body: /7/, then: 'retry' as const },
    ]
    expect(judgeAnswer(answer, rules, undefined, now)).toMatchObject({
      kind: 'permanent',
      suppress: 'unsubscribed',
    })
  })
})

describe('whose fault an answer is', () => {
  it.each([
    [400, [], 'message'],
    [401, [], 'account'],
    [429, [], 'account'],
    [500, [], 'provider'],
    [400, [{ then: 'suppress' }], 'recipient'],
    [400, [{ then: 'config', fault: 'recipient' }], 'recipient'],
    [500, [{ then: 'retry', fault: 'message' }], 'message'],
  ] as [number, ErrorRule[], string][])('%i with the rules %j: the %s', (status, rules, fault) => {
    const outcome = judgeAnswer({ status, headers: {}, body: '' }, rules, undefined, now)
    expect(faultOf(outcome as Failure)).toBe(fault)
  })
})

describe('the provider’s message id', () => {
  it.each([
    ['{"id":"abc"}', 'abc'],
    ['{"id":42}', '42'],
    ['{"id":{"a":1}}', undefined],
    ['{"ID":"abc"}', undefined],
    ['null', undefined],
    ['"id"', undefined],
    ['queued', undefined],
    ['', undefined],
  ])('in %s is %s', (body, id) => {
    const outcome = judge(200, body)
    expect('provider_message_id' in outcome ? outcome.provider_message_id : undefined).toBe(id)
  })
})

describe('without an answer', { tags: 'S000-23' }, () => {
  it.each([
    [new HttpFailure('unsent', 'connection refused'), 'retry', 'connection refused'],
    [new HttpFailure('tls', 'certificate has expired'), 'config', 'certificate has expired'],
    [new HttpFailure('refused', '127.0.0.1 is not public'), 'config', '127.0.0.1 is not public'],
    [new HttpFailure('uncertain', 'other side closed'), 'uncertain', 'other side closed'],
    [new Misconfigured('no token'), 'config', 'no token'],
    [new Error('no number'), 'permanent', 'The request cannot be made: no number'],
  ])('%o → %s', (error, kind, message) => {
    expect(judgeFailure(error)).toMatchObject({ kind, message })
  })

  it.each([
    [new HttpFailure('unsent', 'connection refused'), 'provider'],
    [new HttpFailure('tls', 'certificate has expired'), 'provider'],
    [new HttpFailure('uncertain', 'other side closed'), 'provider'],
    [new HttpFailure('refused', '127.0.0.1 is not public'), 'account'],
    [new Misconfigured('no token'), 'account'],
    [new Misconfigured('no field', 'message'), 'message'],
    [new Error('no number'), 'message'],
  ])('%o is the fault of the %s', (error, fault) => {
    expect(faultOf(judgeFailure(error) as Failure)).toBe(fault)
  })
})

it.each<[Outcome, Outcome]>([
  [
    { kind: 'sent', response: 'took hunter22', provider_message_id: 'p-1' },
    { kind: 'sent', response: 'took [redacted]', provider_message_id: 'p-1' },
  ],
  [
    { kind: 'permanent', message: 'no hunter22 here' },
    { kind: 'permanent', message: 'no [redacted] here' },
  ],
])('%o loses its secrets', { tags: 'S002-21' }, (outcome, expected) => {
  expect(withoutSecrets(outcome, ['hunter22'])).toEqual(expected)
})
