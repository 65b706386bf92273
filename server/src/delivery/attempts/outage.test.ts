import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { waitFor } from '../../../test/wait-for.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { createWake } from '../../platform/queue/wake.ts'
import type { Outcome } from '../../providers/services/provider.ts'

const carillon = useCarillon()
/** Parts of the statements that claim routes and extend their leases. */
const CLAIM = 'claim_count = r.claim_count + 1'
const EXTENSION = 'update routes r set lease_until'

async function isLeased(id: string): Promise<boolean> {
  const live = 'select from routes where notification_id = $1 and lease_until > now()'
  return (await carillon.pool.query(live, [id])).rowCount === 1
}

/** The database refuses to log attempts at the record. */
async function refuse(id: string): Promise<void> {
  await carillon.pool.query(
    `create function refuse_poison() returns trigger language plpgsql as $$ begin
       if new.notification_id = '${id}' then raise exception 'poison'; end if; return new; end $$`,
  )
  await carillon.pool.query(
    'create trigger poison before insert on route_attempts for each row execute function refuse_poison()',
  )
}
const refuseNothing = () => carillon.pool.query('drop function refuse_poison cascade')

it('a worker whose database was away longer than its leases renews them and sends nothing twice', async () => {
  const database = breakable(() => carillon.pool)
  const wake = createWake()
  const answers: ((outcome: Outcome) => void)[] = []
  const worker = carillon.deliver(() => new Promise(resolve => answers.push(resolve)), {
    pool: database.pool,
    leaseSeconds: 1,
    wake,
  })
  const id = await carillon.send()
  await waitFor(async () => answers.length === 1, { what: 'the provider to be called' })

  database.isAway = true
  await waitFor(async () => !(await isLeased(id)), { what: 'the lease to run out' })
  database.isAway = false
  wake.call() // So that it looks for work before it next extends its leases.
  await waitFor(() => isLeased(id), { what: 'the lease to be renewed' })

  expect(answers).toHaveLength(1)
  answers[0]!({ kind: 'sent' })
  const [route] = await carillon.settled(id, 'sent')
  expect(route).toMatchObject({ attempt_count: 1 })
  await worker.stop()
})

/** A pool whose server can be away. */
function breakable(pool: () => Pool): { pool: Pool; isAway: boolean } {
  const database = {
    isAway: false,
    pool: {
      query: (...statement: Parameters<Pool['query']>) =>
        database.isAway ? Promise.reject(new Error('Connection terminated')) : pool().query(...statement),
    } as unknown as Pool,
  }
  return database
}

it('a worker that is too slow to keep its leases adopts its own routes and sends nothing twice', async () => {
  const database = holding(() => carillon.pool)
  const answers: ((outcome: Outcome) => void)[] = []
  const worker = carillon.deliver(() => new Promise(resolve => answers.push(resolve)), {
    pool: database.pool,
    leaseSeconds: 1,
  })
  const id = await carillon.send()
  await waitFor(async () => answers.length === 1, { what: 'the provider to be called' })

  // The next claim is on its way while the leases run out.
  database.hold(CLAIM, EXTENSION)
  await waitFor(async () => database.held(CLAIM) > 0, { what: 'a claim' })
  await waitFor(async () => !(await isLeased(id)), { what: 'the lease to run out' })
  database.release(CLAIM)
  await waitFor(() => isLeased(id), { what: 'the route to be claimed again' })
  database.release(EXTENSION)

  answers[0]!({ kind: 'sent' })
  const [route] = await carillon.settled(id, 'sent')
  expect(route).toMatchObject({ attempt_count: 2 })
  expect(answers).toHaveLength(1)
  await worker.stop()
})

it('a completion that the database always refuses is set aside once others can be stored', async () => {
  const poisoned = await carillon.send({ idempotency_key: 'poisoned' })
  await refuse(poisoned)
  let sends = 0
  let refusals = 0
  const worker = carillon.deliver(
    () => {
      sends++
      return { kind: 'sent' }
    },
    { events: { onAttempt: () => {}, onDead: () => {}, onError: () => refusals++ } },
  )
  await waitFor(async () => refusals > 0, { what: 'the first refusal' })
  const other = await carillon.send({ idempotency_key: 'harmless' })
  await carillon.settled(other, 'sent')
  await carillon.settled(poisoned, 'sent')
  expect(sends).toBe(2)
  await worker.stop()
  const events = await carillon.request('GET', '/v1/system-events?event_type=completion_refused&state=open')
  expect(events.body.data).toMatchObject([{ severity: 'high', details: { notification_id: poisoned } }])
  await refuseNothing()
})

it('a dead route whose completion is refused has a dead letter that can be replayed', async () => {
  const poisoned = await carillon.send({ idempotency_key: 'poisoned and dead' })
  await refuse(poisoned)
  let refusals = 0
  const events = { onAttempt: () => {}, onDead: () => {}, onError: () => refusals++ }
  const worker = carillon.deliver(() => ({ kind: 'permanent', message: 'No such mailbox' }), { events })
  await waitFor(async () => refusals > 0, { what: 'the first refusal' })
  await carillon.settled(await carillon.send({ idempotency_key: 'dead too' }), 'dead')
  await carillon.settled(poisoned, 'dead')
  await worker.stop()
  await refuseNothing()
  const letters = await carillon.readAll('/v1/dead-letters')
  const letter = letters.find(({ notification_id }) => notification_id === poisoned)
  expect(letter).toMatchObject({ failure_reason: 'permanent_failure', channel: 'email' })
  expect((await carillon.request('POST', `/v1/dead-letters/${letter!.id}/replay`)).status).toBe(200)
  expect((await carillon.routesOf(poisoned))[0]).toMatchObject({ status: 'pending' })
})

/** A pool whose statements can be held back on their way to the server. */
function holding(pool: () => Pool) {
  let held: string[] = []
  const waiting: { text: string; go: () => void }[] = []
  const textOf = (statement: unknown) =>
    typeof statement === 'string' ? statement : (statement as { text: string }).text
  return {
    hold(...parts: string[]) {
      held = parts
    },
    held: (part: string) => waiting.filter(({ text }) => text.includes(part)).length,
    release(part: string) {
      held = held.filter(other => other !== part)
      for (const { text, go } of waiting) if (text.includes(part)) go()
    },
    pool: {
      async query(...statement: Parameters<Pool['query']>) {
        const text = textOf(statement[0])
        if (held.some(part => text.includes(part))) await new Promise<void>(go => waiting.push({ text, go }))
        return pool().query(...statement)
      },
    } as unknown as Pool,
  }
}
