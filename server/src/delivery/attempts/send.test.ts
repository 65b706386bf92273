import { describe, expect, it } from 'vitest'
import { aMessage } from '../../providers/services/message.fixture.ts'
import type { Outcome } from '../../providers/services/provider.ts'
import type { Candidate } from './candidate.ts'
import { sendThrough } from './send.ts'

const signal = new AbortController().signal

function candidate(
  name: string,
  outcome: Outcome,
  more: Partial<Candidate> = {},
): Candidate & { asked: number } {
  const made = {
    name,
    asked: 0,
    provider: {
      async send() {
        made.asked++
        return outcome
      },
    },
    reportsBack: false,
    uncertainPolicy: 'resend' as const,
    ...more,
  }
  return made
}

function breaker(isOpen: boolean) {
  const seen: string[] = []
  const pass = {
    succeeded: async () => void seen.push('succeeded'),
    failed: async (error: string) => void seen.push(`failed: ${error}`),
    inconclusive: async (waitMs?: number) => void seen.push(`inconclusive, ${waitMs ?? 0} ms`),
  }
  return {
    seen,
    admit: async () => (isOpen ? undefined : pass),
    waitMs: () => 4000,
  }
}

it.each([
  ['a transport error, time-out or 5xx', { kind: 'retry', message: 'away' }],
  ['throttling', { kind: 'rate_limited', message: 'slow down' }],
  ['refused credentials', { kind: 'config', message: 'wrong key' }],
] as [string, Outcome][])(
  'a message goes to the next provider within the same attempt after %s',
  { tags: 'S002-22' },
  async (_name, failure) => {
    const [first, second] = [candidate('first', failure), candidate('second', { kind: 'sent' })]
    const result = await sendThrough([first, second], aMessage(), signal)
    expect(result).toMatchObject({
      kind: 'outcome',
      outcome: { kind: 'sent' },
      candidate: { name: 'second' },
    })
    expect(result.calls.map(call => [call.provider, call.outcome])).toEqual([
      ['first', failure.kind],
      ['second', 'sent'],
    ])
  },
)

it.each([
  ['a refused message', { kind: 'permanent', message: 'no such person' }],
  ['an uncertain outcome', { kind: 'uncertain', message: 'no answer' }],
] as [string, Outcome][])('no other provider is asked after %s', async (_name, outcome) => {
  const second = candidate('second', { kind: 'sent' })
  const result = await sendThrough([candidate('first', outcome), second], aMessage(), signal)
  expect(result).toMatchObject({ kind: 'outcome', outcome })
  expect(second.asked).toBe(0)
})

it('the answer of the last provider counts when all fail', async () => {
  const result = await sendThrough(
    [
      candidate('first', { kind: 'config', message: 'a' }),
      candidate('second', { kind: 'retry', message: 'b' }),
    ],
    aMessage(),
    signal,
  )
  expect(result).toMatchObject({ kind: 'outcome', outcome: { kind: 'retry', message: 'b' } })
})

it('a provider with an open breaker is passed over, and a message without another waits', async () => {
  const open = candidate('open', { kind: 'sent' }, { breaker: breaker(true) })
  const other = candidate('other', { kind: 'sent' })
  expect(await sendThrough([open, other], aMessage(), signal)).toMatchObject({
    candidate: { name: 'other' },
  })
  expect(await sendThrough([open], aMessage(), signal)).toMatchObject({
    kind: 'obstacle',
    obstacle: { kind: 'postpone', reason: 'provider_down', delay_ms: 4000 },
  })
  expect(open.asked).toBe(0)
})

it('the breaker hears only of the provider’s own faults', async () => {
  const outcomes: Outcome[] = [
    { kind: 'sent' },
    { kind: 'permanent', message: 'no' },
    { kind: 'rate_limited', message: 'slow' },
    { kind: 'retry', message: 'away' },
    { kind: 'config', message: 'key' },
    { kind: 'uncertain', message: 'silence' },
    { kind: 'config', message: 'certificate', fault: 'provider' },
    { kind: 'retry', message: 'greylisted', fault: 'recipient' },
    { kind: 'config', message: 'not in the channel', fault: 'recipient' },
    { kind: 'config', message: 'no such field', fault: 'message' },
    { kind: 'uncertain', message: 'their server is silent', fault: 'recipient' },
  ]
  const told = []
  for (const outcome of outcomes) {
    const watched = breaker(false)
    await sendThrough([candidate('one', outcome, { breaker: watched })], aMessage(), signal)
    told.push(watched.seen[0])
  }
  expect(told).toEqual([
    'succeeded',
    'succeeded',
    'succeeded',
    'failed: away',
    'inconclusive, 0 ms',
    'failed: silence',
    'failed: certificate',
    'inconclusive, 0 ms',
    'inconclusive, 0 ms',
    'inconclusive, 0 ms',
    'inconclusive, 0 ms',
  ])
})

it('troubles of the process itself tell the breaker nothing', async () => {
  const state = breaker(false)
  const starved = candidate(
    'first',
    { kind: 'retry', message: 'EMFILE', fault: 'process' },
    { breaker: state },
  )
  await sendThrough([starved], aMessage(), signal)
  const stopping = AbortSignal.abort()
  for (const kind of ['retry', 'uncertain'] as const) {
    const brokenOff = candidate('first', { kind, message: 'aborted' }, { breaker: state })
    await sendThrough([brokenOff], aMessage(), stopping)
  }
  expect(state.seen).toEqual(['inconclusive, 0 ms', 'inconclusive, 0 ms', 'inconclusive, 0 ms'])
})

it('a breaker that cannot be updated does not change the outcome of the message', async () => {
  const reject = async () => Promise.reject(new Error('database away'))
  const pass = { succeeded: reject, failed: reject, inconclusive: reject }
  const deaf = { ...breaker(false), admit: async () => pass }
  const result = await sendThrough(
    [candidate('one', { kind: 'sent' }, { breaker: deaf })],
    aMessage(),
    signal,
  )
  expect(result).toMatchObject({ kind: 'outcome', outcome: { kind: 'sent' } })
})

it('a message over the rate limit is postponed without calling a provider', { tags: 'S002-22' }, async () => {
  const limited = candidate('limited', { kind: 'sent' }, { reserve: async () => 30_000 })
  const result = await sendThrough([limited], aMessage(), signal)
  expect(result).toMatchObject({
    obstacle: { kind: 'postpone', reason: 'provider_rate', delay_ms: 30_000 },
  })
  expect(limited.asked).toBe(0)
})

it('the breaker gets its probe back when the rate limit is used up or cannot be asked', async () => {
  const [limited, unasked] = [breaker(false), breaker(false)]
  await sendThrough(
    [candidate('limited', { kind: 'sent' }, { breaker: limited, reserve: async () => 30_000 })],
    aMessage(),
    signal,
  )
  expect(limited.seen).toEqual(['inconclusive, 30000 ms'])
  const reserve = async () => Promise.reject(new Error('database away'))
  const sending = sendThrough(
    [candidate('unasked', { kind: 'sent' }, { breaker: unasked, reserve })],
    aMessage(),
    signal,
  )
  await expect(sending).rejects.toThrow('database away')
  expect(unasked.seen).toEqual(['inconclusive, 0 ms'])
})

it('an open breaker uses up no rate', async () => {
  let reserved = 0
  const reserve = async () => void reserved++
  await sendThrough(
    [candidate('open', { kind: 'sent' }, { breaker: breaker(true), reserve: reserve as never })],
    aMessage(),
    signal,
  )
  expect(reserved).toBe(0)
})

it('a push to a person without a device of the provider’s kind is skipped', async () => {
  const fcm = candidate('fcm', { kind: 'sent' }, { devices: 'fcm' })
  const result = await sendThrough([fcm], aMessage({ channel: 'push', devices: [] }), signal)
  expect(result).toMatchObject({ kind: 'obstacle', obstacle: { kind: 'skip', reason: 'no_device' } })
  const devices = [{ id: '1', kind: 'fcm' as const, token: 't' }]
  expect(await sendThrough([fcm], aMessage({ channel: 'push', devices }), signal)).toMatchObject({
    kind: 'outcome',
  })
})

it('a message whose provider throws is tried again', async () => {
  const broken = candidate('broken', { kind: 'sent' })
  broken.provider.send = async () => {
    throw new Error('bug')
  }
  expect(await sendThrough([broken], aMessage(), signal)).toMatchObject({ outcome: { kind: 'retry' } })
})

describe('an uncertain outcome', () => {
  const silence: Outcome = { kind: 'uncertain', message: 'no answer' }
  const ask = (policy: Candidate['uncertainPolicy'], wasSent?: boolean) => {
    const one = candidate('one', silence, { uncertainPolicy: policy })
    return sendThrough(
      [
        {
          ...one,
          provider: { ...one.provider, inquiry: { wasSent: async () => wasSent, settlesAfterMs: 300_000 } },
        },
      ],
      aMessage(),
      signal,
    )
  }

  it.each([
    ['resend', undefined, { kind: 'uncertain' }],
    ['hold', undefined, { kind: 'uncertain', hold: true }],
    ['ask', true, { kind: 'sent' }],
    ['ask', false, { kind: 'uncertain', retry_after_ms: 300_000 }],
    ['ask', undefined, { kind: 'uncertain', retry_after_ms: 300_000 }],
  ] as const)(
    'an uncertain outcome under the policy %s, with the service saying %s, becomes %j',
    async (policy, wasSent, expected) => {
      expect(await ask(policy, wasSent)).toMatchObject({ outcome: expected })
    },
  )
})
