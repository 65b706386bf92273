-- Up Migration

create sequence domain_events_seq;

-- Something that happened, as the application tells it. A row never changes, except that it gets its place in the log once.
create table domain_events (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  event_id uuid not null,
  -- the order in which events were written, which those that committed meanwhile are put in; clocks may go back
  seq bigint not null default nextval('domain_events_seq'),
  -- The place in the tenant's log, without gaps. Null until the event is put in order, which happens after its transaction
  -- has committed: ids from a sequence would be taken before that, and readers would pass those that commit late.
  id bigint check (id > 0),
  kind text not null check (length(kind) between 1 and 64),
  producer text not null check (length(producer) between 1 and 100),
  -- null = the system. No foreign key: the log outlives people.
  actor_id text check (length(actor_id) between 1 and 200),
  topic text check (length(topic) between 1 and 200),
  thread_kind text check (length(thread_kind) between 1 and 32),
  thread_id text check (length(thread_id) between 1 and 200),
  -- What the event says about its thread. The thread itself is written when the event gets its place: here it would be
  -- locked for as long as the application's transaction is open.
  thread_title text check (length(thread_title) <= 500),
  thread_url text check (length(thread_url) <= 500),
  thread_author_id text check (length(thread_author_id) between 1 and 200),
  -- what it is about in the application: a comment, an invoice
  source_kind text not null default '' check (length(source_kind) <= 32),
  source_id text not null default '' check (length(source_id) <= 200),
  is_public boolean not null default true,
  -- who stands in which relation to it: {"mention": ["ada"], "assignee": ["bob"]}
  relations jsonb not null default '{}' check (octet_length(relations::text) <= 65536),
  payload_json text not null default '{}' check (octet_length(payload_json) <= 4096),
  idempotency_key text check (length(idempotency_key) between 1 and 255),
  request_fingerprint text not null default '',
  request_id text not null default '',
  traceparent text not null default '',
  -- how many dispatches led to it
  trigger_depth integer not null default 0,
  occurred_at timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, event_id),
  constraint domain_events_thread_whole check ((thread_kind is null) = (thread_id is null)),
  constraint domain_events_thread_described
    check (thread_id is not null or num_nonnulls(thread_title, thread_url, thread_author_id) = 0)
);
create unique index domain_events_log on domain_events (tenant_id, id) where id is not null;
create unique index domain_events_key on domain_events (tenant_id, producer, idempotency_key)
  where idempotency_key is not null;
create index domain_events_unordered on domain_events (tenant_id, seq) where id is null;
create index domain_events_kind on domain_events (tenant_id, kind, event_id);
create index domain_events_actor on domain_events (tenant_id, actor_id, event_id) where actor_id is not null;
create index domain_events_topic on domain_events (tenant_id, topic, event_id) where topic is not null;
create index domain_events_thread on domain_events (tenant_id, thread_kind, thread_id, event_id) where thread_id is not null;
-- For the retention sweep.
create index domain_events_old on domain_events (tenant_id, created_at);

-- How far each consumer has read the tenant's log.
create table domain_events_processed (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  consumer text not null check (length(consumer) between 1 and 50),
  last_event_id bigint not null default 0,
  -- the end of the log, so that work is found in an index of this table alone
  head_id bigint not null default 0,
  -- the last person of the event after last_event_id who is done; '' = it has not begun
  chunk_cursor text not null default '',
  -- of the event after last_event_id
  tries integer not null default 0,
  next_attempt_at timestamptz(3),
  -- when it last moved, or fell behind: since when it has been where it is
  moved_at timestamptz(3) not null default now(),
  last_error text not null default '' check (length(last_error) <= 1000),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, consumer),
  constraint domain_events_processed_within_log check (last_event_id between 0 and head_id)
);
create index domain_events_processed_waiting on domain_events_processed (consumer, tenant_id) where last_event_id < head_id;
insert into domain_events_processed (tenant_id, consumer)
select t.id, c.consumer from tenants t cross join unnest(array['notify_fanout', 'webhooks', 'triggers']) as c (consumer);

alter table tenants add column event_retention_days integer not null default 90 check (event_retention_days > 0);

-- globs of the kinds of domain events it wants, with the event `event.emitted`; empty = all
alter table notification_webhooks add column event_kinds text[] not null default '{}';

-- Down Migration

alter table notification_webhooks drop column event_kinds;
alter table tenants drop column event_retention_days;
drop table domain_events_processed;
drop table domain_events;
drop sequence domain_events_seq;
