-- Up Migration

-- The zones of which Node knows other rules than this PostgreSQL: their clock changes as Node says, so that a wall time
-- means the same moment in SQL as everywhere else. Written at start; empty if both have the same rules.
create table time_zones (
  zone text primary key,
  -- of the data that these rules come from, such as 2026a
  tz_version text not null,
  -- the moments from which each offset applies, in order
  changes timestamptz[] not null,
  -- seconds ahead of UTC
  offsets integer[] not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check (cardinality(changes) = cardinality(offsets) and cardinality(changes) > 0)
);

-- Down Migration

drop table time_zones;
