-- Up Migration

-- The tables of Carillon 0.1.0, wing by wing, each after those that it refers to.
--
-- Every table carries tenant_id and every unique key starts with it, but for the few that keys.test.ts lists. A
-- tenant's id never changes, so nothing follows it; ids inside a tenant may, and what refers to them follows. The database
-- clock is the only clock that decides when something is due, leased or expired, so processes with skewed clocks agree.

-- ---------------------------------------------------------------------------------------------------------------------
-- Platform: what is about the database itself
-- ---------------------------------------------------------------------------------------------------------------------

-- Which versions of Carillon brought their functions into this database, so that an older one never puts its own over
-- those of a newer one, and knows whether it can work with them.
create table releases (
  number int primary key check (number > 0),
  -- the oldest release whose processes work with what this one brought
  compatible_since int not null check (compatible_since between 1 and number),
  -- of all functions and migrations, as text
  hash text not null check (length(hash) = 64),
  -- what this release wrote, as PostgreSQL names it with its arguments
  functions text[] not null,
  created_at timestamptz(3) not null default now()
);

-- The master key that this database is used with: not the key, only its id. Without it, a process with another key would
-- be noticed only when it meets a secret.
create table master_keys (
  -- There is one row.
  is_current boolean primary key default true check (is_current),
  key_id text not null check (key_id <> ''),
  created_at timestamptz(3) not null default now(),
  changed_at timestamptz(3) not null default now()
);

-- The zones of which Node knows other rules than this PostgreSQL: their clock changes as Node says, so that a wall time
-- means the same moment in SQL as everywhere else. Written at start; empty if both have the same rules.
create table time_zones (
  zone text primary key,
  -- of the data that these rules come from, such as 2026a
  tz_version text not null,
  -- the moments from which each offset applies, in order
  changes timestamptz[] not null,
  -- seconds ahead of UTC
  offsets int[] not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check (cardinality(changes) = cardinality(offsets) and cardinality(changes) > 0)
);

-- What each rate-limited provider or webhook sent, by second: enough to keep any sixty seconds under its limit. There is no
-- foreign key: a row is worthless after a minute, and the retention sweep takes those whose owner is gone.
create table recent_sends (
  subject_id uuid not null,
  second timestamptz(0) not null,
  used int not null,
  primary key (subject_id, second)
-- Few rows, each changed with every message: a share of the table says nothing about when to vacuum it.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- ---------------------------------------------------------------------------------------------------------------------
-- Tenants and their people
-- ---------------------------------------------------------------------------------------------------------------------

-- Who shares this instance with others, without seeing them: what each of its calls is checked against, and its state. Its
-- other settings are in the two tables below, where a trigger gives it its rows.
create table tenants (
  id uuid primary key,
  name text not null unique check (length(name) between 1 and 100),

  -- requests per minute and notifications per day of each user, or of a key without one; null = no limit
  requests_per_minute int check (requests_per_minute > 0),
  notifications_per_day int check (notifications_per_day > 0),
  -- What the operator allows it, which its own keys cannot change; null = no limit.
  quota_requests_per_minute int check (quota_requests_per_minute > 0),
  quota_routes_per_day int check (quota_routes_per_day > 0),
  quota_storage_mb int check (quota_storage_mb > 0),
  -- measured by the role maintenance
  storage_bytes bigint,
  storage_measured_at timestamptz(3),

  -- Tokens of people's browsers are signed and stored nowhere. Each names its tenant's epoch, which a rotation counts up;
  -- the epoch before stays valid until its tokens expire. A token from before user_tokens_void_before is void.
  user_token_epoch int not null default 1 check (user_token_epoch > 0),
  user_token_rotated_at timestamptz(3),
  user_tokens_void_before timestamptz(3),
  -- where those browsers may call from, and how often
  cors_origins text[] not null default '{}',
  user_requests_per_minute int not null default 300 check (user_requests_per_minute > 0),
  -- whether its scripts may call other services
  script_http_allowed boolean not null default false,

  -- A suspended tenant neither accepts nor sends; one to be deleted is suspended until delete_at, and can be resumed until
  -- its deletion has begun.
  suspended_at timestamptz(3),
  suspension_reason text not null default '' check (length(suspension_reason) <= 500),
  delete_at timestamptz(3),
  deleting_since timestamptz(3),
  rows_to_delete bigint not null default 0,
  rows_deleted bigint not null default 0,

  created_at timestamptz(3) not null default now(),
  -- also of its settings below
  updated_at timestamptz(3) not null default now(),
  constraint tenants_deleted_are_suspended check (delete_at is null or suspended_at is not null)
);
create index tenants_route_quota on tenants (id) where quota_routes_per_day is not null;
-- A preflight carries no token: it is answered if any tenant allows the origin.
create index tenants_cors_origins on tenants using gin (cors_origins);

-- What becomes of what a tenant sends.
create table tenant_settings (
  tenant_id uuid primary key references tenants (id) on delete cascade,

  -- what it accepts
  accept_unknown_types boolean not null default false,
  -- null = every well-formed locale; a list = anything else falls back to fallback_locale
  locales text[],
  -- What readers get whose own language a tenant does not write in; after it comes English.
  fallback_locale text not null default 'en' check (length(fallback_locale) between 2 and 35),
  -- kinds of threads that it has
  thread_kinds text[] not null default '{issue,pr}',

  -- how it delivers: attempts by channel, and the pauses between them
  max_attempts jsonb not null default '{"email": 7, "push": 3}' check (jsonb_typeof(max_attempts) = 'object'),
  retry_base_ms int not null default 10000 check (retry_base_ms > 0),
  retry_cap_ms int not null default 3600000 check (retry_cap_ms >= retry_base_ms),
  -- mails to one person about one thread within the window are dampened; 0 = as many as there are
  mails_per_thread_window_seconds int not null default 600 check (mails_per_thread_window_seconds between 0 and 86400),
  mails_per_hour int not null default 100 check (mails_per_hour > 0),
  -- where replies to mails about threads arrive; null = mails have no reply address
  reply_domain text check (length(reply_domain) between 1 and 253),
  -- the kind of the event that a reply becomes; null = that of the thread, with _comment_created behind it
  reply_event_kind text check (length(reply_event_kind) between 1 and 64),

  -- who is told about system events, from which severity on
  system_event_admins text[] not null default '{}',
  system_event_min_severity text not null default 'high'
    check (system_event_min_severity in ('low', 'medium', 'high', 'critical')),

  -- the policy that new triggers copy
  trigger_max_attempts int not null default 3 check (trigger_max_attempts between 1 and 50),
  trigger_backoff text not null default 'exponential' check (trigger_backoff in ('exponential', 'linear', 'constant')),
  trigger_base_ms int not null default 1000 check (trigger_base_ms between 1 and 86400000),

  created_at timestamptz(3) not null default now()
);

-- How long what a tenant has is kept, and how long the keys of its intents protect.
create table tenant_retention (
  tenant_id uuid primary key references tenants (id) on delete cascade,
  idempotency_window_seconds int not null default 604800 check (idempotency_window_seconds > 0),
  -- how long an intent without a key is recognised by its content; 0 = never
  computed_key_window_seconds int not null default 86400 check (computed_key_window_seconds >= 0),
  -- How long finished work stays in the tables that delivery reads; then it is moved to the archive, until
  -- record_retention_days are over.
  record_hot_days int not null default 90 check (record_hot_days > 0),
  record_retention_days int not null default 365 check (record_retention_days > 0),
  malformed_retention_days int not null default 30 check (malformed_retention_days > 0),
  dead_letter_retention_days int not null default 30 check (dead_letter_retention_days > 0),
  inbox_retention_days int not null default 180 check (inbox_retention_days > 0),
  event_retention_days int not null default 90 check (event_retention_days > 0),
  run_retention_days int not null default 7 check (run_retention_days > 0),
  abandoned_retention_days int not null default 7 check (abandoned_retention_days > 0),
  -- null = kept for ever
  audit_retention_days int check (audit_retention_days >= 30),
  system_event_retention_days int not null default 180 check (system_event_retention_days between 90 and 365),
  created_at timestamptz(3) not null default now(),
  -- a record is the reservation of its key: it may not vanish while the key still protects
  constraint tenant_retention_covers_keys check (
    record_retention_days::bigint * 86400 >= greatest(idempotency_window_seconds, computed_key_window_seconds)
  )
);

-- The people of a tenant, under the ids that its application gives them.
create table users (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id text not null check (length(id) between 1 and 200),
  email text check (length(email) between 3 and 255),
  username text check (length(username) between 1 and 100),
  phone text check (length(phone) between 3 and 20),
  -- where chat messages for the person go
  chat_address text check (length(chat_address) between 1 and 500),
  locale text not null default '' check (length(locale) <= 35),
  timezone text not null default 'UTC' check (length(timezone) between 1 and 50),
  -- a token of the person's browsers from before is void
  tokens_void_before timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id)
);
-- one account per address and per name; also the look-ups by them
create unique index users_email_key on users (tenant_id, lower(email));
create unique index users_username_key on users (tenant_id, username);
-- What search finds by how it begins, whatever the case and the database's collation; so do the other indexes named so.
create index users_id_search on users (tenant_id, lower(id) text_pattern_ops);
create index users_email_search on users (tenant_id, lower(email) text_pattern_ops);
create index users_username_search on users (tenant_id, lower(username) text_pattern_ops);

-- The phones and browsers that a push reaches.
create table user_devices (
  tenant_id uuid not null,
  id uuid not null,
  user_id text not null,
  kind text not null check (kind in ('fcm', 'apns', 'expo', 'web_push')),
  token text not null check (length(token) between 1 and 4096),
  -- tokens are long: the hash is what is unique
  token_hash text not null check (length(token_hash) = 64),
  label text not null default '' check (length(label) <= 100),
  -- how often its push service has refused it, and since when
  rejections int not null default 0,
  rejected_since timestamptz(3),
  -- In quarantine until then: perhaps not the device is at fault but our settings.
  retry_at timestamptz(3),
  -- The service is sure that it does not exist any more; it is deleted after a while, unless it is registered again.
  is_gone boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade
);
create unique index user_devices_token_key on user_devices (tenant_id, kind, token_hash);
create index user_devices_user on user_devices (tenant_id, user_id);
-- whether many were refused at once
create index user_devices_rejected on user_devices (tenant_id, kind, rejected_since) where rejected_since is not null;
-- the retention sweep
create index user_devices_gone on user_devices (rejected_since) where is_gone;

-- Addresses that get nothing more on a channel.
create table suppressions (
  tenant_id uuid not null references tenants (id) on delete cascade,
  channel text not null check (channel in ('email', 'sms', 'push', 'chat', 'webhook')),
  -- lower case
  address text not null check (length(address) between 1 and 500 and address = lower(address)),
  reason text not null check (reason in ('hard_bounce', 'complaint', 'unsubscribed', 'invalid', 'manual')),
  detail text not null default '',
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, channel, address)
);
create index suppressions_listing on suppressions (tenant_id, created_at desc, channel, address);

-- What people switch on and off together. A category that only types and preferences name has no row: it is shown under
-- a name made from its own, and is not required.
create table categories (
  tenant_id uuid not null references tenants (id) on delete cascade,
  category text not null check (length(category) between 1 and 50),
  name text not null check (length(name) <= 100),
  description text not null check (length(description) <= 1000),
  -- nobody can leave it
  required boolean not null,
  position int not null check (position >= 0),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, category)
);

-- What a person wants on a channel. No row, and every null in a row, leaves it to default_preferences. Categories and
-- reasons stand in the channel's row, name → wanted: a route has one person and one channel, so one look-up finds
-- everything its gates ask for.
create table notification_preferences (
  tenant_id uuid not null,
  user_id text not null,
  channel text not null check (channel in ('in_app', 'email', 'sms', 'push', 'chat', 'webhook')),
  enabled boolean,
  -- until then, what comes on the channel waits
  paused_until timestamptz(3),
  categories jsonb not null default '{}' check (jsonb_typeof(categories) = 'object'),
  reasons jsonb not null default '{}' check (jsonb_typeof(reasons) = 'object'),
  -- category → when the person wants what came in the meantime as one message, such as {"every": "day", "at": "08:00"}
  digests jsonb not null default '{}' check (jsonb_typeof(digests) = 'object'),
  -- per day
  frequency_cap int check (frequency_cap >= 0),
  -- per hour, day and week, such as [{"per": "hour", "max": 3, "over": "digest"}]; beside frequency_cap
  caps jsonb check (jsonb_typeof(caps) = 'array'),
  -- one window every day, or none where they are equal
  quiet_hours_start time(0),
  quiet_hours_end time(0),
  -- instead of these, several windows, or windows on some days: [{"start": "00:00", "end": "24:00", "days": ["sunday"]}]
  quiet_windows jsonb check (jsonb_typeof(quiet_windows) = 'array'),
  -- null = the user's own
  timezone text check (length(timezone) between 1 and 50),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, user_id, channel),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade,
  constraint notification_preferences_quiet_hours_whole check ((quiet_hours_start is null) = (quiet_hours_end is null)),
  constraint notification_preferences_quiet_hours_once check (num_nonnulls(quiet_hours_start, quiet_windows) <= 1)
);
-- who switched a channel off
create index notification_preferences_enabled on notification_preferences (tenant_id, channel, user_id) where not enabled;

-- What holds for people who have not chosen.
create table default_preferences (
  tenant_id uuid not null references tenants (id) on delete cascade,
  channel text not null check (channel in ('in_app', 'email', 'sms', 'push', 'chat', 'webhook')),
  enabled boolean,
  categories jsonb not null default '{}' check (jsonb_typeof(categories) = 'object'),
  reasons jsonb not null default '{}' check (jsonb_typeof(reasons) = 'object'),
  digests jsonb not null default '{}' check (jsonb_typeof(digests) = 'object'),
  frequency_cap int check (frequency_cap >= 0),
  caps jsonb check (jsonb_typeof(caps) = 'array'),
  quiet_hours_start time(0),
  quiet_hours_end time(0),
  quiet_windows jsonb check (jsonb_typeof(quiet_windows) = 'array'),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, channel),
  constraint default_preferences_quiet_hours_whole check ((quiet_hours_start is null) = (quiet_hours_end is null)),
  constraint default_preferences_quiet_hours_once check (num_nonnulls(quiet_hours_start, quiet_windows) <= 1)
);

-- What counts towards a daily cap: messages sent or being sent to a person on a channel on one of their local days. The
-- triggers in functions/caps/cascade_to_daily_sends.sql delete rows with their user: a foreign key would lock the user while
-- routes are locked, and a deletion locks them the other way round.
create table daily_sends (
  tenant_id uuid not null,
  user_id text not null,
  channel text not null,
  day date not null,
  used int not null check (used >= 0),
  -- of the last ask: the cap it met and how many places it got, which is how the asking statement learns of it
  cap int not null,
  granted int not null,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, user_id, channel, day)
-- taking a place touches no index when the row finds room on its page
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
-- past days are of no use
create index daily_sends_day on daily_sends (day);

-- What counts towards caps per hour, day and week, as daily_sends does for days as a whole: messages sent or being sent to a
-- person on a channel, of a category or of all ('').
create table capped_sends (
  tenant_id uuid not null,
  user_id text not null,
  channel text not null,
  category text not null,
  per text not null check (per in ('hour', 'day', 'week')),
  -- the local day, the Monday of the local week, or the end of the hour in UTC
  period text not null,
  used int not null check (used >= 0),
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, user_id, channel, category, per, period)
) with (fillfactor = 70);
-- past periods are of no use
create index capped_sends_created_at on capped_sends (created_at);

-- A person's level on a topic. No row = participating.
create table watches (
  tenant_id uuid not null,
  topic text not null check (length(topic) between 1 and 200),
  user_id text not null,
  level text not null check (level in ('all', 'participating', 'ignore')),
  -- of events that the person wants besides what the level gives
  kinds text[] not null default '{}',
  -- made by an event; never written over a choice
  is_automatic boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, topic, user_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade
);
create index watches_user on watches (tenant_id, user_id);
-- For fan-out: whom an event may reach because they watch. Most automatic watches reach nobody.
create index watches_reached on watches (tenant_id, topic, user_id) where level = 'all' or kinds <> '{}';

-- ---------------------------------------------------------------------------------------------------------------------
-- Oversight: who may do what, what they did, and what operators should know
-- ---------------------------------------------------------------------------------------------------------------------

-- What programs call the API with.
create table api_keys (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  user_id text,
  name text not null check (length(name) between 1 and 100),
  key_hash text not null unique check (length(key_hash) = 64),
  -- first characters of the key, so that people recognise it in a list
  hint text not null,
  -- null permits nothing
  scopes text[],
  -- The producers a key may send as, the first of them unless an intent names one. null = the key's own; with the scope
  -- admin, any.
  producers text[] check (cardinality(producers) between 1 and 50),
  -- The key whose limits this one uses: that of its creator, if the creator could not change the limits. Otherwise whoever
  -- may create keys could have as many limits as keys.
  limited_as uuid,
  is_active boolean not null default true,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade,
  foreign key (tenant_id, limited_as) references api_keys (tenant_id, id) on update cascade on delete set null (limited_as)
);
create index api_keys_listing on api_keys (tenant_id, created_at desc, id desc);
-- the list of keys that still work
create index api_keys_active on api_keys (tenant_id, created_at desc, id desc) where is_active;
create index api_keys_user on api_keys (tenant_id, user_id) where user_id is not null;
create index api_keys_limited_as on api_keys (tenant_id, limited_as) where limited_as is not null;
-- the keys of operators and of owners, of which one always has to stay
create index api_keys_instance on api_keys (id) where is_active and scopes @> '{instance}';
create index api_keys_owners on api_keys (tenant_id, id) where is_active and scopes @> '{admin}';

-- What each caller used of a limit, by window. Never more than the limit: what does not fit is not counted. A window without
-- a user and a key is the whole tenant's; what a person's browser does is counted apart from the person's API keys.
create table rate_limits (
  tenant_id uuid not null references tenants (id) on delete cascade,
  user_id text,
  api_key_id uuid,
  limit_type text not null check (limit_type in ('api', 'notification', 'route', 'person')),
  window_start timestamptz(3) not null,
  request_count int not null check (request_count >= 0),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade,
  foreign key (tenant_id, api_key_id) references api_keys (tenant_id, id) on update cascade on delete cascade,
  constraint rate_limits_one_caller check (num_nonnulls(user_id, api_key_id) <= 1),
  constraint rate_limits_key unique nulls not distinct (tenant_id, user_id, api_key_id, window_start, limit_type)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
create index rate_limits_api_key on rate_limits (tenant_id, api_key_id, window_start) where api_key_id is not null;
-- Old windows, for the sweep. An expression, so that nothing else uses it: the newest window lies beyond all statistics,
-- and the planner would take it for nearly empty and look through all of its callers for one.
create index rate_limits_old on rate_limits ((window_start at time zone 'UTC'));

-- Tries of something outside, such as mails with a new password for one address. The name may hold an address, so only
-- its hash is kept.
create table limit_counters (
  tenant_id uuid not null references tenants (id) on delete cascade,
  key_hash text not null check (length(key_hash) = 64),
  tries int not null check (tries >= 0),
  -- set by the first try; after it the count starts again
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, key_hash)
);
create index limit_counters_expired on limit_counters (expires_at);

-- People who operate Carillon. They are of the instance and not of a tenant, as one person may operate several.
create table accounts (
  id uuid primary key,
  -- in lower case; null until the first owner has given one
  email text unique check (email = lower(email) and length(email) between 3 and 255),
  name text not null default '' check (length(name) <= 100),
  -- null: it signs in by a link only
  password_hash text check (password_hash like '$argon2id$%' and length(password_hash) <= 200),
  -- a link that signs in names it; using one, or a new password, counts it up and so ends all of them
  link_number int not null default 1 check (link_number > 0),
  -- where it is an owner, it may do to the instance what the first key may; only the machine's own commands say so
  is_operator boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint accounts_password_of_email check (password_hash is null or email is not null)
);

-- Who belongs to a tenant, and as what.
create table members (
  tenant_id uuid not null references tenants (id) on delete cascade,
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
  chosen_tenant_id uuid references tenants (id) on delete set null,
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
  foreign key (tenant_id, api_key_id) references api_keys (tenant_id, id) on update cascade on delete cascade,
  constraint sessions_one_owner check (num_nonnulls(account_id, api_key_id) = 1),
  constraint sessions_whole_key check ((tenant_id is null) = (api_key_id is null)),
  constraint sessions_link_of_account check (not by_link or account_id is not null)
);
create index sessions_account on sessions (account_id, last_seen_at) where account_id is not null;
create index sessions_api_key on sessions (tenant_id, api_key_id) where api_key_id is not null;
create index sessions_chosen on sessions (chosen_tenant_id) where chosen_tenant_id is not null;
create index sessions_expiry on sessions (expires_at);

-- Links with which somebody becomes a member. They end by being used, revoked or old.
create table invitations (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  email text not null check (email = lower(email) and length(email) between 3 and 255),
  role text not null check (role in ('owner', 'admin', 'operator', 'viewer')),
  token_hash text not null unique check (length(token_hash) = 64),
  -- the key in whose name somebody was invited: an invitation is worth what its inviter may still give
  api_key_id uuid not null,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  -- inviting somebody again replaces the link
  unique (tenant_id, email)
);
create index invitations_expiry on invitations (expires_at);

-- Who changed what: one row per change, written in the transaction of the change itself.
-- functions/audit-logs/refuse_audit_change.sql keeps it append-only.
create table audit_logs (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  -- the user of the key; emptied when that user is deleted
  user_id text,
  -- no reference: the row outlives the key
  api_key_id uuid,
  -- whose session made a change; the row keeps it, whatever becomes of the account
  account_id uuid,
  account_email text,
  action text not null check (length(action) between 1 and 100),
  resource_type text not null check (length(resource_type) between 1 and 50),
  -- null when the change is about many, such as a bulk replay
  resource_id text check (length(resource_id) between 1 and 520),
  ip_address inet,
  user_agent text,
  request_id text,
  -- of an update only the fields that changed; secrets never
  old_values jsonb,
  new_values jsonb,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete set null (user_id)
);
-- newest-first listing, the export, and the retention sweep from its other end
create index audit_logs_listing on audit_logs (tenant_id, created_at desc, id desc);
create index audit_logs_user on audit_logs (tenant_id, user_id, created_at desc, id desc) where user_id is not null;
create index audit_logs_account on audit_logs (tenant_id, account_id, created_at desc, id desc)
  where account_id is not null;
create index audit_logs_action on audit_logs (tenant_id, action, created_at desc, id desc);
create index audit_logs_resource on audit_logs (tenant_id, resource_type, resource_id, created_at desc, id desc);

-- Curated, high-signal events for operators; without a tenant, those of the instance.
create table admin_system_events (
  id bigint generated always as identity primary key,
  tenant_id uuid references tenants (id) on delete cascade,
  user_id text,
  event_type text not null check (length(event_type) between 1 and 50),
  severity text not null check (severity in ('low', 'medium', 'high', 'critical')),
  -- what the event is about: cool-down and resolution are per type, tenant and subject
  subject text not null default '' check (length(subject) <= 100),
  description text not null,
  details jsonb not null default '{}' check (octet_length(details::text) <= 16384),
  is_resolved boolean not null default false,
  resolved_at timestamptz(3),
  resolved_by text,
  created_at timestamptz(3) not null default now(),
  constraint admin_system_events_resolved_whole check (is_resolved = (resolved_at is not null))
);
create index admin_system_events_listing on admin_system_events (created_at desc, id desc);
create index admin_system_events_tenant on admin_system_events (tenant_id, created_at desc, id desc);
create index admin_system_events_severity on admin_system_events (severity, created_at desc, id desc);
-- what the overview counts
create index admin_system_events_open on admin_system_events (tenant_id, severity) where not is_resolved;

-- ---------------------------------------------------------------------------------------------------------------------
-- Content: what messages say
-- ---------------------------------------------------------------------------------------------------------------------

-- What a notification says on one channel in one language: the draft, and whether it may be used.
create table notification_templates (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  name text not null check (length(name) between 1 and 100),
  channel text not null check (channel in ('in_app', 'email', 'sms', 'push', 'chat', 'webhook')),
  -- as the standard writes it, such as pt-BR
  locale text not null check (length(locale) between 2 and 35),
  subject text check (length(subject) between 1 and 255),
  title text check (length(title) between 1 and 255),
  body text not null,
  -- the text part of a mail, when it is not made from the body
  text_body text,
  layout text,
  variables jsonb not null default '[]' check (jsonb_typeof(variables) = 'array'),
  is_active boolean not null default true,
  -- null = never published
  published_version_id uuid,
  -- null when the author is gone, or was no user
  created_by text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id) on update cascade on delete set null (created_by),
  constraint notification_templates_subject_for_email check ((subject is not null) = (channel = 'email')),
  constraint notification_templates_title check ((title is not null) = (channel in ('push', 'in_app'))),
  constraint notification_templates_mail_only check (channel = 'email' or (text_body is null and layout is null))
);
-- one per language; also the look-up when a route is made, and the listing by name
create unique index notification_templates_key on notification_templates (tenant_id, name, channel, lower(locale));
create index notification_templates_channel on notification_templates (tenant_id, channel, name);
create index notification_templates_search on notification_templates (tenant_id, lower(name) text_pattern_ops);
-- what rendering has to refuse
create index notification_templates_inactive on notification_templates (tenant_id) where not is_active;
create index notification_templates_author on notification_templates (tenant_id, created_by) where created_by is not null;

-- What was published, never changed afterwards. It outlives its template: what was accepted with it still goes out.
create table template_versions (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  template_id uuid not null,
  version int not null check (version > 0),
  name text not null,
  channel text not null,
  locale text not null,
  -- as written
  source jsonb not null check (jsonb_typeof(source) = 'object'),
  -- ready to fill in: layout and partials put together, styles on the elements, the text part made
  compiled jsonb not null check (jsonb_typeof(compiled) = 'object'),
  -- layout:name and partial:name
  parts text[] not null default '{}',
  -- the version a rollback published again
  restored_from int,
  -- what routes accepted with this version use instead; null = this one
  replaced_by uuid,
  published_by text,
  published_at timestamptz(3) not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, published_by) references users (tenant_id, id) on update cascade on delete set null (published_by)
);
create unique index template_versions_key on template_versions (tenant_id, template_id, version);
create index template_versions_replaced on template_versions (tenant_id) where replaced_by is not null;
create index template_versions_publisher on template_versions (tenant_id, published_by) where published_by is not null;

-- Layouts and partials of a tenant. Published templates hold copies: a change reaches them when they are published again.
create table template_parts (
  tenant_id uuid not null references tenants (id) on delete cascade,
  kind text not null check (kind in ('layout', 'partial')),
  name text not null check (length(name) between 1 and 50),
  source text not null,
  -- The layout `default` as it was last published, and the mail without a template that was compiled with it: those mails
  -- change with a publication, as all others do, and not with every save.
  published_source text,
  plain_mail jsonb,
  published_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, kind, name)
);

-- How a tenant's mails look. No row = the defaults.
create table branding (
  tenant_id uuid primary key references tenants (id) on delete cascade,
  name text check (length(name) between 1 and 100),
  logo_url text check (length(logo_url) <= 500),
  website_url text check (length(website_url) <= 500),
  primary_color text check (primary_color ~ '^#[0-9a-fA-F]{6}$'),
  footer text check (length(footer) <= 2000),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

-- All keys of a language in one row: they are read together and replaced together.
create table translations (
  tenant_id uuid not null references tenants (id) on delete cascade,
  locale text not null check (length(locale) between 2 and 35),
  messages jsonb not null check (jsonb_typeof(messages) = 'object'),
  created_at timestamptz(3) not null default now(),
  -- never twice the same, so that it tells whether a remembered copy is current
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, locale)
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Inbox: topics, threads, and what people have before them
-- ---------------------------------------------------------------------------------------------------------------------

-- What contains threads: a repository, a project, an account. Made by hand, or by the first event or watch that names it.
create table topics (
  tenant_id uuid not null references tenants (id) on delete cascade,
  topic text not null check (length(topic) between 1 and 200),
  title text not null default '' check (length(title) <= 500),
  url text not null default '' check (length(url) <= 500),
  -- private: only members see what happens in it
  visibility text not null default 'public' check (visibility in ('public', 'private')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, topic)
);
create index topics_search on topics (tenant_id, lower(topic) text_pattern_ops);

-- Who belongs to a topic.
create table topic_members (
  tenant_id uuid not null,
  topic text not null,
  user_id text not null,
  role text not null default 'member' check (role in ('member', 'owner')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, topic, user_id),
  foreign key (tenant_id, topic) references topics (tenant_id, topic) on update cascade on delete cascade,
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade
);
create index topic_members_user on topic_members (tenant_id, user_id);
-- For fan-out: a topic has few owners, however many members.
create index topic_members_owner on topic_members (tenant_id, topic, user_id) where role = 'owner';

-- What is being discussed.
create table threads (
  tenant_id uuid not null references tenants (id) on delete cascade,
  kind text not null check (length(kind) between 1 and 32),
  id text not null check (length(id) between 1 and 200),
  topic text,
  title text not null default '' check (length(title) <= 500),
  url text not null default '' check (length(url) <= 500),
  author_id text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, kind, id),
  foreign key (tenant_id, topic) references topics (tenant_id, topic) on update cascade on delete cascade,
  foreign key (tenant_id, author_id) references users (tenant_id, id) on update cascade on delete set null (author_id)
);
create index threads_topic on threads (tenant_id, topic, kind, id) where topic is not null;
create index threads_author on threads (tenant_id, author_id) where author_id is not null;

-- Who stands in which lasting relation to a thread: assignee, reviewer, commenter, or one of the tenant's own.
create table thread_participants (
  tenant_id uuid not null,
  thread_kind text not null,
  thread_id text not null,
  relation text not null check (length(relation) between 1 and 32),
  user_id text not null,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, thread_kind, thread_id, relation, user_id),
  foreign key (tenant_id, thread_kind, thread_id) references threads (tenant_id, kind, id)
    on update cascade on delete cascade,
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade
);
create index thread_participants_user on thread_participants (tenant_id, user_id);

-- A person's own choice about one thread, over the watch on its topic.
create table notification_threads (
  tenant_id uuid not null,
  user_id text not null,
  thread_kind text not null,
  thread_id text not null,
  subscribed boolean not null,
  reason text not null check (reason in ('manual', 'manual_unsubscribe', 'email_one_click',
    'author', 'assigned', 'review_requested', 'mention', 'commenter')),
  -- The event that made it, if it is automatic. It counts only for later ones, so that an event which is fanned out again
  -- finds the same people.
  source_event_id bigint,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, user_id, thread_kind, thread_id),
  foreign key (tenant_id, thread_kind, thread_id) references threads (tenant_id, kind, id)
    on update cascade on delete cascade,
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade
);
create index notification_threads_thread on notification_threads (tenant_id, thread_kind, thread_id, user_id);

-- Whom the tenant asks, per recipient, who may see something: an address of its own, besides the members of topics.
create table visibility_checks (
  tenant_id uuid not null primary key references tenants (id) on delete cascade,
  -- secrets are bound to it
  id uuid not null,
  url text not null check (length(url) between 1 and 500),
  -- encrypted
  secrets text not null,
  timeout_ms int not null default 2000 check (timeout_ms between 100 and 10000),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

-- A person's inbox: one row per thread, or per message that belongs to none. Without user_id it is everybody's, and what
-- each person did with it is in a receipt. The triggers in functions/notifications/cascade_to_notifications.sql stand in for
-- a foreign key to tenants.
create table notifications (
  tenant_id uuid not null,
  id uuid not null,
  user_id text,
  -- the message that it shows; null where an event made the row
  record_id uuid,
  route_id text,
  type text not null check (length(type) between 1 and 100),
  kind text not null default '' check (length(kind) <= 64),
  reason text not null default '' check (length(reason) <= 32),
  title text not null,
  message text not null check (octet_length(message) <= 4096),
  topic text,
  thread_kind text,
  thread_id text,
  -- the last event that touched the row; no foreign key, because events are deleted by age
  source_event_id bigint,
  -- the last messages of the thread that the row stands for, so that one delivered again changes nothing
  recent_records uuid[] not null default '{}',
  event_count int not null default 1 check (event_count > 0),
  last_event_at timestamptz(3) not null default now(),
  last_actor_id text,
  -- what the list shows: url, icon, names of the last actors
  summary jsonb not null default '{}' check (octet_length(summary::text) <= 8192),
  -- buttons, and the one that was pressed
  actions jsonb check (octet_length(actions::text) <= 8192),
  answer jsonb,
  is_read boolean not null default false,
  read_at timestamptz(3),
  done_at timestamptz(3),
  saved_at timestamptz(3),
  snoozed_until timestamptz(3),
  expires_at timestamptz(3),
  deleted_at timestamptz(3),
  -- The transaction of the last change, and that of the last event. A reader remembers the snapshot it read with, which
  -- says exactly which of these it has seen; a number counted up would be given out before its change is visible.
  version bigint not null default (pg_current_xact_id()::text)::bigint,
  event_version bigint not null default (pg_current_xact_id()::text)::bigint,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade,
  constraint notifications_actor_fkey foreign key (tenant_id, last_actor_id) references users (tenant_id, id)
    on update cascade on delete set null (last_actor_id),
  constraint notifications_read_whole check (is_read = (read_at is not null)),
  constraint notifications_thread_whole check ((thread_kind is null) = (thread_id is null)),
  constraint notifications_thread_of_one check (thread_id is null or user_id is not null)
-- People read and mark what is at the front of their inboxes, where the newest rows and the dead ones are.
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
-- delivering twice cannot duplicate
create unique index notifications_route_key on notifications (tenant_id, record_id, route_id);
create unique index notifications_thread_coalesce on notifications (tenant_id, user_id, thread_kind, thread_id)
  where thread_id is not null;
-- Without a thread, every event makes a row, and makes it once.
create unique index notifications_event on notifications (tenant_id, user_id, source_event_id)
  where source_event_id is not null and thread_id is null and user_id is not null;
create index notifications_recent on notifications (tenant_id, user_id, last_event_at desc, id desc)
  where deleted_at is null;
-- Counting needs the times too, and so reads no rows.
create index notifications_unread on notifications (tenant_id, user_id, last_event_at desc, id desc)
  include (snoozed_until, expires_at) where not is_read and deleted_at is null and done_at is null;
create index notifications_saved on notifications (tenant_id, user_id, last_event_at desc, id desc)
  where saved_at is not null and deleted_at is null;
create index notifications_everybody on notifications (tenant_id, last_event_at desc, id desc) where user_id is null;
create index notifications_snoozed on notifications (snoozed_until) where snoozed_until is not null;
create index notifications_version on notifications (tenant_id, user_id, version);
create index notifications_topic on notifications (tenant_id, topic) where topic is not null;
create index notifications_actor on notifications (tenant_id, last_actor_id) where last_actor_id is not null;
-- the retention sweeps
create index notifications_expired on notifications (expires_at) where expires_at is not null and deleted_at is null;
create index notifications_old on notifications (tenant_id, last_event_at)
  where saved_at is null and deleted_at is null;
create index notifications_gone on notifications (deleted_at) where deleted_at is not null;

-- What a person did with a row that is everybody's.
create table notification_receipts (
  tenant_id uuid not null,
  notification_id uuid not null,
  user_id text not null,
  answer jsonb,
  is_read boolean not null default false,
  read_at timestamptz(3),
  done_at timestamptz(3),
  saved_at timestamptz(3),
  snoozed_until timestamptz(3),
  deleted_at timestamptz(3),
  version bigint not null default (pg_current_xact_id()::text)::bigint,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, user_id, notification_id),
  foreign key (tenant_id, notification_id) references notifications (tenant_id, id) on update cascade on delete cascade,
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade,
  constraint notification_receipts_read_whole check (is_read = (read_at is not null))
);
create index notification_receipts_notification on notification_receipts (tenant_id, notification_id);
create index notification_receipts_snoozed on notification_receipts (snoozed_until) where snoozed_until is not null;
create index notification_receipts_version on notification_receipts (tenant_id, user_id, version);

-- Searches of the inbox that a person keeps.
create table saved_filters (
  tenant_id uuid not null,
  user_id text not null,
  name text not null check (length(name) between 1 and 100),
  query text not null check (length(query) between 1 and 500),
  position int not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, user_id, name),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Providers: services that messages are handed to
-- ---------------------------------------------------------------------------------------------------------------------

-- A tenant's account at a service, or a server of its own. Secrets are one AES-256-GCM text bound to the row. A row without
-- a tenant is a provider from the environment, for all tenants that have none of their own: what it needs to be called stays
-- in the environment of the processes that have it.
create table provider_configs (
  id uuid primary key,
  tenant_id uuid references tenants (id) on delete cascade,
  name text not null check (length(name) between 1 and 50),
  kind text not null check (length(kind) between 1 and 20),
  channel text not null check (channel in ('email', 'sms', 'push', 'chat', 'webhook')),
  config jsonb not null check (jsonb_typeof(config) = 'object'),
  secrets text,
  is_active boolean not null default true,
  -- messages per minute; null = no limit
  rate_limit int check (rate_limit > 0),
  -- A provider that hangs holds the places of its channel for as long as it may take to answer.
  timeout_seconds int not null default 30 check (timeout_seconds between 1 and 60),
  -- higher is asked first
  priority int not null default 0,
  -- what to do when a request left and no answer came
  uncertain_policy text not null default 'resend' check (uncertain_policy in ('resend', 'ask', 'hold')),
  -- When a process that has the settings of this provider from the environment last said so. A row that nobody marks any
  -- more is deleted: its settings were removed. null for tenants' providers.
  seen_at timestamptz(3),
  -- Tells whether the settings of a provider from the environment have changed, without telling what they are.
  settings_hash text not null default '',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint provider_configs_secrets_of_tenant check ((tenant_id is null) = (secrets is null))
);
create unique index provider_configs_name_key on provider_configs (tenant_id, name);
create unique index provider_configs_environment on provider_configs (channel, name) where tenant_id is null;
-- the choice: the active ones of a channel, best first
create index provider_configs_choice on provider_configs (tenant_id, channel, priority desc, name) where is_active;
create index provider_configs_search on provider_configs (tenant_id, lower(name) text_pattern_ops);

-- The circuit breaker of each provider, shared by all processes. No row = closed.
create table provider_health (
  provider_id uuid primary key references provider_configs (id) on update cascade on delete cascade,
  state text not null check (state in ('closed', 'open', 'half_open')),
  -- not asked again before; doubles with every failed probe
  retry_at timestamptz(3),
  cool_down_ms int not null default 5000,
  last_error text not null default '',
  changed_at timestamptz(3) not null default now(),
  constraint provider_health_retry_while_open check ((retry_at is not null) = (state <> 'closed'))
);

-- What the capture provider would have sent.
create table captured_messages (
  tenant_id uuid not null references tenants (id) on delete cascade,
  message_id text not null,
  notification_id uuid not null,
  route_id text not null,
  channel text not null,
  notification_type text not null,
  recipient_ref text not null,
  address text not null,
  locale text not null,
  subject text not null,
  text text not null,
  html text,
  options jsonb,
  captured_at timestamptz(3) not null default now(),
  primary key (tenant_id, message_id)
);
create index captured_messages_listing on captured_messages (tenant_id, captured_at desc, message_id desc);
create index captured_messages_record on captured_messages (tenant_id, notification_id);

-- ---------------------------------------------------------------------------------------------------------------------
-- Intake: what is to be sent
-- ---------------------------------------------------------------------------------------------------------------------

-- One accepted intent. The row itself is the reservation of (producer, idempotency_key): there is no second key store.
create table records (
  tenant_id uuid not null references tenants (id) on delete cascade,
  notification_id uuid not null,
  notification_type text not null check (length(notification_type) between 1 and 100),
  producer text not null check (length(producer) between 1 and 100),
  audience_kind text not null check (audience_kind in ('users', 'topic', 'tenant', 'addresses', 'admin_email', 'event')),
  -- sorted and distinct user ids or addresses; empty for topic and tenant
  recipients text[] not null default '{}',
  topic text,
  channels text[] not null,
  -- why these people, such as mention or assignment; people may switch reasons off
  reason text not null default '' check (length(reason) <= 32),
  -- exactly the bytes the producer sent
  payload_json text not null,
  -- the template that the intent asked for; null leaves it to the type
  template text check (length(template) between 1 and 100),
  -- What the intent says about its messages on one channel, by channel; null for most. Of attachments only name, type and
  -- size: every claim reads this column.
  options jsonb,

  idempotency_key text not null check (length(idempotency_key) between 1 and 255),
  request_fingerprint text not null,
  idempotency_expires_at timestamptz(3) not null,
  -- set when the key was reused after its expiry; the record stays readable
  idempotency_released_at timestamptz(3),
  source text not null,
  source_entry_id text,
  request_id text not null default '',
  traceparent text not null default '',
  -- the run of a script that sent it
  run_id uuid,
  trigger_depth int not null default 0,

  -- The event that caused it, about which thread, and whether it reaches people who muted it.
  event_id uuid,
  thread_kind text,
  thread_id text,
  actor_id text,
  passes_mute boolean not null default false,
  -- in which relation these people stood to the event
  relation text,

  retry_base_ms int not null,
  retry_cap_ms int not null,
  send_at timestamptz(3),
  -- A time on the wall of each recipient, such as 2026-12-24T09:00: it has no zone, so it is no timestamptz.
  send_at_local text check (length(send_at_local) <= 19),
  expires_at timestamptz(3),
  occurred_at timestamptz(3),
  accepted_at timestamptz(3) not null,
  -- null while the audience is still being turned into routes
  expanded_at timestamptz(3),
  cancelled_at timestamptz(3),
  updated_at timestamptz(3) not null,
  primary key (tenant_id, notification_id),
  constraint records_topic_for_topics check (audience_kind = 'event' or (topic is not null) = (audience_kind = 'topic'))
-- Written once and moved once. Vacuum after inserts keeps the lists reading the index alone.
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.02);
-- the reservation while not released; key first, so that it also finds records by their key
create unique index records_idempotency_key on records (tenant_id, idempotency_key, producer, idempotency_released_at)
  nulls not distinct;
-- Two producers may relay streams whose entries have the same ids, so an entry belongs to its producer as well.
create unique index records_source_entry_of_producer_key on records (tenant_id, source, producer, source_entry_id)
  where source_entry_id is not null;
-- Newest-first listing, and the retention sweep from its other end. The id is only carried along: as a key column the
-- planner would take this index for look-ups by id while the table is still small, and keep doing so.
create index records_listing on records (tenant_id, accepted_at desc) include (notification_id);
-- Routes made after a time: their records were accepted after it, but for large audiences, which are expanded later, and
-- for digests that were opened by an item which went out at once (digests_opened_early). So the listing knows where to stop,
-- and only those pay for the indexes.
create index records_expanded_late on records (tenant_id, expanded_at) where expanded_at > accepted_at;
create index records_event on records (tenant_id, event_id) where event_id is not null;
-- The list of a type; the id and the producer are what is asked together with it, so that no row is read that does not match.
create index records_type on records (tenant_id, notification_type, accepted_at desc)
  include (notification_id, producer);
-- Which parts of the table may have records of a producer. Lists of one that is rare, or has none yet, would otherwise walk
-- all records of the tenant. A summary of 128 pages hardly ever changes, so records pay next to nothing for it.
create index records_producer on records using brin (
  tenant_id uuid_bloom_ops (n_distinct_per_range = 128),
  producer text_bloom_ops (n_distinct_per_range = 64)
) with (autosummarize = on);

-- Files that an intent brings, apart from their record, and read only when a mail is sent. They are deleted with it.
create table attachments (
  tenant_id uuid not null references tenants (id) on delete cascade,
  notification_id uuid not null,
  position smallint not null,
  filename text not null,
  content_type text not null,
  content bytea not null,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, notification_id, position),
  foreign key (tenant_id, notification_id) references records (tenant_id, notification_id)
    on update cascade on delete cascade
);
-- mostly compressed already
alter table attachments alter column content set storage external;

-- Entries of a source that could not be accepted, as received.
create table malformed_intents (
  tenant_id uuid not null references tenants (id) on delete cascade,
  source text not null,
  producer text not null default '',
  source_entry_id text not null check (length(source_entry_id) between 1 and 255),
  notification_type text not null default '',
  idempotency_key text not null default '',
  failure_code text not null,
  failure_message text not null,
  raw_fields jsonb not null,
  recorded_at timestamptz(3) not null default now(),
  primary key (tenant_id, source, producer, source_entry_id)
);
create index malformed_intents_listing on malformed_intents
  (tenant_id, recorded_at desc, source_entry_id desc, producer desc);

-- An intent that is sent again and again.
create table schedules (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
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
  primary key (tenant_id, id),
  constraint schedules_due_while_active check (is_active or next_run_at is null)
);
create index schedules_due on schedules (next_run_at) where next_run_at is not null;

-- Streams that intents are read from. Where they are is in the settings of the processes that read them; here is what
-- those report, and whether they shall read at all.
create table streams (
  tenant_id uuid not null references tenants (id) on delete cascade,
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

-- ---------------------------------------------------------------------------------------------------------------------
-- Planning: from a record to its routes
-- ---------------------------------------------------------------------------------------------------------------------

-- The catalog: what intents of a type may say, and how they are delivered.
create table notification_types (
  tenant_id uuid not null references tenants (id) on delete cascade,
  name text not null check (length(name) between 1 and 100),
  description text not null default '',
  category text not null default '' check (length(category) <= 50),
  critical boolean not null default false,
  -- empty = every producer
  producers text[] not null default '{}',
  -- empty = every kind
  audience_kinds text[] not null default '{}',
  channels text[] not null check (cardinality(channels) > 0),
  required_fields text[] not null default '{}',
  admin_emails text[] not null default '{}',
  -- channel → name of the template to use
  templates jsonb not null default '{}' check (jsonb_typeof(templates) = 'object'),
  -- channel → name of the provider to use
  providers jsonb not null default '{}' check (jsonb_typeof(providers) = 'object'),
  max_attempts jsonb not null default '{}' check (jsonb_typeof(max_attempts) = 'object'),
  retry_base_ms int check (retry_base_ms > 0),
  retry_cap_ms int check (retry_cap_ms > 0),
  -- seconds between accepting and the first try
  delay int not null default 0 check (delay between 0 and 2592000),
  -- {per, key, max}; null = none
  throttle jsonb check (jsonb_typeof(throttle) = 'object'),
  -- {window, key, first_at_once, max_items}; null = none
  digest jsonb check (jsonb_typeof(digest) = 'object'),
  -- [{channel, after, unless}]; null = none
  escalate jsonb check (jsonb_typeof(escalate) = 'array'),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, name)
);
create index notification_types_search on notification_types (tenant_id, lower(name) text_pattern_ops);

-- Audiences too large for the accepting transaction, while they are being expanded; `cursor` is the last user done.
create table expansions (
  tenant_id uuid not null,
  notification_id uuid not null,
  cursor text not null default '',
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, notification_id),
  foreign key (tenant_id, notification_id) references records (tenant_id, notification_id)
    on update cascade on delete cascade
-- A queue is nearly always almost empty, so a share of its rows says nothing: a number of dead rows does.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);
create index expansions_oldest on expansions (created_at, tenant_id, notification_id);

-- ---------------------------------------------------------------------------------------------------------------------
-- Delivery
-- ---------------------------------------------------------------------------------------------------------------------

-- One record × one recipient × one channel: the unit of delivery. The triggers in functions/routes/cascade_to_routes.sql
-- stand in for foreign keys to records and users: real ones look up two rows per route, which was a quarter of the cost of
-- accepting an intent.
create table routes (
  tenant_id uuid not null,
  notification_id uuid not null,
  -- made from channel and recipient, so that expanding twice cannot duplicate
  route_id text not null,
  channel text not null check (channel in ('in_app', 'email', 'sms', 'push', 'chat', 'webhook')),
  recipient_ref text not null,
  user_id text,
  -- Resolved when the route is made: a later change alters none of it. Without a version, the payload's own words are sent.
  resolved_address text not null default '',
  resolved_locale text not null default '',
  template_version_id uuid,
  -- what goes first when a worker cannot do everything at once: 0 critical, 1 meant for a few people, 2 for a large audience
  priority smallint not null default 1,
  -- null = goes out with the others; true = later, and not when the inbox row was read; false = later in any case
  unless_read boolean,
  -- the digest it joined or opened; on the digest's own route, the notification itself
  digest_id uuid,

  status text not null,
  -- why it was skipped, postponed or expired
  reason text not null default '',
  attempt_count int not null default 0,
  max_attempts int not null check (max_attempts > 0),
  -- every claim ever made; the fencing token that a completion must present
  claim_count int not null default 0,
  next_attempt_at timestamptz(3),
  lease_owner text,
  lease_until timestamptz(3),
  -- The day whose cap counts the route, and the other periods that do. A worker that dies leaves the place with the route,
  -- and whoever takes it over does not take a second one.
  counted_on date,
  counted_in jsonb,
  -- the devices that have this push already, while others of the person still have to get it; null on most routes
  reached_devices jsonb check (jsonb_typeof(reached_devices) = 'array'),

  provider text not null default '',
  provider_message_id text not null default '',
  -- our message id, kept where a service will report back by it
  message_ref text not null default '',
  last_error_classification text not null default '',
  last_error_message text not null default '',
  last_error_at timestamptz(3),

  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  sent_at timestamptz(3),
  delivered_at timestamptz(3),
  opened_at timestamptz(3),
  bounced_at timestamptz(3),
  dead_at timestamptz(3),
  skipped_at timestamptz(3),
  cancelled_at timestamptz(3),
  expired_at timestamptz(3),
  primary key (tenant_id, notification_id, route_id),
  constraint routes_priority check (priority between 0 and 2),
  constraint routes_status check (status in ('pending', 'retrying', 'sent', 'dead', 'skipped', 'cancelled', 'expired')),
  constraint routes_due_while_open check ((next_attempt_at is not null) = (status in ('pending', 'retrying'))),
  constraint routes_lease_while_open check (lease_owner is null or status in ('pending', 'retrying')),
  constraint routes_lease_whole check ((lease_owner is null) = (lease_until is null)),
  constraint routes_sent_at check ((sent_at is not null) = (status = 'sent')),
  constraint routes_dead_at check ((dead_at is not null) = (status = 'dead')),
  constraint routes_skipped_at check ((skipped_at is not null) = (status = 'skipped')),
  constraint routes_cancelled_at check ((cancelled_at is not null) = (status = 'cancelled')),
  constraint routes_expired_at check ((expired_at is not null) = (status = 'expired')),
  constraint routes_skip_has_reason check (status <> 'skipped' or reason <> '')
-- Half of each page stays free for the claim, which changes no indexed column and so touches no index: measured, it halves
-- what a claim costs. Routes are changed three times and moved once, and every claim reads the index of due ones. Autovacuum
-- waits by default until a fifth of a table is dead: of ten million routes that is two million, and every claim steps over
-- the dead entries at the front of its index until then.
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 1000);
-- The claim: tenants take turns, so it looks for what is due per tenant, channel and priority. Finished routes are not in it.
create index routes_due on routes (tenant_id, channel, priority, next_attempt_at) where next_attempt_at is not null;
-- operator views by status; `sent` is the rule and `pending` passes: routes_due knows those
create index routes_status on routes (tenant_id, status, notification_id desc, route_id desc)
  where status not in ('pending', 'sent');
create index routes_user on routes (tenant_id, user_id, notification_id desc, route_id desc) where user_id is not null;
create index routes_message_ref on routes (tenant_id, message_ref) where message_ref <> '';
-- what a digest holds
create index routes_digest on routes (tenant_id, digest_id, notification_id) where digest_id is not null;
-- for ask_gates_again(): the few routes that wait for a person's hours or caps, among all they ever got
create index routes_waiting on routes (tenant_id, user_id)
  where reason in ('paused', 'quiet_hours', 'digest') and next_attempt_at is not null;
create index routes_over_cap on routes (tenant_id, user_id) where reason = 'cap_reached' and next_attempt_at is not null;
-- what waits because its tenant is suspended, oldest first: made due when the tenant is resumed
create index routes_suspended on routes (tenant_id, notification_id)
  where reason = 'tenant_suspended' and next_attempt_at is not null;
-- Which parts of the table may have routes of a provider or a channel, as records_producer.
create index routes_senders on routes using brin (
  tenant_id uuid_bloom_ops (n_distinct_per_range = 128),
  provider text_bloom_ops (n_distinct_per_range = 64),
  channel text_bloom_ops (n_distinct_per_range = 16)
) with (autosummarize = on);

-- One row per claim: what was tried, by whom, and what came of it. No foreign key: only the statements that hold the route's
-- row lock write here, and checking it once more costs a seventh of a completion. The trigger delete_attempts takes the rows
-- along when a route goes.
create table route_attempts (
  tenant_id uuid not null,
  notification_id uuid not null,
  route_id text not null,
  attempt_no int not null,
  outcome text not null check (outcome in
    ('sent', 'retry', 'rate_limited', 'permanent', 'config', 'uncertain', 'lost', 'postponed', 'skipped', 'cancelled', 'expired')),
  provider text not null default '',
  -- every provider asked within one attempt, in order
  calls jsonb not null default '[]',
  message text not null default '',
  worker text not null,
  started_at timestamptz(3) not null,
  duration_ms int not null default 0,
  next_attempt_at timestamptz(3),
  primary key (tenant_id, notification_id, route_id, attempt_no)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.05);

-- What one recipient gets together on one channel. Its id is the notification_id of the record that is sent.
create table digests (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  notification_type text not null,
  channel text not null,
  recipient_ref text not null,
  user_id text,
  -- the value of the payload field the type names; '' without one
  key text not null check (length(key) <= 100),
  -- the one that went out at once and opened the window; not among the items
  first_notification_id uuid,
  closes_at timestamptz(3) not null,
  closed_at timestamptz(3),
  item_count int,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade,
  constraint digests_counted_when_closed check ((closed_at is null) = (item_count is null))
);
create unique index digests_one_open on digests (tenant_id, notification_type, recipient_ref, channel, key)
  where closed_at is null;
create index digests_user on digests (tenant_id, user_id) where user_id is not null;
-- see records_expanded_late
create index digests_opened_early on digests (tenant_id, closes_at) include (id)
  where first_notification_id is not null and closes_at - created_at > interval '1 hour';
-- the retention sweep
create index digests_old on digests (tenant_id, created_at);

-- What a recipient got lately of a throttled type: notification_id → when it was let through, in seconds.
create table throttles (
  tenant_id uuid not null references tenants (id) on delete cascade,
  notification_type text not null,
  recipient_ref text not null,
  key text not null check (length(key) <= 100),
  user_id text,
  passes jsonb not null default '{}' check (jsonb_typeof(passes) = 'object'),
  -- from then on the row says nothing any more
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, notification_type, recipient_ref, key),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade
);
create index throttles_user on throttles (tenant_id, user_id) where user_id is not null;
create index throttles_expired on throttles (expires_at);

-- What services reported about messages. The same event reported twice counts once. What belongs to a route stays when that
-- is moved to the archive, so triggers delete it with its route, and not a foreign key.
create table provider_callbacks (
  tenant_id uuid not null references tenants (id) on delete cascade,
  provider_id uuid not null references provider_configs (id) on update cascade on delete cascade,
  event_id text not null check (length(event_id) between 1 and 255),
  notification_id uuid,
  route_id text,
  -- `resubscribed` lifts a suppression; `ignored` only uses up the id of an event, so that it cannot be used for another;
  -- `device_refused`: one device of a push did not get it, which says nothing about the others.
  kind text not null check (kind in ('delivered', 'bounced', 'complained', 'opened', 'failed', 'unsubscribed',
    'resubscribed', 'ignored', 'device_refused')),
  detail text not null default '',
  occurred_at timestamptz(3) not null,
  received_at timestamptz(3) not null default now(),
  primary key (tenant_id, provider_id, event_id)
);
create index provider_callbacks_route on provider_callbacks (tenant_id, notification_id, route_id);
create index provider_callbacks_provider on provider_callbacks (provider_id);
-- the retention sweep
create index provider_callbacks_ignored on provider_callbacks (received_at) where kind = 'ignored';
-- Reports about messages that are unknown or archived belong to no record, so they go at an age of their own.
create index provider_callbacks_unrelated on provider_callbacks (tenant_id, received_at) where notification_id is null;

-- What a push service accepted and will say more about: one row per device, until its receipt was read.
create table push_tickets (
  tenant_id uuid not null references tenants (id) on delete cascade,
  -- No foreign key: the row of a provider from the environment may be missing for a moment, and a send is not to fail then.
  provider_id uuid not null,
  ticket text not null check (length(ticket) between 1 and 100),
  notification_id uuid not null,
  route_id text not null,
  device_id uuid not null,
  -- the fencing token of whoever is asking
  claim_count int not null default 0,
  next_attempt_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, provider_id, ticket)
);
create index push_tickets_due on push_tickets (tenant_id, provider_id, next_attempt_at);
-- the retention sweep
create index push_tickets_old on push_tickets (created_at);

-- Which mails about threads and events went to whom: the storm dampener counts them, replies are recognised by them, and
-- whoever looks into abuse reads them.
create table notification_email_log (
  tenant_id uuid not null,
  id bigint generated always as identity,
  user_id text not null,
  record_id uuid not null,
  route_id text not null,
  -- the inbox row it is about; the log stays when that goes, so that limits hold
  notification_id uuid,
  thread_kind text,
  thread_id text,
  -- of the thread, as the mail was about to be sent: replies are not taken once a thread of a topic is gone
  topic text,
  -- as before the @ of the Message-ID header
  message_id text not null,
  -- null while the mail is on its way: it counts, and the row is deleted if the mail is certainly not sent
  sent_at timestamptz(3),
  -- an earlier attempt was never reported about: the row stays, whatever becomes of later ones
  may_have_arrived boolean not null default false,
  -- from when it counts: when it was sent, and before that when it was about to be
  counted_at timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade,
  foreign key (tenant_id, notification_id) references notifications (tenant_id, id)
    on update cascade on delete set null (notification_id),
  constraint notification_email_log_thread_whole check ((thread_kind is null) = (thread_id is null))
);
create index notification_email_log_thread on notification_email_log
  (tenant_id, user_id, thread_kind, thread_id, counted_at desc);
create index notification_email_log_recipient on notification_email_log (tenant_id, user_id, counted_at desc, id desc);
create unique index notification_email_log_route on notification_email_log (tenant_id, record_id, route_id);
-- for replies
create index notification_email_log_message on notification_email_log (tenant_id, message_id);
create index notification_email_log_notification on notification_email_log (tenant_id, notification_id)
  where notification_id is not null;
-- the retention sweep
create index notification_email_log_old on notification_email_log (created_at);

-- ---------------------------------------------------------------------------------------------------------------------
-- The archive: finished records with their routes and attempts
-- ---------------------------------------------------------------------------------------------------------------------

-- The partitions are months of the time inside notification_id, so that the key alone says where a row is: whoever asks by
-- id reads one partition, and the key stays unique. Maintenance makes the partitions ahead and drops them behind; ids without
-- a plausible time are in the default partition. The columns are those of the live tables, in the same order: rows are moved
-- as they are.
create table records_archive (like records, primary key (tenant_id, notification_id)) partition by range (notification_id);
create index records_archive_listing on records_archive (tenant_id, accepted_at desc, notification_id desc);
create index records_archive_idempotency_key on records_archive (tenant_id, idempotency_key);
create index records_archive_event on records_archive (tenant_id, event_id) where event_id is not null;
create index records_archive_expanded_late on records_archive (tenant_id, expanded_at) where expanded_at > accepted_at;
create index records_archive_type on records_archive (tenant_id, notification_type, accepted_at desc)
  include (notification_id, producer);
-- in smaller parts than records_producer, as a month may be small
create index records_archive_producer on records_archive using brin (
  tenant_id uuid_bloom_ops (n_distinct_per_range = 128),
  producer text_bloom_ops (n_distinct_per_range = 64)
) with (autosummarize = on, pages_per_range = 32);

create table routes_archive (like routes, primary key (tenant_id, notification_id, route_id))
  partition by range (notification_id);
create index routes_archive_status on routes_archive (tenant_id, status, notification_id desc, route_id desc)
  where status not in ('pending', 'sent');
create index routes_archive_user on routes_archive (tenant_id, user_id, notification_id desc, route_id desc)
  where user_id is not null;
create index routes_archive_senders on routes_archive using brin (
  tenant_id uuid_bloom_ops (n_distinct_per_range = 128),
  provider text_bloom_ops (n_distinct_per_range = 64),
  channel text_bloom_ops (n_distinct_per_range = 16)
) with (autosummarize = on);

create table route_attempts_archive (like route_attempts, primary key (tenant_id, notification_id, route_id, attempt_no))
  partition by range (notification_id);

create table records_archive_default partition of records_archive default;
create table routes_archive_default partition of routes_archive default;
create table route_attempts_archive_default partition of route_attempts_archive default;

-- ---------------------------------------------------------------------------------------------------------------------
-- Reactions: what follows from what happened
-- ---------------------------------------------------------------------------------------------------------------------

-- Every asynchronous side effect, one row per thing to do. Success deletes the row; giving up writes a dead letter and
-- deletes it. The policy is copied when the row is made, so changing it later changes nothing that is under way.
create table outbox (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  -- the order in which rows came to be, which first-in-first-out follows; ids of one millisecond have none
  seq bigint generated always as identity,
  -- which handler
  source_kind text not null check (length(source_kind) between 1 and 32),
  -- what happened, in the handler's words
  op text not null check (length(op) between 1 and 50),
  -- whom it is for. No foreign key: a target that is gone is a dead letter, not a loss
  target_id uuid not null,
  payload text not null,
  -- what the handler wants to know beside the payload
  context jsonb not null default '{}' check (jsonb_typeof(context) = 'object'),
  -- rows of one target with the same key go out one after the other; null = no order
  ordering_key text check (length(ordering_key) <= 300),
  -- at most this many rows of the target go out as one
  batch_size int not null default 1 check (batch_size between 1 and 1000),
  -- how many dispatches led to this one
  trigger_depth int not null default 0 check (trigger_depth >= 0),
  attempt_count int not null default 0,
  max_attempts int not null default 3 check (max_attempts > 0),
  backoff text not null default 'exponential' check (backoff in ('exponential', 'linear', 'constant')),
  base_ms int not null default 1000 check (base_ms > 0),
  cap_ms int not null default 86400000 check (cap_ms > 0),
  -- the share by which a delay may be shorter or longer
  jitter real not null default 0.2 check (jitter between 0 and 1),
  -- every claim ever made; the fencing token that a completion must present
  claim_count int not null default 0,
  next_attempt_at timestamptz(3) not null default now(),
  lease_owner text,
  lease_until timestamptz(3),
  first_attempt_at timestamptz(3),
  last_error text not null default '',
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  constraint outbox_lease_whole check ((lease_owner is null) = (lease_until is null))
-- a claim changes no indexed column: room on the page lets it leave the indexes alone
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_limit = 1000);
-- the claim: per target, oldest due first; also which targets have anything at all
create index outbox_due on outbox (tenant_id, source_kind, target_id, next_attempt_at, seq);
-- whether an earlier row of the same key is still there
create index outbox_ordering on outbox (tenant_id, source_kind, target_id, ordering_key, seq) where ordering_key is not null;
-- What is due although another one goes first. The second condition always holds: it keeps the planner from taking this
-- index for queries that mean the one above.
create index outbox_ordered_due on outbox (next_attempt_at) where ordering_key is not null and seq > 0;

-- Work that exhausted automated handling. At most one open letter per source. A letter of the outbox outlives its row, so it
-- holds all that a replay needs; one of a route stays when that is moved to the archive, so triggers delete it with its
-- route, and not a foreign key.
create table dead_letters (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  source_kind text not null check (source_kind in ('route', 'outbox')),
  -- the route
  notification_id uuid,
  route_id text,
  notification_type text not null,
  channel text,
  recipient_ref text not null,
  -- what letters are grouped by, beside why they failed; '' if there was none
  provider text not null default '',
  template text not null default '',

  -- the deleted outbox row: its id, its payload verbatim, and the rest of it (context, order, batch and policy)
  original_event_id uuid,
  source text not null default '',
  op text not null default '',
  target_id uuid,
  trigger_id uuid,
  script_id uuid,
  payload text,
  dispatch jsonb,
  -- how many dispatches led to it; once it is replayed, to the replay
  trigger_depth int not null default 0,

  final_attempt_count int not null,
  max_attempts int not null,
  first_attempt_at timestamptz(3),
  last_attempt_at timestamptz(3),
  failure_reason text not null check (failure_reason in ('max_retries_exceeded', 'permanent_failure',
    'provider_rate_limit_exceeded', 'provider_misconfigured', 'worker_lost', 'uncertain_delivery', 'target_missing')),
  failure_classification text not null,
  failure_message text not null,
  recovery_hint text not null default '',

  -- when operators were told that it will be deleted although it is open
  expiry_warned_at timestamptz(3),
  resolved_at timestamptz(3),
  resolution text check (resolution in ('replayed', 'ignored', 'handled_by_script', 'handler_failed')),
  resolved_by text,
  -- where an operator sent the message instead, and where it was to go before; null if nobody changed it
  replayed_from text,
  replayed_to text,
  created_at timestamptz(3) not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, resolved_by) references users (tenant_id, id) on update cascade on delete set null (resolved_by),
  constraint dead_letters_route_named check (source_kind <> 'route' or (notification_id is not null and route_id is not null)),
  constraint dead_letters_route_channel check (source_kind <> 'route' or channel is not null),
  constraint dead_letters_outbox_named check (source_kind <> 'outbox' or (
    original_event_id is not null and source <> '' and target_id is not null and payload is not null and dispatch is not null
  )),
  -- what handles dead letters leaves none: it would be called again for its own
  constraint dead_letters_not_of_handlers check (source <> 'dead_letter'),
  constraint dead_letters_resolution_whole check (
    (resolved_at is not null) = (resolution is not null and resolution <> 'handler_failed')
  )
);
create unique index dead_letters_one_open on dead_letters (tenant_id, notification_id, route_id) where resolved_at is null;
create unique index dead_letters_one_open_event on dead_letters (tenant_id, original_event_id)
  where resolved_at is null and original_event_id is not null;
-- newest-first listing and retention
create index dead_letters_listing on dead_letters (tenant_id, created_at desc, id desc);
-- the unresolved badge and the default list
create index dead_letters_open on dead_letters (tenant_id, created_at desc, id desc) where resolved_at is null;
create index dead_letters_route on dead_letters (tenant_id, notification_id, route_id);
-- letters of a redelivered event
create index dead_letters_event on dead_letters (tenant_id, original_event_id) where original_event_id is not null;
-- everything that did not reach somebody
create index dead_letters_recipient on dead_letters (tenant_id, recipient_ref, created_at desc, id desc)
  where recipient_ref <> '';
-- work of the outbox by kind, trigger and script
create index dead_letters_source on dead_letters (tenant_id, source, created_at desc, id desc) where source <> '';
create index dead_letters_trigger on dead_letters (tenant_id, trigger_id, created_at desc, id desc)
  where trigger_id is not null;
create index dead_letters_script on dead_letters (tenant_id, script_id, created_at desc, id desc)
  where script_id is not null;
-- letters whose routes went back to work after their hour was counted
create index dead_letters_replayed on dead_letters (tenant_id, resolved_at) where resolution = 'replayed';
create index dead_letters_resolver on dead_letters (tenant_id, resolved_by) where resolved_by is not null;

-- Where a tenant wants to be told what became of notifications. Secrets are one AES-256-GCM text bound to the row.
create table notification_webhooks (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  -- whose it is: only what concerns this person; null = the whole tenant
  user_id text,
  url text not null check (length(url) between 1 and 500),
  description text not null default '' check (length(description) <= 200),
  events text[] not null check (cardinality(events) > 0),
  -- empty = every one
  notification_types text[] not null default '{}',
  categories text[] not null default '{}',
  -- globs of the kinds of domain events it wants, with the event `event.emitted`; empty = all
  event_kinds text[] not null default '{}',
  -- signing secrets and custom headers
  secrets text not null,
  payload_mode text not null default 'full' check (payload_mode in ('thin', 'full')),
  format text not null default 'standard' check (format in ('standard', 'cloudevents')),
  ordering text not null default 'none' check (ordering in ('none', 'notification', 'recipient', 'endpoint')),
  batch_size int not null default 1 check (batch_size between 1 and 100),
  batch_seconds int not null default 0 check (batch_seconds between 0 and 60),
  retry_count int not null default 3 check (retry_count between 0 and 50),
  backoff text not null default 'exponential' check (backoff in ('exponential', 'linear', 'constant')),
  retry_base_ms int not null default 30000 check (retry_base_ms > 0),
  retry_cap_ms int not null default 86400000 check (retry_cap_ms > 0),
  timeout_seconds int not null default 10 check (timeout_seconds between 1 and 60),
  -- requests per minute; null = no limit
  rate_limit int check (rate_limit > 0),
  -- no events while it is not
  is_active boolean not null default true,
  -- Events of a webhook that is not active are kept until then, so that a recovery can send them; null while it is active.
  keeps_events_until timestamptz(3),
  -- events wait while it is
  is_paused boolean not null default false,
  -- deliveries in a row that failed for good
  consecutive_failures int not null default 0,
  -- null = never
  disable_after int default 50 check (disable_after > 0),
  disabled_at timestamptz(3),
  disabled_reason text not null default '' check (disabled_reason in ('', 'gone', 'failing')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade,
  constraint notification_webhooks_disabled_whole check ((disabled_at is not null) = (disabled_reason <> '')),
  constraint notification_webhooks_disabled_inactive check (disabled_at is null or not is_active)
);
create index notification_webhooks_user on notification_webhooks (tenant_id, user_id) where user_id is not null;
-- Whom an event concerns: the endpoints of everybody and those of one person, however many other people have one.
create index notification_webhooks_active on notification_webhooks (tenant_id, user_id)
  where is_active or keeps_events_until is not null;
create index notification_webhooks_listing on notification_webhooks (tenant_id, created_at, id);
-- the few that somebody has to look after, among all the others
create index notification_webhooks_inactive on notification_webhooks (tenant_id, created_at, id) where not is_active;

-- Re-sending everything that failed since a time, at a pace.
create table webhook_recoveries (
  tenant_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  since timestamptz(3) not null,
  until timestamptz(3) not null,
  -- deliveries per minute; null = as fast as they go
  rate_limit int check (rate_limit > 0),
  matched int not null,
  redelivered int not null default 0,
  -- the last delivery done; in order of (created_at, id)
  cursor_created_at timestamptz(3),
  cursor_id uuid,
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, webhook_id) references notification_webhooks (tenant_id, id) on update cascade on delete cascade
);
create index webhook_recoveries_webhook on webhook_recoveries (tenant_id, webhook_id, created_at desc);

-- One row per event and endpoint, from its first attempt on; what still waits for that is in the outbox. What belongs to a
-- record stays when that is moved to the archive, so triggers delete it with its record, and not a foreign key.
create table webhook_deliveries (
  tenant_id uuid not null,
  -- the outbox row's
  id uuid not null,
  webhook_id uuid not null,
  -- null for batches and system events
  notification_id uuid,
  -- the header webhook-id: the same for every endpoint, attempt and redelivery
  event_id uuid not null,
  event_type text not null check (length(event_type) between 1 and 50),
  payload text not null,
  content_type text not null default 'application/json',
  traceparent text not null default '',
  -- sending a delivery again keeps the order it was sent in at first; null: it had none
  ordering_key text,
  -- of the last attempt; null when no answer came
  response_status int,
  attempt_count int not null default 1,
  -- every attempt: when, how long, status, error, body
  attempts jsonb not null check (jsonb_typeof(attempts) = 'array'),
  delivered boolean not null default false,
  delivered_at timestamptz(3),
  next_retry_at timestamptz(3),
  is_test boolean not null default false,
  redelivery_of uuid,
  -- when this one was put into the outbox again
  redelivered_at timestamptz(3),
  recovery_id uuid,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, webhook_id) references notification_webhooks (tenant_id, id) on update cascade on delete cascade,
  constraint webhook_deliveries_delivered_at check (delivered = (delivered_at is not null)),
  constraint webhook_deliveries_no_retry_after_success check (not delivered or next_retry_at is null)
);
create index webhook_deliveries_listing on webhook_deliveries (tenant_id, webhook_id, created_at desc, id desc);
-- what failed or is being retried: few
create index webhook_deliveries_undelivered on webhook_deliveries (tenant_id, webhook_id, created_at desc, id desc)
  where not delivered;
create index webhook_deliveries_next_retry on webhook_deliveries (tenant_id, next_retry_at) where next_retry_at is not null;
create index webhook_deliveries_notification on webhook_deliveries (tenant_id, notification_id, webhook_id);
create index webhook_deliveries_recovery on webhook_deliveries (tenant_id, recovery_id) where recovery_id is not null;
-- the retention sweep of those that no record takes along
create index webhook_deliveries_old on webhook_deliveries (tenant_id, created_at) where notification_id is null;

-- ---------------------------------------------------------------------------------------------------------------------
-- Events: what happened in the application, and whom it concerns
-- ---------------------------------------------------------------------------------------------------------------------

create sequence domain_events_seq;

-- Something that happened, as the application tells it. A row never changes, except that it gets its place in the log once.
create table domain_events (
  tenant_id uuid not null references tenants (id) on delete cascade,
  event_id uuid not null,
  -- the order in which events were written, which those that committed meanwhile are put in; clocks may go back
  seq bigint not null default nextval('domain_events_seq'),
  -- The place in the tenant's log, without gaps. Null until the event is put in order, which happens after its transaction
  -- has committed: ids from a sequence would be taken before that, and readers would pass those that commit late.
  id bigint check (id > 0),
  kind text not null check (length(kind) between 1 and 64),
  producer text not null check (length(producer) between 1 and 100),
  -- null = the system. No foreign key: the log outlives people.
  actor_id text check (length(actor_id) between 1 and 200),
  topic text check (length(topic) between 1 and 200),
  thread_kind text check (length(thread_kind) between 1 and 32),
  thread_id text check (length(thread_id) between 1 and 200),
  -- What the event says about its thread. The thread itself is written when the event gets its place: here it would be
  -- locked for as long as the application's transaction is open.
  thread_title text check (length(thread_title) <= 500),
  thread_url text check (length(thread_url) <= 500),
  thread_author_id text check (length(thread_author_id) between 1 and 200),
  -- what it is about in the application: a comment, an invoice
  source_kind text not null default '' check (length(source_kind) <= 32),
  source_id text not null default '' check (length(source_id) <= 200),
  is_public boolean not null default true,
  -- who stands in which relation to it: {"mention": ["ada"], "assignee": ["bob"]}
  relations jsonb not null default '{}' check (octet_length(relations::text) <= 65536),
  payload_json text not null default '{}' check (octet_length(payload_json) <= 4096),
  idempotency_key text check (length(idempotency_key) between 1 and 255),
  request_fingerprint text not null default '',
  request_id text not null default '',
  traceparent text not null default '',
  -- how many dispatches led to it
  trigger_depth int not null default 0,
  occurred_at timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, event_id),
  constraint domain_events_thread_whole check ((thread_kind is null) = (thread_id is null)),
  constraint domain_events_thread_described
    check (thread_id is not null or num_nonnulls(thread_title, thread_url, thread_author_id) = 0)
-- Each event is changed once, when it gets its place, and the index of those without one is read all the time.
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
create unique index domain_events_log on domain_events (tenant_id, id) where id is not null;
create unique index domain_events_key on domain_events (tenant_id, producer, idempotency_key)
  where idempotency_key is not null;
create index domain_events_unordered on domain_events (tenant_id, seq) where id is null;
create index domain_events_kind on domain_events (tenant_id, kind, event_id);
create index domain_events_actor on domain_events (tenant_id, actor_id, event_id) where actor_id is not null;
create index domain_events_topic on domain_events (tenant_id, topic, event_id) where topic is not null;
create index domain_events_thread on domain_events (tenant_id, thread_kind, thread_id, event_id) where thread_id is not null;
-- the retention sweep
create index domain_events_old on domain_events (tenant_id, created_at);

-- How far each consumer has read the tenant's log. A trigger of tenants creates the rows of a new one.
create table domain_events_processed (
  tenant_id uuid not null references tenants (id) on delete cascade,
  consumer text not null check (length(consumer) between 1 and 50),
  last_event_id bigint not null default 0,
  -- the end of the log, so that work is found in an index of this table alone
  head_id bigint not null default 0,
  -- the last person of the event after last_event_id who is done; '' = it has not begun
  chunk_cursor text not null default '',
  -- of the event after last_event_id
  tries int not null default 0,
  next_attempt_at timestamptz(3),
  -- when it last moved, or fell behind: since when it has been where it is
  moved_at timestamptz(3) not null default now(),
  last_error text not null default '' check (length(last_error) <= 1000),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, consumer),
  constraint domain_events_processed_within_log check (last_event_id between 0 and head_id)
);
create index domain_events_processed_waiting on domain_events_processed (consumer, tenant_id) where last_event_id < head_id;

-- Relations that the tenant adds to the built-in ones, or changes: the one with the smallest priority that has a rule
-- decides, and gives the reason.
create table relations (
  tenant_id uuid not null references tenants (id) on delete cascade,
  name text not null check (name ~ '^[a-z][a-z0-9_]{0,31}$'),
  priority int not null check (priority between 0 and 1000),
  reason text not null check (length(reason) between 1 and 32),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, name)
);

-- What people in a relation get when something of a kind happens; one without channels takes a built-in rule away.
create table fanout_rules (
  tenant_id uuid not null references tenants (id) on delete cascade,
  event_kind text not null check (length(event_kind) between 1 and 64),
  relation text not null check (length(relation) between 1 and 32),
  channels text[] not null,
  -- reaches people who ignore the topic or left the thread
  passes_mute boolean not null default false,
  -- null = the kind of the event
  notification_type text check (length(notification_type) between 1 and 100),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, event_kind, relation),
  constraint fanout_rules_channels check (channels <@ array['in_app', 'email', 'sms', 'push', 'chat'])
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Automation: code that tenants bring along
-- ---------------------------------------------------------------------------------------------------------------------

-- What runs is always one of a script's versions.
create table scripts (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  name text not null check (name ~ '^[a-z0-9][a-z0-9_-]{0,99}$'),
  description text not null default '' check (length(description) <= 500),
  -- the one that runs
  version int not null check (version > 0),
  -- limits of a run: wall clock, processor time, memory
  timeout_ms int not null default 10000 check (timeout_ms between 100 and 60000),
  cpu_ms int not null default 1000 check (cpu_ms between 10 and 10000),
  memory_mb int not null default 32 check (memory_mb between 4 and 128),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, name)
);
create index scripts_search on scripts (tenant_id, lower(name) text_pattern_ops);

-- Never changed. The author's scopes are kept because a run may do only what its author could do too: otherwise whoever may
-- edit a script could act as everybody whose trigger runs it.
create table script_versions (
  tenant_id uuid not null,
  script_id uuid not null,
  version int not null check (version > 0),
  source text not null check (octet_length(source) between 1 and 262144),
  author text not null default '',
  author_scopes text[] not null,
  -- the producers that the author could send as; null = any
  author_producers text[],
  -- the version that a rollback brought back
  restored_from int,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, script_id, version),
  foreign key (tenant_id, script_id) references scripts (tenant_id, id) on update cascade on delete cascade
);

-- When something happens, run a script. Each kind has its own table of details, whose key leads its foreign key.
create table triggers (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  name text not null check (length(name) between 1 and 100),
  script_id uuid not null,
  kind text not null check (kind in ('kv', 'cron', 'event', 'queue', 'email', 'http', 'dead_letter')),
  is_enabled boolean not null default true,
  dispatch_mode text not null default 'async' check (dispatch_mode in ('async', 'sync')),
  -- copied from the tenant's settings when it is created: changing those later changes nothing here
  max_attempts int not null check (max_attempts between 1 and 50),
  backoff text not null check (backoff in ('exponential', 'linear', 'constant')),
  base_ms int not null check (base_ms between 1 and 86400000),
  -- Whom it runs as: the user of the key that registered it, or the key itself if it has none. What they were allowed to do
  -- is kept, so that a rotated key changes nothing.
  registered_by_user text,
  registered_by_key uuid,
  registered_scopes text[] not null,
  -- null = its own
  registered_producers text[],
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, id, kind),
  foreign key (tenant_id, script_id) references scripts (tenant_id, id) on update cascade on delete cascade,
  foreign key (tenant_id, registered_by_user) references users (tenant_id, id) on update cascade on delete cascade,
  foreign key (tenant_id, registered_by_key) references api_keys (tenant_id, id) on update cascade on delete cascade,
  constraint triggers_one_registrant check (num_nonnulls(registered_by_user, registered_by_key) = 1),
  constraint triggers_sync_is_http check (dispatch_mode = 'async' or kind = 'http')
);
-- what happens is matched against these
create index triggers_enabled on triggers (tenant_id, kind) where is_enabled;
create index triggers_script on triggers (tenant_id, script_id);
create index triggers_user on triggers (tenant_id, registered_by_user) where registered_by_user is not null;
create index triggers_key on triggers (tenant_id, registered_by_key) where registered_by_key is not null;
create index triggers_search on triggers (tenant_id, lower(name) text_pattern_ops);

-- A row of the key-value store changed.
create table kv_trigger_details (
  tenant_id uuid not null,
  trigger_id uuid not null,
  kind text not null default 'kv' check (kind = 'kv'),
  -- a name, or a beginning followed by *
  collection_glob text not null check (collection_glob ~ '^[^*]{0,100}\*?$' and collection_glob <> ''),
  -- empty = every one
  ops text[] not null default '{}' check (ops <@ array['insert', 'update', 'delete']),
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, trigger_id, kind),
  foreign key (tenant_id, trigger_id, kind) references triggers (tenant_id, id, kind) on update cascade on delete cascade
);

-- A time has come.
create table cron_trigger_details (
  tenant_id uuid not null,
  trigger_id uuid not null,
  kind text not null default 'cron' check (kind = 'cron'),
  cron text not null check (length(cron) between 1 and 100),
  timezone text not null default 'UTC' check (length(timezone) <= 50),
  -- what becomes of runs that were missed while nothing was running
  misfire_policy text not null default 'run_once' check (misfire_policy in ('run_once', 'run_all', 'skip')),
  -- null while it is disabled
  next_run_at timestamptz(3),
  last_run_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, trigger_id, kind),
  foreign key (tenant_id, trigger_id, kind) references triggers (tenant_id, id, kind) on update cascade on delete cascade
);
create index cron_trigger_details_due on cron_trigger_details (next_run_at) where next_run_at is not null;

-- A domain event was put in order.
create table event_trigger_details (
  tenant_id uuid not null,
  trigger_id uuid not null,
  kind text not null default 'event' check (kind = 'event'),
  event_kind_glob text not null check (event_kind_glob ~ '^[^*]{0,64}\*?$' and event_kind_glob <> ''),
  -- null = any
  topic text check (length(topic) between 1 and 200),
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, trigger_id, kind),
  foreign key (tenant_id, trigger_id, kind) references triggers (tenant_id, id, kind) on update cascade on delete cascade
);

-- Something was put into a queue.
create table queue_trigger_details (
  tenant_id uuid not null,
  trigger_id uuid not null,
  kind text not null default 'queue' check (kind = 'queue'),
  queue_glob text not null check (queue_glob ~ '^[^*]{0,100}\*?$' and queue_glob <> ''),
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, trigger_id, kind),
  foreign key (tenant_id, trigger_id, kind) references triggers (tenant_id, id, kind) on update cascade on delete cascade
);

-- A mail came in.
create table email_trigger_details (
  tenant_id uuid not null,
  trigger_id uuid not null,
  kind text not null default 'email' check (kind = 'email'),
  -- of the recipient, in lower case
  address_glob text not null check (address_glob ~ '^[^*]{0,255}\*?$' and address_glob <> ''),
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, trigger_id, kind),
  foreign key (tenant_id, trigger_id, kind) references triggers (tenant_id, id, kind) on update cascade on delete cascade
);

-- An address was called.
create table http_trigger_details (
  tenant_id uuid not null,
  trigger_id uuid not null,
  kind text not null default 'http' check (kind = 'http'),
  -- SHA-256 of the token in its address, which is shown once
  token_hash bytea not null unique,
  hint text not null default '' check (length(hint) <= 20),
  methods text[] not null default '{POST}' check (cardinality(methods) > 0
    and methods <@ array['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, trigger_id, kind),
  foreign key (tenant_id, trigger_id, kind) references triggers (tenant_id, id, kind) on update cascade on delete cascade
);

-- A dead letter was written. null = any
create table dead_letter_trigger_details (
  tenant_id uuid not null,
  trigger_id uuid not null,
  kind text not null default 'dead_letter' check (kind = 'dead_letter'),
  source text check (length(source) between 1 and 32),
  source_trigger_id uuid,
  source_script_id uuid,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, trigger_id, kind),
  foreign key (tenant_id, trigger_id, kind) references triggers (tenant_id, id, kind) on update cascade on delete cascade
);

-- What scripts and applications remember. Versions come from one sequence, so that a key which is deleted and created anew
-- never has the version that somebody read before.
create sequence kv_versions;
create table kv_entries (
  tenant_id uuid not null references tenants (id) on delete cascade,
  collection text not null check (collection ~ '^[A-Za-z0-9._:-]{1,100}$'),
  -- compared by bytes, so that the primary key also finds prefixes
  key text collate "C" not null check (length(key) between 1 and 512),
  value_json text not null check (octet_length(value_json) <= 65536),
  version bigint not null default nextval('kv_versions'),
  expires_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, collection, key)
);
create index kv_entries_expired on kv_entries (expires_at) where expires_at is not null;

-- One attempt of a script at an event. Without foreign keys: what ran stays readable when the script is gone.
create table runs (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  script_id uuid not null,
  script_name text not null,
  script_version int not null,
  trigger_id uuid,
  -- of the outbox row: the kind of trigger, or invoke
  kind text not null check (length(kind) between 1 and 32),
  op text not null,
  -- the outbox row
  event_id uuid not null,
  attempt int not null,
  trigger_depth int not null default 0,
  -- as whom it ran, and who caused it: for forensics only
  ran_as text not null default '',
  origin text not null default '',
  status text not null check (status in ('succeeded', 'failed')),
  failure_kind text not null default '' check ((status = 'failed') = (failure_kind <> '')),
  error text not null default '' check (length(error) <= 4000),
  logs jsonb not null default '[]' check (jsonb_typeof(logs) = 'array'),
  effects jsonb not null default '[]' check (jsonb_typeof(effects) = 'array'),
  result_json text,
  duration_ms int not null,
  cpu_ms int not null default 0,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, id)
);
-- Effects are stored together with this row: a repeat after a crash finds it and does nothing.
create unique index runs_once on runs (tenant_id, event_id) where status = 'succeeded';
create index runs_listing on runs (tenant_id, created_at desc, id desc);
create index runs_event on runs (tenant_id, event_id);
create index runs_script on runs (tenant_id, script_id, created_at desc, id desc);
create index runs_trigger on runs (tenant_id, trigger_id, created_at desc, id desc) where trigger_id is not null;

-- Where a caller waits for the reply of a script. It deletes the row when it has read the reply or gives up.
create table reply_inboxes (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  -- what it is the reply to, for when nobody comes to read it
  outbox_id uuid not null,
  script_id uuid not null,
  -- nobody waits any longer, whatever became of the process that did
  expires_at timestamptz(3) not null,
  status_code int,
  reply_json text,
  replied_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  constraint reply_inboxes_reply_whole check ((replied_at is not null) = (status_code is not null))
);
create index reply_inboxes_old on reply_inboxes (expires_at);

-- Results that came after their caller had left.
create table abandoned_executions (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  outbox_id uuid not null,
  script_id uuid,
  inbox_id uuid not null,
  status_code int not null,
  summary text not null default '' check (length(summary) <= 1000),
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, id)
);
create index abandoned_executions_listing on abandoned_executions (tenant_id, created_at desc, id desc);
-- the retention sweep
create index abandoned_executions_old on abandoned_executions (created_at);

-- ---------------------------------------------------------------------------------------------------------------------
-- Operations: figures, checks, and restores
-- ---------------------------------------------------------------------------------------------------------------------

-- What became of the routes of each hour and day, by when their intent was accepted. Made from the routes, so it can be
-- made again; it outlives them.
create table notification_metrics (
  tenant_id uuid not null references tenants (id) on delete cascade,
  date date not null,
  -- null = the whole day, which is the sum of its hours
  hour smallint check (hour between 0 and 23),
  -- '' = no provider was asked
  provider text not null,
  channel text not null,
  notification_type text not null,
  sent int not null,
  failed int not null,
  pending int not null,
  skipped int not null,
  cancelled int not null,
  expired int not null,
  delivery_ms_total bigint not null,
  avg_delivery_ms bigint generated always as (case when sent > 0 then delivery_ms_total / sent end) stored,
  -- How long deliveries took, as a histogram: percentiles cannot be summed, but counts by bucket can. Only the buckets that
  -- have any, each with its count. The series of metrics says what a bucket is.
  delivery_buckets smallint[] not null default '{}',
  delivery_counts int[] not null default '{}',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint notification_metrics_key
    unique nulls not distinct (tenant_id, date, hour, provider, channel, notification_type),
  constraint notification_metrics_histogram_whole
    check (cardinality(delivery_buckets) = cardinality(delivery_counts))
);
create index notification_metrics_provider on notification_metrics (tenant_id, provider, date desc, hour desc);
create index notification_metrics_channel on notification_metrics (tenant_id, channel, date desc, hour desc);
create index notification_metrics_type on notification_metrics (tenant_id, notification_type, date desc, hour desc);
-- hours that have to be looked at again
create index notification_metrics_open on notification_metrics (tenant_id, updated_at) where pending > 0 and hour is not null;

-- How far the reconciler has looked through each table, so that whichever process goes on goes on from there.
create table invariant_walks (
  walk text primary key check (length(walk) between 1 and 50),
  -- the key of the last row that was looked at; null before the first
  cursor jsonb,
  started_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);

-- Rows that break an invariant. One is a suspicion until it has been seen unchanged for the time that the invariant allows.
create table invariant_violations (
  tenant_id uuid not null references tenants (id) on delete cascade,
  invariant text not null check (length(invariant) between 1 and 50),
  item text not null,
  walk text not null,
  -- the row's key, by which it is looked at again
  key jsonb not null,
  -- changes when the row moves, and with it the suspicion begins anew
  state text not null default '',
  details jsonb not null default '{}',
  since timestamptz(3) not null,
  confirmed_at timestamptz(3),
  -- when it was found
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, invariant, item)
);
-- looking again at what a walk has found
create index invariant_violations_walk on invariant_violations (walk);
-- the metrics, and what is shown
create index invariant_violations_confirmed on invariant_violations (invariant, tenant_id) where confirmed_at is not null;

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

-- The questions that operators ask first, for psql and for tools that read SQL. The API answers from the same views.
-- Each starts from the tenant, so that it reads by index whether one tenant is asked about or all.
create view monitoring_hours as
select t.id as tenant_id, h.at, h.sent, h.failed, h.pending, h.skipped, h.cancelled, h.expired, h.counted_at
from tenants t
cross join lateral (
  -- as they were last counted
  select s.at, coalesce(sum(m.sent), 0)::int as sent, coalesce(sum(m.failed), 0)::int as failed,
    coalesce(sum(m.pending), 0)::int as pending, coalesce(sum(m.skipped), 0)::int as skipped,
    coalesce(sum(m.cancelled), 0)::int as cancelled, coalesce(sum(m.expired), 0)::int as expired,
    max(m.updated_at) as counted_at
  from generate_series(
    date_trunc('hour', now(), 'UTC') - interval '23 hours', now() - interval '1 hour', interval '1 hour'
  ) s (at)
  left join notification_metrics m on m.tenant_id = t.id and m.date = (s.at at time zone 'UTC')::date
    and m.hour = extract(hour from s.at at time zone 'UTC')::smallint
  group by s.at
  union all
  -- the current hour is counted now, so that what was just sent shows at once
  select date_trunc('hour', now(), 'UTC'), count(*) filter (where o.status = 'sent')::int,
    count(*) filter (where o.status = 'dead')::int,
    count(*) filter (where o.status in ('pending', 'retrying'))::int,
    count(*) filter (where o.status = 'skipped')::int, count(*) filter (where o.status = 'cancelled')::int,
    count(*) filter (where o.status = 'expired')::int, null::timestamptz(3)
  from records r join routes o on o.tenant_id = r.tenant_id and o.notification_id = r.notification_id
  where r.tenant_id = t.id and r.accepted_at >= date_trunc('hour', now(), 'UTC')
) h;

create view monitoring_status_24h as
select h.tenant_id, s.status, sum(s.count)::bigint as count
from monitoring_hours h
cross join lateral (values ('sent', h.sent), ('failed', h.failed), ('pending', h.pending), ('skipped', h.skipped),
  ('cancelled', h.cancelled), ('expired', h.expired)) s (status, count)
group by h.tenant_id, s.status;

-- Open for more than an hour after it was first due. The condition on next_attempt_at selects the open routes, by index; young
-- ones are left out by created_at first, because at peak times there are many, and their records need not be read then.
create view monitoring_stuck as
select o.tenant_id, o.notification_id, o.route_id, o.channel, o.user_id, o.status, o.reason, o.attempt_count,
  o.next_attempt_at, o.last_error_message, r.notification_type, greatest(o.created_at, r.send_at) as due_at
from routes o join records r on r.tenant_id = o.tenant_id and r.notification_id = o.notification_id
where o.next_attempt_at is not null and o.created_at < now() - interval '1 hour'
  and greatest(o.created_at, r.send_at) < now() - interval '1 hour';

create view monitoring_dead_letters as
select d.tenant_id, count(*) as count, min(d.created_at) as oldest_at
from dead_letters d where d.resolved_at is null group by d.tenant_id;

create view monitoring_providers_1h as
select t.id as tenant_id, p.provider, p.channel, p.total, p.sent, p.failed, p.avg_delivery_ms
from tenants t
cross join lateral (
  select o.provider, o.channel, count(*)::int as total, count(*) filter (where o.status = 'sent')::int as sent,
    count(*) filter (where o.status = 'dead')::int as failed,
    round(avg(extract(epoch from o.sent_at - greatest(o.created_at, r.send_at)) * 1000))::int as avg_delivery_ms
  from records r join routes o on o.tenant_id = r.tenant_id and o.notification_id = r.notification_id
  where r.tenant_id = t.id and r.accepted_at > now() - interval '1 hour' and o.provider <> ''
  group by o.provider, o.channel
) p;

-- Down Migration

drop view monitoring_providers_1h, monitoring_dead_letters, monitoring_stuck, monitoring_status_24h, monitoring_hours;
drop table restores;
drop table invariant_violations;
drop table invariant_walks;
drop table notification_metrics;
drop table abandoned_executions;
drop table reply_inboxes;
drop table runs;
drop table kv_entries;
drop sequence kv_versions;
drop table dead_letter_trigger_details;
drop table http_trigger_details;
drop table email_trigger_details;
drop table queue_trigger_details;
drop table event_trigger_details;
drop table cron_trigger_details;
drop table kv_trigger_details;
drop table triggers;
drop table script_versions;
drop table scripts;
drop table fanout_rules;
drop table relations;
drop table domain_events_processed;
drop table domain_events;
drop sequence domain_events_seq;
drop table webhook_deliveries;
drop table webhook_recoveries;
drop table notification_webhooks;
drop table dead_letters;
drop table outbox;
drop table route_attempts_archive;
drop table routes_archive;
drop table records_archive;
drop table notification_email_log;
drop table push_tickets;
drop table provider_callbacks;
drop table throttles;
drop table digests;
drop table route_attempts;
drop table routes;
drop table expansions;
drop table notification_types;
drop table streams;
drop table schedules;
drop table malformed_intents;
drop table attachments;
drop table records;
drop table captured_messages;
drop table provider_health;
drop table provider_configs;
drop table saved_filters;
drop table notification_receipts;
drop table notifications;
drop table visibility_checks;
drop table notification_threads;
drop table thread_participants;
drop table threads;
drop table topic_members;
drop table topics;
drop table translations;
drop table branding;
drop table template_parts;
drop table template_versions;
drop table notification_templates;
drop table admin_system_events;
drop table audit_logs;
drop table invitations;
drop table sessions;
drop table members;
drop table accounts;
drop table limit_counters;
drop table rate_limits;
drop table api_keys;
drop table watches;
drop table capped_sends;
drop table daily_sends;
drop table default_preferences;
drop table notification_preferences;
drop table categories;
drop table suppressions;
drop table user_devices;
drop table users;
drop table tenant_retention;
drop table tenant_settings;
drop table tenants;
drop table recent_sends;
drop table time_zones;
drop table master_keys;
drop table releases;
