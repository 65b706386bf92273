-- Up Migration

-- Code that a tenant brings along. What runs is always one of its versions.
create table scripts (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  name text not null check (name ~ '^[a-z0-9][a-z0-9_-]{0,99}$'),
  description text not null default '' check (length(description) <= 500),
  -- the one that runs
  version integer not null check (version > 0),
  -- limits of a run: wall clock, processor time, memory
  timeout_ms integer not null default 10000 check (timeout_ms between 100 and 60000),
  cpu_ms integer not null default 1000 check (cpu_ms between 10 and 10000),
  memory_mb integer not null default 32 check (memory_mb between 4 and 128),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, name)
);

-- Never changed. The author's scopes are kept because a run may do only what its author could do too: otherwise whoever may
-- edit a script could act as everybody whose trigger runs it.
create table script_versions (
  tenant_id uuid not null,
  script_id uuid not null,
  version integer not null check (version > 0),
  source text not null check (octet_length(source) between 1 and 262144),
  author text not null default '',
  author_scopes text[] not null,
  -- the producers that the author could send as; null = any
  author_producers text[],
  -- the version that a rollback brought back
  restored_from integer,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, script_id, version),
  foreign key (tenant_id, script_id) references scripts (tenant_id, id) on update cascade on delete cascade
);

-- When something happens, run a script. Each kind has its own table of details, whose key leads its foreign key.
create table triggers (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  name text not null check (length(name) between 1 and 100),
  script_id uuid not null,
  kind text not null check (kind in ('kv', 'cron', 'event', 'queue', 'email', 'http', 'dead_letter')),
  is_enabled boolean not null default true,
  dispatch_mode text not null default 'async' check (dispatch_mode in ('async', 'sync')),
  -- copied from the tenant's settings when it is created: changing those later changes nothing here
  max_attempts integer not null check (max_attempts between 1 and 50),
  backoff text not null check (backoff in ('exponential', 'linear', 'constant')),
  base_ms integer not null check (base_ms between 1 and 86400000),
  -- Whom it runs as: the user of the key that registered it, or the key itself if it has none. What they were allowed to do
  -- is kept, so that a rotated key changes nothing.
  registered_by_user text,
  registered_by_key uuid references api_keys (id) on update cascade on delete cascade,
  registered_scopes text[] not null,
  -- null = its own
  registered_producers text[],
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, id, kind),
  foreign key (tenant_id, script_id) references scripts (tenant_id, id) on update cascade on delete cascade,
  foreign key (tenant_id, registered_by_user) references users (tenant_id, id) on update cascade on delete cascade,
  constraint triggers_one_registrant check (num_nonnulls(registered_by_user, registered_by_key) = 1),
  constraint triggers_sync_is_http check (dispatch_mode = 'async' or kind = 'http')
);
-- what happens is matched against these
create index triggers_enabled on triggers (tenant_id, kind) where is_enabled;
create index triggers_script on triggers (tenant_id, script_id);
create index triggers_user on triggers (tenant_id, registered_by_user) where registered_by_user is not null;
create index triggers_key on triggers (registered_by_key) where registered_by_key is not null;

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

create table queue_trigger_details (
  tenant_id uuid not null,
  trigger_id uuid not null,
  kind text not null default 'queue' check (kind = 'queue'),
  queue_glob text not null check (queue_glob ~ '^[^*]{0,100}\*?$' and queue_glob <> ''),
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, trigger_id, kind),
  foreign key (tenant_id, trigger_id, kind) references triggers (tenant_id, id, kind) on update cascade on delete cascade
);

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

-- null = any
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
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
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
  id uuid not null,
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  script_id uuid not null,
  script_name text not null,
  script_version integer not null,
  trigger_id uuid,
  -- of the outbox row: the kind of trigger, or invoke
  kind text not null check (length(kind) between 1 and 32),
  op text not null,
  -- the outbox row
  event_id uuid not null,
  attempt integer not null,
  trigger_depth integer not null default 0,
  -- as whom it ran, and who caused it: for forensics only
  ran_as text not null default '',
  origin text not null default '',
  status text not null check (status in ('succeeded', 'failed')),
  failure_kind text not null default '' check ((status = 'failed') = (failure_kind <> '')),
  error text not null default '' check (length(error) <= 4000),
  logs jsonb not null default '[]' check (jsonb_typeof(logs) = 'array'),
  effects jsonb not null default '[]' check (jsonb_typeof(effects) = 'array'),
  result_json text,
  duration_ms integer not null,
  cpu_ms integer not null default 0,
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
  id uuid not null,
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  -- what it is the reply to, for when nobody comes to read it
  outbox_id uuid not null,
  script_id uuid not null,
  -- nobody waits any longer, whatever became of the process that did
  expires_at timestamptz(3) not null,
  status_code integer,
  reply_json text,
  replied_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  constraint reply_inboxes_reply_whole check ((replied_at is not null) = (status_code is not null))
);
create index reply_inboxes_old on reply_inboxes (expires_at);

-- Results that came after their caller had left.
create table abandoned_executions (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  outbox_id uuid not null,
  script_id uuid,
  inbox_id uuid not null,
  status_code integer not null,
  summary text not null default '' check (length(summary) <= 1000),
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, id)
);
create index abandoned_executions_listing on abandoned_executions (tenant_id, created_at desc, id desc);
-- the retention sweep
create index abandoned_executions_old on abandoned_executions (created_at);

alter table dead_letters
  add column trigger_id uuid,
  add column script_id uuid,
  -- how many dispatches led to it; once it is replayed, to the replay
  add column trigger_depth integer not null default 0,
  -- when operators were told that it will be deleted although it is open
  add column expiry_warned_at timestamptz(3),
  -- what handles dead letters leaves none: it would be called again for its own
  add constraint dead_letters_not_of_handlers check (source <> 'dead_letter');
-- work of the outbox by kind, trigger and script
create index dead_letters_source on dead_letters (tenant_id, source, created_at desc, id desc) where source <> '';
create index dead_letters_trigger on dead_letters (tenant_id, trigger_id, created_at desc, id desc)
  where trigger_id is not null;
create index dead_letters_script on dead_letters (tenant_id, script_id, created_at desc, id desc)
  where script_id is not null;

alter table records
  -- the run of a script that sent it
  add column run_id uuid,
  add column trigger_depth integer not null default 0;

alter table tenants
  add column run_retention_days integer not null default 7 check (run_retention_days > 0),
  add column abandoned_retention_days integer not null default 7 check (abandoned_retention_days > 0),
  -- of new triggers
  add column trigger_max_attempts integer not null default 3 check (trigger_max_attempts between 1 and 50),
  add column trigger_backoff text not null default 'exponential'
    check (trigger_backoff in ('exponential', 'linear', 'constant')),
  add column trigger_base_ms integer not null default 1000 check (trigger_base_ms between 1 and 86400000),
  -- whether scripts may call other services
  add column script_http_allowed boolean not null default false;

-- Down Migration

alter table tenants
  drop column script_http_allowed,
  drop column trigger_base_ms,
  drop column trigger_backoff,
  drop column trigger_max_attempts,
  drop column abandoned_retention_days,
  drop column run_retention_days;
alter table records drop column trigger_depth, drop column run_id;
drop index dead_letters_script;
drop index dead_letters_trigger;
drop index dead_letters_source;
alter table dead_letters
  drop constraint dead_letters_not_of_handlers,
  drop column expiry_warned_at,
  drop column trigger_depth,
  drop column script_id,
  drop column trigger_id;
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
