-- Up Migration

alter table notification_types
  -- seconds between accepting and the first try
  add column delay integer not null default 0 check (delay between 0 and 2592000),
  -- {per, key, max}; null = none
  add column throttle jsonb check (jsonb_typeof(throttle) = 'object'),
  -- {window, key, first_at_once, max_items}; null = none
  add column digest jsonb check (jsonb_typeof(digest) = 'object'),
  -- [{channel, after, unless}]; null = none
  add column escalate jsonb check (jsonb_typeof(escalate) = 'array');

-- A time on the wall of each recipient, such as 2026-12-24T09:00: it has no zone, so it is no timestamptz.
alter table records add column send_at_local text check (length(send_at_local) <= 19);

alter table routes
  -- the digest it joined or opened; on the digest's own route, the notification itself
  add column digest_id uuid,
  -- null = goes out with the others; true = later, and not when the inbox row was read; false = later in any case
  add column unless_read boolean;
-- what a digest holds
create index routes_digest on routes (tenant_id, digest_id, notification_id) where digest_id is not null;

-- What one recipient gets together on one channel. Its id is the notification_id of the record that is sent.
create table digests (
  id uuid primary key,
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  notification_type text not null,
  channel text not null,
  recipient_ref text not null,
  user_id text,
  -- the value of the payload field the type names; '' without one
  key text not null check (length(key) <= 100),
  -- the one that went out at once and opened the window; not among the items
  first_notification_id uuid,
  closes_at timestamptz(3) not null,
  closed_at timestamptz(3),
  item_count integer,
  created_at timestamptz(3) not null default now(),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade,
  constraint digests_counted_when_closed check ((closed_at is null) = (item_count is null))
);
create unique index digests_one_open on digests (tenant_id, notification_type, recipient_ref, channel, key)
  where closed_at is null;
create index digests_user on digests (tenant_id, user_id) where user_id is not null;
-- the retention sweep
create index digests_old on digests (tenant_id, created_at);

-- What a recipient got lately of a throttled type: notification_id → when it was let through, in seconds.
create table throttles (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  notification_type text not null,
  recipient_ref text not null,
  key text not null check (length(key) <= 100),
  user_id text,
  passes jsonb not null default '{}' check (jsonb_typeof(passes) = 'object'),
  -- from then on the row says nothing any more
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, notification_type, recipient_ref, key),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade
);
create index throttles_user on throttles (tenant_id, user_id) where user_id is not null;
create index throttles_expired on throttles (expires_at);

-- Down Migration

drop table throttles;
drop table digests;
drop index routes_digest;
alter table routes drop column unless_read, drop column digest_id;
alter table records drop column send_at_local;
alter table notification_types drop column escalate, drop column digest, drop column throttle, drop column delay;
