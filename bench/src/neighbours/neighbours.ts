/**
 * What a quiet tenant notices of a loud one: how old its messages are when the provider is called, alone, beside a tenant
 * with tens of thousands of messages due, and beside one whose provider hangs.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { createTenant } from '../../../server/dist/oversight/tenants/tenants.js'
import { type Pool, transaction } from '../../../server/dist/platform/database/pool.js'
import { type Child, startChild } from '../child.ts'
import type { Benchmark, Result } from '../result.ts'
import { median, percentile } from '../rounds.ts'
import type { Scratch } from '../scratch.ts'
import { addDueRoutes, prepareTenant, removeRecords, vacuum } from '../tenant.ts'

const WARM_UP = 50
const MESSAGES = 200
const EVERY_MS = 20
/** More than is delivered while the quiet tenant's messages are measured. */
const FLOOD = 200_000
const CHUNK = 10_000
const HANGING = 1000

type Neighbour = 'none' | 'floods' | 'hangs'

export const benchmarkNeighbours: Benchmark = async ({ scratch, rounds, tell }) => {
  const { pool, url: databaseUrl } = await scratch.createDatabase('neighbours')
  const { id: loudTenant } = await prepareTenant({ pool, url: databaseUrl })
  const quiet = await transaction(pool, tx => createTenant(tx, { name: 'quiet', accept_unknown_types: true }))
  const worker = await startChild(new URL('./worker-process.js', import.meta.url), {
    databaseUrl,
    quietTenant: quiet.id,
  })
  const p99 = (neighbour: Neighbour) =>
    measure({ scratch, pool, worker, loudTenant, quietTenant: quiet.id }, neighbour)
  try {
    tell(
      `${MESSAGES} messages of a quiet tenant, alone, beside ${FLOOD.toLocaleString('en')} due and beside ${HANGING} that hang`,
    )
    await p99('none')
    const measured: Record<Neighbour, number>[] = []
    for (let round = 0; round < rounds; round++) {
      const values = { none: await p99('none'), floods: await p99('floods'), hangs: await p99('hangs') }
      measured.push(values)
      const shown = Object.entries(values).map(([name, value]) => `${name} ${value.toFixed(0)} ms`)
      tell(`round ${round + 1}/${rounds}: p99 with a neighbour that: ${shown.join(', ')}`)
    }
    return [result('floods', measured), result('hangs', measured)]
  } finally {
    await worker.stop()
  }
}

interface Setup {
  scratch: Scratch
  pool: Pool
  worker: Child
  loudTenant: string
  quietTenant: string
}

async function measure(
  { scratch, pool, worker, loudTenant, quietTenant }: Setup,
  neighbour: Neighbour,
): Promise<number> {
  await removeRecords(pool)
  for (let i = 0; neighbour === 'floods' && i < FLOOD; i += CHUNK) await addDueRoutes(pool, loudTenant, CHUNK)
  if (neighbour === 'hangs') await addDueRoutes(pool, loudTenant, HANGING)
  await vacuum(pool)
  // Otherwise commits wait for the disk that writes the rows of the flood.
  await scratch.checkpoint()
  await worker.ask(neighbour === 'hangs' ? 'hang' : 'pass')
  for (let i = 0; i < WARM_UP + MESSAGES; i++) {
    await accept(pool, quietTenant)
    await delay(EVERY_MS)
  }
  const latencies = await worker.ask<number[]>({ await: WARM_UP + MESSAGES })
  const { rows } = await pool.query<{ due: number }>(
    'select count(*)::integer as due from routes where next_attempt_at is not null',
  )
  if (neighbour !== 'none' && rows[0]!.due === 0) throw new Error('the neighbour was done too early')
  await worker.ask('stop')
  return percentile(latencies.slice(WARM_UP), 0.99)
}

function accept(pool: Pool, tenantId: string) {
  const intent = {
    ord: 1,
    tenant_id: tenantId,
    notification_type: 'hello',
    producer: 'bench',
    source: 'bench',
    payload_json: JSON.stringify({ title: 'Hello', sent_at: Date.now() }),
    audience: { kind: 'addresses', channel: 'email', addresses: ['ada@example.com'] },
  }
  return pool.query(
    `select from accept_intents(jsonb_build_array($1::jsonb || jsonb_build_object(
       'notification_id', uuid_v7(), 'idempotency_key', gen_random_uuid())))`,
    [JSON.stringify(intent)],
  )
}

function result(neighbour: Neighbour, measured: Record<Neighbour, number>[]): Result {
  const ratio = median(measured.map(values => values[neighbour] / values.none))
  return {
    name: 'neighbours',
    what: `p99 of a quiet tenant beside one that ${neighbour}`,
    measured: `${median(measured.map(values => values[neighbour])).toFixed(0)} ms`,
    anchor: `${median(measured.map(values => values.none)).toFixed(0)} ms`,
    ratio: { median: ratio, best: Math.min(...measured.map(values => values[neighbour] / values.none)) },
    aim: '≤ 2.00',
    isMet: ratio <= 2,
    data: measured,
  }
}
