-- Up Migration

-- This instance was restored from a backup. Until somebody decides, it sends nothing: what was due then may have been sent
-- by the instance that is gone.
create table restores (
  id uuid primary key default gen_random_uuid(),
  backup_id text not null check (length(backup_id) <= 100),
  -- the last commit that it has; null where nobody knows
  restored_to timestamptz(3),
  -- everything from before it is what was restored
  created_at timestamptz(3) not null default now(),
  decision text check (decision in ('released', 'discarded')),
  decided_at timestamptz(3),
  constraint restores_decided_whole check ((decision is null) = (decided_at is null))
);
-- what processes ask when they start, and while they wait
create unique index restores_undecided on restores ((true)) where decision is null;

-- Down Migration

drop table restores;
