-- Up Migration

-- What people switch on and off together. A category that only types and preferences name has no row: it is shown under
-- a name made from its own, and is not required.
create table categories (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  category text not null check (length(category) between 1 and 50),
  name text not null check (length(name) <= 100),
  description text not null check (length(description) <= 1000),
  -- nobody can leave it
  required boolean not null,
  position integer not null check (position >= 0),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, category)
);

-- Down Migration

drop table categories;
