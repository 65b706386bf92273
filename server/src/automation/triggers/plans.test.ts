/** With ten thousand triggers of each kind, one per tenant, an event reads only those of its own. */
import { TRIGGER_KINDS } from '@carillon/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { fill, useOwnFullDatabase } from '../../../test/full-database.ts'
import { describePlans, PAGE, type PlanCase, readingOf, UUID } from '../../../test/plans.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { finishRuns, lockDueCron } from './cron-queries.ts'
import { selectHook, selectTrigger, selectTriggerOfRun, selectTriggers } from './queries.ts'
import { fireTrigger, fireTriggers, type Happening } from './triggers.ts'

const full = useOwnFullDatabase()
const OWN = 20
let own: string

const parents = (tenants: string, each: number) => `
  insert into triggers (id, tenant_id, name, script_id, kind, max_attempts, backoff, base_ms, registered_by_key,
    registered_scopes, is_enabled)
  select uuid_v7(), t.id, 'n', md5(t.id::text || n)::uuid, k, 3, 'linear', 1, md5(t.id::text || n || k)::uuid, '{}', n % 4 > 0
  from ${tenants} t, generate_series(1, ${each}) n, unnest('{${TRIGGER_KINDS}}'::text[]) k`
const details = (kind: string, columns: string, values: string) => `
  insert into ${kind}_trigger_details (tenant_id, trigger_id, ${columns})
  select tenant_id, id, ${values} from (
    select *, row_number() over () as n from triggers where kind = '${kind}'
  ) t`

beforeAll(async () => {
  await fill(full.pool, full.tenantId, [
    parents("(select * from tenants where name <> 'full')", 1),
    parents("(select * from tenants where name = 'full')", OWN),
    details('kv', 'collection_glob, ops', "case n % 3 when 0 then '*' else 'c' || n end, '{}'"),
    details('cron', 'cron, next_run_at', "'@daily', now() + make_interval(secs => n - 50)"),
    details('event', 'event_kind_glob, topic', "'k' || n || '*', case n % 2 when 0 then 't' end"),
    details('queue', 'queue_glob', "'q' || n"),
    details('email', 'address_glob', "'a' || n || '@x.io'"),
    details('http', 'token_hash', 'sha256(id::text::bytea)'),
    details('dead_letter', 'source', "case n % 2 when 0 then 's' end"),
  ])
  const { rows } = await full.pool.query(
    'select id from triggers where tenant_id = $1 and is_enabled limit 1',
    [full.tenantId],
  )
  own = rows[0].id
}, 600_000)

const SUBJECTS: Record<Happening['kind'], Record<string, unknown>> = {
  kv: { collection: 'c1', op: 'insert' },
  event: { kind: 'k1', topic: 't' },
  queue: { queue: 'q1' },
  email: { addresses: ['a1@x.io', 'b@x.io'] },
  dead_letter: { source: 's', trigger_id: UUID, script_id: UUID },
}
const KINDS = Object.keys(SUBJECTS) as Happening['kind'][]
const fire = (kind: Happening['kind']) => (db: Pool) =>
  fireTriggers(db, full.tenantId, { kind, subject: SUBJECTS[kind], op: 'o', payload: '{}' })
const list = (filter: object) => (db: Pool) =>
  selectTriggers(db, full.tenantId, { state: 'all', ...PAGE, ...filter })
const asClient = (db: Pool) => db as unknown as Client
const key = () => ({ tenant_id: full.tenantId, id: own })

const CASES: PlanCase[] = [
  ...KINDS.map(
    (kind): PlanCase => [`triggers of the kind ${kind}`, 'triggers_enabled', fire(kind), ['S003-5']],
  ),
  ['triggers', 'triggers_(pkey|enabled|script|tenant_id_id_kind_key)', list({})],
  ['the next page of triggers', 'triggers_(pkey|tenant_id_id_kind_key)', list({ after: [UUID] })],
  ['triggers of a kind', 'triggers_(pkey|enabled|script|tenant_id_id_kind_key)', list({ kind: 'kv' })],
  ['triggers of a script', 'triggers_(pkey|script)', list({ script_id: UUID })],
  ['one trigger', 'triggers_(pkey|tenant_id_id_kind_key)', db => selectTrigger(db, full.tenantId, own)],
  [
    'the trigger of a run',
    'triggers_(pkey|tenant_id_id_kind_key)',
    db => selectTriggerOfRun(db, full.tenantId, own),
  ],
  ['firing one', 'triggers_(pkey|tenant_id_id_kind_key)', db => fireTrigger(db, key(), 'o', '{}')],
  ['an address', 'http_trigger_details_token_hash_key', db => selectHook(db, Buffer.alloc(32))],
  ['the cron trigger that has been due longest', 'cron_trigger_details_due', db => lockDueCron(db)],
  [
    'the end of its runs',
    'cron_trigger_details_pkey',
    db => finishRuns(asClient(db), key(), { lastRunAt: undefined, nextRunAt: null }),
  ],
  [
    'the triggers of a key',
    'triggers_key',
    db => db.query('select * from remove_key_triggers($1, $2)', [full.tenantId, UUID]),
  ],
  [
    'the policy of a trigger',
    'triggers_(pkey|tenant_id_id_kind_key)',
    db => db.query("select * from target_policy($1, 'kv', $2)", [full.tenantId, own]),
  ],
]

describePlans(full, CASES)

describe('matching', () => {
  it.each(KINDS)('of the kind %s reads no more than a few rows of its own tenant', async kind => {
    const { pages, whole } = await readingOf(full.pool, db =>
      db.query('select matching_triggers($1, $2, $3)', [full.tenantId, kind, JSON.stringify(SUBJECTS[kind])]),
    )
    expect([whole, pages]).toEqual([[], expect.toSatisfy((read: number) => read < OWN * 8)])
  })
})
