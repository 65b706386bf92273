/** Every invariant: a row that breaks it is found, told once and counted; when it is mended, that is over by itself. */
import { afterEach, beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { emit, orderAll } from '../../../test/events.ts'
import { readExposition } from '../../../test/exposition.ts'
import { openTransaction } from '../../../test/open-transaction.ts'
import { OUTBOX_KINDS } from '../../roles/outbox-kinds.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { createWalks, INVARIANT_NAMES } from './invariants.ts'
import { reconcile } from './reconciler.ts'

const carillon = useCarillon()
/** Their portions hold all that a test writes, so that one round looks at everything once. */
const walks = createWalks(OUTBOX_KINDS).map(walk => ({ ...walk, portion: 2000 }))
const options = () => ({ pool: carillon.pool, walks, intervalSeconds: 0, graceFactor: 0 })

/** Runs statements without triggers and foreign keys, as people do who repair or damage a database by hand. */
async function byHand(...statements: string[]): Promise<void> {
  const client = await carillon.pool.connect()
  try {
    await client.query('set session_replication_role = replica')
    for (const sql of statements) await client.query(sql.replaceAll('$tenant', `'${carillon.tenantId}'`))
  } finally {
    client.release(true)
  }
}

/** Once through all tables, or through those of the given walks. */
const lookThrough = (more: object = {}) => reconcile({ ...options(), ...more })

const violations = async () =>
  (
    await carillon.pool.query(
      'select invariant, item from invariant_violations where confirmed_at is not null order by invariant, item',
    )
  ).rows.map(row => row.invariant)
const namesOf = async () => [...new Set(await violations())]
const suspicions = async () =>
  (await carillon.pool.query('select from invariant_violations where confirmed_at is null')).rowCount
const events = async (state = 'open') =>
  (await carillon.readAll(`/v1/system-events?event_type=invariant_violated&state=${state}`)).map(
    event => event.subject,
  )
async function counted(name: string): Promise<number | undefined> {
  const families = readExposition(await createMetrics(carillon.pool).text())
  return families
    .get('carillon_invariant_violations')!
    .series.get(`carillon_invariant_violations{invariant="${name}"}`)
}

const ID = '01900000-0000-7000-8000-00000000000a'
const OTHER = '01900000-0000-7000-8000-00000000000b'
const A_RECORD = `insert into records (tenant_id, notification_id, notification_type, producer, audience_kind, channels,
    payload_json, idempotency_key, request_fingerprint, idempotency_expires_at, source, retry_base_ms, retry_cap_ms,
    accepted_at, expanded_at, updated_at)
  values ($tenant, '${ID}', 't', 'p', 'users', '{email}', '{}', 'by hand', '', now(), 'http', 1, 1, now(), now(), now())`
const aRoute = (
  fields: string,
  values: string,
  id = ID,
) => `insert into routes (tenant_id, notification_id, route_id, channel,
    recipient_ref, max_attempts, created_at, updated_at, ${fields})
  values ($tenant, '${id}', 'r', 'email', 'email:a', 5, now(), now(), ${values})`
const waiting = (more = '', values = '') =>
  aRoute(`status, next_attempt_at${more}`, `'pending', now() + interval '1 hour'${values}`)
const anOutboxRow = (more = '', values = '', kind = 'webhook') =>
  `insert into outbox (id, tenant_id, source_kind, op, target_id, payload, next_attempt_at${more})
   values ('${ID}', $tenant, '${kind}', 'o', '${ID}', '{}', now() + interval '1 hour'${values})`
const WITHOUT_CHECK = 'alter table routes drop constraint routes_due_while_open'
const HOURS = `insert into notification_metrics (tenant_id, date, hour, provider, channel, notification_type, sent, failed,
    pending, skipped, cancelled, expired, delivery_ms_total, updated_at)
  select $tenant, (h.at at time zone 'UTC')::date, h.hour, 'p', 'email', 't', h.sent, 0, 0, 0, 0, 0, 0, now()
  from (select now() - interval '5 hours' as at) n cross join lateral (values
    (n.at, extract(hour from n.at at time zone 'UTC'), 1), (n.at, null, 1)) h (at, hour, sent)`

/** Name, what breaks it, what mends it. */
const CASES: [name: string, broken: string[], mended: string[]][] = [
  [
    'record_has_timer',
    [A_RECORD, 'update records set expanded_at = null'],
    ['update records set expanded_at = now()'],
  ],
  [
    'route_has_timer',
    [A_RECORD, WITHOUT_CHECK, aRoute('status', `'pending'`)],
    ['update routes set next_attempt_at = now()'],
  ],
  ['route_has_record', [waiting()], [A_RECORD]],
  [
    'route_lease_ends',
    [A_RECORD, waiting(', lease_owner, lease_until', `, 'w', now() + interval '1 day'`)],
    ['update routes set lease_owner = null, lease_until = null'],
  ],
  [
    'route_lease_taken_over',
    [A_RECORD, waiting(', lease_owner, lease_until', `, 'w', now() - interval '2 hours'`)],
    [`update routes set lease_owner = 'x', lease_until = now() + interval '1 minute', claim_count = 1`],
  ],
  [
    'dead_route_has_letter',
    [A_RECORD, aRoute('status, dead_at', `'dead', now()`)],
    [`update routes set status = 'sent', dead_at = null, sent_at = now()`],
  ],
  [
    'route_has_template',
    [A_RECORD, waiting(', template_version_id', `, '${OTHER}'`)],
    ['update routes set template_version_id = null'],
  ],
  [
    'digest_has_route',
    [
      A_RECORD,
      aRoute('status, reason, skipped_at, digest_id', `'skipped', 'digested', now(), '${OTHER}'`),
      `insert into digests (id, tenant_id, notification_type, channel, recipient_ref, key, closes_at)
       values ('${OTHER}', $tenant, 't', 'email', 'email:a', '', now() + interval '1 hour')`,
    ],
    ['update digests set closed_at = now(), item_count = 0'],
  ],
  [
    'expansion_moves',
    [
      A_RECORD,
      `insert into expansions (tenant_id, notification_id, created_at)
       values ($tenant, '${ID}', now() - interval '2 hours')`,
    ],
    ['delete from expansions'],
  ],
  ['outbox_has_handler', [anOutboxRow('', '', 'of_the_future')], ['delete from outbox']],
  [
    'outbox_lease_ends',
    [anOutboxRow(', lease_owner, lease_until', `, 'w', now() + interval '1 day'`)],
    ['delete from outbox'],
  ],
  [
    'outbox_lease_taken_over',
    [anOutboxRow(', lease_owner, lease_until', `, 'w', now() - interval '2 hours'`)],
    ['update outbox set lease_owner = null, lease_until = null'],
  ],
  [
    'letter_has_source',
    [
      A_RECORD,
      aRoute('status, sent_at', `'sent', now()`),
      `insert into dead_letters (tenant_id, source_kind, notification_id, route_id, notification_type, channel, recipient_ref,
         final_attempt_count, max_attempts, failure_reason, failure_classification, failure_message, created_at)
       values ($tenant, 'route', '${ID}', 'r', 't', 'email', '', 1, 1, 'permanent_failure', 'permanent', '', now())`,
    ],
    [`update dead_letters set resolved_at = now(), resolution = 'ignored'`],
  ],
  [
    'delivery_has_row',
    [
      `insert into webhook_deliveries (tenant_id, id, webhook_id, event_id, event_type, payload, attempts, next_retry_at)
       values ($tenant, '${ID}', '${OTHER}', '${ID}', 'e', '{}', '[]', now())`,
    ],
    [anOutboxRow()],
  ],
  [
    'recovery_has_row',
    [
      `insert into webhook_recoveries (tenant_id, id, webhook_id, since, until, matched)
       values ($tenant, '${ID}', '${OTHER}', now(), now(), 1)`,
    ],
    ['update webhook_recoveries set finished_at = now()'],
  ],
  [
    'cursor_reaches_end',
    [
      `insert into domain_events (tenant_id, event_id, id, kind, producer) values ($tenant, '${ID}', 7, 'k', 'p')`,
    ],
    ['delete from domain_events'],
  ],
  [
    'tenant_has_cursors',
    [`delete from domain_events_processed where consumer = 'triggers'`],
    [`insert into domain_events_processed (tenant_id, consumer) values ($tenant, 'triggers')`],
  ],
  [
    'schedule_runs',
    [
      `insert into schedules (id, tenant_id, name, cron, timezone, intent, producer, next_run_at)
       values ('${ID}', $tenant, 'n', '@daily', 'UTC', '{}', 'p', now() - interval '2 hours')`,
    ],
    [`update schedules set next_run_at = now() + interval '1 day'`],
  ],
  [
    'cron_trigger_runs',
    [
      `insert into cron_trigger_details (tenant_id, trigger_id, cron, next_run_at)
       values ($tenant, '${ID}', '@daily', now() - interval '2 hours')`,
    ],
    [`delete from cron_trigger_details`],
  ],
  ['hour_equals_records', [HOURS], ['delete from notification_metrics']],
  [
    'day_equals_hours',
    [HOURS, 'update notification_metrics set sent = 0 where hour is not null'],
    ['delete from notification_metrics'],
  ],
]

/** Invariants that have a system event of their own. */
const TOLD_ELSEWHERE = ['cursor_moves', 'event_has_place']

const WRITTEN = [
  ...[
    'records',
    'routes',
    'digests',
    'expansions',
    'outbox',
    'dead_letters',
    'webhook_deliveries',
    'webhook_recoveries',
  ],
  ...['domain_events', 'schedules', 'cron_trigger_details', 'notification_metrics', 'invariant_violations'],
  ...['invariant_walks', 'admin_system_events'],
]
beforeAll(() => carillon.putUser('ada', { email: 'ada@example.com' }))
afterEach(async () => {
  const emptied = WRITTEN.map(table => `delete from ${table}`)
  await byHand(...emptied, 'update domain_events_processed set last_event_id = 0, head_id = 0')
})

it('every invariant is broken by a test', () => {
  expect([...CASES.map(([name]) => name), ...TOLD_ELSEWHERE].toSorted()).toEqual(INVARIANT_NAMES.toSorted())
})

it.each(CASES)(
  'the reconciler finds a violation of %s, tells of it once, and takes it back when it is mended',
  async (name, broken, mended) => {
    const only = { walks: walks.filter(walk => walk.invariants.some(invariant => invariant.name === name)) }
    await byHand(...broken)
    await lookThrough(only)
    // Seen once is only a suspicion.
    expect(await violations()).toEqual([])
    expect(await suspicions()).toBeGreaterThan(0)
    await lookThrough({ ...only, graceFactor: 1 })
    expect(await violations()).toEqual([])
    await lookThrough(only)
    expect(await namesOf()).toEqual([name])
    await lookThrough(only)
    expect([await events(), await counted(name)]).toEqual([[name], (await violations()).length])
    await byHand(...mended)
    await lookThrough(only)
    expect([await violations(), await events(), await counted(name)]).toEqual([[], [], 0])
    expect(await events('resolved')).toEqual([name])
    if (broken.includes(WITHOUT_CHECK))
      await byHand(`alter table routes add constraint routes_due_while_open
        check ((next_attempt_at is not null) = (status in ('pending', 'retrying')))`)
  },
)

it('an hour whose figures outlive its records breaks no invariant', async () => {
  const only = { walks: walks.filter(walk => walk.name === 'counted hours') }
  // Of two types, because both hours may be of one day.
  await byHand(
    HOURS.replace('5 hours', '49 hours'),
    HOURS.replace('5 hours', '30 hours').replace("'t'", "'u'"),
  )
  await lookThrough(only)
  expect(await suspicions()).toBe(1)
  const keep = (days: number) => ({
    idempotency_window_seconds: 3600,
    record_hot_days: 1,
    record_retention_days: days,
  })
  await carillon.request('PATCH', '/v1/tenant', { body: keep(1) })
  await lookThrough(only)
  expect(await suspicions()).toBe(0)
  await carillon.request('PATCH', '/v1/tenant', { body: keep(365) })
})

it('an invariant with a system event of its own raises no second one, and names the next event', async () => {
  const id = await emit(carillon.pool, { kind: 'poison' })
  await orderAll(carillon.pool)
  await emit(carillon.pool)
  await byHand(
    `update domain_events_processed set moved_at = now() - interval '1 hour'`,
    `update domain_events set created_at = now() - interval '1 hour'`,
  )
  await lookThrough()
  await lookThrough()
  expect(await violations()).toEqual(['cursor_moves', 'cursor_moves', 'cursor_moves', 'event_has_place'])
  expect(await events()).toEqual([])
  const { rows } = await carillon.pool.query(
    `select details from invariant_violations where item = 'notify_fanout'`,
  )
  expect(rows[0].details).toMatchObject({ event_id: id, kind: 'poison', tries: 0 })
})

const manyRoutes = (first: number, last: number) =>
  `insert into routes (tenant_id, notification_id, route_id, channel, recipient_ref, max_attempts, created_at, updated_at,
     status, next_attempt_at) select $tenant, '${OTHER}', n, 'email', '', 5, now(), now(), 'pending', now()
   from generate_series(${first}, ${last}) n`

it('the reconciler goes on where another process was, and begins again when it is time', async () => {
  const routes = walks.filter(walk => walk.name === 'routes').map(walk => ({ ...walk, portion: 2 }))
  const ids: string[] = []
  for (let n = 0; n < 5; n++) ids.push(await carillon.send())
  const cursors = []
  for (let round = 0; round < 4; round++) {
    await reconcile({ ...options(), walks: routes, intervalSeconds: 3600 })
    const { rows } = await carillon.pool.query('select cursor from invariant_walks')
    cursors.push(rows[0].cursor?.notification_id ?? null)
  }
  ids.sort()
  expect(cursors).toEqual([ids[1], ids[3], null, null])
})

it('the reconciler leaves a walk to the process that is at it', async () => {
  await lookThrough()
  await byHand(waiting())
  const other = await openTransaction(carillon.pool)
  await other.client.query('select from invariant_walks for update')
  await lookThrough()
  expect(await suspicions()).toBe(0)
  await other.rollback()
  await lookThrough()
  expect(await suspicions()).toBe(1)
})

it('the reconciler begins anew with a row that has moved, and keeps no more than 1,000 violations', async () => {
  await byHand(A_RECORD, waiting(', lease_owner, lease_until', `, 'w', now() - interval '2 hours'`))
  await lookThrough()
  await byHand('update routes set claim_count = claim_count + 1')
  await lookThrough()
  expect([await violations(), await suspicions()]).toEqual([[], 1])
  await byHand(manyRoutes(1, 3000))
  await lookThrough()
  await lookThrough()
  expect(await counted('route_has_record')).toBe(1000)
  expect(await events()).toContain('route_has_record')
})

it('the reconciler keeps violations that come after many others', async () => {
  await byHand(manyRoutes(1, 600))
  await lookThrough()
  await byHand(manyRoutes(601, 602))
  await lookThrough()
  await lookThrough()
  expect(await counted('route_has_record')).toBe(602)
})

it('the reconciler finds what is broken of one tenant, however much is of another', async () => {
  const quiet = await carillon.createTenant('quiet')
  await byHand(manyRoutes(1, 3000), manyRoutes(1, 1).replace('$tenant', `'${quiet.id}'`))
  const all = walks.map(walk => ({ ...walk, portion: 5000 }))
  await lookThrough({ walks: all })
  await lookThrough({ walks: all })
  const path = '/v1/system-events?event_type=invariant_violated&state=open'
  expect(await carillon.readAll(path, 100, quiet.key)).toMatchObject([
    { subject: 'route_has_record', details: { violations: 1 } },
  ])
  expect(await counted('route_has_record')).toBe(1001)
  await byHand('delete from routes')
  await carillon.pool.query('delete from tenants where id = $1', [quiet.id])
  await lookThrough({ walks: all })
  expect(await counted('route_has_record')).toBe(0)
})

it('the reconciler says nothing about a tenant that is being deleted', async () => {
  await byHand(
    waiting(),
    'update tenants set suspended_at = now(), delete_at = now(), deleting_since = now()',
  )
  await lookThrough()
  expect(await suspicions()).toBe(0)
  await byHand('update tenants set suspended_at = null, delete_at = null, deleting_since = null')
})
