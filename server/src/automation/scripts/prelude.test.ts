/** What a script finds in the sandbox, and that it cannot break it for anybody but itself. */
import { afterAll, describe, expect, it } from 'vitest'
import { createSandbox } from '../../platform/sandbox/sandbox.ts'
import { type Execution, executeScript } from './execute.ts'

const sandbox = createSandbox({ workers: 1 })
afterAll(() => sandbox.close())

function run(source: string): Promise<Execution> {
  return executeScript(sandbox, {
    tenantId: 'tenant',
    script: {
      script_id: '',
      name: 'script',
      version: 1,
      source,
      author_scopes: ['admin'],
      author_producers: null,
      limits: { timeout_ms: 60_000, cpu_ms: 1000, memory_mb: 16 },
    },
    event: {
      id: '01900000-0000-7000-8000-000000000001',
      kind: 'invoke',
      op: '',
      at: '2026-03-01T10:00:00Z',
      depth: 0,
      trigger: null,
      data: { n: 1 },
    },
    actor: { who: 'the caller', scopes: ['admin'], defaultProducer: 'api' },
    allowsProducer: () => true,
    readKv: async (_collection, key) => (key === 'known' ? { value_json: '4', version: 9 } : undefined),
    fetch: async ({ url }) => ({ status: 200, headers: { 'x-url': url }, text: '{"ok":true}' }),
  })
}
async function resultOf(source: string): Promise<unknown> {
  const ended = await run(source)
  if (ended.kind !== 'done') throw new Error(JSON.stringify(ended))
  return JSON.parse(ended.resultJson)
}

describe('the globals of a script', () => {
  it('are these, and nothing of the host', async () => {
    const own = ['console', 'deadLetters', 'event', 'http', 'kv', 'log', 'notify', 'systemEvents']
    const found = await resultOf('export default Object.getOwnPropertyNames(globalThis)')
    for (const name of own) expect(found).toContain(name)
    for (const name of ['__call', 'process', 'require', 'fetch', 'setTimeout', 'std', 'os'])
      expect(found).not.toContain(name)
  })

  it('cannot be replaced or extended', async () => {
    const source = `
      const refused = []
      const attempt = (name, change) => { try { change(); } catch { refused.push(name) } }
      attempt('global', () => { kv = {} })
      attempt('method', () => { kv.get = () => 5 })
      attempt('new method', () => { http.post = () => {} })
      attempt('redefined', () => Object.defineProperty(globalThis, 'notify', { value: 1 }))
      attempt('deleted', () => { delete globalThis.log })
      attempt('prototype', () => Object.setPrototypeOf(kv, { evil: 1 }))
      export default [refused, Object.getPrototypeOf(kv), await kv.get('c', 'known')]`
    expect(await resultOf(source)).toEqual([
      ['global', 'method', 'new method', 'redefined', 'deleted', 'prototype'],
      null,
      4,
    ])
  })

  it('do not hide the way out', async () => {
    const source = `
      const found = []
      const seen = []
      const look = (value, depth) => {
        if (depth > 4 || (typeof value !== 'object' && typeof value !== 'function') || value === null) return
        if (seen.includes(value)) return
        seen.push(value)
        for (const key of Reflect.ownKeys(value)) {
          if (String(key).includes('__call')) found.push(String(key))
          try { look(value[key], depth + 1) } catch {}
        }
      }
      look(globalThis, 0)
      export default [typeof __call, found, String(kv.get).includes('__call')]`
    expect(await resultOf(source)).toEqual(['undefined', [], false])
  })

  it('work although the script has replaced what they are made of', async () => {
    const source = `
      const evil = () => { throw new Error('replaced') }
      JSON.stringify = JSON.parse = evil
      Promise.prototype.catch = Promise.resolve = evil
      Reflect.apply = Reflect.defineProperty = Object.freeze = Object.defineProperty = evil
      String.prototype.slice = Array.prototype[Symbol.iterator] = evil
      globalThis.Promise = globalThis.JSON = globalThis.String = undefined
      await kv.set('c', 'k', { a: [1] })
      const answer = await http.fetch('https://example.com')
      log('still', { n: 1 })
      export default [await kv.get('c', 'known'), answer.json().ok]`
    const ended = await run(source)
    expect(ended).toMatchObject({
      kind: 'done',
      resultJson: '[4,true]',
      logs: [{ level: 'info', message: 'still {"n":1}' }],
      effects: [{ type: 'kv_set', value_json: '{"a":[1]}' }],
    })
  })

  it('answer with plain values', async () => {
    const source = `
      const response = await http.fetch(new String('https://example.com/a'), { headers: { a: 'b' } })
      export default {
        get: [await kv.get('c', 'known'), await kv.get('c', 'other')],
        entry: [await kv.getEntry('c', 'known'), await kv.getEntry('c', 'other')],
        set: await kv.set('c', 'k', null) === undefined,
        own: [await kv.get('c', 'k'), await kv.getEntry('c', 'k')],
        response: [response.status, response.headers['x-url'], response.text, response.json()],
        frozen: [Object.isFrozen(response), Object.isFrozen(response.headers)],
        notify: await notify({ notification_type: 'x', audience: { kind: 'tenant' }, payload: {} }),
      }`
    expect(await resultOf(source)).toEqual({
      get: [4, null],
      entry: [{ value: 4, version: 9 }, null],
      set: true,
      own: [null, { value: null, version: null }],
      response: [200, 'https://example.com/a', '{"ok":true}', { ok: true }],
      frozen: [true, true],
      notify: { position: 1 },
    })
  })
})

describe('log', () => {
  it('shows values as people read them', async () => {
    const { logs } = await run(`
      log('a', 1, null, undefined, true, [1, 'x'], { n: 1 }, 10n, Symbol('s'), () => 1)
      console.log('plain'); console.info('info'); console.debug('debug')
      console.warn('careful'); console.error('bad')
      const cyclic = {}; cyclic.self = cyclic
      log(cyclic, { toJSON() { throw 1 } }, new Proxy({}, { ownKeys() { throw 1 } }))
      log(new Error('failed'))`)
    const message = (at: number) => logs[at]!.message
    expect(message(0)).toBe('a 1 null undefined true [1,"x"] {"n":1} 10 Symbol(s) () => 1')
    expect(logs.slice(1, 6)).toEqual([
      { level: 'info', message: 'plain' },
      { level: 'info', message: 'info' },
      { level: 'info', message: 'debug' },
      { level: 'warn', message: 'careful' },
      { level: 'error', message: 'bad' },
    ])
    expect(message(6)).toContain('[a value that cannot be shown] [a value that cannot be shown]')
    expect(message(7)).toMatch(/^Error: failed\n.*script\.js/s)
  })

  it('keeps its beginning of a script that writes without end', async () => {
    const ended = await run(`for (let n = 0; n < 5000; n++) log('line', n, 'x'.repeat(10))`)
    expect(ended.kind).toBe('done')
    expect(ended.logs).toHaveLength(101)
    expect(ended.logs.at(-1)).toEqual({ level: 'warn', message: '… cut' })
  })

  it('is kept of a script that is ended', async () => {
    const ended = await run(`log('before'); for (;;) {}`)
    expect(ended).toMatchObject({
      kind: 'failed',
      failure: 'cpu_limit',
      logs: [{ level: 'info', message: 'before' }],
    })
  })
})

describe('calls that the script does not await', () => {
  it('have their effects, in order', async () => {
    const { effects } = await run(`kv.set('c', '1', 1); kv.set('c', '2', 2); kv.delete('c', '1')`)
    expect(effects).toMatchObject([{ key: '1' }, { key: '2' }, { type: 'kv_delete' }])
  })

  it('fail the run if they fail', async () => {
    expect(await run(`notify({ notification_type: 'x' })`)).toMatchObject({
      kind: 'failed',
      failure: 'exception',
      message: expect.stringMatching(
        /^notify: audience: Required\. \(in a call that the script does not await\)$/,
      ),
    })
  })

  it.each([
    ['awaits it later', `const call = notify({}); try { await call } catch { log('caught') }`],
    ['catches it', `notify({}).catch(() => log('caught'))`],
    ['awaits many', `try { await Promise.all([kv.get('c', 'k'), notify({})]) } catch { log('caught') }`],
    ['settles many', `await Promise.allSettled([notify({})]); log('caught')`],
    [
      'returns it from a function',
      `const send = async () => notify({}); try { await send() } catch { log('caught') }`,
    ],
  ])('do not fail it if it %s', async (_what, source) => {
    expect(await run(source)).toMatchObject({ kind: 'done', logs: [{ message: 'caught' }] })
  })

  it('throw at once if a value is no JSON', async () => {
    const source = `const cyclic = {}; cyclic.self = cyclic; notify(cyclic)`
    expect(await run(source)).toMatchObject({ kind: 'failed', failure: 'exception' })
    expect(await run(`kv.set('c', 'k', 10n)`)).toMatchObject({ kind: 'failed', failure: 'exception' })
    expect(await run(`await kv.set('c', 'k', undefined)`)).toMatchObject({
      message: expect.stringContaining('kv.set: value: '),
    })
  })
})

it('options that no call has are refused, not ignored', async () => {
  expect(await run(`await kv.set('c', 'k', 1, { ttl: 5 })`)).toMatchObject({
    message: expect.stringContaining('kv.set: ttl: Unknown field'),
  })
  expect(await run(`await http.fetch('https://example.com', { redirect: 'follow' })`)).toMatchObject({
    message: expect.stringContaining('http.fetch: redirect: Unknown field'),
  })
})
