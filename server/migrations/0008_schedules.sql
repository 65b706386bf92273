-- Up Migration

-- An intent that is sent again and again.
create table schedules (
  id uuid primary key,
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  name text not null check (length(name) between 1 and 100),
  cron text not null check (length(cron) between 1 and 100),
  -- whose wall the expression is about
  timezone text not null check (length(timezone) between 1 and 50),
  -- as it was given
  intent text not null,
  -- of intents that do not name one
  producer text not null check (length(producer) between 1 and 100),
  is_active boolean not null default true,
  -- null = never again, or not now
  next_run_at timestamptz(3),
  last_run_at timestamptz(3),
  last_notification_id uuid,
  -- why the last run sent nothing; '' when it did
  last_error text not null default '',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint schedules_due_while_active check (is_active or next_run_at is null)
);
create index schedules_due on schedules (next_run_at) where next_run_at is not null;
create index schedules_listing on schedules (tenant_id, id desc);

-- Down Migration

drop table schedules;
