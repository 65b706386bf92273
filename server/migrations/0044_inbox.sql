-- Up Migration

-- A person's inbox: one row per thread, or per message that belongs to none. Without user_id it is everybody's, and what
-- each person did with it is in a receipt.
alter table notifications
  alter column user_id drop not null,
  alter column record_id drop not null,
  alter column route_id drop not null,
  add column kind text not null default '' check (length(kind) <= 64),
  add column reason text not null default '' check (length(reason) <= 32),
  add column topic text,
  add column thread_kind text,
  add column thread_id text,
  -- the last event that touched the row; no foreign key, because events are deleted by age
  add column source_event_id bigint,
  -- the last messages of the thread that the row stands for, so that one delivered again changes nothing
  add column recent_records uuid[] not null default '{}',
  add column event_count integer not null default 1 check (event_count > 0),
  add column last_event_at timestamptz(3) not null default now(),
  add column last_actor_id text,
  -- what the list shows: url, icon, names of the last actors
  add column summary jsonb not null default '{}' check (octet_length(summary::text) <= 8192),
  -- buttons, and the one that was pressed
  add column actions jsonb check (octet_length(actions::text) <= 8192),
  add column answer jsonb,
  add column expires_at timestamptz(3),
  add column deleted_at timestamptz(3),
  add column done_at timestamptz(3),
  add column saved_at timestamptz(3),
  add column snoozed_until timestamptz(3),
  -- The transaction of the last change, and that of the last event. A reader remembers the snapshot it read with, which
  -- says exactly which of these it has seen; a number counted up would be given out before its change is visible.
  add column version bigint not null default (pg_current_xact_id()::text)::bigint,
  add column event_version bigint not null default (pg_current_xact_id()::text)::bigint,
  add column updated_at timestamptz(3) not null default now();
update notifications set last_event_at = created_at, updated_at = coalesce(read_at, created_at);
alter table notifications
  add constraint notifications_thread_whole check ((thread_kind is null) = (thread_id is null)),
  add constraint notifications_thread_of_one check (thread_id is null or user_id is not null),
  add constraint notifications_actor_fkey foreign key (tenant_id, last_actor_id) references users (tenant_id, id)
    on update cascade on delete set null (last_actor_id);
create unique index notifications_thread_coalesce on notifications (tenant_id, user_id, thread_kind, thread_id)
  where thread_id is not null;
-- Without a thread, every event makes a row, and makes it once.
create unique index notifications_event on notifications (tenant_id, user_id, source_event_id)
  where source_event_id is not null and thread_id is null and user_id is not null;
create index notifications_recent on notifications (tenant_id, user_id, last_event_at desc, id desc)
  where deleted_at is null;
-- Counting needs the times too, and so reads no rows.
create index notifications_unread on notifications (tenant_id, user_id, last_event_at desc, id desc)
  include (snoozed_until, expires_at) where not is_read and deleted_at is null and done_at is null;
create index notifications_saved on notifications (tenant_id, user_id, last_event_at desc, id desc)
  where saved_at is not null and deleted_at is null;
create index notifications_everybody on notifications (tenant_id, last_event_at desc, id desc) where user_id is null;
create index notifications_snoozed on notifications (snoozed_until) where snoozed_until is not null;
create index notifications_version on notifications (tenant_id, user_id, version);
create index notifications_topic on notifications (tenant_id, topic) where topic is not null;
create index notifications_actor on notifications (tenant_id, last_actor_id) where last_actor_id is not null;
-- For the retention sweeps.
create index notifications_expired on notifications (expires_at) where expires_at is not null and deleted_at is null;
create index notifications_old on notifications (tenant_id, last_event_at)
  where saved_at is null and deleted_at is null;
create index notifications_gone on notifications (deleted_at) where deleted_at is not null;
drop index notifications_listing;
alter table notifications set (fillfactor = 80);

-- What a person did with a row that is everybody's.
create table notification_receipts (
  tenant_id uuid not null,
  notification_id uuid not null references notifications (id) on update cascade on delete cascade,
  user_id text not null,
  is_read boolean not null default false,
  read_at timestamptz(3),
  deleted_at timestamptz(3),
  done_at timestamptz(3),
  saved_at timestamptz(3),
  snoozed_until timestamptz(3),
  answer jsonb,
  version bigint not null default (pg_current_xact_id()::text)::bigint,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, user_id, notification_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade,
  constraint notification_receipts_read_whole check (is_read = (read_at is not null))
);
create index notification_receipts_notification on notification_receipts (notification_id);
create index notification_receipts_snoozed on notification_receipts (snoozed_until) where snoozed_until is not null;
create index notification_receipts_version on notification_receipts (tenant_id, user_id, version);

create table saved_filters (
  tenant_id uuid not null,
  user_id text not null,
  name text not null check (length(name) between 1 and 100),
  query text not null check (length(query) between 1 and 500),
  position integer not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, user_id, name),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade
);

alter table tenants add column inbox_retention_days integer not null default 180 check (inbox_retention_days > 0);

-- Down Migration

alter table tenants drop column inbox_retention_days;
drop table saved_filters;
drop table notification_receipts;
alter table notifications reset (fillfactor);
create index notifications_listing on notifications (tenant_id, user_id, created_at desc, id desc);
drop index notifications_gone, notifications_old, notifications_expired, notifications_actor, notifications_topic, notifications_version,
  notifications_snoozed, notifications_everybody, notifications_saved, notifications_unread, notifications_recent,
  notifications_event, notifications_thread_coalesce;
delete from notifications where user_id is null or record_id is null or route_id is null;
alter table notifications
  drop constraint notifications_actor_fkey,
  drop constraint notifications_thread_of_one,
  drop constraint notifications_thread_whole,
  drop column updated_at, drop column event_version, drop column version, drop column snoozed_until, drop column saved_at, drop column done_at,
  drop column deleted_at, drop column expires_at, drop column answer, drop column actions, drop column summary,
  drop column last_actor_id, drop column last_event_at, drop column event_count, drop column recent_records, drop column source_event_id,
  drop column thread_id, drop column thread_kind, drop column topic, drop column reason, drop column kind,
  alter column route_id set not null,
  alter column record_id set not null,
  alter column user_id set not null;
