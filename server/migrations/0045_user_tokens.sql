-- Up Migration

-- Tokens of people's browsers are signed and stored nowhere. Each names its tenant's epoch, which a rotation counts up; the
-- epoch before stays valid until its tokens expire. A token from before these times is void.
alter table tenants
  add column user_token_epoch integer not null default 1 check (user_token_epoch > 0),
  add column user_token_rotated_at timestamptz(3),
  add column user_tokens_void_before timestamptz(3),
  add column user_requests_per_minute integer not null default 300 check (user_requests_per_minute > 0),
  add column cors_origins text[] not null default '{}';
alter table users add column tokens_void_before timestamptz(3);
-- A preflight carries no token: it is answered if any tenant allows the origin.
create index tenants_cors_origins on tenants using gin (cors_origins);

-- What a person's browser does is counted apart from what the person's API keys do.
alter table rate_limits drop constraint rate_limits_limit_type_check,
  add constraint rate_limits_limit_type_check check (limit_type in ('api', 'notification', 'route', 'person'));

-- Down Migration

delete from rate_limits where limit_type = 'person';
alter table rate_limits drop constraint rate_limits_limit_type_check,
  add constraint rate_limits_limit_type_check check (limit_type in ('api', 'notification', 'route'));
drop index tenants_cors_origins;
alter table users drop column tokens_void_before;
alter table tenants
  drop column cors_origins,
  drop column user_requests_per_minute,
  drop column user_tokens_void_before,
  drop column user_token_rotated_at,
  drop column user_token_epoch;
