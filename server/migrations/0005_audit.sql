-- Up Migration

-- Who changed what: one row per change, written in the transaction of the change itself. functions/refuse_audit_change.sql
-- keeps it append-only.
create table audit_logs (
  id uuid primary key,
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  -- the user of the key; emptied when that user is deleted
  user_id text,
  -- no reference: the row outlives the key
  api_key_id uuid,
  action text not null check (length(action) between 1 and 100),
  resource_type text not null check (length(resource_type) between 1 and 50),
  -- null when the change is about many, such as a bulk replay
  resource_id text check (length(resource_id) between 1 and 520),
  ip_address inet,
  user_agent text,
  request_id text,
  -- of an update only the fields that changed; secrets never
  old_values jsonb,
  new_values jsonb,
  created_at timestamptz(3) not null default now(),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete set null (user_id)
);
-- newest-first listing, the export, and the retention sweep from its other end
create index audit_logs_listing on audit_logs (tenant_id, created_at desc, id desc);
create index audit_logs_user on audit_logs (tenant_id, user_id, created_at desc, id desc) where user_id is not null;
create index audit_logs_action on audit_logs (tenant_id, action, created_at desc, id desc);
create index audit_logs_resource on audit_logs (tenant_id, resource_type, resource_id, created_at desc, id desc);

-- null = kept for ever
alter table tenants add column audit_retention_days integer check (audit_retention_days >= 30);

-- the list of keys that still work
create index api_keys_active on api_keys (tenant_id, created_at desc, id desc) where is_active;

-- Requests per minute and notifications per day of each user, or of a key without one; null = no limit.
alter table tenants
  add column requests_per_minute integer check (requests_per_minute > 0),
  add column notifications_per_day integer check (notifications_per_day > 0);

-- What each caller used of a limit, by window. Never more than the limit: what does not fit is not counted.
create table rate_limits (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  user_id text,
  api_key_id uuid references api_keys (id) on update cascade on delete cascade,
  limit_type text not null check (limit_type in ('api', 'notification')),
  window_start timestamptz(3) not null,
  request_count integer not null check (request_count >= 0),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade,
  constraint rate_limits_one_caller check (num_nonnulls(user_id, api_key_id) = 1),
  constraint rate_limits_key unique nulls not distinct (tenant_id, user_id, api_key_id, window_start, limit_type)
);
create index rate_limits_api_key on rate_limits (api_key_id, window_start) where api_key_id is not null;
-- Old windows, for the sweep. An expression, so that nothing else uses it: the newest window lies beyond all statistics,
-- and the planner would take it for nearly empty and look through all of its callers for one.
create index rate_limits_old on rate_limits ((window_start at time zone 'UTC'));

-- Tries of something outside, such as mails with a new password for one address. The name may hold an address, so only
-- its hash is kept.
create table limit_counters (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  key_hash text not null check (length(key_hash) = 64),
  tries integer not null check (tries >= 0),
  -- set by the first try; after it the count starts again
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, key_hash)
);
create index limit_counters_expired on limit_counters (expires_at);

-- What became of the routes of each hour and day, by when their intent was accepted. Made from the routes, so it can be
-- made again; it outlives them.
create table notification_metrics (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  date date not null,
  -- null = the whole day, which is the sum of its hours
  hour smallint check (hour between 0 and 23),
  -- '' = no provider was asked
  provider text not null,
  channel text not null,
  notification_type text not null,
  sent integer not null,
  failed integer not null,
  pending integer not null,
  skipped integer not null,
  cancelled integer not null,
  expired integer not null,
  delivery_ms_total bigint not null,
  avg_delivery_ms bigint generated always as (case when sent > 0 then delivery_ms_total / sent end) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint notification_metrics_key
    unique nulls not distinct (tenant_id, date, hour, provider, channel, notification_type)
);
create index notification_metrics_provider on notification_metrics (tenant_id, provider, date desc, hour desc);
create index notification_metrics_channel on notification_metrics (tenant_id, channel, date desc, hour desc);
create index notification_metrics_type on notification_metrics (tenant_id, notification_type, date desc, hour desc);
-- hours that have to be looked at again
create index notification_metrics_open on notification_metrics (tenant_id, updated_at) where pending > 0 and hour is not null;

-- letters whose routes went back to work after their hour was counted
create index dead_letters_replayed on dead_letters (tenant_id, resolved_at) where resolution = 'replayed';

-- Down Migration

drop index dead_letters_replayed;
drop table notification_metrics;
drop table limit_counters;
drop table rate_limits;
alter table tenants drop column requests_per_minute, drop column notifications_per_day;
drop index api_keys_active;
drop table audit_logs;
alter table tenants drop column audit_retention_days;
