/** Whatever dies when: an event has all effects of one run, or none. */
import { beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { useScripts } from '../../../test/running-scripts.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { claimRows } from '../../reactions/outbox/claim.ts'

const carillon = useCarillon()
const scripts = useScripts(carillon)

beforeEach(async () => {
  await carillon.pool.query('delete from triggers')
  for (const table of ['outbox', 'runs', 'dead_letters', 'kv_entries', 'records'])
    await carillon.pool.query(`delete from ${table}`)
})

const COUNTS = `export default async () => {
  const n = (await kv.get('count', 'n')) ?? 0
  await kv.set('count', 'n', n + 1)
}`
const letLeasesRunOut = () => carillon.pool.query("update outbox set lease_until = now() - interval '1 s'")

describe('a counter that scripts read and write back', () => {
  it('is exact, however many runs count at once: a run whose reading is out of date is made again', async () => {
    const counting = await scripts.script(COUNTS)
    await scripts.trigger('kv', counting, { collection: 'in' })
    let repeated = 0
    const parts = { onRepeated: () => void repeated++ }
    for (let i = 0; i < 20; i++) await scripts.set('in', `k${i}`, i)
    scripts.start(parts)
    scripts.start(parts)
    await scripts.settled()
    expect(await scripts.get('count', 'n')).toBe(20)
    expect(await scripts.runs('?status=succeeded')).toHaveLength(20)
    expect(await scripts.runs('?status=failed')).toEqual([])
    expect(repeated).toBeGreaterThan(0)
  })

  it('an entry that was absent when it was read counts too', async () => {
    const source = `export default async event => {
      if ((await kv.get('first', 'one')) === null) await kv.set('first', 'one', event.data.key)
      else await kv.set('late', event.data.key, true)
    }`
    await scripts.trigger('kv', await scripts.script(source), { collection: 'in' })
    for (let i = 0; i < 6; i++) await scripts.set('in', `k${i}`, i)
    scripts.start()
    scripts.start()
    await scripts.settled()
    const { rows } = await carillon.pool.query("select from kv_entries where collection = 'late'")
    expect(rows).toHaveLength(5)
  })

  it('an entry that is deleted after it was read counts too', async () => {
    await scripts.set('count', 'n', 7)
    await scripts.trigger('kv', await scripts.script(COUNTS), { collection: 'in' })
    await scripts.set('in', 'x', 1)
    let repeated = 0
    const deletesMeanwhile = {
      ...scripts.sandbox,
      run: async (job: Parameters<typeof scripts.sandbox.run>[0]) => {
        const outcome = await scripts.sandbox.run(job)
        await carillon.request('DELETE', '/v1/kv/count/n')
        return outcome
      },
    } as typeof scripts.sandbox
    scripts.start({ sandbox: deletesMeanwhile, onRepeated: () => void repeated++ })
    await scripts.settled()
    expect(repeated).toBe(1)
    expect(await scripts.get('count', 'n')).toBe(1)
  })
})

describe('a dispatcher that dies', () => {
  it('after it has stored the run: whoever takes over finds it and runs nothing again', async () => {
    await scripts.trigger('kv', await scripts.script(COUNTS), { collection: 'in' })
    await scripts.set('in', 'x', 1)
    await carillon.pool.query('alter function complete_outbox(text, jsonb) rename to complete_outbox_hidden')
    const dying = scripts.start()
    await waitFor(async () => (await scripts.runs()).length === 1, { what: 'the run' })
    const stopped = dying.stop()
    await carillon.pool.query('alter function complete_outbox_hidden(text, jsonb) rename to complete_outbox')
    await stopped
    await letLeasesRunOut()
    scripts.start()
    await scripts.settled()
    expect(await scripts.runs()).toHaveLength(1)
    expect(await scripts.get('count', 'n')).toBe(1)
    expect(await carillon.readAll('/v1/dead-letters?state=all')).toEqual([])
  })

  it('after it has stored the run of the last attempt: that is a success and no dead letter', async () => {
    const retry = { max_attempts: 1 }
    await scripts.trigger('kv', await scripts.script(COUNTS), { collection: 'in' }, { retry })
    await scripts.set('in', 'x', 1)
    const [row] = await claimRows(carillon.pool, [], { kv: 10 }, 10, 'dead', 30)
    await carillon.pool.query(
      `insert into runs (id, tenant_id, script_id, script_name, script_version, kind, op, event_id, attempt, status, duration_ms)
       values (uuid_v7(), $1, $2, 's', 1, 'kv', 'insert', $3, 1, 'succeeded', 1)`,
      [carillon.tenantId, row!.context.script_id, row!.id],
    )
    await letLeasesRunOut()
    scripts.start()
    await scripts.settled()
    expect(await scripts.runs()).toHaveLength(1)
    expect(await carillon.readAll('/v1/dead-letters?state=all')).toEqual([])
  })

  it('during the last attempt: that is a dead letter, and a run that was lost', async () => {
    const retry = { max_attempts: 1 }
    await scripts.trigger('kv', await scripts.script(COUNTS), { collection: 'in' }, { retry })
    await scripts.set('in', 'x', 1)
    await claimRows(carillon.pool, [], { kv: 10 }, 10, 'dead', 30)
    await letLeasesRunOut()
    scripts.start()
    await scripts.settled()
    expect(await scripts.runs()).toMatchObject([{ status: 'failed', failure_kind: 'lost', attempt: 1 }])
    expect(await carillon.readAll('/v1/dead-letters')).toMatchObject([{ failure_reason: 'worker_lost' }])
    expect(await scripts.get('count', 'n')).toBeUndefined()
  })

  it('while it runs, and comes back: what another has taken over is not stored', async () => {
    await scripts.trigger('kv', await scripts.script(COUNTS), { collection: 'in' })
    await scripts.set('in', 'x', 1)
    let release = () => {}
    let hold: Promise<void> | undefined = new Promise(resolve => {
      release = resolve
    })
    const slowAtFirst = {
      ...scripts.sandbox,
      run: async (job: Parameters<typeof scripts.sandbox.run>[0]) => {
        const held = hold
        hold = undefined
        const outcome = await scripts.sandbox.run(job)
        await held
        return outcome
      },
    } as typeof scripts.sandbox
    const dispatcher = scripts.start({ sandbox: slowAtFirst })
    await waitFor(async () => hold === undefined, { what: 'the first claim' })
    await letLeasesRunOut()
    await scripts.settled()
    release()
    await waitFor(async () => dispatcher.dispatched.length === 2, { what: 'the first to end' })
    const ends = dispatcher.dispatched.map(({ row, completed }) => [row.claim_count, completed])
    expect(ends).toEqual([
      [2, true],
      [1, false],
    ])
    expect(await scripts.runs()).toHaveLength(1)
    expect(await scripts.get('count', 'n')).toBe(1)
  })

  it('while it runs, and comes back: what is ordered behind it waits for whoever has taken over', async () => {
    const source = `export default event => kv.set('out', 'last', event.data.message)`
    await scripts.trigger('queue', await scripts.script(source), { queue: 'q' })
    for (const message of [1, 2])
      await carillon.request('POST', '/v1/queues/q', { body: { message, ordering_key: 'k' } })
    const takeOver = `update outbox set lease_owner = 'other', claim_count = claim_count + 1
      where seq = (select min(seq) from outbox) and lease_owner <> 'other' returning tenant_id, id, claim_count`
    let taken: { tenant_id: string; id: string; claim_count: number }[] = []
    const overtaken = {
      ...scripts.sandbox,
      run: async (job: Parameters<typeof scripts.sandbox.run>[0]) => {
        if (taken.length === 0) taken = (await carillon.pool.query(takeOver)).rows
        return scripts.sandbox.run(job)
      },
    } as typeof scripts.sandbox
    const dispatcher = scripts.start({ sandbox: overtaken })
    await waitFor(async () => dispatcher.dispatched.length === 2, { what: 'both to come back' })
    expect(await scripts.runs()).toEqual([])
    await carillon.pool.query("select complete_outbox('other', $1)", [JSON.stringify(taken)])
    await scripts.settled()
    expect(await scripts.get('out', 'last')).toBe(2)
  })
})

describe('what happens to us and not to the script', () => {
  it('a dispatcher that is stopped gives back what it was running, and no attempt is used', async () => {
    const retry = { max_attempts: 1 }
    await scripts.trigger('kv', await scripts.script(COUNTS), { collection: 'in' }, { retry })
    await scripts.set('in', 'x', 1)
    let isRunning = false
    const endless = {
      ...scripts.sandbox,
      run: ({ signal }: Parameters<typeof scripts.sandbox.run>[0]) => {
        isRunning = true
        const stopped = { kind: 'failed', failure: 'stopped', message: '', cpuMs: 0, durationMs: 0 } as const
        return new Promise(resolve => signal!.addEventListener('abort', () => resolve(stopped)))
      },
    } as typeof scripts.sandbox
    const first = scripts.start({ sandbox: endless }, { shutdownMs: 1 })
    await waitFor(async () => isRunning, { what: 'the run' })
    await first.stop()
    expect(await scripts.runs()).toEqual([])
    scripts.start()
    await scripts.settled()
    expect(await scripts.runs()).toMatchObject([{ status: 'succeeded', attempt: 1 }])
  })

  it('while the database does not answer, nothing is stored and no attempt is used', async () => {
    const retry = { max_attempts: 1 }
    await scripts.trigger('kv', await scripts.script(COUNTS), { collection: 'in' }, { retry })
    await scripts.set('in', 'x', 1)
    let refused = 0
    const pool = {
      query: carillon.pool.query.bind(carillon.pool),
      connect: () => {
        if (++refused > 1) return carillon.pool.connect()
        throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
      },
    } as unknown as typeof carillon.pool
    scripts.start({ pool })
    await scripts.settled()
    expect(refused).toBe(2)
    expect(await scripts.runs()).toMatchObject([{ status: 'succeeded', attempt: 1 }])
    expect(await scripts.get('count', 'n')).toBe(1)
  })

  it('while somebody keeps an entry locked, what changes it waits, no attempt is used, and others are served', async () => {
    const retry = { max_attempts: 1 }
    const counts = await scripts.script(COUNTS)
    for (let n = 0; n < 12; n++) await scripts.trigger('kv', counts, { collection: 'in' }, { retry })
    const { id, key } = await carillon.createTenant('neighbour')
    const other = await scripts.script(`export default () => kv.set('out', 'x', 1)`, { key })
    await scripts.trigger('queue', other, { queue: 'q' }, { key })
    await scripts.set('count', 'n', 0)
    const holder = await carillon.pool.connect()
    try {
      await holder.query('begin')
      await holder.query("select from kv_entries where collection = 'count' for update")
      await scripts.set('in', 'x', 1)
      let busy = 0
      scripts.start({
        maxPerTarget: 1,
        onRun: (_kind, outcome) => {
          if (outcome === 'busy') busy++
        },
      })
      await waitFor(async () => busy >= 12, { what: 'all to have met the lock' })
      await carillon.request('POST', '/v1/queues/q', { key, body: { message: 1 } })
      const served = "select from kv_entries where tenant_id = $1 and collection = 'out'"
      await waitFor(async () => (await carillon.pool.query(served, [id])).rowCount === 1, {
        what: 'the neighbour to be served',
      })
    } finally {
      await holder.query('commit')
      holder.release()
    }
    await scripts.settled()
    expect(await scripts.get('count', 'n')).toBe(12)
    expect(
      (await scripts.runs()).every(({ status, attempt }) => status === 'succeeded' && attempt === 1),
    ).toBe(true)
  })
})
