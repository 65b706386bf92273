import type { Scope, ScriptTest, TestSource } from '@carillon/contract'
import { describe, expect, it } from 'vitest'
import { type Answer, problemOf, useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const ask = (body: Partial<TestSource>, key = carillon.key): Promise<Answer> =>
  carillon.request('POST', '/v1/scripts/test', { body, key })
async function test(source: string, sample: Partial<TestSource> = {}, key?: string): Promise<ScriptTest> {
  const answer = await ask({ source, ...sample }, key)
  expect([answer.status, answer.body]).toEqual([200, answer.body])
  return answer.body
}
const keyWith = async (...scopes: Scope[]): Promise<string> =>
  (await carillon.createKey({ name: 'a key', scopes })).key
async function saved(source: string, key = carillon.key): Promise<string> {
  const body = { name: `script-${Math.random().toString(36).slice(2)}`, source }
  return (await carillon.request('POST', '/v1/scripts', { body, key })).body.id
}
const testSaved = (id: string, body: object = {}, key = carillon.key): Promise<Answer> =>
  carillon.request('POST', `/v1/scripts/${id}/test`, { body, key })
/** What the key-value store has, for any key. */
const store = (key: string, value: unknown) =>
  carillon.pool.query(
    `insert into kv_entries (tenant_id, collection, key, value_json) values ($1, 'c', $2, $3)`,
    [carillon.tenantId, key, JSON.stringify(value)],
  )

const EVERYTHING = `
  await notify({ notification_type: 'x', audience: { kind: 'users', user_ids: ['ada'] }, payload: { a: 1 } })
  await kv.set('c', 'k', 1, { ttl_seconds: 60 })
  await kv.delete('c', 'other')
  await deadLetters.replay('01900000-0000-7000-8000-000000000001')
  await deadLetters.resolve('01900000-0000-7000-8000-000000000001', 'ignored')
  await systemEvents.raise({ event_type: 'e', severity: 'low', description: 'd' })
  log('done', { n: 1 })
  export default 7`

describe('a test', () => {
  it('shows result, log and effects, and leaves no row in any table', async () => {
    const id = await saved(EVERYTHING)
    const before = await carillon.rowCounts()
    for (const answer of [await testSaved(id), await ask({ source: EVERYTHING })]) {
      expect(answer.status).toBe(200)
      expect(answer.body).toMatchObject({
        status: 'succeeded',
        failure_kind: null,
        error: '',
        result: 7,
        logs: [{ level: 'info', message: 'done {"n":1}' }],
        effects: [
          { type: 'notify', position: 1, intent: { notification_type: 'x', payload: { a: 1 } } },
          { type: 'kv_set', collection: 'c', key: 'k', value_json: '1', ttl_seconds: 60 },
          { type: 'kv_delete', collection: 'c', key: 'other' },
          { type: 'replay_dead_letter' },
          { type: 'resolve_dead_letter', resolution: 'ignored' },
          { type: 'raise_system_event', event: { event_type: 'e' } },
        ],
        duration_ms: expect.any(Number),
        cpu_ms: expect.any(Number),
      })
    }
    expect(await carillon.rowCounts()).toEqual(before)
  })

  it('gives the event to the default export, and as a global', async () => {
    const event = {
      id: '01900000-0000-7000-8000-000000000009',
      kind: 'queue',
      op: 'message',
      at: '2026-03-01T10:00:00Z',
      depth: 2,
      trigger: { id: '01900000-0000-7000-8000-000000000008', name: 'orders' },
      data: { queue: 'orders', message: { order: 7 } },
    } as const
    const seen = await test('export default given => ({ given, same: given === event })', { event })
    expect(seen.result).toEqual({ given: event, same: true })
  })

  it('is an invocation without input if it has no event', async () => {
    const { result } = await test('export default event')
    expect(result).toMatchObject({ kind: 'invoke', op: '', depth: 0, trigger: null, data: null })
  })

  it.each([
    ['throws', 'null.x', 'exception', /TypeError.*line 1/],
    ['cannot be read', 'if (', 'syntax', /line 1/],
    ['never ends', 'for (;;) {}', 'cpu_limit', /processor time/],
    [
      'takes all memory',
      'const a = []; for (;;) a.push("x".repeat(1e5) + a.length)',
      'memory_limit',
      /memory/,
    ],
    ['waits for ever', 'await new Promise(() => {})', 'exception', /waits for something/],
    ['gives too much', 'export default "x".repeat(70_000)', 'output_limit', /65536 bytes/],
    [
      'wants too much',
      'for (let i = 0; i < 101; i++) await kv.delete("c", "" + i)',
      'effects_limit',
      /more than 100 effects/,
    ],
    [
      'wants too much, and does not care',
      'for (let i = 0; i < 101; i++) try { await kv.delete("c", "" + i) } catch {}',
      'effects_limit',
      /more than 100 effects/,
    ],
  ])('says how a script failed that %s', async (_what, source, failure_kind, error) => {
    const failed = await test(source, { cpu_ms: 200, memory_mb: 8 })
    expect(failed).toMatchObject({
      status: 'failed',
      failure_kind,
      error: expect.stringMatching(error),
      result: null,
    })
  })

  it('shows what a script wanted and wrote until it failed', async () => {
    const failed = await test('log("first"); await kv.set("c", "k", 1); throw new Error("then")')
    expect(failed).toMatchObject({
      status: 'failed',
      logs: [{ message: 'first' }],
      effects: [{ type: 'kv_set' }],
    })
  })

  it('fails with the field at fault, in the line of the call', async () => {
    const source = 'log(1)\nawait notify({ notification_type: "x", payload: {} })'
    expect(await test(source)).toMatchObject({
      failure_kind: 'exception',
      error: expect.stringContaining('notify: audience: Required.'),
    })
  })

  it('lets a script handle what is refused', async () => {
    const source =
      'let said; try { await notify({}) } catch (error) { said = error.message }; export default said'
    expect(await test(source)).toMatchObject({
      status: 'succeeded',
      result: expect.stringContaining('Required.'),
      effects: [],
    })
  })

  it('takes the answers of http.fetch from the sample and fetches nothing', async () => {
    const source = `
      const { status, headers, text, json } = await http.fetch('https://example.com/a', { method: 'POST', body: '{}' })
      export default [status, headers['x-id'], text, json()]`
    const responses = {
      'https://example.com/a': { status: 201, headers: { 'x-id': '7' }, json: { ok: true } },
    }
    expect((await test(source, { responses })).result).toEqual([201, '7', '{"ok":true}', { ok: true }])
    expect(await test(source)).toMatchObject({
      failure_kind: 'exception',
      error: expect.stringContaining(
        'nothing is fetched in a test, and it has no answer for https://example.com/a',
      ),
    })
  })

  it('reads what is stored, unless the sample has entries of its own', async () => {
    await store('real', { n: 4 })
    const source = 'export default [await kv.get("c", "real"), await kv.getEntry("c", "sample")]'
    expect((await test(source)).result).toEqual([{ n: 4 }, null])
    const kv = { c: { sample: 5 } }
    expect((await test(source, { kv })).result).toEqual([null, { value: 5, version: 1 }])
  })

  it('reads nothing of another tenant', async () => {
    await store('mine', 1)
    const { key } = await carillon.createTenant('reader')
    expect((await test('export default await kv.get("c", "mine")', {}, key)).result).toBeNull()
  })

  it('refuses a sample that no run could see', async () => {
    const data = 'x'.repeat(262_144)
    expect(problemOf(await ask({ source: 'log()', event: { data } }))).toMatchObject({
      code: 'invalid_request',
      errors: [{ field: 'event' }],
    })
  })
})

describe('scopes of a test', () => {
  const WRITE = 'await kv.set("c", "k", 1)'
  const READ = 'export default await kv.get("c", "secret")'

  it('needs scripts:write', async () => {
    const key = await keyWith('scripts:read', 'scripts:invoke')
    expect(problemOf(await ask({ source: 'log()' }, key)).code).toBe('forbidden')
    expect(problemOf(await testSaved(await saved('log()'), {}, key)).code).toBe('forbidden')
  })

  it('shows stored entries only with kv:read', async () => {
    await store('secret', 42)
    const withIt = await keyWith('scripts:write', 'kv:read')
    expect((await test(READ, {}, withIt)).result).toBe(42)
    const without = await test(READ, {}, await keyWith('scripts:write'))
    expect(without).toMatchObject({
      failure_kind: 'forbidden',
      error: expect.stringContaining('kv.get needs the scope "kv:read"'),
      result: null,
    })
  })

  it('are those of the author and of the caller, whichever has less', async () => {
    const narrow = await keyWith('scripts:write')
    const byNarrow = await saved(WRITE, narrow)
    const byOwner = await saved(WRITE)
    expect((await testSaved(byOwner)).body).toMatchObject({ status: 'succeeded' })
    expect((await testSaved(byNarrow)).body).toMatchObject({
      failure_kind: 'forbidden',
      error: expect.stringContaining('which the author of version 1 does not have'),
    })
    expect((await testSaved(byOwner, {}, narrow)).body).toMatchObject({
      failure_kind: 'forbidden',
      error: expect.stringContaining('which the API key does not have'),
    })
  })

  it('of a source that is only tried out are those of the caller', async () => {
    const id = await saved('log()', await keyWith('scripts:write'))
    expect((await testSaved(id, { source: WRITE })).body).toMatchObject({ status: 'succeeded' })
    const narrow = await testSaved(id, { source: WRITE }, await keyWith('scripts:write'))
    expect(narrow.body).toMatchObject({ failure_kind: 'forbidden' })
  })

  it('allow only producers that the author and the caller may send as', async () => {
    const source = `await notify({
      notification_type: 'x', producer: event.data, audience: { kind: 'tenant' }, payload: {} })`
    const shop = await carillon.createKey({ name: 's', scopes: ['admin'], producers: ['shop'] })
    const id = await saved(source, shop.key)
    expect((await testSaved(id, { event: { data: 'shop' } })).body.status).toBe('succeeded')
    expect((await testSaved(id, { event: { data: 'billing' } })).body).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('may not send as "billing"'),
    })
  })

  it('that a script catches do not fail it', async () => {
    const source = 'try { await kv.set("c", "k", 1) } catch {}'
    expect(await test(source, {}, await keyWith('scripts:write'))).toMatchObject({
      status: 'succeeded',
      effects: [],
    })
  })
})
