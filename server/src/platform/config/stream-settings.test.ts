import { describe, expect, it } from 'vitest'
import { type ConfigError, loadConfig } from './config.ts'

const streamsOf = (value: unknown, further: Record<string, string> = {}) =>
  loadConfig({
    CARILLON_STREAMS: typeof value === 'string' ? value : JSON.stringify(value),
    ...further,
  }).CARILLON_STREAMS

function problemsOf(value: unknown): string[] {
  try {
    streamsOf(value)
  } catch (error) {
    return (error as ConfigError).problems
  }
  return []
}

const REDIS = { name: 'orders', url: 'redis://:secret@127.0.0.1:6379', key: 'intents' }
const NATS = { name: 'billing', url: 'nats://ada:secret@a:4222,nats://b:4222', stream: 'INTENTS' }

describe('CARILLON_STREAMS', () => {
  it('names streams of Redis and of NATS', () => {
    expect(streamsOf('')).toEqual([])
    expect(streamsOf([REDIS, { ...NATS, subject: 'intents.>', tenant: 'acme', group: 'g' }])).toEqual([
      {
        ...REDIS,
        kind: 'redis',
        tenant: '',
        producer: 'orders',
        group: 'carillon',
        deleteAcknowledged: false,
      },
      { ...NATS, kind: 'nats', subject: 'intents.>', tenant: 'acme', producer: 'billing', group: 'g' },
    ])
  })

  it('takes the usual servers where a stream names none', () => {
    const { url: _, ...stream } = REDIS
    expect(streamsOf([stream], { REDIS_URL: 'redis://127.0.0.1:6379' })).toMatchObject([{ url: '' }])
    expect(problemsOf([stream])).toEqual([
      'CARILLON_STREAMS: orders: expected a url, or REDIS_URL to be set; got neither.',
    ])
  })

  it.each([
    ['no list', '{', /Expected a JSON list of up to 100 streams, such as/],
    [
      'a misspelt field',
      [{ ...REDIS, tennant: 'x' }],
      /orders: "tennant" is not known; did you mean "tenant"\?/,
    ],
    [
      'a field of the other kind',
      [{ ...REDIS, subject: 'x' }],
      /orders: "subject" belongs to a stream of the/,
    ],
    [
      'neither key nor stream',
      [{ name: 'a', url: 'redis://x' }],
      /a: expected key, .* or stream, .* got neither/,
    ],
    ['a wrong key', [{ ...REDIS, key: 5 }], /orders: key: expected text of 1 to 200 characters, got 5\./],
    ['a wrong name', [{ ...REDIS, name: 'a b' }], /a b: name: expected 1 to 50 letters, .* got "a b"\./],
    [
      'a wrong url',
      [{ ...REDIS, url: 'http://secret@x' }],
      /orders: url: Expected an address starting with redis/,
    ],
    ...['secret%@', 'secret%zz@', 'se/cret@', 'secret#@'].map((password): [string, unknown, RegExp] => [
      `a password that is not encoded (${password})`,
      [{ ...REDIS, url: `redis://:${password}x:6379` }],
      /orders: url: Expected an address .* with a % of its password written as %25/,
    ]),
    [
      'a wrong NATS url',
      [{ ...NATS, url: 'redis://secret@x' }],
      /billing: url: Expected addresses such as nats:/,
    ],
    ['a name used twice', [REDIS, { ...REDIS, key: 'b' }], /Two streams have the name "orders"/],
    [
      'a wrong switch',
      [{ ...REDIS, delete_acknowledged: 'yes' }],
      /delete_acknowledged: expected true or false, got "yes"/,
    ],
  ])('tells %s, and no secret', (_, value, expected) => {
    const problems = problemsOf(value)
    expect(problems).toEqual([expect.stringMatching(expected)])
    expect(problems.join()).not.toContain('secret')
  })
})
