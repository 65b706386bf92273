-- Up Migration

-- A tenant's account at a service, or a server of its own. Secrets are one AES-256-GCM text bound to the row.
create table provider_configs (
  id uuid primary key,
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  name text not null check (length(name) between 1 and 50),
  kind text not null check (length(kind) between 1 and 20),
  channel text not null check (channel in ('email', 'sms', 'push', 'chat', 'webhook')),
  config jsonb not null check (jsonb_typeof(config) = 'object'),
  secrets text not null,
  is_active boolean not null default true,
  -- messages per minute; null = no limit
  rate_limit integer check (rate_limit > 0),
  timeout_seconds integer not null default 30 check (timeout_seconds between 1 and 600),
  -- higher is asked first
  priority integer not null default 0,
  -- what to do when a request left and no answer came
  uncertain_policy text not null default 'resend' check (uncertain_policy in ('resend', 'ask', 'hold')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index provider_configs_name_key on provider_configs (tenant_id, name);
-- the choice: the active ones of a channel, best first
create index provider_configs_choice on provider_configs (tenant_id, channel, priority desc, name) where is_active;

-- The circuit breaker of each provider, shared by all processes. No row = closed.
create table provider_health (
  provider_id uuid primary key references provider_configs (id) on update cascade on delete cascade,
  state text not null check (state in ('closed', 'open', 'half_open')),
  -- not asked again before; doubles with every failed probe
  retry_at timestamptz(3),
  cool_down_ms integer not null default 5000,
  last_error text not null default '',
  changed_at timestamptz(3) not null default now(),
  constraint provider_health_retry_while_open check ((retry_at is not null) = (state <> 'closed'))
);

-- What each rate-limited provider sent, by second: enough to keep any sixty seconds under the limit.
create table provider_sends (
  provider_id uuid not null references provider_configs (id) on update cascade on delete cascade,
  second timestamptz(0) not null,
  used integer not null,
  primary key (provider_id, second)
);

create table user_devices (
  id uuid primary key,
  tenant_id uuid not null,
  user_id text not null,
  kind text not null check (kind in ('fcm', 'apns', 'expo', 'web_push')),
  token text not null check (length(token) between 1 and 4096),
  -- tokens are long: the hash is what is unique
  token_hash text not null check (length(token_hash) = 64),
  label text not null default '' check (length(label) <= 100),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade
);
create unique index user_devices_token_key on user_devices (tenant_id, kind, token_hash);
create index user_devices_user on user_devices (tenant_id, user_id);

-- Addresses that get nothing more on a channel.
create table suppressions (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  channel text not null check (channel in ('email', 'sms', 'push', 'chat', 'webhook')),
  -- lower case
  address text not null check (length(address) between 1 and 500 and address = lower(address)),
  reason text not null check (reason in ('hard_bounce', 'complaint', 'unsubscribed', 'invalid', 'manual')),
  detail text not null default '',
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, channel, address)
);
create index suppressions_listing on suppressions (tenant_id, created_at desc, channel, address);

-- What services reported about messages. The same event reported twice counts once.
create table provider_callbacks (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  provider_id uuid not null references provider_configs (id) on update cascade on delete cascade,
  event_id text not null check (length(event_id) between 1 and 255),
  notification_id uuid,
  route_id text,
  kind text not null check (kind in ('delivered', 'bounced', 'complained', 'opened', 'failed', 'unsubscribed')),
  detail text not null default '',
  occurred_at timestamptz(3) not null,
  received_at timestamptz(3) not null default now(),
  primary key (tenant_id, provider_id, event_id),
  foreign key (tenant_id, notification_id, route_id) references routes (tenant_id, notification_id, route_id)
    on update cascade on delete cascade
);
create index provider_callbacks_route on provider_callbacks (tenant_id, notification_id, route_id);
create index provider_callbacks_provider on provider_callbacks (provider_id);

alter table routes
  -- our message id, kept where a service will report back by it
  add column message_ref text not null default '',
  add column delivered_at timestamptz(3),
  add column opened_at timestamptz(3),
  add column bounced_at timestamptz(3);
create index routes_message_ref on routes (tenant_id, message_ref) where message_ref <> '';

-- every provider asked within one attempt, in order
alter table route_attempts add column calls jsonb not null default '[]';

-- channel → name of the provider to use
alter table notification_types add column providers jsonb not null default '{}' check (jsonb_typeof(providers) = 'object');

alter table dead_letters drop constraint dead_letters_failure_reason_check, add constraint dead_letters_failure_reason_check
  check (failure_reason in ('max_retries_exceeded', 'permanent_failure', 'provider_rate_limit_exceeded',
    'provider_misconfigured', 'worker_lost', 'uncertain_delivery'));

-- what the event is about: cool-down and resolution are per type, tenant and subject
alter table admin_system_events add column subject text not null default '' check (length(subject) <= 100);

-- Down Migration

update dead_letters set failure_reason = 'permanent_failure' where failure_reason = 'uncertain_delivery';
alter table dead_letters drop constraint dead_letters_failure_reason_check, add constraint dead_letters_failure_reason_check
  check (failure_reason in ('max_retries_exceeded', 'permanent_failure', 'provider_rate_limit_exceeded',
    'provider_misconfigured', 'worker_lost'));
alter table admin_system_events drop column subject;
alter table notification_types drop column providers;
alter table route_attempts drop column calls;
drop index routes_message_ref;
alter table routes drop column message_ref, drop column delivered_at, drop column opened_at, drop column bounced_at;
drop table provider_callbacks;
drop table suppressions;
drop table user_devices;
drop table provider_sends;
drop table provider_health;
drop table provider_configs;
