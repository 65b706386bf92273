/** Several processes move at once, one of them is killed, and delivery goes on. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { archiveOnce } from './archive.ts'
import { useFinished } from './finished.fixture.ts'
import { createMonths } from './queries.ts'

const carillon = useCarillon()
const { expectOnePlace } = useFinished(carillon)
const RECORDS = 400
const ROUTES_EACH = 3

const MOVER = `
  const { createPool } = await import(process.argv[1] + '/platform/database/pool.js')
  const { archiveOnce } = await import(process.argv[1] + '/operations/archive/archive.js')
  const pool = createPool(process.argv[2], { max: 1 })
  await archiveOnce(pool, { batch: { records: 5, routes: 15 } })
  await pool.end()`

function startMover(): ChildProcess {
  const dist = fileURLToPath(new URL('../../../dist', import.meta.url))
  return spawn(process.execPath, ['--input-type=module', '-e', MOVER, dist, carillon.url], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
}

async function addFinished(): Promise<void> {
  await carillon.pool.query(
    `insert into records (tenant_id, notification_id, notification_type, producer, audience_kind, channels, payload_json,
       idempotency_key, request_fingerprint, idempotency_expires_at, source, retry_base_ms, retry_cap_ms, accepted_at,
       expanded_at, updated_at)
     select $1, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || substr(md5(n::text), 1, 20))::uuid, 't',
       'old', 'users', '{email}', '{}', 'k' || n, '', at, 'http', 1, 1, at, at, at
     from generate_series(1, $2) n, lateral (select now() - interval '91 days' - make_interval(mins => n * 30) as at) t`,
    [carillon.tenantId, RECORDS],
  )
  await carillon.pool.query(
    `insert into routes (tenant_id, notification_id, route_id, channel, recipient_ref, status, max_attempts, created_at,
       updated_at, sent_at)
     select tenant_id, notification_id, 'email:address:' || n, 'email', 'address:' || n, 'sent', 5, accepted_at, accepted_at,
       accepted_at from records, generate_series(1, $1) n`,
    [ROUTES_EACH],
  )
  await carillon.pool.query(
    `insert into route_attempts (tenant_id, notification_id, route_id, attempt_no, outcome, worker, started_at)
     select tenant_id, notification_id, route_id, 1, 'sent', 'w', created_at from routes`,
  )
}

const archived = async (): Promise<number> =>
  (await carillon.pool.query('select count(*)::integer as n from records_archive')).rows[0].n

it('every record is in exactly one place although a mover is killed, and messages go out', {
  tags: 'S002-29',
}, async () => {
  await addFinished()
  await createMonths(carillon.pool)
  const victim = startMover()
  const worker = carillon.deliver(() => ({ kind: 'sent' }))
  const exited = once(victim, 'exit')
  await expect.poll(archived, { timeout: 30_000, interval: 2 }).toBeGreaterThan(10)
  const sent = [await carillon.send(), await carillon.send()]
  victim.kill('SIGKILL')
  await exited
  await expectOnePlace()
  expect(await archived()).toBeLessThan(RECORDS)
  const small = { batch: { records: 7, routes: 1000 } }
  const moved = await Promise.all([
    archiveOnce(carillon.pool, small),
    archiveOnce(carillon.pool, small),
    ...sent.map(id => carillon.settled(id, 'sent')),
  ])
  await worker.stop()
  expect(moved).toHaveLength(4)
  await archiveOnce(carillon.pool)
  await expectOnePlace()
  const { rows } = await carillon.pool.query(
    `select (select count(*) from records_archive)::integer as records, (select count(*) from routes_archive)::integer as routes,
       (select count(*) from route_attempts_archive)::integer as attempts, (select count(*) from records)::integer as live`,
  )
  expect(rows[0]).toEqual({
    records: RECORDS,
    routes: RECORDS * ROUTES_EACH,
    attempts: RECORDS * ROUTES_EACH,
    live: sent.length,
  })
})
