-- Up Migration

-- Every asynchronous side effect, one row per thing to do. Success deletes the row; giving up writes a dead letter and
-- deletes it. The policy is copied when the row is made, so changing it later changes nothing that is under way.
create table outbox (
  id uuid primary key,
  -- the order in which rows came to be, which first-in-first-out follows; ids of one millisecond have none
  seq bigint generated always as identity,
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  -- which handler
  source_kind text not null check (length(source_kind) between 1 and 32),
  -- what happened, in the handler's words
  op text not null check (length(op) between 1 and 50),
  -- whom it is for. No foreign key: a target that is gone is a dead letter, not a loss
  target_id uuid not null,
  payload text not null,
  -- what the handler wants to know beside the payload
  context jsonb not null default '{}' check (jsonb_typeof(context) = 'object'),
  -- rows of one target with the same key go out one after the other; null = no order
  ordering_key text check (length(ordering_key) <= 300),
  -- at most this many rows of the target go out as one
  batch_size integer not null default 1 check (batch_size between 1 and 1000),
  -- how many dispatches led to this one
  trigger_depth integer not null default 0 check (trigger_depth >= 0),
  attempt_count integer not null default 0,
  max_attempts integer not null default 3 check (max_attempts > 0),
  backoff text not null default 'exponential' check (backoff in ('exponential', 'linear', 'constant')),
  base_ms integer not null default 1000 check (base_ms > 0),
  cap_ms integer not null default 86400000 check (cap_ms > 0),
  -- the share by which a delay may be shorter or longer
  jitter real not null default 0.2 check (jitter between 0 and 1),
  -- every claim ever made; the fencing token that a completion must present
  claim_count integer not null default 0,
  next_attempt_at timestamptz(3) not null default now(),
  lease_owner text,
  lease_until timestamptz(3),
  first_attempt_at timestamptz(3),
  last_error text not null default '',
  created_at timestamptz(3) not null default now(),
  constraint outbox_lease_whole check ((lease_owner is null) = (lease_until is null))
-- a claim changes no indexed column: room on the page lets it leave the indexes alone
) with (fillfactor = 60);
-- the claim: per target, oldest due first; also which targets have anything at all
create index outbox_due on outbox (tenant_id, source_kind, target_id, next_attempt_at, seq);
-- whether an earlier row of the same key is still there
create index outbox_ordering on outbox (tenant_id, source_kind, target_id, ordering_key, seq) where ordering_key is not null;
-- What is due although another one goes first. The second condition always holds: it keeps the planner from taking this
-- index for queries that mean the one above.
create index outbox_ordered_due on outbox (next_attempt_at) where ordering_key is not null and seq > 0;

-- Where a tenant wants to be told what became of notifications. Secrets are one AES-256-GCM text bound to the row.
create table notification_webhooks (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  -- whose it is: only what concerns this person; null = the whole tenant
  user_id text,
  url text not null check (length(url) between 1 and 500),
  description text not null default '' check (length(description) <= 200),
  events text[] not null check (cardinality(events) > 0),
  -- empty = every one
  notification_types text[] not null default '{}',
  categories text[] not null default '{}',
  -- signing secrets and custom headers
  secrets text not null,
  payload_mode text not null default 'full' check (payload_mode in ('thin', 'full')),
  format text not null default 'standard' check (format in ('standard', 'cloudevents')),
  ordering text not null default 'none' check (ordering in ('none', 'notification', 'recipient', 'endpoint')),
  batch_size integer not null default 1 check (batch_size between 1 and 100),
  batch_seconds integer not null default 0 check (batch_seconds between 0 and 60),
  -- no events while it is not
  is_active boolean not null default true,
  -- events wait while it is
  is_paused boolean not null default false,
  disabled_at timestamptz(3),
  disabled_reason text not null default '' check (disabled_reason in ('', 'gone', 'failing')),
  -- deliveries in a row that failed for good
  consecutive_failures integer not null default 0,
  -- null = never
  disable_after integer default 50 check (disable_after > 0),
  retry_count integer not null default 3 check (retry_count between 0 and 50),
  backoff text not null default 'exponential' check (backoff in ('exponential', 'linear', 'constant')),
  retry_base_ms integer not null default 30000 check (retry_base_ms > 0),
  retry_cap_ms integer not null default 86400000 check (retry_cap_ms > 0),
  timeout_seconds integer not null default 10 check (timeout_seconds between 1 and 60),
  -- requests per minute; null = no limit
  rate_limit integer check (rate_limit > 0),
  -- seconds since the epoch up to which the rate is used up
  rate_used_until double precision not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade,
  constraint notification_webhooks_disabled_whole check ((disabled_at is not null) = (disabled_reason <> '')),
  constraint notification_webhooks_disabled_inactive check (disabled_at is null or not is_active)
);
create index notification_webhooks_user on notification_webhooks (tenant_id, user_id) where user_id is not null;
-- what every event is matched against
create index notification_webhooks_active on notification_webhooks (tenant_id) where is_active;

-- Re-sending everything that failed since a time, at a pace.
create table webhook_recoveries (
  id uuid not null,
  tenant_id uuid not null,
  webhook_id uuid not null,
  since timestamptz(3) not null,
  until timestamptz(3) not null,
  -- deliveries per minute; null = as fast as they go
  rate_limit integer check (rate_limit > 0),
  matched integer not null,
  redelivered integer not null default 0,
  -- the last delivery done; in order of (created_at, id)
  cursor_created_at timestamptz(3),
  cursor_id uuid,
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, webhook_id) references notification_webhooks (tenant_id, id) on update cascade on delete cascade
);
create index webhook_recoveries_webhook on webhook_recoveries (tenant_id, webhook_id, created_at desc);

-- One row per event and endpoint, from its first attempt on; what still waits for that is in the outbox.
create table webhook_deliveries (
  -- the outbox row's
  id uuid not null,
  tenant_id uuid not null,
  webhook_id uuid not null,
  -- null for batches and system events
  notification_id uuid,
  -- the header webhook-id: the same for every endpoint, attempt and redelivery
  event_id uuid not null,
  event_type text not null check (length(event_type) between 1 and 50),
  payload text not null,
  content_type text not null default 'application/json',
  traceparent text not null default '',
  -- of the last attempt; null when no answer came
  response_status integer,
  attempt_count integer not null default 1,
  -- every attempt: when, how long, status, error, body
  attempts jsonb not null check (jsonb_typeof(attempts) = 'array'),
  delivered boolean not null default false,
  delivered_at timestamptz(3),
  next_retry_at timestamptz(3),
  is_test boolean not null default false,
  redelivery_of uuid,
  -- when this one was put into the outbox again
  redelivered_at timestamptz(3),
  recovery_id uuid,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, webhook_id) references notification_webhooks (tenant_id, id) on update cascade on delete cascade,
  foreign key (tenant_id, notification_id) references records (tenant_id, notification_id) on update cascade on delete cascade,
  constraint webhook_deliveries_delivered_at check (delivered = (delivered_at is not null)),
  constraint webhook_deliveries_no_retry_after_success check (not delivered or next_retry_at is null)
);
create index webhook_deliveries_listing on webhook_deliveries (tenant_id, webhook_id, created_at desc, id desc);
-- what failed or is being retried: few
create index webhook_deliveries_undelivered on webhook_deliveries (tenant_id, webhook_id, created_at desc, id desc)
  where not delivered;
create index webhook_deliveries_next_retry on webhook_deliveries (tenant_id, next_retry_at) where next_retry_at is not null;
create index webhook_deliveries_notification on webhook_deliveries (tenant_id, notification_id, webhook_id);
create index webhook_deliveries_recovery on webhook_deliveries (tenant_id, recovery_id) where recovery_id is not null;
-- the retention sweep of those that no record takes along
create index webhook_deliveries_old on webhook_deliveries (tenant_id, created_at) where notification_id is null;

-- A dead letter of the outbox outlives its row, so it holds all that a replay needs.
alter table dead_letters
  drop constraint dead_letters_source_kind_check,
  add constraint dead_letters_source_kind_check check (source_kind in ('route', 'outbox')),
  drop constraint dead_letters_failure_reason_check,
  add constraint dead_letters_failure_reason_check check (failure_reason in ('max_retries_exceeded', 'permanent_failure',
    'provider_rate_limit_exceeded', 'provider_misconfigured', 'worker_lost', 'uncertain_delivery', 'target_missing')),
  alter column channel drop not null,
  -- the deleted outbox row
  add column original_event_id uuid,
  add column source text not null default '',
  add column op text not null default '',
  add column target_id uuid,
  -- verbatim
  add column payload text,
  -- the rest of the row: context, order, batch and policy
  add column dispatch jsonb,
  add column first_attempt_at timestamptz(3),
  add column last_attempt_at timestamptz(3),
  add constraint dead_letters_route_channel check (source_kind <> 'route' or channel is not null),
  add constraint dead_letters_outbox_named check (source_kind <> 'outbox' or (
    original_event_id is not null and source <> '' and target_id is not null and payload is not null and dispatch is not null
  ));
create unique index dead_letters_one_open_event on dead_letters (tenant_id, original_event_id)
  where resolved_at is null and original_event_id is not null;
-- letters of a redelivered event
create index dead_letters_event on dead_letters (tenant_id, original_event_id) where original_event_id is not null;

-- Down Migration

delete from dead_letters where source_kind = 'outbox' or failure_reason = 'target_missing';
drop index dead_letters_event;
drop index dead_letters_one_open_event;
alter table dead_letters
  drop constraint dead_letters_outbox_named,
  drop constraint dead_letters_route_channel,
  drop column last_attempt_at,
  drop column first_attempt_at,
  drop column dispatch,
  drop column payload,
  drop column target_id,
  drop column op,
  drop column source,
  drop column original_event_id,
  alter column channel set not null,
  drop constraint dead_letters_failure_reason_check,
  add constraint dead_letters_failure_reason_check check (failure_reason in ('max_retries_exceeded', 'permanent_failure',
    'provider_rate_limit_exceeded', 'provider_misconfigured', 'worker_lost', 'uncertain_delivery')),
  drop constraint dead_letters_source_kind_check,
  add constraint dead_letters_source_kind_check check (source_kind in ('route'));
drop table webhook_deliveries;
drop table webhook_recoveries;
drop table notification_webhooks;
drop table outbox;
