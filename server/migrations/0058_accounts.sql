-- Up Migration

-- People who operate Carillon. They are of the instance and not of a tenant, as one person may operate several.
create table accounts (
  id uuid primary key,
  -- in lower case; null until the first owner has given one
  email text unique check (email = lower(email) and length(email) between 3 and 255),
  name text not null default '' check (length(name) <= 100),
  -- null: it signs in by a link only
  password_hash text check (password_hash like '$argon2id$%' and length(password_hash) <= 200),
  -- a link that signs in names it; using one, or a new password, counts it up and so ends all of them
  link_number integer not null default 1 check (link_number > 0),
  -- where it is an owner, it may do to the instance what the first key may; only the machine's own commands say so
  is_operator boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint accounts_password_of_email check (password_hash is null or email is not null)
);

-- Who belongs to a tenant, and as what.
create table members (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  account_id uuid not null references accounts (id) on update cascade on delete cascade,
  role text not null check (role in ('owner', 'admin', 'operator', 'viewer')),
  -- a key that nobody has, in whose name the member acts: limits, triggers and invocations belong to keys
  api_key_id uuid not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, account_id),
  unique (tenant_id, api_key_id),
  foreign key (tenant_id, api_key_id) references api_keys (tenant_id, id) on update cascade on delete cascade
);
create index members_account on members (account_id, created_at);
create index members_owners on members (tenant_id, account_id) where role = 'owner';

-- Browsers that are signed in, with an account or with a key.
create table sessions (
  id uuid primary key,
  -- of a cookie that only the browser has
  token_hash text not null unique check (length(token_hash) = 64),
  account_id uuid references accounts (id) on update cascade on delete cascade,
  -- the tenant that the account looked at last
  chosen_tenant_id uuid references tenants (id) on update cascade on delete set null,
  -- the key that it is a session of, instead of an account
  tenant_id uuid,
  api_key_id uuid,
  -- whoever signed in by a link may choose a password without the old one
  by_link boolean not null default false,
  ip_address inet,
  user_agent text check (length(user_agent) <= 500),
  created_at timestamptz(3) not null default now(),
  last_seen_at timestamptz(3) not null default now(),
  -- moves while it is used, up to a limit
  expires_at timestamptz(3) not null,
  constraint sessions_one_owner check (num_nonnulls(account_id, api_key_id) = 1),
  constraint sessions_whole_key check ((tenant_id is null) = (api_key_id is null)),
  constraint sessions_link_of_account check (not by_link or account_id is not null),
  foreign key (tenant_id, api_key_id) references api_keys (tenant_id, id) on update cascade on delete cascade
);
create index sessions_account on sessions (account_id, last_seen_at) where account_id is not null;
create index sessions_api_key on sessions (tenant_id, api_key_id) where api_key_id is not null;
create index sessions_chosen on sessions (chosen_tenant_id) where chosen_tenant_id is not null;
create index sessions_expiry on sessions (expires_at);

-- Links with which somebody becomes a member. They end by being used, revoked or old.
create table invitations (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  id uuid not null,
  email text not null check (email = lower(email) and length(email) between 3 and 255),
  role text not null check (role in ('owner', 'admin', 'operator', 'viewer')),
  token_hash text not null unique check (length(token_hash) = 64),
  -- the key in whose name somebody was invited: an invitation is worth what its inviter may still give
  api_key_id uuid,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  -- inviting somebody again replaces the link
  unique (tenant_id, email)
);
create index invitations_expiry on invitations (expires_at);

-- Whose session made a change. The row keeps it, whatever becomes of the account.
alter table audit_logs add column account_id uuid, add column account_email text;

-- Down Migration

alter table audit_logs drop column account_id, drop column account_email;
drop table invitations;
drop table sessions;
drop table members;
drop table accounts;
