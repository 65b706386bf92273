-- Up Migration

-- Tokens of people's browsers are signed and stored nowhere. They are signed with a key derived from the tenant's number,
-- which a rotation counts up; the one before stays valid until its tokens expire. A token from before these times is void.
alter table tenants
  add column user_token_epoch integer not null default 1 check (user_token_epoch > 0),
  add column user_token_rotated_at timestamptz(3),
  add column user_tokens_void_before timestamptz(3),
  add column user_requests_per_minute integer not null default 300 check (user_requests_per_minute > 0),
  add column cors_origins text[] not null default '{}';
alter table users add column tokens_void_before timestamptz(3);

-- Down Migration

alter table users drop column tokens_void_before;
alter table tenants
  drop column cors_origins,
  drop column user_requests_per_minute,
  drop column user_tokens_void_before,
  drop column user_token_rotated_at,
  drop column user_token_epoch;
