import { expect, test, vi } from 'vitest'
import { waitFor } from '../server/test/wait-for.ts'
import { useProcesses } from './processes.fixture.ts'

// Whole processes start in every test, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 })

const processes = useProcesses(() => ({ CARILLON_POLL_MS: '20' }))
const { start, connect } = processes
const query = async (text: string, values: unknown[] = []) =>
  (await processes.database.pool.query(text, values)).rows

const EVENTS = 250

/** The same people, topic and events for each tenant: comments on seven threads, some of them with mentions. */
async function prepare(tenantId: string): Promise<void> {
  await query(
    `insert into users (tenant_id, id, email) select $1, 'u' || n, 'u' || n || '@example.com' from generate_series(1, 60) n`,
    [tenantId],
  )
  await query("insert into topics (tenant_id, topic) values ($1, 'repo')", [tenantId])
  await query(
    `insert into watches (tenant_id, topic, user_id, level)
     select $1, 'repo', 'u' || n, case when n % 7 = 0 then 'ignore' else 'all' end from generate_series(1, 50) n`,
    [tenantId],
  )
}

const emit = (tenant: string) =>
  query(
    `select carillon.emit_event(jsonb_build_object('tenant', $1::text, 'kind', k.kind, 'topic', 'repo',
       'actor_id', 'u' || 1 + n % 60, 'thread', jsonb_build_object('kind', 'issue', 'id', (n % 7)::text),
       'relations', jsonb_build_object('mention', jsonb_build_array('u' || 1 + n * 13 % 60))))
     from generate_series(1, $2::integer) n
     cross join lateral (select case n % 5 when 0 then 'issue_closed' else 'issue_comment_created' end as kind) k`,
    [tenant, EVENTS],
  )

async function progress(tenantId: string): Promise<number> {
  const [row] = await query(
    `select last_event_id::integer as at from domain_events_processed
     where consumer = 'notify_fanout' and tenant_id = $1`,
    [tenantId],
  )
  return row.at
}

const told = async (tenantId: string) => ({
  inbox: await query(
    `select user_id, thread_id, kind, reason, event_count, source_event_id::integer as event, last_actor_id, is_read
     from notifications where tenant_id = $1 order by user_id, thread_id`,
    [tenantId],
  ),
  mails: await query(
    `select e.id::integer as event, r.reason, x.route_id from records r
     join domain_events e on e.tenant_id = r.tenant_id and e.event_id = r.event_id
     join routes x on x.tenant_id = r.tenant_id and x.notification_id = r.notification_id
     where r.tenant_id = $1 order by 1, 3`,
    [tenantId],
  ),
  subscriptions: await query(
    'select user_id, thread_id, subscribed, reason from notification_threads where tenant_id = $1 order by 1, 2',
    [tenantId],
  ),
})

test('two fan-out workers and kill -9 in a loop: the inbox equals that of an undisturbed run', {
  tags: ['S001-17', 'S001-20'],
}, async () => {
  await start('api')
  const [disturbed, calm] = await Promise.all(
    ['disturbed', 'calm'].map(async name => (await connect().tenants.create({ name })).id),
  )
  for (const tenant of [disturbed!, calm!]) await prepare(tenant)
  const workers = [await start('fanout'), await start('fanout')]
  await emit('disturbed')
  for (let round = 0; round < 4; round++) {
    const before = await progress(disturbed!)
    await waitFor(async () => (await progress(disturbed!)) > Math.min(before, EVENTS - 1), {
      what: 'work in flight',
      deadlineMs: 60_000,
    })
    await workers[round % 2]!.end('SIGKILL')
    workers[round % 2] = await start('fanout')
  }
  await emit('calm')
  for (const tenant of [disturbed!, calm!])
    await waitFor(async () => (await progress(tenant)) === EVENTS, {
      what: 'every event',
      deadlineMs: 60_000,
    })
  const [one, other] = [await told(disturbed!), await told(calm!)]
  expect(one.inbox.length).toBeGreaterThan(300)
  expect(one.mails.length).toBeGreaterThan(EVENTS)
  expect(one).toEqual(other)
})
