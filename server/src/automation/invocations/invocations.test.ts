import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { useScripts } from '../../../test/running-scripts.ts'
import { waitFor } from '../../../test/wait-for.ts'

const carillon = useCarillon()
const scripts = useScripts(carillon)

beforeEach(async () => {
  for (const table of ['outbox', 'runs', 'dead_letters', 'kv_entries', 'records', 'abandoned_executions'])
    await carillon.pool.query(`delete from ${table}`)
})

const invoke = (id: string, body: object = {}, options: object = {}) =>
  carillon.request('POST', `/v1/scripts/${id}/invoke`, { body, ...options })
const letters = () => carillon.readAll('/v1/dead-letters?state=all')
const abandoned = () => carillon.readAll('/v1/abandoned-executions')
const inboxes = async () => (await carillon.pool.query('select from reply_inboxes')).rowCount
/** A caller waits according to the script's limit, and a busy machine may need more. */
const giveTime = (id: string, options: object = {}) =>
  carillon.request('PATCH', `/v1/scripts/${id}`, { body: { timeout_ms: 60_000 }, ...options })
const ECHO = 'export default event => ({ heard: event.data, kind: event.kind })'

describe('POST /v1/scripts/{id}/invoke', () => {
  it('waits for the result; what the script did is stored before the answer', {
    tags: 'S003-14',
  }, async () => {
    const id = await scripts.script(
      `export default async event => { await kv.set('out', 'x', event.data); return event.data.n * 2 }`,
    )
    scripts.start()
    const answer = await invoke(id, { input: { n: 21 } })
    expect([answer.status, answer.body]).toEqual([200, { execution_id: expect.any(String), result: 42 }])
    expect(await scripts.get('out', 'x')).toEqual({ n: 21 })
    const runs = await scripts.runs(`?event_id=${answer.body.execution_id}`)
    expect(runs).toMatchObject([{ kind: 'invoke', status: 'succeeded', trigger_id: null, script_id: id }])
    expect(runs[0].ran_as).toBe(runs[0].origin)
    expect([await inboxes(), await abandoned()]).toEqual([0, []])
  })

  it('without input the script sees null, and without a result the caller gets null', async () => {
    scripts.start()
    const heard = await invoke(await scripts.script(ECHO))
    expect(heard.body.result).toEqual({ heard: null, kind: 'invoke' })
    for (const rawBody of ['', 'null', '{"input": null}'])
      expect((await invoke(await scripts.script(ECHO), undefined, { rawBody })).body.result).toEqual(
        heard.body.result,
      )
    expect((await invoke(await scripts.script('log("no export")'))).body.result).toBeNull()
  })

  it('async answers 202 with an id and when it was accepted; it is retried and may end as a dead letter', {
    tags: 'S003-15',
  }, async () => {
    await carillon.request('PATCH', '/v1/tenant', {
      body: { trigger_max_attempts: 2, trigger_backoff: 'constant', trigger_base_ms: 1 },
    })
    const id = await scripts.script('export default () => { throw new Error("no") }')
    const answer = await invoke(id, { mode: 'async' })
    expect([answer.status, answer.body]).toEqual([
      202,
      { execution_id: expect.any(String), accepted_at: expect.any(String) },
    ])
    scripts.start()
    await scripts.settled()
    const runs = await scripts.runs(`?event_id=${answer.body.execution_id}`)
    expect(runs.map(run => run.attempt)).toEqual([1, 2])
    expect(await letters()).toMatchObject([{ source: 'invoke', target_id: id }])
  })

  it('whose script is gone by then ends at once as a dead letter that says so', {
    tags: 'S003-13',
  }, async () => {
    const id = await scripts.script(ECHO)
    const { body } = await invoke(id, { mode: 'async' })
    await carillon.request('DELETE', `/v1/scripts/${id}`)
    scripts.start()
    await scripts.settled()
    expect(await letters()).toMatchObject([
      {
        original_event_id: body.execution_id,
        failure_reason: 'target_missing',
        failure_message: 'The script was deleted.',
        final_attempt_count: 1,
      },
    ])
  })

  it('gives a status and a stable code to each kind of failure', { tags: 'S003-15' }, async () => {
    scripts.start()
    const cases: [source: string, settings: Record<string, number>, status: number, code: string][] = [
      ['export default () => { throw new TypeError("bad") }', {}, 422, 'script_failed'],
      [
        'export default () => deadLetters.replay("01900000-0000-7000-8000-000000000000")',
        {},
        422,
        'script_failed',
      ],
      ['export default () => { for (;;); }', { cpu_ms: 50 }, 504, 'script_timeout'],
      ['export default () => { for (;;); }', { cpu_ms: 10_000, timeout_ms: 100 }, 504, 'script_timeout'],
      [
        'export default () => { const all = []; for (;;) all.push("x".repeat(1e5) + all.length) }',
        { memory_mb: 4 },
        507,
        'script_limit',
      ],
      ['export default () => "x".repeat(100_000)', {}, 507, 'script_limit'],
      [
        'export default async () => { for (let i = 0; i < 101; i++) await kv.set("c", "k" + i, i) }',
        {},
        507,
        'script_limit',
      ],
    ]
    for (const [source, settings, status, code] of cases) {
      const problem = problemOf(await invoke(await scripts.script(source, settings)))
      expect([source, problem.status, problem.code]).toEqual([source, status, code])
    }
    expect((await scripts.runs()).every(run => run.status === 'failed')).toBe(true)
    expect([await letters(), await abandoned(), await inboxes()]).toEqual([[], [], 0])
  })

  it('answers 503 when there is no place to run it, and 502 when the run was lost', {
    tags: 'S003-15',
  }, async () => {
    const id = await scripts.script(ECHO)
    const busy = { ...scripts.sandbox, run: async () => ({ kind: 'busy' }) } as typeof scripts.sandbox
    const dispatcher = scripts.start({ sandbox: busy })
    expect(problemOf(await invoke(id))).toMatchObject({ status: 503, code: 'script_busy' })
    await dispatcher.stop()
    expect(await scripts.runs()).toEqual([])

    const crashing = {
      ...scripts.sandbox,
      run: async () => ({ kind: 'failed', failure: 'crashed', message: 'gone', cpuMs: 0, durationMs: 0 }),
    } as typeof scripts.sandbox
    scripts.start({ sandbox: crashing })
    expect(problemOf(await invoke(id))).toMatchObject({ status: 502, code: 'script_crashed' })
  })

  it('a failure is told to the caller once: no other attempt, no dead letter', {
    tags: ['S003-14', 'S003-27'],
  }, async () => {
    const id = await scripts.script('export default () => { throw new Error("once") }')
    const dispatcher = scripts.start()
    expect(problemOf(await invoke(id)).detail).toContain('once')
    await scripts.settled()
    await dispatcher.stop()
    expect(dispatcher.dispatched).toMatchObject([
      { completion: { action: 'drop' }, row: { max_attempts: 1 } },
    ])
    expect(await scripts.runs()).toHaveLength(1)
    expect(await letters()).toEqual([])
  })

  it('refuses an unknown script, an input that is too large, and a key without the scope', async () => {
    expect(problemOf(await invoke(randomUUID())).code).toBe('not_found')
    const id = await scripts.script(ECHO)
    expect(problemOf(await invoke(id, { input: 'x'.repeat(300_000) })).code).toBe('payload_too_large')
    const { key } = await carillon.createKey({ name: 'reader', scopes: ['scripts:read'] })
    expect(problemOf(await invoke(id, {}, { key })).code).toBe('forbidden')
    expect((await carillon.pool.query('select from outbox')).rowCount).toBe(0)
  })

  it('runs as the caller: what its key may not do, the script may not either', {
    tags: 'S003-3',
  }, async () => {
    const id = await scripts.script('export default () => kv.set("out", "x", 1)')
    const { key } = await carillon.createKey({ name: 'caller', scopes: ['scripts:invoke'] })
    scripts.start()
    const problem = problemOf(await invoke(id, {}, { key }))
    expect(problem.detail).toMatch(
      /kv.set needs the scope "kv:write", which whoever invoked it does not have/,
    )
  })
})

describe('an invocation that waits', () => {
  it('does not run as a user who was deleted meanwhile', async () => {
    await carillon.putUser('bob')
    const { key } = await carillon.createKey({
      name: 'b',
      scopes: ['scripts:invoke', 'kv:write'],
      user_id: 'bob',
    })
    const id = await scripts.script('export default () => kv.set("out", "of-bob", 1)')
    expect((await invoke(id, { mode: 'async' }, { key })).status).toBe(202)
    await carillon.pool.query("delete from users where id = 'bob'")
    scripts.start()
    await scripts.settled()
    const error = 'The user who invoked this script was deleted.'
    expect(await scripts.runs()).toMatchObject([{ failure_kind: 'forbidden', error }])
  })
})

describe('a result that comes too late', () => {
  it('leaves one abandoned execution, and what the script did stays done', { tags: 'S003-16' }, async () => {
    const id = await scripts.script('export default () => kv.set("out", "late", true)', { timeout_ms: 100 })
    // Nobody runs it, so the caller waits in vain.
    const problem = problemOf(await invoke(id))
    expect(problem).toMatchObject({ status: 504, code: 'script_timeout' })
    expect([await inboxes(), await abandoned()]).toEqual([0, []])
    await giveTime(id)
    scripts.start()
    await scripts.settled()
    const [run] = await scripts.runs()
    expect(run.status).toBe('succeeded')
    expect(problem.detail).toContain(run.event_id)
    expect(await scripts.get('out', 'late')).toBe(true)
    expect(await abandoned()).toMatchObject([
      { execution_id: run.event_id, script_id: id, status_code: 200, summary: 'null' },
    ])
  })

  it('a late failure leaves one too, and still no dead letter', { tags: 'S003-16' }, async () => {
    const id = await scripts.script('export default () => { throw new Error("late") }', { timeout_ms: 100 })
    await invoke(id)
    await giveTime(id)
    scripts.start()
    await scripts.settled()
    expect(await abandoned()).toMatchObject([{ status_code: 422, summary: expect.stringContaining('late') }])
    expect(await letters()).toEqual([])
  })
})

describe('a tenant that is deleted', () => {
  it('takes its triggers, waiting rows, runs, inboxes and abandoned executions with it', {
    tags: 'S003-27',
  }, async () => {
    const { id: tenant, key } = await carillon.createTenant('short-lived')
    const source = 'export default () => 1'
    const script = await scripts.script(source, { key, timeout_ms: 100 })
    await scripts.trigger('kv', script, { collection: 'in' }, { key })
    await scripts.set('in', 'x', 1, key)
    await invoke(script, {}, { key })
    await giveTime(script, { key })
    scripts.start()
    await scripts.settled()
    await scripts.set('in', 'y', 1, key)
    await waitFor(async () => (await carillon.readAll('/v1/runs', 10, key)).length >= 2, { what: 'runs' })
    // A plain statement does not try again when it meets a completion, as deleting a tenant does.
    await scripts.settled()
    await carillon.pool.query('delete from tenants where id = $1', [tenant])
    for (const table of [
      'triggers',
      'scripts',
      'outbox',
      'runs',
      'reply_inboxes',
      'abandoned_executions',
      'kv_entries',
    ]) {
      const { rowCount } = await carillon.pool.query(`select from ${table} where tenant_id = $1`, [tenant])
      expect([table, rowCount]).toEqual([table, 0])
    }
  })
})
