-- Up Migration

-- The master key that this database is used with: not the key, only its id. Without it, a process with another key would
-- be noticed only when it meets a secret.
create table master_keys (
  -- There is one row.
  is_current boolean primary key default true check (is_current),
  key_id text not null check (key_id <> ''),
  created_at timestamptz(3) not null default now(),
  changed_at timestamptz(3) not null default now()
);

-- Down Migration

drop table master_keys;
