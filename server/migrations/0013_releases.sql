-- Up Migration

-- Which versions of Carillon brought their functions into this database, so that an older one never puts its own over
-- those of a newer one, and knows whether it can work with them.
create table releases (
  number integer primary key check (number > 0),
  -- the oldest release whose processes work with what this one brought
  compatible_since integer not null check (compatible_since between 1 and number),
  -- of all functions and migrations, as text
  hash text not null check (length(hash) = 64),
  -- what this release wrote, as PostgreSQL names it with its arguments
  functions text[] not null,
  created_at timestamptz(3) not null default now()
);

-- Down Migration

drop table releases;
