import { beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { useScripts } from '../../../test/running-scripts.ts'

const carillon = useCarillon()
const scripts = useScripts(carillon)

beforeEach(async () => {
  await carillon.pool.query('delete from triggers')
  for (const table of ['outbox', 'runs', 'dead_letters', 'kv_entries', 'records', 'admin_system_events'])
    await carillon.pool.query(`delete from ${table}`)
})

const AUDIENCE = { kind: 'addresses', channel: 'email', addresses: ['a@example.com'] }
const INTENT = { notification_type: 't', payload: { title: 'Hello' }, audience: AUDIENCE }
const detailOf = async (id: string) => (await carillon.request('GET', `/v1/runs/${id}`)).body

/** Runs the body of a function once; `input` is the value of the entry that fires it. */
async function run(body: string, input: unknown = 1) {
  const script = await scripts.script(`export default async event => { ${body} }`)
  const config = { collection: 'in', ops: ['insert'] }
  await scripts.trigger('kv', script, config, { retry: { max_attempts: 1 } })
  scripts.start()
  await scripts.set('in', 'x', input)
  await scripts.settled()
  const [ran] = await scripts.runs()
  return detailOf(ran.id)
}

async function aDeadLetter(): Promise<string> {
  const worker = carillon.deliver(() => ({ kind: 'permanent', message: 'no' }))
  const record = await carillon.send()
  await carillon.settled(record, 'dead')
  await worker.stop()
  const letters = await carillon.readAll('/v1/dead-letters')
  return letters.find(letter => letter.notification_id === record).id
}

describe('what a run does', () => {
  it('is listed in the order in which the script asked for it, with the ids of notifications', async () => {
    const { effects, status } = await run(
      `await notify(${JSON.stringify(INTENT)})
       await kv.set('out', 'b', 1)
       await systemEvents.raise({ event_type: 'low_stock', severity: 'low', description: 'Reorder.', subject: 'sku-1' })
       await kv.delete('in', 'x')
       await notify(${JSON.stringify({ ...INTENT, idempotency_key: 'my own' })})`,
    )
    expect(status).toBe('succeeded')
    const [second, first] = await carillon.readAll('/v1/records')
    const sent = { type: 'notify', notification_type: 't', duplicate: false }
    expect(effects).toEqual([
      { ...sent, position: 1, notification_id: expect.any(String) },
      { type: 'kv_set', collection: 'out', key: 'b' },
      {
        type: 'raise_system_event',
        id: expect.any(Number),
        event_type: 'script.low_stock',
        subject: 'sku-1',
      },
      { type: 'kv_delete', collection: 'in', key: 'x' },
      { ...sent, position: 2, notification_id: expect.any(String) },
    ])
    const notified = [effects[0].notification_id, effects[4].notification_id]
    expect(notified.toSorted()).toEqual([first.notification_id, second.notification_id].toSorted())
    expect([first, second].map(record => record.idempotency_key)).toContain('my own')
    expect(await scripts.get('in', 'x')).toBeUndefined()
  })

  it('systemEvents.raise cannot be taken for an event of Carillon, and names the script and its run', async () => {
    const { id } = await run(
      `await systemEvents.raise({ event_type: 'dead_letters', severity: 'high', description: 'x', details: { a: 1 } })`,
    )
    expect(await carillon.readAll('/v1/system-events')).toMatchObject([
      {
        event_type: 'script.dead_letters',
        severity: 'high',
        details: { a: 1, run_id: id, trigger_depth: 1 },
      },
    ])
  })

  it('replays and resolves dead letters, in nobody’s name but the run’s', async () => {
    const [replayed, resolved] = [await aDeadLetter(), await aDeadLetter()]
    const { id } = await run(
      `await deadLetters.replay('${replayed}'); await deadLetters.resolve('${resolved}', 'handled_by_script')`,
    )
    const letters = await carillon.readAll('/v1/dead-letters?state=resolved')
    expect(letters.map(letter => [letter.id, letter.resolution, letter.resolved_by]).toSorted()).toEqual(
      [
        [replayed, 'replayed', null],
        [resolved, 'handled_by_script', null],
      ].toSorted(),
    )
    const logs = await carillon.readAll('/v1/audit-logs?resource_type=dead_letter')
    expect(Object.fromEntries(logs.map(log => [log.resource_id, log.action]))).toEqual({
      [replayed]: 'replay',
      [resolved]: 'resolve',
    })
    for (const log of logs)
      expect(log).toMatchObject({ user_id: null, api_key_id: null, request_id: `run:${id}` })
  })

  it('a script that replays whatever fails comes to an end, and the letter stays for a person', {
    tags: 'S003-12',
  }, async () => {
    const failing = await scripts.script('export default () => { throw new Error("always") }')
    const once = { retry: { max_attempts: 1 } }
    await scripts.trigger('kv', failing, { collection: 'in' }, once)
    const replaying = await scripts.script(
      'export default event => deadLetters.replay(event.data.dead_letter.id)',
    )
    await scripts.trigger('dead_letter', replaying, {})
    scripts.start()
    await scripts.set('in', 'x', 1)
    await scripts.settled()
    const open = await carillon.readAll('/v1/dead-letters')
    expect(open).toHaveLength(1)
    const failed = await scripts.runs('?status=failed')
    expect(failed.length).toBeGreaterThan(1)
    expect(failed.length).toBeLessThan(9)
  })

  it('a handler of dead letters resolves one by saying so; succeeding alone changes nothing', {
    tags: 'S003-21',
  }, async () => {
    const handler = await scripts.script(
      'export default event => kv.set("handled", "id", event.data.dead_letter.id)',
    )
    await scripts.trigger('dead_letter', handler, {})
    const id = await aDeadLetter()
    scripts.start()
    await scripts.settled()
    expect(await scripts.get('handled', 'id')).toBe(id)
    expect(await carillon.readAll('/v1/dead-letters')).toMatchObject([{ id, resolution: null }])
  })

  it('a handler that fails is not tried again and leaves no letter; the original says handler_failed', {
    tags: 'S003-20',
  }, async () => {
    const handler = await scripts.script('export default () => { throw new Error("broken") }')
    await scripts.trigger('dead_letter', handler, {}, { retry: { max_attempts: 5 } })
    const id = await aDeadLetter()
    scripts.start()
    await scripts.settled()
    expect(await scripts.runs()).toMatchObject([
      { kind: 'dead_letter', attempt: 1, failure_kind: 'exception' },
    ])
    expect(await carillon.readAll('/v1/dead-letters?state=all')).toMatchObject([
      { id, resolution: 'handler_failed', resolved_at: null },
    ])
  })
})

describe('what is refused', () => {
  it('fails the run, names the call and the field, and leaves nothing of the rest', async () => {
    const { status, failure_kind, error, effects } = await run(
      `await kv.set('out', 'x', 1)
       await notify(${JSON.stringify(INTENT)})
       await notify(${JSON.stringify({ ...INTENT, audience: { kind: 'users', user_ids: ['nobody'] } })})`,
    )
    expect({ status, failure_kind, effects }).toEqual({
      status: 'failed',
      failure_kind: 'effect_refused',
      effects: [],
    })
    expect(error).toMatch(/^notify 2: .*nobody/)
    expect(await scripts.get('out', 'x')).toBeUndefined()
    expect(await carillon.readAll('/v1/records')).toEqual([])
  })

  it('a dead letter that does not exist, or is resolved already', async () => {
    const { error } = await run(`await deadLetters.replay('01900000-0000-7000-8000-000000000000')`)
    expect(error).toBe('deadLetters.replay: There is no dead letter 01900000-0000-7000-8000-000000000000.')
  })

  it('a key of its own that it uses for two different things', async () => {
    const other = { ...INTENT, payload: { title: 'Something else' } }
    const { failure_kind, error } = await run(
      `await notify(${JSON.stringify({ ...INTENT, idempotency_key: 'k' })})
       await notify(${JSON.stringify({ ...other, idempotency_key: 'k' })})`,
    )
    expect(failure_kind).toBe('effect_refused')
    expect(error).toMatch(/^notify [12]: .*already used the key "k"/)
    expect(await carillon.readAll('/v1/records')).toEqual([])
  })
})

describe('http.fetch', () => {
  it('needs the tenant’s consent', async () => {
    const refused = await run(`await http.fetch('http://127.0.0.1:1/')`)
    expect(refused.error).toContain('script_http_allowed')
  })
})

describe('an intent over HTTP', () => {
  it('cannot say which run sent it', async () => {
    for (const field of ['run_id', 'trigger_depth']) {
      const body = { ...INTENT, [field]: field === 'run_id' ? carillon.tenantId : 1 }
      const answer = await carillon.request('POST', '/v1/intents', { body })
      expect([field, answer.status, answer.body.errors[0].field]).toEqual([field, 400, field])
    }
  })
})
