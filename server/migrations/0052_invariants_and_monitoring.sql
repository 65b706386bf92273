-- Up Migration

-- How far the reconciler has looked through each table, so that whichever process goes on goes on from there.
create table invariant_walks (
  walk text primary key check (length(walk) between 1 and 50),
  -- the key of the last row that was looked at; null before the first
  cursor jsonb,
  started_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);

-- Rows that break an invariant. One is a suspicion until it has been seen unchanged for the time that the invariant allows.
create table invariant_violations (
  tenant_id uuid not null references tenants on update cascade on delete cascade,
  invariant text not null check (length(invariant) between 1 and 50),
  item text not null,
  walk text not null,
  -- the row's key, by which it is looked at again
  key jsonb not null,
  -- changes when the row moves, and with it the suspicion begins anew
  state text not null default '',
  details jsonb not null default '{}',
  since timestamptz(3) not null,
  confirmed_at timestamptz(3),
  -- when it was found
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, invariant, item)
);
-- looking again at what a walk has found
create index invariant_violations_walk on invariant_violations (walk);
-- the metrics, and what is shown
create index invariant_violations_confirmed on invariant_violations (invariant, tenant_id) where confirmed_at is not null;

-- The questions that operators ask first, for psql and for tools that read SQL. The API answers from the same views.
-- Each starts from the tenant, so that it reads by index whether one tenant is asked about or all.
create view monitoring_hours as
select t.id as tenant_id, h.at, h.sent, h.failed, h.pending, h.skipped, h.cancelled, h.expired, h.counted_at
from tenants t
cross join lateral (
  -- as they were last counted
  select s.at, coalesce(sum(m.sent), 0)::integer as sent, coalesce(sum(m.failed), 0)::integer as failed,
    coalesce(sum(m.pending), 0)::integer as pending, coalesce(sum(m.skipped), 0)::integer as skipped,
    coalesce(sum(m.cancelled), 0)::integer as cancelled, coalesce(sum(m.expired), 0)::integer as expired,
    max(m.updated_at) as counted_at
  from generate_series(
    date_trunc('hour', now(), 'UTC') - interval '23 hours', now() - interval '1 hour', interval '1 hour'
  ) s (at)
  left join notification_metrics m on m.tenant_id = t.id and m.date = (s.at at time zone 'UTC')::date
    and m.hour = extract(hour from s.at at time zone 'UTC')::smallint
  group by s.at
  union all
  -- the current hour is counted now, so that what was just sent shows at once
  select date_trunc('hour', now(), 'UTC'), count(*) filter (where o.status = 'sent')::integer,
    count(*) filter (where o.status = 'dead')::integer,
    count(*) filter (where o.status in ('pending', 'retrying'))::integer,
    count(*) filter (where o.status = 'skipped')::integer, count(*) filter (where o.status = 'cancelled')::integer,
    count(*) filter (where o.status = 'expired')::integer, null::timestamptz(3)
  from records r join routes o on o.tenant_id = r.tenant_id and o.notification_id = r.notification_id
  where r.tenant_id = t.id and r.accepted_at >= date_trunc('hour', now(), 'UTC')
) h;

create view monitoring_status_24h as
select h.tenant_id, s.status, sum(s.count)::bigint as count
from monitoring_hours h
cross join lateral (values ('sent', h.sent), ('failed', h.failed), ('pending', h.pending), ('skipped', h.skipped),
  ('cancelled', h.cancelled), ('expired', h.expired)) s (status, count)
group by h.tenant_id, s.status;

-- Open for more than an hour after it was first due. The condition on next_attempt_at selects the open routes, by index; young
-- ones are left out by created_at first, because at peak times there are many, and their records need not be read then.
create view monitoring_stuck as
select o.tenant_id, o.notification_id, o.route_id, o.channel, o.user_id, o.status, o.reason, o.attempt_count,
  o.next_attempt_at, o.last_error_message, r.notification_type, greatest(o.created_at, r.send_at) as due_at
from routes o join records r on r.tenant_id = o.tenant_id and r.notification_id = o.notification_id
where o.next_attempt_at is not null and o.created_at < now() - interval '1 hour'
  and greatest(o.created_at, r.send_at) < now() - interval '1 hour';

create view monitoring_dead_letters as
select d.tenant_id, count(*) as count, min(d.created_at) as oldest_at
from dead_letters d where d.resolved_at is null group by d.tenant_id;

create view monitoring_providers_1h as
select t.id as tenant_id, p.provider, p.channel, p.total, p.sent, p.failed, p.avg_delivery_ms
from tenants t
cross join lateral (
  select o.provider, o.channel, count(*)::integer as total, count(*) filter (where o.status = 'sent')::integer as sent,
    count(*) filter (where o.status = 'dead')::integer as failed,
    round(avg(extract(epoch from o.sent_at - greatest(o.created_at, r.send_at)) * 1000))::integer as avg_delivery_ms
  from records r join routes o on o.tenant_id = r.tenant_id and o.notification_id = r.notification_id
  where r.tenant_id = t.id and r.accepted_at > now() - interval '1 hour' and o.provider <> ''
  group by o.provider, o.channel
) p;

-- Down Migration

drop view monitoring_providers_1h, monitoring_dead_letters, monitoring_stuck, monitoring_status_24h, monitoring_hours;
drop table invariant_violations, invariant_walks;
