-- Up Migration

-- Streams that intents are read from. Where they are is in the settings of the processes that read them; here is what
-- those report, and whether they shall read at all.
create table streams (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  name text not null check (length(name) between 1 and 50),
  kind text not null check (kind in ('redis', 'nats')),
  -- the key, or the stream and subject; never an address, which may have a password
  place text not null,
  group_name text not null,
  paused_at timestamptz(3),
  -- since when somebody should be reading it
  expected_since timestamptz(3) not null default now(),
  last_read_at timestamptz(3),
  last_error text not null default '' check (length(last_error) <= 1000),
  waiting bigint check (waiting >= 0),
  oldest_at timestamptz(3),
  -- operators were told that nobody reads it
  is_unreadable boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, name)
);

-- Down Migration

drop table streams;
