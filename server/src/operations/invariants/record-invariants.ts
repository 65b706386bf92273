/** What must hold of records, routes and digests: everything accepted ends, or something will move it on. */
import { LONG, LONG_SECONDS, SOON_SECONDS, tableWalk, type Walk } from './invariant.ts'

const ROUTE = `format('%s %s', x.notification_id, x.route_id)`
/** No setting allows a longer lease. */
const LONGEST_LEASE = `interval '2 hours'`

export const leaseInvariants = (noun: 'route' | 'outbox', item: string) => [
  {
    name: `${noun}_lease_ends`,
    holds: 'Every lease has an end in sight.',
    advice: 'Set lease_owner and lease_until of the row to null; another worker takes it then.',
    graceSeconds: SOON_SECONDS,
    broken: `x.lease_until > now() + ${LONGEST_LEASE}`,
    item,
    since: 'now()',
    state: 'x.claim_count',
    details: `jsonb_build_object('lease_owner', x.lease_owner, 'lease_until', x.lease_until)`,
  },
  {
    name: `${noun}_lease_taken_over`,
    holds: 'What a worker left behind is taken over by another one.',
    advice: `Start a process with the role ${noun === 'route' ? 'delivery' : 'dispatch'}; if one runs, look for a session that keeps the row locked.`,
    graceSeconds: SOON_SECONDS,
    broken: `x.lease_until < now() - ${LONG}`,
    item,
    since: 'x.lease_until',
    state: 'x.claim_count',
    details: `jsonb_build_object('lease_owner', x.lease_owner, 'attempts', x.attempt_count)`,
  },
]

export const recordWalk: Walk = tableWalk({
  name: 'records',
  table: 'records',
  key: [
    ['tenant_id', 'uuid'],
    ['notification_id', 'uuid'],
  ],
  columns: ['audience_kind', 'event_id', 'accepted_at', 'expanded_at', 'cancelled_at', 'notification_type'],
  invariants: [
    {
      name: 'record_has_timer',
      holds: 'Every accepted record is cancelled, has all its routes, or is still being expanded.',
      advice:
        'Part of its audience was never told. Send it again under another idempotency key, or cancel the record.',
      graceSeconds: SOON_SECONDS,
      // The audience of an event is expanded by whoever reads the log: until it has passed the event, or given it up.
      broken: `x.expanded_at is null and x.cancelled_at is null and case when x.audience_kind = 'event' then exists (
          select from domain_events e join domain_events_processed p
            on p.tenant_id = e.tenant_id and p.consumer = 'notify_fanout' and p.last_event_id >= e.id
          where e.tenant_id = x.tenant_id and e.event_id = x.event_id
        ) and not exists (
          select from dead_letters d where d.tenant_id = x.tenant_id
            and d.original_event_id = derived_uuid('notify_fanout ' || x.event_id)
        ) else not exists (
          select from expansions e where e.tenant_id = x.tenant_id and e.notification_id = x.notification_id
        ) end`,
      item: 'x.notification_id',
      since: 'x.accepted_at',
      details: `jsonb_build_object('notification_type', x.notification_type)`,
    },
  ],
})

export const routeWalk: Walk = tableWalk({
  name: 'routes',
  table: 'routes',
  key: [
    ['tenant_id', 'uuid'],
    ['notification_id', 'uuid'],
    ['route_id', 'text'],
  ],
  columns: [
    'status',
    'next_attempt_at',
    'lease_owner',
    'lease_until',
    'claim_count',
    'attempt_count',
    'template_version_id',
    'dead_at',
    'created_at',
    'updated_at',
  ],
  invariants: [
    {
      name: 'route_has_timer',
      holds: 'Every open route has a time at which it is tried, and no finished one has.',
      advice:
        'Set next_attempt_at of the open route to now(), then put the constraint routes_due_while_open back.',
      graceSeconds: SOON_SECONDS,
      broken: `(x.next_attempt_at is null) = (x.status in ('pending', 'retrying'))`,
      item: ROUTE,
      since: 'x.updated_at',
      state: `x.status || x.claim_count`,
    },
    {
      name: 'route_has_record',
      holds: 'Every route belongs to a record.',
      advice: 'Nobody can send it without the record. Delete the route.',
      graceSeconds: SOON_SECONDS,
      broken: `not exists (
        select from records r where r.tenant_id = x.tenant_id and r.notification_id = x.notification_id)`,
      item: ROUTE,
      since: 'x.created_at',
    },
    ...leaseInvariants('route', ROUTE),
    {
      name: 'dead_route_has_letter',
      holds: 'Every route that was given up has a dead letter, until that is too old to be kept.',
      advice:
        'It failed without anybody being told. Look at it with carillon explain, and send the notification again if it matters.',
      graceSeconds: SOON_SECONDS,
      broken: `x.status = 'dead' and not exists (
          select from dead_letters d where d.tenant_id = x.tenant_id and d.notification_id = x.notification_id
            and d.route_id = x.route_id
        ) and x.dead_at > now() - make_interval(days => (
          select t.dead_letter_retention_days from tenant_retention t where t.tenant_id = x.tenant_id)) + interval '1 hour'`,
      item: ROUTE,
      since: 'x.dead_at',
    },
    {
      name: 'route_has_template',
      holds: 'The template version of every open route exists.',
      advice: 'Restore the template version from a backup, or cancel the notification and send it again.',
      graceSeconds: SOON_SECONDS,
      broken: `x.next_attempt_at is not null and x.template_version_id is not null and not exists (
        select from template_versions v where v.tenant_id = x.tenant_id and v.id = x.template_version_id)`,
      item: ROUTE,
      since: 'x.created_at',
    },
  ],
})

export const digestWalk: Walk = tableWalk({
  name: 'open digests',
  table: 'digests',
  key: [
    ['tenant_id', 'uuid'],
    ['notification_type', 'text'],
    ['recipient_ref', 'text'],
    ['channel', 'text'],
    ['key', 'text'],
  ],
  columns: ['id', 'first_notification_id', 'created_at'],
  where: 'x.closed_at is null',
  invariants: [
    {
      name: 'digest_has_route',
      holds: 'Every open digest with items has the route that sends it.',
      advice:
        'Its items would never go out. Set closed_at and item_count of the digest, and send them again.',
      graceSeconds: SOON_SECONDS,
      broken: `exists (
          select from routes r where r.tenant_id = x.tenant_id and r.digest_id = x.id and r.notification_id <> x.id
            and r.notification_id is distinct from x.first_notification_id and r.status <> 'cancelled'
        ) and not exists (
          select from routes r where r.tenant_id = x.tenant_id and r.notification_id = x.id)`,
      item: 'x.id',
      since: 'x.created_at',
    },
  ],
})

export const expansionWalk: Walk = tableWalk({
  name: 'expansions',
  table: 'expansions',
  key: [
    ['tenant_id', 'uuid'],
    ['notification_id', 'uuid'],
  ],
  columns: ['cursor', 'created_at'],
  invariants: [
    {
      name: 'expansion_moves',
      holds: 'Large audiences are expanded, unless a quota or a suspension makes them wait.',
      advice:
        'Start a process with the role fanout; if one runs, its log says why the audience does not move.',
      graceSeconds: LONG_SECONDS,
      // Audiences of a tenant are expanded one after the other, so this one waits on purpose while another moves.
      broken: `x.created_at < now() - ${LONG} and may_create_routes(x.tenant_id)`,
      item: 'x.notification_id',
      since: 'x.created_at',
      state: `(select string_agg(e.notification_id || e.cursor, ' ' order by e.notification_id)
        from expansions e where e.tenant_id = x.tenant_id)`,
    },
  ],
})
