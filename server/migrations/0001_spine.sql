-- Up Migration

-- Every table carries tenant_id and every unique key starts with it. The database clock is the only clock that
-- decides when something is due, leased or expired, so processes with skewed clocks agree.

create table tenants (
  id uuid primary key,
  name text not null unique check (length(name) between 1 and 100),
  accept_unknown_types boolean not null default false,
  -- null = every well-formed locale; a list = anything else falls back to en
  locales text[],
  idempotency_window_seconds integer not null default 604800 check (idempotency_window_seconds > 0),
  -- how long an intent without a key is recognised by its content; 0 = never
  computed_key_window_seconds integer not null default 86400 check (computed_key_window_seconds >= 0),
  max_attempts jsonb not null default '{"email": 7, "push": 3}' check (jsonb_typeof(max_attempts) = 'object'),
  retry_base_ms integer not null default 10000 check (retry_base_ms > 0),
  retry_cap_ms integer not null default 3600000 check (retry_cap_ms >= retry_base_ms),
  record_retention_days integer not null default 90 check (record_retention_days > 0),
  malformed_retention_days integer not null default 30 check (malformed_retention_days > 0),
  dead_letter_retention_days integer not null default 30 check (dead_letter_retention_days > 0),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- a record is the reservation of its key: it may not vanish while the key still protects
  constraint tenants_retention_covers_idempotency check (
    record_retention_days::bigint * 86400 >= greatest(idempotency_window_seconds, computed_key_window_seconds)
  )
);

create table users (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  id text not null check (length(id) between 1 and 200),
  email text check (length(email) between 3 and 255),
  username text check (length(username) between 1 and 100),
  phone text check (length(phone) between 3 and 20),
  locale text not null default '' check (length(locale) <= 35),
  timezone text not null default 'UTC' check (length(timezone) between 1 and 50),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id)
);
-- one account per address and per name; also the look-ups by them
create unique index users_email_key on users (tenant_id, lower(email));
create unique index users_username_key on users (tenant_id, username);

create table api_keys (
  id uuid primary key,
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  user_id text,
  name text not null check (length(name) between 1 and 100),
  key_hash text not null unique check (length(key_hash) = 64),
  -- first characters of the key, so that people recognise it in a list
  hint text not null,
  -- null permits nothing
  scopes text[],
  is_active boolean not null default true,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade
);
create index api_keys_listing on api_keys (tenant_id, created_at desc, id desc);
create index api_keys_user on api_keys (tenant_id, user_id) where user_id is not null;

create table notification_types (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  name text not null check (length(name) between 1 and 100),
  description text not null default '',
  category text not null default '' check (length(category) <= 50),
  -- empty = every producer
  producers text[] not null default '{}',
  -- empty = every kind
  audience_kinds text[] not null default '{}',
  channels text[] not null check (cardinality(channels) > 0),
  required_fields text[] not null default '{}',
  admin_emails text[] not null default '{}',
  critical boolean not null default false,
  max_attempts jsonb not null default '{}' check (jsonb_typeof(max_attempts) = 'object'),
  retry_base_ms integer check (retry_base_ms > 0),
  retry_cap_ms integer check (retry_cap_ms > 0),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, name)
);

-- A person's level on a topic. No row = participating.
create table watches (
  tenant_id uuid not null,
  topic text not null check (length(topic) between 1 and 200),
  user_id text not null,
  level text not null check (level in ('all', 'participating', 'ignore')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, topic, user_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade
);
create index watches_user on watches (tenant_id, user_id);

-- One accepted intent. The row itself is the reservation of (producer, idempotency_key): there is no second key store.
create table records (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  notification_id uuid not null,
  notification_type text not null check (length(notification_type) between 1 and 100),
  producer text not null check (length(producer) between 1 and 100),
  audience_kind text not null check (audience_kind in ('users', 'topic', 'tenant', 'addresses', 'admin_email')),
  -- sorted and distinct user ids or addresses; empty for topic and tenant
  recipients text[] not null default '{}',
  topic text,
  channels text[] not null,
  -- exactly the bytes the producer sent
  payload_json text not null,
  idempotency_key text not null check (length(idempotency_key) between 1 and 255),
  request_fingerprint text not null,
  idempotency_expires_at timestamptz(3) not null,
  -- set when the key was reused after its expiry; the record stays readable
  idempotency_released_at timestamptz(3),
  source text not null,
  source_entry_id text,
  request_id text not null default '',
  traceparent text not null default '',
  retry_base_ms integer not null,
  retry_cap_ms integer not null,
  send_at timestamptz(3),
  expires_at timestamptz(3),
  occurred_at timestamptz(3),
  accepted_at timestamptz(3) not null,
  -- null while the audience is still being turned into routes
  expanded_at timestamptz(3),
  cancelled_at timestamptz(3),
  updated_at timestamptz(3) not null,
  primary key (tenant_id, notification_id),
  constraint records_topic_for_topics check ((topic is not null) = (audience_kind = 'topic'))
);
-- the reservation while not released; key first, so that it also finds records by their key
create unique index records_idempotency_key on records (tenant_id, idempotency_key, producer, idempotency_released_at)
  nulls not distinct;
create unique index records_source_entry_key on records (tenant_id, source, source_entry_id)
  where source_entry_id is not null;
-- Newest-first listing, and the retention sweep from its other end. The id is only carried along: as a key column the
-- planner would take this index for look-ups by id while the table is still small, and keep doing so.
create index records_listing on records (tenant_id, accepted_at desc) include (notification_id);

-- Audiences too large for the accepting transaction, while they are being expanded; `cursor` is the last user done.
create table expansions (
  tenant_id uuid not null,
  notification_id uuid not null,
  cursor text not null default '',
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, notification_id),
  foreign key (tenant_id, notification_id) references records (tenant_id, notification_id) on update cascade on delete cascade
);
create index expansions_oldest on expansions (created_at, tenant_id, notification_id);

-- One record × one recipient × one channel: the unit of delivery.
create table routes (
  tenant_id uuid not null,
  notification_id uuid not null,
  -- made from channel and recipient, so that expanding twice cannot duplicate
  route_id text not null,
  channel text not null check (channel in ('in_app', 'email', 'sms', 'push', 'chat', 'webhook')),
  recipient_ref text not null,
  user_id text,
  -- resolved when the route is made: a later change of address does not alter it
  resolved_address text not null default '',
  resolved_locale text not null default '',
  status text not null,
  -- why it was skipped, postponed or expired
  reason text not null default '',
  attempt_count integer not null default 0,
  max_attempts integer not null check (max_attempts > 0),
  -- every claim ever made; the fencing token that a completion must present
  claim_count integer not null default 0,
  next_attempt_at timestamptz(3),
  lease_owner text,
  lease_until timestamptz(3),
  provider text not null default '',
  provider_message_id text not null default '',
  last_error_classification text not null default '',
  last_error_message text not null default '',
  last_error_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  sent_at timestamptz(3),
  dead_at timestamptz(3),
  skipped_at timestamptz(3),
  cancelled_at timestamptz(3),
  expired_at timestamptz(3),
  primary key (tenant_id, notification_id, route_id),
  -- The triggers in functions/routes/cascade_to_routes.sql stand in for foreign keys to records and users: real ones
  -- look up two rows per route, which was a quarter of the cost of accepting an intent.
  constraint routes_status check (status in ('pending', 'retrying', 'sent', 'dead', 'skipped', 'cancelled', 'expired')),
  constraint routes_due_while_open check ((next_attempt_at is not null) = (status in ('pending', 'retrying'))),
  constraint routes_lease_while_open check (lease_owner is null or status in ('pending', 'retrying')),
  constraint routes_lease_whole check ((lease_owner is null) = (lease_until is null)),
  constraint routes_sent_at check ((sent_at is not null) = (status = 'sent')),
  constraint routes_dead_at check ((dead_at is not null) = (status = 'dead')),
  constraint routes_skipped_at check ((skipped_at is not null) = (status = 'skipped')),
  constraint routes_cancelled_at check ((cancelled_at is not null) = (status = 'cancelled')),
  constraint routes_expired_at check ((expired_at is not null) = (status = 'expired')),
  constraint routes_skip_has_reason check (status <> 'skipped' or reason <> '')
)
-- Half of each page stays free for the claim, which changes no indexed column and so touches no index: measured, it
-- halves what a claim costs.
with (fillfactor = 50);
-- the claim: oldest due first per channel; finished routes are not in it
create index routes_due on routes (channel, next_attempt_at) where next_attempt_at is not null;
-- operator views by status; `sent` is the rule and `pending` passes: routes_due knows those
create index routes_status on routes (tenant_id, status, notification_id desc, route_id desc)
where status not in ('pending', 'sent');
create index routes_user on routes (tenant_id, user_id, notification_id desc, route_id desc) where user_id is not null;

-- One row per claim: what was tried, by whom, and what came of it.
create table route_attempts (
  tenant_id uuid not null,
  notification_id uuid not null,
  route_id text not null,
  attempt_no integer not null,
  outcome text not null check (outcome in
    ('sent', 'retry', 'rate_limited', 'permanent', 'config', 'uncertain', 'lost', 'postponed', 'skipped', 'cancelled', 'expired')),
  provider text not null default '',
  message text not null default '',
  worker text not null,
  started_at timestamptz(3) not null,
  duration_ms integer not null default 0,
  next_attempt_at timestamptz(3),
  -- No foreign key: only the statements that hold the route's row lock write here, and checking it once more costs a
  -- seventh of a completion. The trigger delete_attempts takes the rows along when a route goes.
  primary key (tenant_id, notification_id, route_id, attempt_no)
);

-- Work that exhausted automated handling. At most one open letter per source.
create table dead_letters (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  source_kind text not null check (source_kind in ('route')),
  notification_id uuid,
  route_id text,
  notification_type text not null,
  channel text not null,
  recipient_ref text not null,
  final_attempt_count integer not null,
  max_attempts integer not null,
  failure_reason text not null check (failure_reason in
    ('max_retries_exceeded', 'permanent_failure', 'provider_rate_limit_exceeded', 'provider_misconfigured', 'worker_lost')),
  failure_classification text not null,
  failure_message text not null,
  recovery_hint text not null default '',
  created_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  resolution text check (resolution in ('replayed', 'ignored', 'handled_by_script', 'handler_failed')),
  resolved_by text,
  foreign key (tenant_id, notification_id, route_id) references routes (tenant_id, notification_id, route_id)
    on update cascade on delete cascade,
  foreign key (tenant_id, resolved_by) references users (tenant_id, id) on update cascade on delete set null (resolved_by),
  constraint dead_letters_route_named check (source_kind <> 'route' or (notification_id is not null and route_id is not null)),
  constraint dead_letters_resolution_whole check (
    (resolved_at is not null) = (resolution is not null and resolution <> 'handler_failed')
  )
);
create unique index dead_letters_one_open on dead_letters (tenant_id, notification_id, route_id) where resolved_at is null;
-- newest-first listing and retention
create index dead_letters_listing on dead_letters (tenant_id, created_at desc, id desc);
-- the unresolved badge and the default list
create index dead_letters_open on dead_letters (tenant_id, created_at desc, id desc) where resolved_at is null;
create index dead_letters_route on dead_letters (tenant_id, notification_id, route_id);
create index dead_letters_resolver on dead_letters (tenant_id, resolved_by) where resolved_by is not null;

-- Entries of a source that could not be accepted, as received.
create table malformed_intents (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  source text not null,
  source_entry_id text not null check (length(source_entry_id) between 1 and 255),
  notification_type text not null default '',
  producer text not null default '',
  idempotency_key text not null default '',
  failure_code text not null,
  failure_message text not null,
  raw_fields jsonb not null,
  recorded_at timestamptz(3) not null default now(),
  primary key (tenant_id, source, source_entry_id)
);
create index malformed_intents_listing on malformed_intents (tenant_id, recorded_at desc, source_entry_id desc);

-- A person's inbox row.
create table notifications (
  id uuid primary key,
  tenant_id uuid not null,
  user_id text not null,
  record_id uuid not null,
  route_id text not null,
  type text not null check (length(type) between 1 and 100),
  title text not null,
  message text not null check (octet_length(message) <= 4096),
  is_read boolean not null default false,
  read_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  constraint notifications_read_whole check (is_read = (read_at is not null)),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade
);
-- delivering twice cannot duplicate
create unique index notifications_route_key on notifications (tenant_id, record_id, route_id);
create index notifications_listing on notifications (tenant_id, user_id, created_at desc, id desc);

-- What the capture provider would have sent.
create table captured_messages (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  message_id text not null,
  notification_id uuid not null,
  route_id text not null,
  channel text not null,
  notification_type text not null,
  recipient_ref text not null,
  address text not null,
  locale text not null,
  subject text not null,
  text text not null,
  html text,
  captured_at timestamptz(3) not null default now(),
  primary key (tenant_id, message_id)
);
create index captured_messages_listing on captured_messages (tenant_id, captured_at desc, message_id desc);
create index captured_messages_record on captured_messages (tenant_id, notification_id);

-- Curated, high-signal events for operators.
create table admin_system_events (
  id bigint generated always as identity primary key,
  tenant_id uuid references tenants (id) on update cascade on delete cascade,
  user_id text,
  event_type text not null check (length(event_type) between 1 and 50),
  severity text not null check (severity in ('low', 'medium', 'high', 'critical')),
  description text not null,
  details jsonb not null default '{}' check (octet_length(details::text) <= 16384),
  is_resolved boolean not null default false,
  resolved_at timestamptz(3),
  resolved_by text,
  created_at timestamptz(3) not null default now(),
  constraint admin_system_events_resolved_whole check (is_resolved = (resolved_at is not null))
);
create index admin_system_events_listing on admin_system_events (created_at desc, id desc);
create index admin_system_events_tenant on admin_system_events (tenant_id, created_at desc, id desc);
create index admin_system_events_severity on admin_system_events (severity, created_at desc, id desc);

-- Down Migration

drop table admin_system_events;
drop table captured_messages;
drop table notifications;
drop table malformed_intents;
drop table dead_letters;
drop table route_attempts;
drop table routes;
drop table expansions;
drop table records;
drop table watches;
drop table notification_types;
drop table api_keys;
drop table users;
drop table tenants;
