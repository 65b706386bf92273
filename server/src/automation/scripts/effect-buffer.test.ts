import type { Scope } from '@carillon/contract'
import { describe, expect, it } from 'vitest'
import { createEffectBuffer, type HostParts, type KvRead } from './effect-buffer.ts'
import { createSampleFetch } from './fetch.ts'

const EVERYTHING: Scope[] = ['admin']
const intent = {
  notification_type: 'order_late',
  audience: { kind: 'users', user_ids: ['ada'] },
  payload: { order: 7 },
}
const SAMPLE = { status: 200, headers: {}, body: '' }
const LETTER = '01900000-0000-7000-8000-000000000001'

function host(parts: Partial<HostParts> = {}) {
  const fatal: string[] = []
  const buffer = createEffectBuffer({
    holders: [{ who: 'the author', scopes: EVERYTHING }],
    allowsProducer: () => true,
    readKv: async () => undefined,
    fetch: async () => ({ status: 200, headers: {}, text: '' }),
    signal: new AbortController().signal,
    onFatal: (failure, message) => fatal.push(`${failure}: ${message}`),
    ...parts,
  })
  const call = async (name: string, args: unknown) =>
    JSON.parse(await buffer.call(name, JSON.stringify(args)))
  return { ...buffer, buffer, call, fatal }
}

describe('effects', () => {
  it('are kept in the order of the calls, with what they need later', async () => {
    const { call, effects } = host()
    expect(await call('notify', { intent })).toEqual({ position: 1 })
    await call('kv.set', { collection: 'orders', key: '7', value: { late: true }, ttl_seconds: 60 })
    await call('kv.delete', { collection: 'orders', key: '8' })
    expect(await call('notify', { intent })).toEqual({ position: 2 })
    await call('deadLetters.replay', { id: LETTER })
    await call('deadLetters.resolve', { id: LETTER, resolution: 'ignored' })
    const event = { event_type: 'orders_late', severity: 'high', description: 'Seven orders are late.' }
    await call('systemEvents.raise', { event })
    expect(effects).toEqual([
      { type: 'notify', position: 1, intent },
      { type: 'kv_set', collection: 'orders', key: '7', value_json: '{"late":true}', ttl_seconds: 60 },
      { type: 'kv_delete', collection: 'orders', key: '8' },
      { type: 'notify', position: 2, intent },
      { type: 'replay_dead_letter', id: LETTER },
      { type: 'resolve_dead_letter', id: LETTER, resolution: 'ignored' },
      { type: 'raise_system_event', event },
    ])
  })

  it('are kept before anything is awaited, so also those of calls that nobody awaits', () => {
    const { buffer } = host()
    void buffer.call('notify', JSON.stringify({ intent }))
    expect(buffer.effects).toHaveLength(1)
  })

  // Each of these keeps the process, which others need too, busy for a while.
  it('end the run when too much was refused, whether or not the script catches it', async () => {
    const { call, fatal } = host()
    const nobody = { ...intent, audience: { kind: 'users', user_ids: new Array(50_000).fill(0) } }
    for (let n = 0; n < 5; n++) await expect(call('notify', { intent: nobody })).rejects.toThrow('user_ids')
    expect(fatal).toEqual([])
    await expect(call('notify', { intent: nobody })).rejects.toThrow('refused')
    const message = 'The calls that were refused have more than 524288 bytes together.'
    expect(fatal).toEqual([`effects_limit: ${message}`])
  })

  it('end the run when http.fetch had to refuse too much, though each run may call it a few times', async () => {
    const { call, fatal } = host({ fetch: createSampleFetch({ 'https://example.com/': SAMPLE }) })
    const request = { url: 'https://example.com/', method: 'POST', body: 'x'.repeat(200_000) }
    for (let n = 0; n < 10; n++) expect(await call('http.fetch', request)).toMatchObject({ status: 200 })
    for (let n = 0; n < 2; n++)
      await expect(call('http.fetch', request)).rejects.toThrow('more than 10 calls')
    expect(fatal).toEqual([])
    await expect(call('http.fetch', request)).rejects.toThrow('refused')
    expect(fatal).toEqual([expect.stringContaining('effects_limit: The calls that were refused')])
  })

  it('end the run when there are more than 100, whether or not the script catches it', async () => {
    const { call, effects, fatal } = host()
    for (let n = 0; n < 100; n++) await call('kv.delete', { collection: 'c', key: String(n) })
    expect(fatal).toEqual([])
    await expect(call('kv.delete', { collection: 'c', key: 'x' })).rejects.toThrow('more than 100 effects')
    expect(effects).toHaveLength(100)
    expect(fatal).toEqual(['effects_limit: The script has more than 100 effects.'])
  })

  it('end the run when they have more than 256 KiB together', async () => {
    const { call, fatal } = host()
    const set = (key: string) =>
      call('kv.set', { collection: 'c', key, value: 'x'.repeat(60_000), ttl_seconds: null })
    for (const key of ['1', '2', '3', '4']) await set(key)
    await expect(set('5')).rejects.toThrow('more than 262144 bytes')
    expect(fatal).toHaveLength(1)
  })
})

describe('a call', () => {
  it.each([
    ['unknown', 'eval', {}, 'There is no eval.'],
    ['of something that every object has', 'toString', {}, 'There is no toString.'],
    ['with a field too many', 'kv.get', { collection: 'c', key: 'k', tenant: 'x' }, 'tenant: Unknown field.'],
    ['without a field', 'kv.get', { collection: 'c' }, 'kv.get: key: Required.'],
    ['with another type', 'kv.get', { collection: 7, key: 'k' }, 'kv.get: collection: '],
    [
      'with a collection of any characters',
      'kv.get',
      { collection: 'a b', key: 'k' },
      'collection: Expected',
    ],
    ['with no value', 'kv.set', { collection: 'c', key: 'k', ttl_seconds: null }, 'value: '],
    [
      'with a value of more than 64 KiB',
      'kv.set',
      { collection: 'c', key: 'k', value: 'x'.repeat(65_536), ttl_seconds: null },
      'kv.set: value: It has more than 65536 bytes.',
    ],
    [
      'with a lifetime that has gone',
      'kv.set',
      { collection: 'c', key: 'k', value: 1, ttl_seconds: 0 },
      'ttl_seconds: ',
    ],
    ['about a letter without an id', 'deadLetters.replay', { id: 'seven' }, 'deadLetters.replay: id: '],
    [
      'that resolves a letter as something else',
      'deadLetters.resolve',
      { id: LETTER, resolution: 'replayed' },
      'resolution: ',
    ],
    [
      'that raises an event of no severity',
      'systemEvents.raise',
      { event: { event_type: 'x', description: 'y' } },
      'event.severity: Required.',
    ],
    ['that notifies nobody', 'notify', { intent: { ...intent, audience: undefined } }, 'audience: Required.'],
    ['that notifies with nothing', 'notify', {}, 'notify: '],
    [
      'that notifies with a misspelt field',
      'notify',
      { intent: { ...intent, chanels: ['sms'] } },
      'chanels: Unknown field; did you mean "channels"?',
    ],
    [
      'that notifies with too large a payload',
      'notify',
      { intent: { ...intent, payload: { text: 'x'.repeat(65_536) } } },
      'payload: The payload has more than 65536 bytes.',
    ],
    [
      'with a NUL',
      'kv.set',
      { collection: 'c', key: 'k', value: '\0', ttl_seconds: null },
      'cannot be stored',
    ],
    ['with half a character', 'kv.get', { collection: 'c', key: '\ud800' }, 'cannot be stored'],
    ['that is too large', 'kv.get', { collection: 'x'.repeat(300_000), key: 'k' }, 'more than 262144 bytes'],
  ])('%s is refused and leaves nothing', async (_what, name, args, message) => {
    const { call, effects, fatal } = host()
    await expect(call(name, args)).rejects.toThrow(message)
    expect(effects).toEqual([])
    expect(fatal).toEqual([])
  })

  it('that failed and that nobody awaits ends the run', async () => {
    const { call, fatal } = host()
    await call('unheeded', { message: 'notify: audience: Required.' })
    expect(fatal).toEqual([
      'exception: notify: audience: Required. (in a call that the script does not await)',
    ])
  })

  it('nested deeper than anything that people write is refused', async () => {
    const { buffer } = host()
    const nested = (levels: number) =>
      `{"collection":"c","key":"k","value":${'['.repeat(levels)}${']'.repeat(levels)},"ttl_seconds":null}`
    await buffer.call('kv.set', nested(100))
    await expect(buffer.call('kv.set', nested(101))).rejects.toThrow('value: It is nested more than 100')
    await expect(buffer.call('kv.set', nested(9999))).rejects.toThrow('nested more than 102 levels')
  })

  it('sends as a producer only if everybody in whose name it runs may', async () => {
    const { call } = host({ allowsProducer: producer => producer === 'shop' })
    await call('notify', { intent: { ...intent, producer: 'shop' } })
    await expect(call('notify', { intent: { ...intent, producer: 'billing' } })).rejects.toThrow(
      'may not send as "billing"',
    )
  })
})

describe('scopes', () => {
  const event = { event_type: 'x', severity: 'low', description: 'y' }
  const CASES: [call: string, args: object, scope: Scope][] = [
    ['notify', { intent }, 'intents:write'],
    ['kv.get', { collection: 'c', key: 'k' }, 'kv:read'],
    ['kv.set', { collection: 'c', key: 'k', value: 1, ttl_seconds: null }, 'kv:write'],
    ['kv.delete', { collection: 'c', key: 'k' }, 'kv:write'],
    ['deadLetters.replay', { id: LETTER }, 'dead_letters:write'],
    ['deadLetters.resolve', { id: LETTER, resolution: 'ignored' }, 'dead_letters:write'],
    ['systemEvents.raise', { event }, 'system_events:write'],
  ]

  it.each(CASES)('%s needs its own, of the author and of whoever it runs for', async (name, args, scope) => {
    const author = (scopes: Scope[]) => ({ who: 'the author', scopes })
    const actor = (scopes: Scope[]) => ({ who: 'the API key', scopes })
    const others = ['scripts:write', 'instance'] as Scope[]
    for (const [holders, lacking] of [
      [[author([scope]), actor(others)], 'the API key'],
      [[author(others), actor([scope])], 'the author'],
      [[author(['admin']), actor([])], 'the API key'],
    ] as const) {
      const { call, effects, isForbidden } = host({ holders: [...holders] })
      const message = `${name} needs the scope "${scope}", which ${lacking} does not have.`
      await expect(call(name, args)).rejects.toThrow(message)
      expect(effects).toEqual([])
      expect(isForbidden(`Error: ${message}`)).toBe(true)
    }
    const { call, isForbidden } = host({ holders: [author([scope]), actor(['admin'])] })
    await call(name, args)
    expect(isForbidden('Error: something else')).toBe(false)
  })
})

describe('kv', () => {
  const stored: Record<string, KvRead> = { 'c/k': { value_json: '{"n":4}', version: 12 } }
  const reading = () => {
    const asked: string[] = []
    const readKv = async (collection: string, key: string) => {
      asked.push(`${collection}/${key}`)
      return stored[`${collection}/${key}`]
    }
    return { asked, ...host({ readKv }) }
  }

  it('remembers what was read, with its version; 0 if there was nothing', async () => {
    const { call, buffer } = reading()
    expect(await call('kv.get', { collection: 'c', key: 'k' })).toEqual({ value: { n: 4 }, version: 12 })
    expect(await call('kv.get', { collection: 'c', key: 'other' })).toBeNull()
    expect(buffer.reads).toEqual([
      { collection: 'c', key: 'k', version: 12 },
      { collection: 'c', key: 'other', version: 0 },
    ])
  })

  it('gives the same answer all through a run, also to calls at the same time', async () => {
    const { call, asked } = reading()
    const place = { collection: 'c', key: 'k' }
    const both = await Promise.all([call('kv.get', place), call('kv.get', place)])
    expect(await call('kv.get', place)).toEqual(both[0])
    expect(both[1]).toEqual(both[0])
    expect(asked.length).toBeLessThanOrEqual(2)
  })

  it('shows what the run itself has written, without asking', async () => {
    const { call, asked, buffer } = reading()
    const place = { collection: 'c', key: 'k' }
    await call('kv.set', { ...place, value: 5, ttl_seconds: null })
    expect(await call('kv.get', place)).toEqual({ value: 5, version: null })
    await call('kv.delete', place)
    expect(await call('kv.get', place)).toBeNull()
    expect(asked).toEqual([])
    expect(buffer.reads).toEqual([])
  })

  it('keeps two keys apart that look alike when put together', async () => {
    const { call } = reading()
    await call('kv.set', { collection: 'a', key: 'b/c', value: 1, ttl_seconds: null })
    expect(await call('kv.get', { collection: 'a', key: 'b' })).toBeNull()
    expect(await call('kv.get', { collection: 'a', key: 'b/c' })).toEqual({ value: 1, version: null })
  })

  it('does not tell where the database is, if it does not answer', async () => {
    const readKv = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.5:5432'))
    const reading = host({ readKv }).call('kv.get', { collection: 'c', key: 'k' })
    await expect(reading).rejects.toThrow(/^kv\.get: the entry cannot be read right now\.$/)
  })

  it('reads at most 1000 entries and 4 MiB', async () => {
    const { call } = reading()
    for (let n = 0; n < 1000; n++) await call('kv.get', { collection: 'c', key: `k${n}` })
    await expect(call('kv.get', { collection: 'c', key: 'one more' })).rejects.toThrow('more than 1000')
    const large = host({ readKv: async () => ({ value_json: `"${'x'.repeat(65_000)}"`, version: 1 }) })
    const all = async () => {
      for (let n = 0; n < 100; n++) await large.call('kv.get', { collection: 'c', key: `k${n}` })
    }
    await expect(all()).rejects.toThrow('more than 4194304 bytes')
  })
})

describe('the log', () => {
  const write = (call: (name: string, args: unknown) => Promise<unknown>, message: string) =>
    call('log', { level: 'info', message })

  it('keeps 100 lines and says that more were cut', async () => {
    const { call, logs } = host()
    for (let n = 1; n <= 150; n++) await write(call, `line ${n}`)
    expect(logs).toHaveLength(101)
    expect(logs[99]).toEqual({ level: 'info', message: 'line 100' })
    expect(logs[100]).toEqual({ level: 'warn', message: '… cut' })
  })

  it('keeps 16 KiB as they are stored', async () => {
    const { call, logs } = host()
    await write(call, '\u0001'.repeat(10_000))
    await write(call, 'more')
    expect(logs).toHaveLength(2)
    expect(logs[1]!.message).toBe('… cut')
    expect(JSON.stringify(logs).length).toBeLessThan(17_000)
  })

  it('replaces what cannot be stored', async () => {
    const { call, logs } = host()
    await write(call, 'a\0b\ud800c')
    expect(logs).toEqual([{ level: 'info', message: 'a\ufffdb\ufffdc' }])
  })
})
