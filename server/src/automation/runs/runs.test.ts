import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { useScripts } from '../../../test/running-scripts.ts'
import { waitFor } from '../../../test/wait-for.ts'

const carillon = useCarillon()
const scripts = useScripts(carillon)
const letters = () => carillon.readAll('/v1/dead-letters?state=all')
const outbox = async () => (await carillon.pool.query('select * from outbox')).rows
const FAILING = 'export default () => { throw new Error("no") }'
const QUICK = { max_attempts: 3, backoff: 'constant', base_ms: 1 }

beforeEach(async () => {
  await carillon.pool.query('delete from triggers')
  for (const table of ['outbox', 'runs', 'dead_letters', 'kv_entries', 'records'])
    await carillon.pool.query(`delete from ${table}`)
})

const STORES = `export default async event => {
  await kv.set('seen', event.data.key, event)
  log('stored', event.data.key)
  return { kept: event.data.value }
}`

describe('a run that succeeds', () => {
  it('there is one for each trigger that matches; it sees the event, and its row is gone', {
    tags: ['S003-7', 'S003-9'],
  }, async () => {
    const script = await scripts.script(STORES)
    const first = await scripts.trigger('kv', script, { collection: 'orders' })
    const second = await scripts.trigger('kv', script, { collection: 'ord*' })
    await scripts.trigger('kv', script, { collection: 'others' })
    scripts.start()
    await scripts.set('orders', 'a', { n: 1 })
    await scripts.settled()
    const runs = await scripts.runs()
    expect(runs.map(run => run.trigger_id).toSorted()).toEqual([first, second].toSorted())
    expect(runs[0]).toMatchObject({
      script_id: script,
      script_version: 1,
      kind: 'kv',
      op: 'insert',
      attempt: 1,
      depth: 0,
      status: 'succeeded',
      failure_kind: null,
    })
    expect(await scripts.get('seen', 'a')).toMatchObject({
      kind: 'kv',
      op: 'insert',
      depth: 0,
      trigger: { name: 'kv trigger' },
      data: { collection: 'orders', key: 'a', value: { n: 1 }, old_value: null },
    })
    const detail = await carillon.request('GET', `/v1/runs/${runs[0].id}`)
    expect(detail.body).toMatchObject({
      logs: [{ level: 'info', message: 'stored a' }],
      effects: [{ type: 'kv_set', collection: 'seen', key: 'a' }],
      result_json: '{"kept":{"n":1}}',
    })
  })

  it('when nothing matches there is no row, and that is a success', { tags: 'S003-7' }, async () => {
    expect((await scripts.set('orders', 'b', 1)).status).toBeLessThan(300)
    expect(await outbox()).toEqual([])
  })

  it('a run of another tenant is not found', async () => {
    await scripts.trigger('kv', await scripts.script(STORES), { collection: 'orders' })
    scripts.start()
    await scripts.set('orders', 'a', 1)
    await scripts.settled()
    const [run] = await scripts.runs()
    const { key } = await carillon.createTenant('stranger to runs')
    expect(problemOf(await carillon.request('GET', `/v1/runs/${run.id}`, { key })).status).toBe(404)
    expect((await carillon.request('GET', `/v1/runs/${randomUUID()}`)).status).toBe(404)
    expect(await carillon.readAll('/v1/runs', 10, key)).toEqual([])
  })
})

describe('a run that fails', () => {
  it('is tried again within the policy of its trigger, and ends as a dead letter; each attempt is a run', {
    tags: 'S003-9',
  }, async () => {
    const script = await scripts.script(FAILING)
    const trigger = await scripts.trigger('kv', script, { collection: 'orders' }, { retry: QUICK })
    scripts.start()
    await scripts.set('orders', 'a', 1)
    await scripts.settled()
    const runs = await scripts.runs()
    expect(runs.map(run => [run.attempt, run.status, run.failure_kind])).toEqual([
      [1, 'failed', 'exception'],
      [2, 'failed', 'exception'],
      [3, 'failed', 'exception'],
    ])
    expect(new Set(runs.map(run => run.event_id)).size).toBe(1)
    expect(runs[0].error).toContain('no')
    expect(await letters()).toMatchObject([
      {
        source: 'kv',
        target_id: trigger,
        script_id: script,
        original_event_id: runs[0].event_id,
        final_attempt_count: 3,
        failure_reason: 'max_retries_exceeded',
        failure_message: expect.stringMatching(/^exception: .*no/),
        recovery_hint: expect.stringMatching(/^The script kept failing/),
      },
    ])
  })

  it('leaves nothing of what it wanted to do', async () => {
    const script = await scripts.script(
      `export default async () => {
         await kv.set('seen', 'x', 1)
         await notify(${JSON.stringify({ notification_type: 't', audience: { kind: 'tenant' }, payload: {} })})
         throw new Error('after all')
       }`,
    )
    await scripts.trigger('kv', script, { collection: 'orders' }, { retry: { max_attempts: 1 } })
    scripts.start()
    await scripts.set('orders', 'a', 1)
    await scripts.settled()
    expect(await scripts.get('seen', 'x')).toBeUndefined()
    expect(await carillon.readAll('/v1/records')).toEqual([])
    const [run] = await scripts.runs()
    expect((await carillon.request('GET', `/v1/runs/${run.id}`)).body.effects).toEqual([])
  })

  it('what was given up can be replayed once its script is corrected: anew, at depth 0, and only once', {
    tags: 'S003-25',
  }, async () => {
    const script = await scripts.script(FAILING)
    await scripts.trigger('kv', script, { collection: 'orders' }, { retry: { max_attempts: 1 } })
    scripts.start()
    await scripts.set('orders', 'a', 1)
    await scripts.settled()
    const [letter] = await letters()
    await carillon.request('PATCH', `/v1/scripts/${script}`, { body: { source: STORES } })
    expect((await carillon.request('POST', `/v1/dead-letters/${letter.id}/replay`)).status).toBe(200)
    await scripts.settled()
    expect(await scripts.get('seen', 'a')).toMatchObject({ data: { key: 'a' } })
    expect((await scripts.runs()).at(-1)).toMatchObject({ status: 'succeeded', attempt: 1, depth: 0 })
    const again = await carillon.request('POST', `/v1/dead-letters/${letter.id}/replay`)
    expect(problemOf(again).code).toBe('already_resolved')
  })

  it('whose trigger is gone by then ends at once as a dead letter that says so', {
    tags: 'S003-13',
  }, async () => {
    const trigger = await scripts.trigger('kv', await scripts.script(STORES), { collection: 'orders' })
    await scripts.set('orders', 'a', 1)
    await carillon.request('DELETE', `/v1/triggers/${trigger}`)
    scripts.start()
    await scripts.settled()
    expect(await letters()).toMatchObject([
      {
        failure_reason: 'target_missing',
        failure_message: 'The trigger was deleted.',
        recovery_hint: 'Its trigger or script was deleted. Ignore it.',
        final_attempt_count: 1,
      },
    ])
    expect(await scripts.runs()).toMatchObject([
      { failure_kind: 'target_missing', trigger_id: trigger, script_name: '', script_version: 0 },
    ])
  })

  it('of a trigger that was disabled meanwhile still runs: it had been accepted before', async () => {
    const trigger = await scripts.trigger('kv', await scripts.script(STORES), { collection: 'orders' })
    await scripts.set('orders', 'a', 1)
    await carillon.request('PATCH', `/v1/triggers/${trigger}`, { body: { is_enabled: false } })
    await scripts.set('orders', 'b', 1)
    scripts.start()
    await scripts.settled()
    expect(await scripts.runs()).toMatchObject([{ status: 'succeeded' }])
  })
})

describe('a run that cannot begin', () => {
  it('because every thread is in use comes back without having used an attempt', {
    tags: 'S003-11',
  }, async () => {
    let isBusy = true
    const sandbox = {
      ...scripts.sandbox,
      run: async (job: Parameters<typeof scripts.sandbox.run>[0]) =>
        isBusy ? ({ kind: 'busy' } as const) : scripts.sandbox.run(job),
    } as typeof scripts.sandbox
    const outcomes: string[] = []
    await scripts.trigger(
      'kv',
      await scripts.script(STORES),
      { collection: 'orders' },
      { retry: { max_attempts: 1 } },
    )
    const dispatcher = scripts.start({ sandbox, onRun: (_kind, outcome) => void outcomes.push(outcome) })
    await scripts.set('orders', 'a', 1)
    await waitFor(async () => outcomes.length >= 2, { what: 'two tries' })
    expect(await scripts.runs()).toEqual([])
    isBusy = false
    await scripts.settled()
    await dispatcher.stop()
    expect(dispatcher.dispatched.at(-1)).toMatchObject({ row: { attempt_count: 1 }, completed: true })
    expect(await scripts.runs()).toMatchObject([{ status: 'succeeded', attempt: 1 }])
    expect(await letters()).toEqual([])
  })

  it('because its tenant is suspended waits until it is resumed', async () => {
    await scripts.trigger('kv', await scripts.script(STORES), { collection: 'orders' })
    await scripts.set('orders', 'a', 1)
    await carillon.pool.query('update tenants set suspended_at = now() where id = $1', [carillon.tenantId])
    const dispatcher = scripts.start()
    await waitFor(async () => dispatcher.dispatched.length === 1, { what: 'the dispatch' })
    expect(await outbox()).toMatchObject([{ attempt_count: 0 }])
    await carillon.pool.query('update tenants set suspended_at = null where id = $1', [carillon.tenantId])
    await carillon.pool.query('update outbox set next_attempt_at = now()')
    await scripts.settled()
    expect(await scripts.runs()).toMatchObject([{ status: 'succeeded' }])
  })
})

describe('a chain of runs', () => {
  it('that cause each other ends after depth 8, with nothing in the dead letters', {
    tags: 'S003-12',
  }, async () => {
    const script = await scripts.script(
      `export default async event => { await kv.set('loop', 'n', event.data.value + 1) }`,
    )
    await scripts.trigger('kv', script, { collection: 'loop' })
    const dispatcher = scripts.start()
    await scripts.set('loop', 'n', 0)
    await scripts.settled()
    expect((await scripts.runs()).map(run => run.depth)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    expect(await scripts.get('loop', 'n')).toBe(9)
    expect(await letters()).toEqual([])
    // The row is gone a moment before the dispatcher says so, perhaps before it says so of the row that caused it.
    await expect
      .poll(() => dispatcher.dispatched.find(({ row }) => row.trigger_depth === 9))
      .toMatchObject({
        completion: { action: 'drop', message: expect.stringContaining('9 dispatches') },
      })
  })

  it('notifications and dead letters carry on with it', { tags: 'S003-12' }, async () => {
    const script = await scripts.script(
      `export default () => notify({ notification_type: 't', payload: {},
         audience: { kind: 'addresses', channel: 'email', addresses: ['a@example.com'] } })`,
    )
    await scripts.trigger('kv', script, { collection: 'orders' })
    scripts.start()
    await scripts.set('orders', 'a', 1)
    await scripts.settled()
    const [record] = await carillon.readAll('/v1/records')
    const [run] = await scripts.runs()
    expect(record).toMatchObject({
      run_id: run.id,
      source: 'script',
      idempotency_key: `run:${run.event_id}:1`,
    })
    const worker = carillon.deliver(() => ({ kind: 'permanent', message: 'no' }))
    await carillon.settled(record.notification_id, 'dead')
    await worker.stop()
    const { rows } = await carillon.pool.query('select trigger_depth from dead_letters')
    expect(rows).toEqual([{ trigger_depth: 1 }])
  })
})
