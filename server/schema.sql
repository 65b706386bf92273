-- Generated from the migrations by `npm run db:dump`; compared in CI. Do not edit.

create table carillon.abandoned_executions (
  id uuid not null,
  tenant_id uuid not null,
  outbox_id uuid not null,
  script_id uuid,
  inbox_id uuid not null,
  status_code integer not null,
  summary text not null default ''::text,
  created_at timestamp(3) with time zone not null default now(),
  constraint abandoned_executions_summary_check CHECK ((length(summary) <= 1000)),
  constraint abandoned_executions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint abandoned_executions_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX abandoned_executions_listing ON carillon.abandoned_executions USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX abandoned_executions_old ON carillon.abandoned_executions USING btree (created_at);

create table carillon.accounts (
  id uuid not null,
  email text,
  name text not null default ''::text,
  password_hash text,
  link_number integer not null default 1,
  is_operator boolean not null default false,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint accounts_email_check CHECK (((email = lower(email)) AND ((length(email) >= 3) AND (length(email) <= 255)))),
  constraint accounts_link_number_check CHECK ((link_number > 0)),
  constraint accounts_name_check CHECK ((length(name) <= 100)),
  constraint accounts_password_hash_check CHECK (((password_hash ~~ '$argon2id$%'::text) AND (length(password_hash) <= 200))),
  constraint accounts_password_of_email CHECK (((password_hash IS NULL) OR (email IS NOT NULL))),
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_email_key UNIQUE (email)
);

create table carillon.admin_system_events (
  id bigint generated always as identity not null,
  tenant_id uuid,
  user_id text,
  event_type text not null,
  severity text not null,
  description text not null,
  details jsonb not null default '{}'::jsonb,
  is_resolved boolean not null default false,
  resolved_at timestamp(3) with time zone,
  resolved_by text,
  created_at timestamp(3) with time zone not null default now(),
  subject text not null default ''::text,
  constraint admin_system_events_details_check CHECK ((octet_length((details)::text) <= 16384)),
  constraint admin_system_events_event_type_check CHECK (((length(event_type) >= 1) AND (length(event_type) <= 50))),
  constraint admin_system_events_resolved_whole CHECK ((is_resolved = (resolved_at IS NOT NULL))),
  constraint admin_system_events_severity_check CHECK ((severity = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text, 'critical'::text]))),
  constraint admin_system_events_subject_check CHECK ((length(subject) <= 100)),
  constraint admin_system_events_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint admin_system_events_pkey PRIMARY KEY (id)
);
CREATE INDEX admin_system_events_listing ON carillon.admin_system_events USING btree (created_at DESC, id DESC);
CREATE INDEX admin_system_events_open ON carillon.admin_system_events USING btree (tenant_id, severity) WHERE (NOT is_resolved);
CREATE INDEX admin_system_events_severity ON carillon.admin_system_events USING btree (severity, created_at DESC, id DESC);
CREATE INDEX admin_system_events_tenant ON carillon.admin_system_events USING btree (tenant_id, created_at DESC, id DESC);

create table carillon.api_keys (
  id uuid not null,
  tenant_id uuid not null,
  user_id text,
  name text not null,
  key_hash text not null,
  hint text not null,
  scopes text[],
  is_active boolean not null default true,
  expires_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  producers text[],
  limited_as uuid,
  constraint api_keys_key_hash_check CHECK ((length(key_hash) = 64)),
  constraint api_keys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint api_keys_producers_check CHECK (((cardinality(producers) >= 1) AND (cardinality(producers) <= 50))),
  constraint api_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint api_keys_tenant_id_limited_as_fkey FOREIGN KEY (tenant_id, limited_as) REFERENCES api_keys(tenant_id, id) ON UPDATE CASCADE ON DELETE SET NULL (limited_as),
  constraint api_keys_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint api_keys_pkey PRIMARY KEY (tenant_id, id),
  constraint api_keys_key_hash_key UNIQUE (key_hash)
);
CREATE INDEX api_keys_active ON carillon.api_keys USING btree (tenant_id, created_at DESC, id DESC) WHERE is_active;
CREATE INDEX api_keys_instance ON carillon.api_keys USING btree (id) WHERE (is_active AND (scopes @> '{instance}'::text[]));
CREATE INDEX api_keys_limited_as ON carillon.api_keys USING btree (tenant_id, limited_as) WHERE (limited_as IS NOT NULL);
CREATE INDEX api_keys_listing ON carillon.api_keys USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX api_keys_owners ON carillon.api_keys USING btree (tenant_id, id) WHERE (is_active AND (scopes @> '{admin}'::text[]));
CREATE INDEX api_keys_user ON carillon.api_keys USING btree (tenant_id, user_id) WHERE (user_id IS NOT NULL);

create table carillon.attachments (
  tenant_id uuid not null,
  notification_id uuid not null,
  position smallint not null,
  filename text not null,
  content_type text not null,
  content bytea not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint attachments_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint attachments_tenant_id_notification_id_fkey FOREIGN KEY (tenant_id, notification_id) REFERENCES records(tenant_id, notification_id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint attachments_pkey PRIMARY KEY (tenant_id, notification_id, "position")
);

create table carillon.audit_logs (
  id uuid not null,
  tenant_id uuid not null,
  user_id text,
  api_key_id uuid,
  action text not null,
  resource_type text not null,
  resource_id text,
  ip_address inet,
  user_agent text,
  request_id text,
  old_values jsonb,
  new_values jsonb,
  created_at timestamp(3) with time zone not null default now(),
  account_id uuid,
  account_email text,
  constraint audit_logs_action_check CHECK (((length(action) >= 1) AND (length(action) <= 100))),
  constraint audit_logs_resource_id_check CHECK (((length(resource_id) >= 1) AND (length(resource_id) <= 520))),
  constraint audit_logs_resource_type_check CHECK (((length(resource_type) >= 1) AND (length(resource_type) <= 50))),
  constraint audit_logs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint audit_logs_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE SET NULL (user_id),
  constraint audit_logs_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX audit_logs_account ON carillon.audit_logs USING btree (tenant_id, account_id, created_at DESC, id DESC) WHERE (account_id IS NOT NULL);
CREATE INDEX audit_logs_action ON carillon.audit_logs USING btree (tenant_id, action, created_at DESC, id DESC);
CREATE INDEX audit_logs_listing ON carillon.audit_logs USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX audit_logs_resource ON carillon.audit_logs USING btree (tenant_id, resource_type, resource_id, created_at DESC, id DESC);
CREATE INDEX audit_logs_user ON carillon.audit_logs USING btree (tenant_id, user_id, created_at DESC, id DESC) WHERE (user_id IS NOT NULL);

create table carillon.branding (
  tenant_id uuid not null,
  name text,
  logo_url text,
  website_url text,
  primary_color text,
  footer text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint branding_footer_check CHECK ((length(footer) <= 2000)),
  constraint branding_logo_url_check CHECK ((length(logo_url) <= 500)),
  constraint branding_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint branding_primary_color_check CHECK ((primary_color ~ '^#[0-9a-fA-F]{6}$'::text)),
  constraint branding_website_url_check CHECK ((length(website_url) <= 500)),
  constraint branding_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint branding_pkey PRIMARY KEY (tenant_id)
);

create table carillon.capped_sends (
  tenant_id uuid not null,
  user_id text not null,
  channel text not null,
  category text not null,
  per text not null,
  period text not null,
  used integer not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint capped_sends_per_check CHECK ((per = ANY (ARRAY['hour'::text, 'day'::text, 'week'::text]))),
  constraint capped_sends_used_check CHECK ((used >= 0)),
  constraint capped_sends_pkey PRIMARY KEY (tenant_id, user_id, channel, category, per, period)
) with (fillfactor=70);
CREATE INDEX capped_sends_created_at ON carillon.capped_sends USING btree (created_at);

create table carillon.captured_messages (
  tenant_id uuid not null,
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
  captured_at timestamp(3) with time zone not null default now(),
  options jsonb,
  constraint captured_messages_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint captured_messages_pkey PRIMARY KEY (tenant_id, message_id)
);
CREATE INDEX captured_messages_listing ON carillon.captured_messages USING btree (tenant_id, captured_at DESC, message_id DESC);
CREATE INDEX captured_messages_record ON carillon.captured_messages USING btree (tenant_id, notification_id);

create table carillon.categories (
  tenant_id uuid not null,
  category text not null,
  name text not null,
  description text not null,
  required boolean not null,
  position integer not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint categories_category_check CHECK (((length(category) >= 1) AND (length(category) <= 50))),
  constraint categories_description_check CHECK ((length(description) <= 1000)),
  constraint categories_name_check CHECK ((length(name) <= 100)),
  constraint categories_position_check CHECK (("position" >= 0)),
  constraint categories_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint categories_pkey PRIMARY KEY (tenant_id, category)
);

create table carillon.cron_trigger_details (
  tenant_id uuid not null,
  trigger_id uuid not null,
  kind text not null default 'cron'::text,
  cron text not null,
  timezone text not null default 'UTC'::text,
  misfire_policy text not null default 'run_once'::text,
  next_run_at timestamp(3) with time zone,
  last_run_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  constraint cron_trigger_details_cron_check CHECK (((length(cron) >= 1) AND (length(cron) <= 100))),
  constraint cron_trigger_details_kind_check CHECK ((kind = 'cron'::text)),
  constraint cron_trigger_details_misfire_policy_check CHECK ((misfire_policy = ANY (ARRAY['run_once'::text, 'run_all'::text, 'skip'::text]))),
  constraint cron_trigger_details_timezone_check CHECK ((length(timezone) <= 50)),
  constraint cron_trigger_details_tenant_id_trigger_id_kind_fkey FOREIGN KEY (tenant_id, trigger_id, kind) REFERENCES triggers(tenant_id, id, kind) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint cron_trigger_details_pkey PRIMARY KEY (tenant_id, trigger_id, kind)
);
CREATE INDEX cron_trigger_details_due ON carillon.cron_trigger_details USING btree (next_run_at) WHERE (next_run_at IS NOT NULL);

create table carillon.daily_sends (
  tenant_id uuid not null,
  user_id text not null,
  channel text not null,
  day date not null,
  used integer not null,
  cap integer not null,
  granted integer not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint daily_sends_used_check CHECK ((used >= 0)),
  constraint daily_sends_pkey PRIMARY KEY (tenant_id, user_id, channel, day)
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=500);
CREATE INDEX daily_sends_day ON carillon.daily_sends USING btree (day);

create table carillon.dead_letter_trigger_details (
  tenant_id uuid not null,
  trigger_id uuid not null,
  kind text not null default 'dead_letter'::text,
  source text,
  source_trigger_id uuid,
  source_script_id uuid,
  created_at timestamp(3) with time zone not null default now(),
  constraint dead_letter_trigger_details_kind_check CHECK ((kind = 'dead_letter'::text)),
  constraint dead_letter_trigger_details_source_check CHECK (((length(source) >= 1) AND (length(source) <= 32))),
  constraint dead_letter_trigger_details_tenant_id_trigger_id_kind_fkey FOREIGN KEY (tenant_id, trigger_id, kind) REFERENCES triggers(tenant_id, id, kind) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint dead_letter_trigger_details_pkey PRIMARY KEY (tenant_id, trigger_id, kind)
);

create table carillon.dead_letters (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null,
  source_kind text not null,
  notification_id uuid,
  route_id text,
  notification_type text not null,
  channel text,
  recipient_ref text not null,
  final_attempt_count integer not null,
  max_attempts integer not null,
  failure_reason text not null,
  failure_classification text not null,
  failure_message text not null,
  recovery_hint text not null default ''::text,
  created_at timestamp(3) with time zone not null,
  resolved_at timestamp(3) with time zone,
  resolution text,
  resolved_by text,
  original_event_id uuid,
  source text not null default ''::text,
  op text not null default ''::text,
  target_id uuid,
  payload text,
  dispatch jsonb,
  first_attempt_at timestamp(3) with time zone,
  last_attempt_at timestamp(3) with time zone,
  trigger_id uuid,
  script_id uuid,
  trigger_depth integer not null default 0,
  expiry_warned_at timestamp(3) with time zone,
  provider text,
  template text,
  replayed_from text,
  replayed_to text,
  constraint dead_letters_failure_reason_check CHECK ((failure_reason = ANY (ARRAY['max_retries_exceeded'::text, 'permanent_failure'::text, 'provider_rate_limit_exceeded'::text, 'provider_misconfigured'::text, 'worker_lost'::text, 'uncertain_delivery'::text, 'target_missing'::text]))),
  constraint dead_letters_not_of_handlers CHECK ((source <> 'dead_letter'::text)),
  constraint dead_letters_outbox_named CHECK (((source_kind <> 'outbox'::text) OR ((original_event_id IS NOT NULL) AND (source <> ''::text) AND (target_id IS NOT NULL) AND (payload IS NOT NULL) AND (dispatch IS NOT NULL)))),
  constraint dead_letters_resolution_check CHECK ((resolution = ANY (ARRAY['replayed'::text, 'ignored'::text, 'handled_by_script'::text, 'handler_failed'::text]))),
  constraint dead_letters_resolution_whole CHECK (((resolved_at IS NOT NULL) = ((resolution IS NOT NULL) AND (resolution <> 'handler_failed'::text)))),
  constraint dead_letters_route_channel CHECK (((source_kind <> 'route'::text) OR (channel IS NOT NULL))),
  constraint dead_letters_route_named CHECK (((source_kind <> 'route'::text) OR ((notification_id IS NOT NULL) AND (route_id IS NOT NULL)))),
  constraint dead_letters_source_kind_check CHECK ((source_kind = ANY (ARRAY['route'::text, 'outbox'::text]))),
  constraint dead_letters_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint dead_letters_tenant_id_resolved_by_fkey FOREIGN KEY (tenant_id, resolved_by) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE SET NULL (resolved_by),
  constraint dead_letters_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX dead_letters_event ON carillon.dead_letters USING btree (tenant_id, original_event_id) WHERE (original_event_id IS NOT NULL);
CREATE INDEX dead_letters_listing ON carillon.dead_letters USING btree (tenant_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX dead_letters_one_open ON carillon.dead_letters USING btree (tenant_id, notification_id, route_id) WHERE (resolved_at IS NULL);
CREATE UNIQUE INDEX dead_letters_one_open_event ON carillon.dead_letters USING btree (tenant_id, original_event_id) WHERE ((resolved_at IS NULL) AND (original_event_id IS NOT NULL));
CREATE INDEX dead_letters_open ON carillon.dead_letters USING btree (tenant_id, created_at DESC, id DESC) WHERE (resolved_at IS NULL);
CREATE INDEX dead_letters_recipient ON carillon.dead_letters USING btree (tenant_id, recipient_ref, created_at DESC, id DESC) WHERE (recipient_ref <> ''::text);
CREATE INDEX dead_letters_replayed ON carillon.dead_letters USING btree (tenant_id, resolved_at) WHERE (resolution = 'replayed'::text);
CREATE INDEX dead_letters_resolver ON carillon.dead_letters USING btree (tenant_id, resolved_by) WHERE (resolved_by IS NOT NULL);
CREATE INDEX dead_letters_route ON carillon.dead_letters USING btree (tenant_id, notification_id, route_id);
CREATE INDEX dead_letters_script ON carillon.dead_letters USING btree (tenant_id, script_id, created_at DESC, id DESC) WHERE (script_id IS NOT NULL);
CREATE INDEX dead_letters_source ON carillon.dead_letters USING btree (tenant_id, source, created_at DESC, id DESC) WHERE (source <> ''::text);
CREATE INDEX dead_letters_trigger ON carillon.dead_letters USING btree (tenant_id, trigger_id, created_at DESC, id DESC) WHERE (trigger_id IS NOT NULL);
CREATE INDEX dead_letters_unnamed ON carillon.dead_letters USING btree (tenant_id, id) WHERE (provider IS NULL);

create table carillon.default_preferences (
  tenant_id uuid not null,
  channel text not null,
  enabled boolean,
  frequency_cap integer,
  quiet_hours_start time(0) without time zone,
  quiet_hours_end time(0) without time zone,
  categories jsonb not null default '{}'::jsonb,
  reasons jsonb not null default '{}'::jsonb,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  digests jsonb not null default '{}'::jsonb,
  quiet_windows jsonb,
  caps jsonb,
  constraint default_preferences_caps_check CHECK ((jsonb_typeof(caps) = 'array'::text)),
  constraint default_preferences_categories_check CHECK ((jsonb_typeof(categories) = 'object'::text)),
  constraint default_preferences_channel_check CHECK ((channel = ANY (ARRAY['in_app'::text, 'email'::text, 'sms'::text, 'push'::text, 'chat'::text, 'webhook'::text]))),
  constraint default_preferences_digests_check CHECK ((jsonb_typeof(digests) = 'object'::text)),
  constraint default_preferences_frequency_cap_check CHECK ((frequency_cap >= 0)),
  constraint default_preferences_quiet_hours_whole CHECK (((quiet_hours_start IS NULL) = (quiet_hours_end IS NULL))),
  constraint default_preferences_quiet_windows_check CHECK ((jsonb_typeof(quiet_windows) = 'array'::text)),
  constraint default_preferences_reasons_check CHECK ((jsonb_typeof(reasons) = 'object'::text)),
  constraint default_preferences_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint default_preferences_pkey PRIMARY KEY (tenant_id, channel)
);

create table carillon.digests (
  id uuid not null,
  tenant_id uuid not null,
  notification_type text not null,
  channel text not null,
  recipient_ref text not null,
  user_id text,
  key text not null,
  first_notification_id uuid,
  closes_at timestamp(3) with time zone not null,
  closed_at timestamp(3) with time zone,
  item_count integer,
  created_at timestamp(3) with time zone not null default now(),
  constraint digests_counted_when_closed CHECK (((closed_at IS NULL) = (item_count IS NULL))),
  constraint digests_key_check CHECK ((length(key) <= 100)),
  constraint digests_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint digests_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint digests_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX digests_old ON carillon.digests USING btree (tenant_id, created_at);
CREATE UNIQUE INDEX digests_one_open ON carillon.digests USING btree (tenant_id, notification_type, recipient_ref, channel, key) WHERE (closed_at IS NULL);
CREATE INDEX digests_opened_early ON carillon.digests USING btree (tenant_id, closes_at) INCLUDE (id) WHERE ((first_notification_id IS NOT NULL) AND ((closes_at - created_at) > '01:00:00'::interval));
CREATE INDEX digests_user ON carillon.digests USING btree (tenant_id, user_id) WHERE (user_id IS NOT NULL);

create table carillon.domain_events (
  tenant_id uuid not null,
  event_id uuid not null,
  seq bigint not null default nextval('domain_events_seq'::regclass),
  id bigint,
  kind text not null,
  producer text not null,
  actor_id text,
  topic text,
  thread_kind text,
  thread_id text,
  thread_title text,
  thread_url text,
  thread_author_id text,
  source_kind text not null default ''::text,
  source_id text not null default ''::text,
  is_public boolean not null default true,
  relations jsonb not null default '{}'::jsonb,
  payload_json text not null default '{}'::text,
  idempotency_key text,
  request_fingerprint text not null default ''::text,
  request_id text not null default ''::text,
  traceparent text not null default ''::text,
  trigger_depth integer not null default 0,
  occurred_at timestamp(3) with time zone not null default now(),
  created_at timestamp(3) with time zone not null default now(),
  constraint domain_events_actor_id_check CHECK (((length(actor_id) >= 1) AND (length(actor_id) <= 200))),
  constraint domain_events_id_check CHECK ((id > 0)),
  constraint domain_events_idempotency_key_check CHECK (((length(idempotency_key) >= 1) AND (length(idempotency_key) <= 255))),
  constraint domain_events_kind_check CHECK (((length(kind) >= 1) AND (length(kind) <= 64))),
  constraint domain_events_payload_json_check CHECK ((octet_length(payload_json) <= 4096)),
  constraint domain_events_producer_check CHECK (((length(producer) >= 1) AND (length(producer) <= 100))),
  constraint domain_events_relations_check CHECK ((octet_length((relations)::text) <= 65536)),
  constraint domain_events_source_id_check CHECK ((length(source_id) <= 200)),
  constraint domain_events_source_kind_check CHECK ((length(source_kind) <= 32)),
  constraint domain_events_thread_author_id_check CHECK (((length(thread_author_id) >= 1) AND (length(thread_author_id) <= 200))),
  constraint domain_events_thread_described CHECK (((thread_id IS NOT NULL) OR (num_nonnulls(thread_title, thread_url, thread_author_id) = 0))),
  constraint domain_events_thread_id_check CHECK (((length(thread_id) >= 1) AND (length(thread_id) <= 200))),
  constraint domain_events_thread_kind_check CHECK (((length(thread_kind) >= 1) AND (length(thread_kind) <= 32))),
  constraint domain_events_thread_title_check CHECK ((length(thread_title) <= 500)),
  constraint domain_events_thread_url_check CHECK ((length(thread_url) <= 500)),
  constraint domain_events_thread_whole CHECK (((thread_kind IS NULL) = (thread_id IS NULL))),
  constraint domain_events_topic_check CHECK (((length(topic) >= 1) AND (length(topic) <= 200))),
  constraint domain_events_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint domain_events_pkey PRIMARY KEY (tenant_id, event_id)
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_scale_factor=0.05);
CREATE INDEX domain_events_actor ON carillon.domain_events USING btree (tenant_id, actor_id, event_id) WHERE (actor_id IS NOT NULL);
CREATE UNIQUE INDEX domain_events_key ON carillon.domain_events USING btree (tenant_id, producer, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX domain_events_kind ON carillon.domain_events USING btree (tenant_id, kind, event_id);
CREATE UNIQUE INDEX domain_events_log ON carillon.domain_events USING btree (tenant_id, id) WHERE (id IS NOT NULL);
CREATE INDEX domain_events_old ON carillon.domain_events USING btree (tenant_id, created_at);
CREATE INDEX domain_events_thread ON carillon.domain_events USING btree (tenant_id, thread_kind, thread_id, event_id) WHERE (thread_id IS NOT NULL);
CREATE INDEX domain_events_topic ON carillon.domain_events USING btree (tenant_id, topic, event_id) WHERE (topic IS NOT NULL);
CREATE INDEX domain_events_unordered ON carillon.domain_events USING btree (tenant_id, seq) WHERE (id IS NULL);

create table carillon.domain_events_processed (
  tenant_id uuid not null,
  consumer text not null,
  last_event_id bigint not null default 0,
  head_id bigint not null default 0,
  chunk_cursor text not null default ''::text,
  tries integer not null default 0,
  next_attempt_at timestamp(3) with time zone,
  moved_at timestamp(3) with time zone not null default now(),
  last_error text not null default ''::text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint domain_events_processed_consumer_check CHECK (((length(consumer) >= 1) AND (length(consumer) <= 50))),
  constraint domain_events_processed_last_error_check CHECK ((length(last_error) <= 1000)),
  constraint domain_events_processed_within_log CHECK (((last_event_id >= 0) AND (last_event_id <= head_id))),
  constraint domain_events_processed_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint domain_events_processed_pkey PRIMARY KEY (tenant_id, consumer)
);
CREATE INDEX domain_events_processed_waiting ON carillon.domain_events_processed USING btree (consumer, tenant_id) WHERE (last_event_id < head_id);

create table carillon.email_trigger_details (
  tenant_id uuid not null,
  trigger_id uuid not null,
  kind text not null default 'email'::text,
  address_glob text not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint email_trigger_details_address_glob_check CHECK (((address_glob ~ '^[^*]{0,255}\*?$'::text) AND (address_glob <> ''::text))),
  constraint email_trigger_details_kind_check CHECK ((kind = 'email'::text)),
  constraint email_trigger_details_tenant_id_trigger_id_kind_fkey FOREIGN KEY (tenant_id, trigger_id, kind) REFERENCES triggers(tenant_id, id, kind) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint email_trigger_details_pkey PRIMARY KEY (tenant_id, trigger_id, kind)
);

create table carillon.event_trigger_details (
  tenant_id uuid not null,
  trigger_id uuid not null,
  kind text not null default 'event'::text,
  event_kind_glob text not null,
  topic text,
  created_at timestamp(3) with time zone not null default now(),
  constraint event_trigger_details_event_kind_glob_check CHECK (((event_kind_glob ~ '^[^*]{0,64}\*?$'::text) AND (event_kind_glob <> ''::text))),
  constraint event_trigger_details_kind_check CHECK ((kind = 'event'::text)),
  constraint event_trigger_details_topic_check CHECK (((length(topic) >= 1) AND (length(topic) <= 200))),
  constraint event_trigger_details_tenant_id_trigger_id_kind_fkey FOREIGN KEY (tenant_id, trigger_id, kind) REFERENCES triggers(tenant_id, id, kind) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint event_trigger_details_pkey PRIMARY KEY (tenant_id, trigger_id, kind)
);

create table carillon.expansions (
  tenant_id uuid not null,
  notification_id uuid not null,
  cursor text not null default ''::text,
  created_at timestamp(3) with time zone not null default now(),
  constraint expansions_tenant_id_notification_id_fkey FOREIGN KEY (tenant_id, notification_id) REFERENCES records(tenant_id, notification_id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint expansions_pkey PRIMARY KEY (tenant_id, notification_id)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=200);
CREATE INDEX expansions_oldest ON carillon.expansions USING btree (created_at, tenant_id, notification_id);

create table carillon.fanout_rules (
  tenant_id uuid not null,
  event_kind text not null,
  relation text not null,
  channels text[] not null,
  passes_mute boolean not null default false,
  notification_type text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint fanout_rules_channels CHECK ((channels <@ ARRAY['in_app'::text, 'email'::text, 'sms'::text, 'push'::text, 'chat'::text])),
  constraint fanout_rules_event_kind_check CHECK (((length(event_kind) >= 1) AND (length(event_kind) <= 64))),
  constraint fanout_rules_notification_type_check CHECK (((length(notification_type) >= 1) AND (length(notification_type) <= 100))),
  constraint fanout_rules_relation_check CHECK (((length(relation) >= 1) AND (length(relation) <= 32))),
  constraint fanout_rules_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint fanout_rules_pkey PRIMARY KEY (tenant_id, event_kind, relation)
);

create table carillon.http_trigger_details (
  tenant_id uuid not null,
  trigger_id uuid not null,
  kind text not null default 'http'::text,
  token_hash bytea not null,
  hint text not null default ''::text,
  methods text[] not null default '{POST}'::text[],
  created_at timestamp(3) with time zone not null default now(),
  constraint http_trigger_details_hint_check CHECK ((length(hint) <= 20)),
  constraint http_trigger_details_kind_check CHECK ((kind = 'http'::text)),
  constraint http_trigger_details_methods_check CHECK (((cardinality(methods) > 0) AND (methods <@ ARRAY['GET'::text, 'POST'::text, 'PUT'::text, 'PATCH'::text, 'DELETE'::text]))),
  constraint http_trigger_details_tenant_id_trigger_id_kind_fkey FOREIGN KEY (tenant_id, trigger_id, kind) REFERENCES triggers(tenant_id, id, kind) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint http_trigger_details_pkey PRIMARY KEY (tenant_id, trigger_id, kind),
  constraint http_trigger_details_token_hash_key UNIQUE (token_hash)
);

create table carillon.invariant_violations (
  tenant_id uuid not null,
  invariant text not null,
  item text not null,
  walk text not null,
  key jsonb not null,
  state text not null default ''::text,
  details jsonb not null default '{}'::jsonb,
  since timestamp(3) with time zone not null,
  confirmed_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  constraint invariant_violations_invariant_check CHECK (((length(invariant) >= 1) AND (length(invariant) <= 50))),
  constraint invariant_violations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint invariant_violations_pkey PRIMARY KEY (tenant_id, invariant, item)
);
CREATE INDEX invariant_violations_confirmed ON carillon.invariant_violations USING btree (invariant, tenant_id) WHERE (confirmed_at IS NOT NULL);
CREATE INDEX invariant_violations_walk ON carillon.invariant_violations USING btree (walk);

create table carillon.invariant_walks (
  walk text not null,
  cursor jsonb,
  started_at timestamp(3) with time zone not null default now(),
  finished_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  constraint invariant_walks_walk_check CHECK (((length(walk) >= 1) AND (length(walk) <= 50))),
  constraint invariant_walks_pkey PRIMARY KEY (walk)
);

create table carillon.invitations (
  tenant_id uuid not null,
  id uuid not null,
  email text not null,
  role text not null,
  token_hash text not null,
  api_key_id uuid,
  expires_at timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint invitations_email_check CHECK (((email = lower(email)) AND ((length(email) >= 3) AND (length(email) <= 255)))),
  constraint invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'operator'::text, 'viewer'::text]))),
  constraint invitations_token_hash_check CHECK ((length(token_hash) = 64)),
  constraint invitations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint invitations_pkey PRIMARY KEY (tenant_id, id),
  constraint invitations_tenant_id_email_key UNIQUE (tenant_id, email),
  constraint invitations_token_hash_key UNIQUE (token_hash)
);
CREATE INDEX invitations_expiry ON carillon.invitations USING btree (expires_at);

create table carillon.kv_entries (
  tenant_id uuid not null,
  collection text not null,
  key text not null,
  value_json text not null,
  version bigint not null default nextval('kv_versions'::regclass),
  expires_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint kv_entries_collection_check CHECK ((collection ~ '^[A-Za-z0-9._:-]{1,100}$'::text)),
  constraint kv_entries_key_check CHECK (((length(key) >= 1) AND (length(key) <= 512))),
  constraint kv_entries_value_json_check CHECK ((octet_length(value_json) <= 65536)),
  constraint kv_entries_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint kv_entries_pkey PRIMARY KEY (tenant_id, collection, key)
);
CREATE INDEX kv_entries_expired ON carillon.kv_entries USING btree (expires_at) WHERE (expires_at IS NOT NULL);

create table carillon.kv_trigger_details (
  tenant_id uuid not null,
  trigger_id uuid not null,
  kind text not null default 'kv'::text,
  collection_glob text not null,
  ops text[] not null default '{}'::text[],
  created_at timestamp(3) with time zone not null default now(),
  constraint kv_trigger_details_collection_glob_check CHECK (((collection_glob ~ '^[^*]{0,100}\*?$'::text) AND (collection_glob <> ''::text))),
  constraint kv_trigger_details_kind_check CHECK ((kind = 'kv'::text)),
  constraint kv_trigger_details_ops_check CHECK ((ops <@ ARRAY['insert'::text, 'update'::text, 'delete'::text])),
  constraint kv_trigger_details_tenant_id_trigger_id_kind_fkey FOREIGN KEY (tenant_id, trigger_id, kind) REFERENCES triggers(tenant_id, id, kind) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint kv_trigger_details_pkey PRIMARY KEY (tenant_id, trigger_id, kind)
);

create table carillon.limit_counters (
  tenant_id uuid not null,
  key_hash text not null,
  tries integer not null,
  expires_at timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint limit_counters_key_hash_check CHECK ((length(key_hash) = 64)),
  constraint limit_counters_tries_check CHECK ((tries >= 0)),
  constraint limit_counters_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint limit_counters_pkey PRIMARY KEY (tenant_id, key_hash)
);
CREATE INDEX limit_counters_expired ON carillon.limit_counters USING btree (expires_at);

create table carillon.malformed_intents (
  tenant_id uuid not null,
  source text not null,
  source_entry_id text not null,
  notification_type text not null default ''::text,
  producer text not null default ''::text,
  idempotency_key text not null default ''::text,
  failure_code text not null,
  failure_message text not null,
  raw_fields jsonb not null,
  recorded_at timestamp(3) with time zone not null default now(),
  constraint malformed_intents_source_entry_id_check CHECK (((length(source_entry_id) >= 1) AND (length(source_entry_id) <= 255))),
  constraint malformed_intents_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint malformed_intents_pkey PRIMARY KEY (tenant_id, source, producer, source_entry_id)
);
CREATE INDEX malformed_intents_listing ON carillon.malformed_intents USING btree (tenant_id, recorded_at DESC, source_entry_id DESC, producer DESC);

create table carillon.master_keys (
  is_current boolean not null default true,
  key_id text not null,
  created_at timestamp(3) with time zone not null default now(),
  changed_at timestamp(3) with time zone not null default now(),
  constraint master_keys_is_current_check CHECK (is_current),
  constraint master_keys_key_id_check CHECK ((key_id <> ''::text)),
  constraint master_keys_pkey PRIMARY KEY (is_current)
);

create table carillon.members (
  tenant_id uuid not null,
  account_id uuid not null,
  role text not null,
  api_key_id uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint members_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'operator'::text, 'viewer'::text]))),
  constraint members_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint members_tenant_id_api_key_id_fkey FOREIGN KEY (tenant_id, api_key_id) REFERENCES api_keys(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint members_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint members_pkey PRIMARY KEY (tenant_id, account_id),
  constraint members_tenant_id_api_key_id_key UNIQUE (tenant_id, api_key_id)
);
CREATE INDEX members_account ON carillon.members USING btree (account_id, created_at);
CREATE INDEX members_owners ON carillon.members USING btree (tenant_id, account_id) WHERE (role = 'owner'::text);

create table carillon.notification_email_log (
  id bigint generated always as identity not null,
  tenant_id uuid not null,
  user_id text not null,
  record_id uuid not null,
  route_id text not null,
  notification_id uuid,
  thread_kind text,
  thread_id text,
  topic text,
  message_id text not null,
  sent_at timestamp(3) with time zone,
  may_have_arrived boolean not null default false,
  counted_at timestamp(3) with time zone not null default now(),
  created_at timestamp(3) with time zone not null default now(),
  constraint notification_email_log_thread_whole CHECK (((thread_kind IS NULL) = (thread_id IS NULL))),
  constraint notification_email_log_tenant_id_notification_id_fkey FOREIGN KEY (tenant_id, notification_id) REFERENCES notifications(tenant_id, id) ON UPDATE CASCADE ON DELETE SET NULL (notification_id),
  constraint notification_email_log_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint notification_email_log_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX notification_email_log_message ON carillon.notification_email_log USING btree (tenant_id, message_id);
CREATE INDEX notification_email_log_notification ON carillon.notification_email_log USING btree (tenant_id, notification_id) WHERE (notification_id IS NOT NULL);
CREATE INDEX notification_email_log_old ON carillon.notification_email_log USING btree (created_at);
CREATE INDEX notification_email_log_recipient ON carillon.notification_email_log USING btree (tenant_id, user_id, counted_at DESC, id DESC);
CREATE UNIQUE INDEX notification_email_log_route ON carillon.notification_email_log USING btree (tenant_id, record_id, route_id);
CREATE INDEX notification_email_log_thread ON carillon.notification_email_log USING btree (tenant_id, user_id, thread_kind, thread_id, counted_at DESC);

create table carillon.notification_metrics (
  tenant_id uuid not null,
  date date not null,
  hour smallint,
  provider text not null,
  channel text not null,
  notification_type text not null,
  sent integer not null,
  failed integer not null,
  pending integer not null,
  skipped integer not null,
  cancelled integer not null,
  expired integer not null,
  delivery_ms_total bigint not null,
  avg_delivery_ms bigint generated always as (
CASE
    WHEN (sent > 0) THEN (delivery_ms_total / sent)
    ELSE NULL::bigint
END) stored,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  delivery_buckets smallint[],
  delivery_counts integer[],
  constraint notification_metrics_histogram_whole CHECK ((NOT (cardinality(delivery_buckets) IS DISTINCT FROM cardinality(delivery_counts)))),
  constraint notification_metrics_hour_check CHECK (((hour >= 0) AND (hour <= 23))),
  constraint notification_metrics_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint notification_metrics_key UNIQUE NULLS NOT DISTINCT (tenant_id, date, hour, provider, channel, notification_type)
);
CREATE INDEX notification_metrics_channel ON carillon.notification_metrics USING btree (tenant_id, channel, date DESC, hour DESC);
CREATE INDEX notification_metrics_open ON carillon.notification_metrics USING btree (tenant_id, updated_at) WHERE ((pending > 0) AND (hour IS NOT NULL));
CREATE INDEX notification_metrics_provider ON carillon.notification_metrics USING btree (tenant_id, provider, date DESC, hour DESC);
CREATE INDEX notification_metrics_type ON carillon.notification_metrics USING btree (tenant_id, notification_type, date DESC, hour DESC);

create table carillon.notification_preferences (
  tenant_id uuid not null,
  user_id text not null,
  channel text not null,
  enabled boolean,
  frequency_cap integer,
  quiet_hours_start time(0) without time zone,
  quiet_hours_end time(0) without time zone,
  timezone text,
  categories jsonb not null default '{}'::jsonb,
  reasons jsonb not null default '{}'::jsonb,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  digests jsonb not null default '{}'::jsonb,
  paused_until timestamp(3) with time zone,
  quiet_windows jsonb,
  caps jsonb,
  constraint notification_preferences_caps_check CHECK ((jsonb_typeof(caps) = 'array'::text)),
  constraint notification_preferences_categories_check CHECK ((jsonb_typeof(categories) = 'object'::text)),
  constraint notification_preferences_channel_check CHECK ((channel = ANY (ARRAY['in_app'::text, 'email'::text, 'sms'::text, 'push'::text, 'chat'::text, 'webhook'::text]))),
  constraint notification_preferences_digests_check CHECK ((jsonb_typeof(digests) = 'object'::text)),
  constraint notification_preferences_frequency_cap_check CHECK ((frequency_cap >= 0)),
  constraint notification_preferences_quiet_hours_whole CHECK (((quiet_hours_start IS NULL) = (quiet_hours_end IS NULL))),
  constraint notification_preferences_quiet_windows_check CHECK ((jsonb_typeof(quiet_windows) = 'array'::text)),
  constraint notification_preferences_reasons_check CHECK ((jsonb_typeof(reasons) = 'object'::text)),
  constraint notification_preferences_timezone_check CHECK (((length(timezone) >= 1) AND (length(timezone) <= 50))),
  constraint notification_preferences_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint notification_preferences_pkey PRIMARY KEY (tenant_id, user_id, channel)
);
CREATE INDEX notification_preferences_enabled ON carillon.notification_preferences USING btree (tenant_id, channel, user_id) WHERE (NOT enabled);

create table carillon.notification_receipts (
  tenant_id uuid not null,
  notification_id uuid not null,
  user_id text not null,
  is_read boolean not null default false,
  read_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  done_at timestamp(3) with time zone,
  saved_at timestamp(3) with time zone,
  snoozed_until timestamp(3) with time zone,
  answer jsonb,
  version bigint not null default ((pg_current_xact_id())::text)::bigint,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint notification_receipts_read_whole CHECK ((is_read = (read_at IS NOT NULL))),
  constraint notification_receipts_tenant_id_notification_id_fkey FOREIGN KEY (tenant_id, notification_id) REFERENCES notifications(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint notification_receipts_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint notification_receipts_pkey PRIMARY KEY (tenant_id, user_id, notification_id)
);
CREATE INDEX notification_receipts_notification ON carillon.notification_receipts USING btree (tenant_id, notification_id);
CREATE INDEX notification_receipts_snoozed ON carillon.notification_receipts USING btree (snoozed_until) WHERE (snoozed_until IS NOT NULL);
CREATE INDEX notification_receipts_version ON carillon.notification_receipts USING btree (tenant_id, user_id, version);

create table carillon.notification_templates (
  id uuid not null,
  tenant_id uuid not null,
  name text not null,
  channel text not null,
  locale text not null,
  subject text,
  title text,
  body text not null,
  text_body text,
  layout text,
  variables jsonb not null default '[]'::jsonb,
  is_active boolean not null default true,
  published_version_id uuid,
  created_by text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint notification_templates_channel_check CHECK ((channel = ANY (ARRAY['in_app'::text, 'email'::text, 'sms'::text, 'push'::text, 'chat'::text, 'webhook'::text]))),
  constraint notification_templates_locale_check CHECK (((length(locale) >= 2) AND (length(locale) <= 35))),
  constraint notification_templates_mail_only CHECK (((channel = 'email'::text) OR ((text_body IS NULL) AND (layout IS NULL)))),
  constraint notification_templates_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint notification_templates_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 255))),
  constraint notification_templates_subject_for_email CHECK (((subject IS NOT NULL) = (channel = 'email'::text))),
  constraint notification_templates_title CHECK (((title IS NOT NULL) = (channel = ANY (ARRAY['push'::text, 'in_app'::text])))),
  constraint notification_templates_title_check CHECK (((length(title) >= 1) AND (length(title) <= 255))),
  constraint notification_templates_variables_check CHECK ((jsonb_typeof(variables) = 'array'::text)),
  constraint notification_templates_tenant_id_created_by_fkey FOREIGN KEY (tenant_id, created_by) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE SET NULL (created_by),
  constraint notification_templates_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint notification_templates_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX notification_templates_author ON carillon.notification_templates USING btree (tenant_id, created_by) WHERE (created_by IS NOT NULL);
CREATE INDEX notification_templates_channel ON carillon.notification_templates USING btree (tenant_id, channel, name);
CREATE INDEX notification_templates_inactive ON carillon.notification_templates USING btree (tenant_id) WHERE (NOT is_active);
CREATE UNIQUE INDEX notification_templates_key ON carillon.notification_templates USING btree (tenant_id, name, channel, lower(locale));
CREATE INDEX notification_templates_search ON carillon.notification_templates USING btree (tenant_id, lower(name) text_pattern_ops);

create table carillon.notification_threads (
  tenant_id uuid not null,
  user_id text not null,
  thread_kind text not null,
  thread_id text not null,
  subscribed boolean not null,
  reason text not null,
  source_event_id bigint,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint notification_threads_reason_check CHECK ((reason = ANY (ARRAY['manual'::text, 'manual_unsubscribe'::text, 'email_one_click'::text, 'author'::text, 'assigned'::text, 'review_requested'::text, 'mention'::text, 'commenter'::text]))),
  constraint notification_threads_tenant_id_thread_kind_thread_id_fkey FOREIGN KEY (tenant_id, thread_kind, thread_id) REFERENCES threads(tenant_id, kind, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint notification_threads_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint notification_threads_pkey PRIMARY KEY (tenant_id, user_id, thread_kind, thread_id)
);
CREATE INDEX notification_threads_thread ON carillon.notification_threads USING btree (tenant_id, thread_kind, thread_id, user_id);

create table carillon.notification_types (
  tenant_id uuid not null,
  name text not null,
  description text not null default ''::text,
  category text not null default ''::text,
  producers text[] not null default '{}'::text[],
  audience_kinds text[] not null default '{}'::text[],
  channels text[] not null,
  required_fields text[] not null default '{}'::text[],
  admin_emails text[] not null default '{}'::text[],
  critical boolean not null default false,
  max_attempts jsonb not null default '{}'::jsonb,
  retry_base_ms integer,
  retry_cap_ms integer,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  providers jsonb not null default '{}'::jsonb,
  templates jsonb not null default '{}'::jsonb,
  delay integer not null default 0,
  throttle jsonb,
  digest jsonb,
  escalate jsonb,
  constraint notification_types_category_check CHECK ((length(category) <= 50)),
  constraint notification_types_channels_check CHECK ((cardinality(channels) > 0)),
  constraint notification_types_delay_check CHECK (((delay >= 0) AND (delay <= 2592000))),
  constraint notification_types_digest_check CHECK ((jsonb_typeof(digest) = 'object'::text)),
  constraint notification_types_escalate_check CHECK ((jsonb_typeof(escalate) = 'array'::text)),
  constraint notification_types_max_attempts_check CHECK ((jsonb_typeof(max_attempts) = 'object'::text)),
  constraint notification_types_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint notification_types_providers_check CHECK ((jsonb_typeof(providers) = 'object'::text)),
  constraint notification_types_retry_base_ms_check CHECK ((retry_base_ms > 0)),
  constraint notification_types_retry_cap_ms_check CHECK ((retry_cap_ms > 0)),
  constraint notification_types_templates_check CHECK ((jsonb_typeof(templates) = 'object'::text)),
  constraint notification_types_throttle_check CHECK ((jsonb_typeof(throttle) = 'object'::text)),
  constraint notification_types_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint notification_types_pkey PRIMARY KEY (tenant_id, name)
);
CREATE INDEX notification_types_search ON carillon.notification_types USING btree (tenant_id, lower(name) text_pattern_ops);

create table carillon.notification_webhooks (
  id uuid not null,
  tenant_id uuid not null,
  user_id text,
  url text not null,
  description text not null default ''::text,
  events text[] not null,
  notification_types text[] not null default '{}'::text[],
  categories text[] not null default '{}'::text[],
  secrets text not null,
  payload_mode text not null default 'full'::text,
  format text not null default 'standard'::text,
  ordering text not null default 'none'::text,
  batch_size integer not null default 1,
  batch_seconds integer not null default 0,
  is_active boolean not null default true,
  is_paused boolean not null default false,
  disabled_at timestamp(3) with time zone,
  disabled_reason text not null default ''::text,
  consecutive_failures integer not null default 0,
  disable_after integer default 50,
  retry_count integer not null default 3,
  backoff text not null default 'exponential'::text,
  retry_base_ms integer not null default 30000,
  retry_cap_ms integer not null default 86400000,
  timeout_seconds integer not null default 10,
  rate_limit integer,
  rate_used_until double precision not null default 0,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  keeps_events_until timestamp(3) with time zone,
  event_kinds text[] not null default '{}'::text[],
  constraint notification_webhooks_backoff_check CHECK ((backoff = ANY (ARRAY['exponential'::text, 'linear'::text, 'constant'::text]))),
  constraint notification_webhooks_batch_seconds_check CHECK (((batch_seconds >= 0) AND (batch_seconds <= 60))),
  constraint notification_webhooks_batch_size_check CHECK (((batch_size >= 1) AND (batch_size <= 100))),
  constraint notification_webhooks_description_check CHECK ((length(description) <= 200)),
  constraint notification_webhooks_disable_after_check CHECK ((disable_after > 0)),
  constraint notification_webhooks_disabled_inactive CHECK (((disabled_at IS NULL) OR (NOT is_active))),
  constraint notification_webhooks_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY[''::text, 'gone'::text, 'failing'::text]))),
  constraint notification_webhooks_disabled_whole CHECK (((disabled_at IS NOT NULL) = (disabled_reason <> ''::text))),
  constraint notification_webhooks_events_check CHECK ((cardinality(events) > 0)),
  constraint notification_webhooks_format_check CHECK ((format = ANY (ARRAY['standard'::text, 'cloudevents'::text]))),
  constraint notification_webhooks_ordering_check CHECK ((ordering = ANY (ARRAY['none'::text, 'notification'::text, 'recipient'::text, 'endpoint'::text]))),
  constraint notification_webhooks_payload_mode_check CHECK ((payload_mode = ANY (ARRAY['thin'::text, 'full'::text]))),
  constraint notification_webhooks_rate_limit_check CHECK ((rate_limit > 0)),
  constraint notification_webhooks_retry_base_ms_check CHECK ((retry_base_ms > 0)),
  constraint notification_webhooks_retry_cap_ms_check CHECK ((retry_cap_ms > 0)),
  constraint notification_webhooks_retry_count_check CHECK (((retry_count >= 0) AND (retry_count <= 50))),
  constraint notification_webhooks_timeout_seconds_check CHECK (((timeout_seconds >= 1) AND (timeout_seconds <= 60))),
  constraint notification_webhooks_url_check CHECK (((length(url) >= 1) AND (length(url) <= 500))),
  constraint notification_webhooks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint notification_webhooks_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint notification_webhooks_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX notification_webhooks_active ON carillon.notification_webhooks USING btree (tenant_id, user_id) WHERE (is_active OR (keeps_events_until IS NOT NULL));
CREATE INDEX notification_webhooks_inactive ON carillon.notification_webhooks USING btree (tenant_id, created_at, id) WHERE (NOT is_active);
CREATE INDEX notification_webhooks_listing ON carillon.notification_webhooks USING btree (tenant_id, created_at, id);
CREATE INDEX notification_webhooks_user ON carillon.notification_webhooks USING btree (tenant_id, user_id) WHERE (user_id IS NOT NULL);

create table carillon.notifications (
  id uuid not null,
  tenant_id uuid not null,
  user_id text,
  record_id uuid,
  route_id text,
  type text not null,
  title text not null,
  message text not null,
  is_read boolean not null default false,
  read_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  kind text not null default ''::text,
  reason text not null default ''::text,
  topic text,
  thread_kind text,
  thread_id text,
  source_event_id bigint,
  recent_records uuid[] not null default '{}'::uuid[],
  event_count integer not null default 1,
  last_event_at timestamp(3) with time zone not null default now(),
  last_actor_id text,
  summary jsonb not null default '{}'::jsonb,
  actions jsonb,
  answer jsonb,
  expires_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  done_at timestamp(3) with time zone,
  saved_at timestamp(3) with time zone,
  snoozed_until timestamp(3) with time zone,
  version bigint not null default ((pg_current_xact_id())::text)::bigint,
  event_version bigint not null default ((pg_current_xact_id())::text)::bigint,
  updated_at timestamp(3) with time zone not null default now(),
  constraint notifications_actions_check CHECK ((octet_length((actions)::text) <= 8192)),
  constraint notifications_event_count_check CHECK ((event_count > 0)),
  constraint notifications_kind_check CHECK ((length(kind) <= 64)),
  constraint notifications_message_check CHECK ((octet_length(message) <= 4096)),
  constraint notifications_read_whole CHECK ((is_read = (read_at IS NOT NULL))),
  constraint notifications_reason_check CHECK ((length(reason) <= 32)),
  constraint notifications_summary_check CHECK ((octet_length((summary)::text) <= 8192)),
  constraint notifications_thread_of_one CHECK (((thread_id IS NULL) OR (user_id IS NOT NULL))),
  constraint notifications_thread_whole CHECK (((thread_kind IS NULL) = (thread_id IS NULL))),
  constraint notifications_type_check CHECK (((length(type) >= 1) AND (length(type) <= 100))),
  constraint notifications_actor_fkey FOREIGN KEY (tenant_id, last_actor_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE SET NULL (last_actor_id),
  constraint notifications_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint notifications_pkey PRIMARY KEY (tenant_id, id)
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_scale_factor=0.05);
CREATE INDEX notifications_actor ON carillon.notifications USING btree (tenant_id, last_actor_id) WHERE (last_actor_id IS NOT NULL);
CREATE UNIQUE INDEX notifications_event ON carillon.notifications USING btree (tenant_id, user_id, source_event_id) WHERE ((source_event_id IS NOT NULL) AND (thread_id IS NULL) AND (user_id IS NOT NULL));
CREATE INDEX notifications_everybody ON carillon.notifications USING btree (tenant_id, last_event_at DESC, id DESC) WHERE (user_id IS NULL);
CREATE INDEX notifications_expired ON carillon.notifications USING btree (expires_at) WHERE ((expires_at IS NOT NULL) AND (deleted_at IS NULL));
CREATE INDEX notifications_gone ON carillon.notifications USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX notifications_old ON carillon.notifications USING btree (tenant_id, last_event_at) WHERE ((saved_at IS NULL) AND (deleted_at IS NULL));
CREATE INDEX notifications_recent ON carillon.notifications USING btree (tenant_id, user_id, last_event_at DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX notifications_route_key ON carillon.notifications USING btree (tenant_id, record_id, route_id);
CREATE INDEX notifications_saved ON carillon.notifications USING btree (tenant_id, user_id, last_event_at DESC, id DESC) WHERE ((saved_at IS NOT NULL) AND (deleted_at IS NULL));
CREATE INDEX notifications_snoozed ON carillon.notifications USING btree (snoozed_until) WHERE (snoozed_until IS NOT NULL);
CREATE UNIQUE INDEX notifications_thread_coalesce ON carillon.notifications USING btree (tenant_id, user_id, thread_kind, thread_id) WHERE (thread_id IS NOT NULL);
CREATE INDEX notifications_topic ON carillon.notifications USING btree (tenant_id, topic) WHERE (topic IS NOT NULL);
CREATE INDEX notifications_unread ON carillon.notifications USING btree (tenant_id, user_id, last_event_at DESC, id DESC) INCLUDE (snoozed_until, expires_at) WHERE ((NOT is_read) AND (deleted_at IS NULL) AND (done_at IS NULL));
CREATE INDEX notifications_version ON carillon.notifications USING btree (tenant_id, user_id, version);

create table carillon.outbox (
  id uuid not null,
  seq bigint generated always as identity not null,
  tenant_id uuid not null,
  source_kind text not null,
  op text not null,
  target_id uuid not null,
  payload text not null,
  context jsonb not null default '{}'::jsonb,
  ordering_key text,
  batch_size integer not null default 1,
  trigger_depth integer not null default 0,
  attempt_count integer not null default 0,
  max_attempts integer not null default 3,
  backoff text not null default 'exponential'::text,
  base_ms integer not null default 1000,
  cap_ms integer not null default 86400000,
  jitter real not null default 0.2,
  claim_count integer not null default 0,
  next_attempt_at timestamp(3) with time zone not null default now(),
  lease_owner text,
  lease_until timestamp(3) with time zone,
  first_attempt_at timestamp(3) with time zone,
  last_error text not null default ''::text,
  created_at timestamp(3) with time zone not null default now(),
  constraint outbox_backoff_check CHECK ((backoff = ANY (ARRAY['exponential'::text, 'linear'::text, 'constant'::text]))),
  constraint outbox_base_ms_check CHECK ((base_ms > 0)),
  constraint outbox_batch_size_check CHECK (((batch_size >= 1) AND (batch_size <= 1000))),
  constraint outbox_cap_ms_check CHECK ((cap_ms > 0)),
  constraint outbox_context_check CHECK ((jsonb_typeof(context) = 'object'::text)),
  constraint outbox_jitter_check CHECK (((jitter >= (0)::double precision) AND (jitter <= (1)::double precision))),
  constraint outbox_lease_whole CHECK (((lease_owner IS NULL) = (lease_until IS NULL))),
  constraint outbox_max_attempts_check CHECK ((max_attempts > 0)),
  constraint outbox_op_check CHECK (((length(op) >= 1) AND (length(op) <= 50))),
  constraint outbox_ordering_key_check CHECK ((length(ordering_key) <= 300)),
  constraint outbox_source_kind_check CHECK (((length(source_kind) >= 1) AND (length(source_kind) <= 32))),
  constraint outbox_trigger_depth_check CHECK ((trigger_depth >= 0)),
  constraint outbox_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint outbox_pkey PRIMARY KEY (tenant_id, id)
) with (fillfactor=60, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000, autovacuum_analyze_scale_factor=0.05, autovacuum_vacuum_cost_limit=1000);
CREATE INDEX outbox_due ON carillon.outbox USING btree (tenant_id, source_kind, target_id, next_attempt_at, seq);
CREATE INDEX outbox_ordered_due ON carillon.outbox USING btree (next_attempt_at) WHERE ((ordering_key IS NOT NULL) AND (seq > 0));
CREATE INDEX outbox_ordering ON carillon.outbox USING btree (tenant_id, source_kind, target_id, ordering_key, seq) WHERE (ordering_key IS NOT NULL);

create table carillon.provider_callbacks (
  tenant_id uuid not null,
  provider_id uuid not null,
  event_id text not null,
  notification_id uuid,
  route_id text,
  kind text not null,
  detail text not null default ''::text,
  occurred_at timestamp(3) with time zone not null,
  received_at timestamp(3) with time zone not null default now(),
  constraint provider_callbacks_event_id_check CHECK (((length(event_id) >= 1) AND (length(event_id) <= 255))),
  constraint provider_callbacks_kind_check CHECK ((kind = ANY (ARRAY['delivered'::text, 'bounced'::text, 'complained'::text, 'opened'::text, 'failed'::text, 'unsubscribed'::text, 'resubscribed'::text, 'ignored'::text, 'device_refused'::text]))),
  constraint provider_callbacks_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES provider_configs(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint provider_callbacks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint provider_callbacks_pkey PRIMARY KEY (tenant_id, provider_id, event_id)
);
CREATE INDEX provider_callbacks_ignored ON carillon.provider_callbacks USING btree (received_at) WHERE (kind = 'ignored'::text);
CREATE INDEX provider_callbacks_provider ON carillon.provider_callbacks USING btree (provider_id);
CREATE INDEX provider_callbacks_route ON carillon.provider_callbacks USING btree (tenant_id, notification_id, route_id);
CREATE INDEX provider_callbacks_unrelated ON carillon.provider_callbacks USING btree (tenant_id, received_at) WHERE (notification_id IS NULL);

create table carillon.provider_configs (
  id uuid not null,
  tenant_id uuid,
  name text not null,
  kind text not null,
  channel text not null,
  config jsonb not null,
  secrets text,
  is_active boolean not null default true,
  rate_limit integer,
  timeout_seconds integer not null default 30,
  priority integer not null default 0,
  uncertain_policy text not null default 'resend'::text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  seen_at timestamp(3) with time zone,
  settings_hash text not null default ''::text,
  constraint provider_configs_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text, 'push'::text, 'chat'::text, 'webhook'::text]))),
  constraint provider_configs_config_check CHECK ((jsonb_typeof(config) = 'object'::text)),
  constraint provider_configs_kind_check CHECK (((length(kind) >= 1) AND (length(kind) <= 20))),
  constraint provider_configs_name_check CHECK (((length(name) >= 1) AND (length(name) <= 50))),
  constraint provider_configs_rate_limit_check CHECK ((rate_limit > 0)),
  constraint provider_configs_secrets_of_tenant CHECK (((tenant_id IS NULL) = (secrets IS NULL))),
  constraint provider_configs_timeout_seconds_check CHECK (((timeout_seconds >= 1) AND (timeout_seconds <= 60))),
  constraint provider_configs_uncertain_policy_check CHECK ((uncertain_policy = ANY (ARRAY['resend'::text, 'ask'::text, 'hold'::text]))),
  constraint provider_configs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint provider_configs_pkey PRIMARY KEY (id)
);
CREATE INDEX provider_configs_choice ON carillon.provider_configs USING btree (tenant_id, channel, priority DESC, name) WHERE is_active;
CREATE UNIQUE INDEX provider_configs_environment ON carillon.provider_configs USING btree (channel, name) WHERE (tenant_id IS NULL);
CREATE UNIQUE INDEX provider_configs_name_key ON carillon.provider_configs USING btree (tenant_id, name);
CREATE INDEX provider_configs_search ON carillon.provider_configs USING btree (tenant_id, lower(name) text_pattern_ops);

create table carillon.provider_health (
  provider_id uuid not null,
  state text not null,
  retry_at timestamp(3) with time zone,
  cool_down_ms integer not null default 5000,
  last_error text not null default ''::text,
  changed_at timestamp(3) with time zone not null default now(),
  constraint provider_health_retry_while_open CHECK (((retry_at IS NOT NULL) = (state <> 'closed'::text))),
  constraint provider_health_state_check CHECK ((state = ANY (ARRAY['closed'::text, 'open'::text, 'half_open'::text]))),
  constraint provider_health_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES provider_configs(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint provider_health_pkey PRIMARY KEY (provider_id)
);

create table carillon.push_tickets (
  tenant_id uuid not null,
  provider_id uuid not null,
  ticket text not null,
  notification_id uuid not null,
  route_id text not null,
  device_id uuid not null,
  claim_count integer not null default 0,
  next_attempt_at timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint push_tickets_ticket_check CHECK (((length(ticket) >= 1) AND (length(ticket) <= 100))),
  constraint push_tickets_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint push_tickets_pkey PRIMARY KEY (tenant_id, provider_id, ticket)
);
CREATE INDEX push_tickets_due ON carillon.push_tickets USING btree (tenant_id, provider_id, next_attempt_at);
CREATE INDEX push_tickets_old ON carillon.push_tickets USING btree (created_at);

create table carillon.queue_trigger_details (
  tenant_id uuid not null,
  trigger_id uuid not null,
  kind text not null default 'queue'::text,
  queue_glob text not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint queue_trigger_details_kind_check CHECK ((kind = 'queue'::text)),
  constraint queue_trigger_details_queue_glob_check CHECK (((queue_glob ~ '^[^*]{0,100}\*?$'::text) AND (queue_glob <> ''::text))),
  constraint queue_trigger_details_tenant_id_trigger_id_kind_fkey FOREIGN KEY (tenant_id, trigger_id, kind) REFERENCES triggers(tenant_id, id, kind) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint queue_trigger_details_pkey PRIMARY KEY (tenant_id, trigger_id, kind)
);

create table carillon.rate_limits (
  tenant_id uuid not null,
  user_id text,
  api_key_id uuid,
  limit_type text not null,
  window_start timestamp(3) with time zone not null,
  request_count integer not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint rate_limits_limit_type_check CHECK ((limit_type = ANY (ARRAY['api'::text, 'notification'::text, 'route'::text, 'person'::text]))),
  constraint rate_limits_one_caller CHECK ((num_nonnulls(user_id, api_key_id) <= 1)),
  constraint rate_limits_request_count_check CHECK ((request_count >= 0)),
  constraint rate_limits_tenant_id_api_key_id_fkey FOREIGN KEY (tenant_id, api_key_id) REFERENCES api_keys(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint rate_limits_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint rate_limits_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint rate_limits_key UNIQUE NULLS NOT DISTINCT (tenant_id, user_id, api_key_id, window_start, limit_type)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500);
CREATE INDEX rate_limits_api_key ON carillon.rate_limits USING btree (tenant_id, api_key_id, window_start) WHERE (api_key_id IS NOT NULL);
CREATE INDEX rate_limits_old ON carillon.rate_limits USING btree ((window_start AT TIME ZONE 'UTC'::text));

create table carillon.recent_sends (
  subject_id uuid not null,
  second timestamp(0) with time zone not null,
  used integer not null,
  constraint recent_sends_pkey PRIMARY KEY (subject_id, second)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500);

create table carillon.records (
  tenant_id uuid not null,
  notification_id uuid not null,
  notification_type text not null,
  producer text not null,
  audience_kind text not null,
  recipients text[] not null default '{}'::text[],
  topic text,
  channels text[] not null,
  payload_json text not null,
  idempotency_key text not null,
  request_fingerprint text not null,
  idempotency_expires_at timestamp(3) with time zone not null,
  idempotency_released_at timestamp(3) with time zone,
  source text not null,
  source_entry_id text,
  request_id text not null default ''::text,
  traceparent text not null default ''::text,
  retry_base_ms integer not null,
  retry_cap_ms integer not null,
  send_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone,
  occurred_at timestamp(3) with time zone,
  accepted_at timestamp(3) with time zone not null,
  expanded_at timestamp(3) with time zone,
  cancelled_at timestamp(3) with time zone,
  updated_at timestamp(3) with time zone not null,
  reason text not null default ''::text,
  send_at_local text,
  template text,
  options jsonb,
  run_id uuid,
  trigger_depth integer not null default 0,
  event_id uuid,
  thread_kind text,
  thread_id text,
  actor_id text,
  passes_mute boolean not null default false,
  relation text,
  constraint records_audience_kind_check CHECK ((audience_kind = ANY (ARRAY['users'::text, 'topic'::text, 'tenant'::text, 'addresses'::text, 'admin_email'::text, 'event'::text]))),
  constraint records_idempotency_key_check CHECK (((length(idempotency_key) >= 1) AND (length(idempotency_key) <= 255))),
  constraint records_notification_type_check CHECK (((length(notification_type) >= 1) AND (length(notification_type) <= 100))),
  constraint records_producer_check CHECK (((length(producer) >= 1) AND (length(producer) <= 100))),
  constraint records_reason_check CHECK ((length(reason) <= 32)),
  constraint records_send_at_local_check CHECK ((length(send_at_local) <= 19)),
  constraint records_template_check CHECK (((length(template) >= 1) AND (length(template) <= 100))),
  constraint records_topic_for_topics CHECK (((audience_kind = 'event'::text) OR ((topic IS NOT NULL) = (audience_kind = 'topic'::text)))),
  constraint records_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint records_pkey PRIMARY KEY (tenant_id, notification_id)
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_insert_scale_factor=0.05, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX records_event ON carillon.records USING btree (tenant_id, event_id) WHERE (event_id IS NOT NULL);
CREATE INDEX records_expanded_late ON carillon.records USING btree (tenant_id, expanded_at) WHERE (expanded_at > accepted_at);
CREATE UNIQUE INDEX records_idempotency_key ON carillon.records USING btree (tenant_id, idempotency_key, producer, idempotency_released_at) NULLS NOT DISTINCT;
CREATE INDEX records_listing ON carillon.records USING btree (tenant_id, accepted_at DESC) INCLUDE (notification_id);
CREATE INDEX records_producer ON carillon.records USING brin (tenant_id uuid_bloom_ops (n_distinct_per_range='128'), producer text_bloom_ops (n_distinct_per_range='64')) WITH (autosummarize='on');
CREATE UNIQUE INDEX records_source_entry_of_producer_key ON carillon.records USING btree (tenant_id, source, producer, source_entry_id) WHERE (source_entry_id IS NOT NULL);
CREATE INDEX records_type ON carillon.records USING btree (tenant_id, notification_type, accepted_at DESC) INCLUDE (notification_id, producer);

create table carillon.records_archive (
  tenant_id uuid not null,
  notification_id uuid not null,
  notification_type text not null,
  producer text not null,
  audience_kind text not null,
  recipients text[] not null,
  topic text,
  channels text[] not null,
  payload_json text not null,
  idempotency_key text not null,
  request_fingerprint text not null,
  idempotency_expires_at timestamp(3) with time zone not null,
  idempotency_released_at timestamp(3) with time zone,
  source text not null,
  source_entry_id text,
  request_id text not null,
  traceparent text not null,
  retry_base_ms integer not null,
  retry_cap_ms integer not null,
  send_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone,
  occurred_at timestamp(3) with time zone,
  accepted_at timestamp(3) with time zone not null,
  expanded_at timestamp(3) with time zone,
  cancelled_at timestamp(3) with time zone,
  updated_at timestamp(3) with time zone not null,
  reason text not null,
  send_at_local text,
  template text,
  options jsonb,
  run_id uuid,
  trigger_depth integer not null,
  event_id uuid,
  thread_kind text,
  thread_id text,
  actor_id text,
  passes_mute boolean not null,
  relation text,
  constraint records_archive_pkey PRIMARY KEY (tenant_id, notification_id)
) partition by range (notification_id);
CREATE INDEX records_archive_event ON ONLY carillon.records_archive USING btree (tenant_id, event_id) WHERE (event_id IS NOT NULL);
CREATE INDEX records_archive_expanded_late ON ONLY carillon.records_archive USING btree (tenant_id, expanded_at) WHERE (expanded_at > accepted_at);
CREATE INDEX records_archive_idempotency_key ON ONLY carillon.records_archive USING btree (tenant_id, idempotency_key);
CREATE INDEX records_archive_listing ON ONLY carillon.records_archive USING btree (tenant_id, accepted_at DESC, notification_id DESC);
CREATE INDEX records_archive_producer ON ONLY carillon.records_archive USING brin (tenant_id uuid_bloom_ops (n_distinct_per_range='128'), producer text_bloom_ops (n_distinct_per_range='64')) WITH (autosummarize='on', pages_per_range='32');
CREATE INDEX records_archive_type ON ONLY carillon.records_archive USING btree (tenant_id, notification_type, accepted_at DESC) INCLUDE (notification_id, producer);

create table carillon.relations (
  tenant_id uuid not null,
  name text not null,
  priority integer not null,
  reason text not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint relations_name_check CHECK ((name ~ '^[a-z][a-z0-9_]{0,31}$'::text)),
  constraint relations_priority_check CHECK (((priority >= 0) AND (priority <= 1000))),
  constraint relations_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 32))),
  constraint relations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint relations_pkey PRIMARY KEY (tenant_id, name)
);

create table carillon.releases (
  number integer not null,
  compatible_since integer not null,
  hash text not null,
  functions text[] not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint releases_check CHECK (((compatible_since >= 1) AND (compatible_since <= number))),
  constraint releases_hash_check CHECK ((length(hash) = 64)),
  constraint releases_number_check CHECK ((number > 0)),
  constraint releases_pkey PRIMARY KEY (number)
);

create table carillon.reply_inboxes (
  id uuid not null,
  tenant_id uuid not null,
  outbox_id uuid not null,
  script_id uuid not null,
  expires_at timestamp(3) with time zone not null,
  status_code integer,
  reply_json text,
  replied_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  constraint reply_inboxes_reply_whole CHECK (((replied_at IS NOT NULL) = (status_code IS NOT NULL))),
  constraint reply_inboxes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint reply_inboxes_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX reply_inboxes_old ON carillon.reply_inboxes USING btree (expires_at);

create table carillon.restores (
  id uuid not null default gen_random_uuid(),
  backup_id text not null,
  restored_to timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  decision text,
  decided_at timestamp(3) with time zone,
  constraint restores_backup_id_check CHECK ((length(backup_id) <= 100)),
  constraint restores_decided_whole CHECK (((decision IS NULL) = (decided_at IS NULL))),
  constraint restores_decision_check CHECK ((decision = ANY (ARRAY['released'::text, 'discarded'::text]))),
  constraint restores_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX restores_undecided ON carillon.restores USING btree ((true)) WHERE (decision IS NULL);

create table carillon.route_attempts (
  tenant_id uuid not null,
  notification_id uuid not null,
  route_id text not null,
  attempt_no integer not null,
  outcome text not null,
  provider text not null default ''::text,
  message text not null default ''::text,
  worker text not null,
  started_at timestamp(3) with time zone not null,
  duration_ms integer not null default 0,
  next_attempt_at timestamp(3) with time zone,
  calls jsonb not null default '[]'::jsonb,
  constraint route_attempts_outcome_check CHECK ((outcome = ANY (ARRAY['sent'::text, 'retry'::text, 'rate_limited'::text, 'permanent'::text, 'config'::text, 'uncertain'::text, 'lost'::text, 'postponed'::text, 'skipped'::text, 'cancelled'::text, 'expired'::text]))),
  constraint route_attempts_pkey PRIMARY KEY (tenant_id, notification_id, route_id, attempt_no)
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_insert_scale_factor=0.05, autovacuum_analyze_scale_factor=0.05);

create table carillon.route_attempts_archive (
  tenant_id uuid not null,
  notification_id uuid not null,
  route_id text not null,
  attempt_no integer not null,
  outcome text not null,
  provider text not null,
  message text not null,
  worker text not null,
  started_at timestamp(3) with time zone not null,
  duration_ms integer not null,
  next_attempt_at timestamp(3) with time zone,
  calls jsonb not null,
  constraint route_attempts_archive_pkey PRIMARY KEY (tenant_id, notification_id, route_id, attempt_no)
) partition by range (notification_id);

create table carillon.routes (
  tenant_id uuid not null,
  notification_id uuid not null,
  route_id text not null,
  channel text not null,
  recipient_ref text not null,
  user_id text,
  resolved_address text not null default ''::text,
  resolved_locale text not null default ''::text,
  status text not null,
  reason text not null default ''::text,
  attempt_count integer not null default 0,
  max_attempts integer not null,
  claim_count integer not null default 0,
  next_attempt_at timestamp(3) with time zone,
  lease_owner text,
  lease_until timestamp(3) with time zone,
  provider text not null default ''::text,
  provider_message_id text not null default ''::text,
  last_error_classification text not null default ''::text,
  last_error_message text not null default ''::text,
  last_error_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  sent_at timestamp(3) with time zone,
  dead_at timestamp(3) with time zone,
  skipped_at timestamp(3) with time zone,
  cancelled_at timestamp(3) with time zone,
  expired_at timestamp(3) with time zone,
  message_ref text not null default ''::text,
  delivered_at timestamp(3) with time zone,
  opened_at timestamp(3) with time zone,
  bounced_at timestamp(3) with time zone,
  template_version_id uuid,
  counted_on date,
  digest_id uuid,
  unless_read boolean,
  priority smallint not null default 1,
  reached_devices jsonb,
  counted_in jsonb,
  constraint routes_cancelled_at CHECK (((cancelled_at IS NOT NULL) = (status = 'cancelled'::text))),
  constraint routes_channel_check CHECK ((channel = ANY (ARRAY['in_app'::text, 'email'::text, 'sms'::text, 'push'::text, 'chat'::text, 'webhook'::text]))),
  constraint routes_dead_at CHECK (((dead_at IS NOT NULL) = (status = 'dead'::text))),
  constraint routes_due_while_open CHECK (((next_attempt_at IS NOT NULL) = (status = ANY (ARRAY['pending'::text, 'retrying'::text])))),
  constraint routes_expired_at CHECK (((expired_at IS NOT NULL) = (status = 'expired'::text))),
  constraint routes_lease_while_open CHECK (((lease_owner IS NULL) OR (status = ANY (ARRAY['pending'::text, 'retrying'::text])))),
  constraint routes_lease_whole CHECK (((lease_owner IS NULL) = (lease_until IS NULL))),
  constraint routes_max_attempts_check CHECK ((max_attempts > 0)),
  constraint routes_priority CHECK (((priority >= 0) AND (priority <= 2))),
  constraint routes_reached_devices_check CHECK ((jsonb_typeof(reached_devices) = 'array'::text)),
  constraint routes_sent_at CHECK (((sent_at IS NOT NULL) = (status = 'sent'::text))),
  constraint routes_skip_has_reason CHECK (((status <> 'skipped'::text) OR (reason <> ''::text))),
  constraint routes_skipped_at CHECK (((skipped_at IS NOT NULL) = (status = 'skipped'::text))),
  constraint routes_status CHECK ((status = ANY (ARRAY['pending'::text, 'retrying'::text, 'sent'::text, 'dead'::text, 'skipped'::text, 'cancelled'::text, 'expired'::text]))),
  constraint routes_pkey PRIMARY KEY (tenant_id, notification_id, route_id)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=1000, autovacuum_analyze_scale_factor=0.02, autovacuum_vacuum_cost_limit=1000);
CREATE INDEX routes_digest ON carillon.routes USING btree (tenant_id, digest_id, notification_id) WHERE (digest_id IS NOT NULL);
CREATE INDEX routes_due ON carillon.routes USING btree (tenant_id, channel, priority, next_attempt_at) WHERE (next_attempt_at IS NOT NULL);
CREATE INDEX routes_message_ref ON carillon.routes USING btree (tenant_id, message_ref) WHERE (message_ref <> ''::text);
CREATE INDEX routes_over_cap ON carillon.routes USING btree (tenant_id, user_id) WHERE ((reason = 'cap_reached'::text) AND (next_attempt_at IS NOT NULL));
CREATE INDEX routes_senders ON carillon.routes USING brin (tenant_id uuid_bloom_ops (n_distinct_per_range='128'), provider text_bloom_ops (n_distinct_per_range='64'), channel text_bloom_ops (n_distinct_per_range='16')) WITH (autosummarize='on');
CREATE INDEX routes_status ON carillon.routes USING btree (tenant_id, status, notification_id DESC, route_id DESC) WHERE (status <> ALL (ARRAY['pending'::text, 'sent'::text]));
CREATE INDEX routes_suspended ON carillon.routes USING btree (tenant_id, notification_id) WHERE ((reason = 'tenant_suspended'::text) AND (next_attempt_at IS NOT NULL));
CREATE INDEX routes_user ON carillon.routes USING btree (tenant_id, user_id, notification_id DESC, route_id DESC) WHERE (user_id IS NOT NULL);
CREATE INDEX routes_waiting ON carillon.routes USING btree (tenant_id, user_id) WHERE ((reason = ANY (ARRAY['paused'::text, 'quiet_hours'::text, 'digest'::text])) AND (next_attempt_at IS NOT NULL));

create table carillon.routes_archive (
  tenant_id uuid not null,
  notification_id uuid not null,
  route_id text not null,
  channel text not null,
  recipient_ref text not null,
  user_id text,
  resolved_address text not null,
  resolved_locale text not null,
  status text not null,
  reason text not null,
  attempt_count integer not null,
  max_attempts integer not null,
  claim_count integer not null,
  next_attempt_at timestamp(3) with time zone,
  lease_owner text,
  lease_until timestamp(3) with time zone,
  provider text not null,
  provider_message_id text not null,
  last_error_classification text not null,
  last_error_message text not null,
  last_error_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  sent_at timestamp(3) with time zone,
  dead_at timestamp(3) with time zone,
  skipped_at timestamp(3) with time zone,
  cancelled_at timestamp(3) with time zone,
  expired_at timestamp(3) with time zone,
  message_ref text not null,
  delivered_at timestamp(3) with time zone,
  opened_at timestamp(3) with time zone,
  bounced_at timestamp(3) with time zone,
  template_version_id uuid,
  counted_on date,
  digest_id uuid,
  unless_read boolean,
  priority smallint not null,
  reached_devices jsonb,
  counted_in jsonb,
  constraint routes_archive_pkey PRIMARY KEY (tenant_id, notification_id, route_id)
) partition by range (notification_id);
CREATE INDEX routes_archive_senders ON ONLY carillon.routes_archive USING brin (tenant_id uuid_bloom_ops (n_distinct_per_range='128'), provider text_bloom_ops (n_distinct_per_range='64'), channel text_bloom_ops (n_distinct_per_range='16')) WITH (autosummarize='on');
CREATE INDEX routes_archive_status ON ONLY carillon.routes_archive USING btree (tenant_id, status, notification_id DESC, route_id DESC) WHERE (status <> ALL (ARRAY['pending'::text, 'sent'::text]));
CREATE INDEX routes_archive_user ON ONLY carillon.routes_archive USING btree (tenant_id, user_id, notification_id DESC, route_id DESC) WHERE (user_id IS NOT NULL);

create table carillon.runs (
  id uuid not null,
  tenant_id uuid not null,
  script_id uuid not null,
  script_name text not null,
  script_version integer not null,
  trigger_id uuid,
  kind text not null,
  op text not null,
  event_id uuid not null,
  attempt integer not null,
  trigger_depth integer not null default 0,
  ran_as text not null default ''::text,
  origin text not null default ''::text,
  status text not null,
  failure_kind text not null default ''::text,
  error text not null default ''::text,
  logs jsonb not null default '[]'::jsonb,
  effects jsonb not null default '[]'::jsonb,
  result_json text,
  duration_ms integer not null,
  cpu_ms integer not null default 0,
  created_at timestamp(3) with time zone not null default now(),
  constraint runs_check CHECK (((status = 'failed'::text) = (failure_kind <> ''::text))),
  constraint runs_effects_check CHECK ((jsonb_typeof(effects) = 'array'::text)),
  constraint runs_error_check CHECK ((length(error) <= 4000)),
  constraint runs_kind_check CHECK (((length(kind) >= 1) AND (length(kind) <= 32))),
  constraint runs_logs_check CHECK ((jsonb_typeof(logs) = 'array'::text)),
  constraint runs_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'failed'::text]))),
  constraint runs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint runs_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX runs_event ON carillon.runs USING btree (tenant_id, event_id);
CREATE INDEX runs_listing ON carillon.runs USING btree (tenant_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX runs_once ON carillon.runs USING btree (tenant_id, event_id) WHERE (status = 'succeeded'::text);
CREATE INDEX runs_script ON carillon.runs USING btree (tenant_id, script_id, created_at DESC, id DESC);
CREATE INDEX runs_trigger ON carillon.runs USING btree (tenant_id, trigger_id, created_at DESC, id DESC) WHERE (trigger_id IS NOT NULL);

create table carillon.saved_filters (
  tenant_id uuid not null,
  user_id text not null,
  name text not null,
  query text not null,
  position integer not null default 0,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint saved_filters_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint saved_filters_query_check CHECK (((length(query) >= 1) AND (length(query) <= 500))),
  constraint saved_filters_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint saved_filters_pkey PRIMARY KEY (tenant_id, user_id, name)
);

create table carillon.schedules (
  id uuid not null,
  tenant_id uuid not null,
  name text not null,
  cron text not null,
  timezone text not null,
  intent text not null,
  producer text not null,
  is_active boolean not null default true,
  next_run_at timestamp(3) with time zone,
  last_run_at timestamp(3) with time zone,
  last_notification_id uuid,
  last_error text not null default ''::text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint schedules_cron_check CHECK (((length(cron) >= 1) AND (length(cron) <= 100))),
  constraint schedules_due_while_active CHECK ((is_active OR (next_run_at IS NULL))),
  constraint schedules_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint schedules_producer_check CHECK (((length(producer) >= 1) AND (length(producer) <= 100))),
  constraint schedules_timezone_check CHECK (((length(timezone) >= 1) AND (length(timezone) <= 50))),
  constraint schedules_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint schedules_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX schedules_due ON carillon.schedules USING btree (next_run_at) WHERE (next_run_at IS NOT NULL);

create table carillon.script_versions (
  tenant_id uuid not null,
  script_id uuid not null,
  version integer not null,
  source text not null,
  author text not null default ''::text,
  author_scopes text[] not null,
  author_producers text[],
  restored_from integer,
  created_at timestamp(3) with time zone not null default now(),
  constraint script_versions_source_check CHECK (((octet_length(source) >= 1) AND (octet_length(source) <= 262144))),
  constraint script_versions_version_check CHECK ((version > 0)),
  constraint script_versions_tenant_id_script_id_fkey FOREIGN KEY (tenant_id, script_id) REFERENCES scripts(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint script_versions_pkey PRIMARY KEY (tenant_id, script_id, version)
);

create table carillon.scripts (
  id uuid not null,
  tenant_id uuid not null,
  name text not null,
  description text not null default ''::text,
  version integer not null,
  timeout_ms integer not null default 10000,
  cpu_ms integer not null default 1000,
  memory_mb integer not null default 32,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint scripts_cpu_ms_check CHECK (((cpu_ms >= 10) AND (cpu_ms <= 10000))),
  constraint scripts_description_check CHECK ((length(description) <= 500)),
  constraint scripts_memory_mb_check CHECK (((memory_mb >= 4) AND (memory_mb <= 128))),
  constraint scripts_name_check CHECK ((name ~ '^[a-z0-9][a-z0-9_-]{0,99}$'::text)),
  constraint scripts_timeout_ms_check CHECK (((timeout_ms >= 100) AND (timeout_ms <= 60000))),
  constraint scripts_version_check CHECK ((version > 0)),
  constraint scripts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint scripts_pkey PRIMARY KEY (tenant_id, id),
  constraint scripts_tenant_id_name_key UNIQUE (tenant_id, name)
);
CREATE INDEX scripts_search ON carillon.scripts USING btree (tenant_id, lower(name) text_pattern_ops);

create table carillon.sessions (
  id uuid not null,
  token_hash text not null,
  account_id uuid,
  chosen_tenant_id uuid,
  tenant_id uuid,
  api_key_id uuid,
  by_link boolean not null default false,
  ip_address inet,
  user_agent text,
  created_at timestamp(3) with time zone not null default now(),
  last_seen_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  constraint sessions_link_of_account CHECK (((NOT by_link) OR (account_id IS NOT NULL))),
  constraint sessions_one_owner CHECK ((num_nonnulls(account_id, api_key_id) = 1)),
  constraint sessions_token_hash_check CHECK ((length(token_hash) = 64)),
  constraint sessions_user_agent_check CHECK ((length(user_agent) <= 500)),
  constraint sessions_whole_key CHECK (((tenant_id IS NULL) = (api_key_id IS NULL))),
  constraint sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint sessions_chosen_tenant_id_fkey FOREIGN KEY (chosen_tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE SET NULL,
  constraint sessions_tenant_id_api_key_id_fkey FOREIGN KEY (tenant_id, api_key_id) REFERENCES api_keys(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_token_hash_key UNIQUE (token_hash)
);
CREATE INDEX sessions_account ON carillon.sessions USING btree (account_id, last_seen_at) WHERE (account_id IS NOT NULL);
CREATE INDEX sessions_api_key ON carillon.sessions USING btree (tenant_id, api_key_id) WHERE (api_key_id IS NOT NULL);
CREATE INDEX sessions_chosen ON carillon.sessions USING btree (chosen_tenant_id) WHERE (chosen_tenant_id IS NOT NULL);
CREATE INDEX sessions_expiry ON carillon.sessions USING btree (expires_at);

create table carillon.streams (
  tenant_id uuid not null,
  name text not null,
  kind text not null,
  place text not null,
  group_name text not null,
  paused_at timestamp(3) with time zone,
  expected_since timestamp(3) with time zone not null default now(),
  last_read_at timestamp(3) with time zone,
  last_error text not null default ''::text,
  waiting bigint,
  oldest_at timestamp(3) with time zone,
  is_unreadable boolean not null default false,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint streams_kind_check CHECK ((kind = ANY (ARRAY['redis'::text, 'nats'::text]))),
  constraint streams_last_error_check CHECK ((length(last_error) <= 1000)),
  constraint streams_name_check CHECK (((length(name) >= 1) AND (length(name) <= 50))),
  constraint streams_waiting_check CHECK ((waiting >= 0)),
  constraint streams_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint streams_pkey PRIMARY KEY (tenant_id, name)
);

create table carillon.suppressions (
  tenant_id uuid not null,
  channel text not null,
  address text not null,
  reason text not null,
  detail text not null default ''::text,
  created_at timestamp(3) with time zone not null default now(),
  constraint suppressions_address_check CHECK ((((length(address) >= 1) AND (length(address) <= 500)) AND (address = lower(address)))),
  constraint suppressions_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text, 'push'::text, 'chat'::text, 'webhook'::text]))),
  constraint suppressions_reason_check CHECK ((reason = ANY (ARRAY['hard_bounce'::text, 'complaint'::text, 'unsubscribed'::text, 'invalid'::text, 'manual'::text]))),
  constraint suppressions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint suppressions_pkey PRIMARY KEY (tenant_id, channel, address)
);
CREATE INDEX suppressions_listing ON carillon.suppressions USING btree (tenant_id, created_at DESC, channel, address);

create table carillon.template_parts (
  tenant_id uuid not null,
  kind text not null,
  name text not null,
  source text not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  published_source text,
  plain_mail jsonb,
  published_at timestamp(3) with time zone,
  constraint template_parts_kind_check CHECK ((kind = ANY (ARRAY['layout'::text, 'partial'::text]))),
  constraint template_parts_name_check CHECK (((length(name) >= 1) AND (length(name) <= 50))),
  constraint template_parts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint template_parts_pkey PRIMARY KEY (tenant_id, kind, name)
);

create table carillon.template_versions (
  id uuid not null,
  tenant_id uuid not null,
  template_id uuid not null,
  version integer not null,
  name text not null,
  channel text not null,
  locale text not null,
  source jsonb not null,
  compiled jsonb not null,
  parts text[] not null default '{}'::text[],
  restored_from integer,
  replaced_by uuid,
  published_by text,
  published_at timestamp(3) with time zone not null,
  constraint template_versions_compiled_check CHECK ((jsonb_typeof(compiled) = 'object'::text)),
  constraint template_versions_source_check CHECK ((jsonb_typeof(source) = 'object'::text)),
  constraint template_versions_version_check CHECK ((version > 0)),
  constraint template_versions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint template_versions_tenant_id_published_by_fkey FOREIGN KEY (tenant_id, published_by) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE SET NULL (published_by),
  constraint template_versions_pkey PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX template_versions_key ON carillon.template_versions USING btree (tenant_id, template_id, version);
CREATE INDEX template_versions_publisher ON carillon.template_versions USING btree (tenant_id, published_by) WHERE (published_by IS NOT NULL);
CREATE INDEX template_versions_replaced ON carillon.template_versions USING btree (tenant_id) WHERE (replaced_by IS NOT NULL);

create table carillon.tenants (
  id uuid not null,
  name text not null,
  accept_unknown_types boolean not null default false,
  locales text[],
  idempotency_window_seconds integer not null default 604800,
  computed_key_window_seconds integer not null default 86400,
  max_attempts jsonb not null default '{"push": 3, "email": 7}'::jsonb,
  retry_base_ms integer not null default 10000,
  retry_cap_ms integer not null default 3600000,
  record_retention_days integer not null default 365,
  malformed_retention_days integer not null default 30,
  dead_letter_retention_days integer not null default 30,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  audit_retention_days integer,
  requests_per_minute integer,
  notifications_per_day integer,
  quota_requests_per_minute integer,
  quota_routes_per_day integer,
  quota_storage_mb integer,
  storage_bytes bigint,
  storage_measured_at timestamp(3) with time zone,
  suspended_at timestamp(3) with time zone,
  suspension_reason text not null default ''::text,
  delete_at timestamp(3) with time zone,
  deleting_since timestamp(3) with time zone,
  rows_to_delete bigint not null default 0,
  rows_deleted bigint not null default 0,
  fallback_locale text not null default 'en'::text,
  run_retention_days integer not null default 7,
  abandoned_retention_days integer not null default 7,
  trigger_max_attempts integer not null default 3,
  trigger_backoff text not null default 'exponential'::text,
  trigger_base_ms integer not null default 1000,
  script_http_allowed boolean not null default false,
  event_retention_days integer not null default 90,
  thread_kinds text[] not null default '{issue,pr}'::text[],
  inbox_retention_days integer not null default 180,
  user_token_epoch integer not null default 1,
  user_token_rotated_at timestamp(3) with time zone,
  user_tokens_void_before timestamp(3) with time zone,
  user_requests_per_minute integer not null default 300,
  cors_origins text[] not null default '{}'::text[],
  mails_per_thread_window_seconds integer not null default 600,
  mails_per_hour integer not null default 100,
  reply_domain text,
  reply_event_kind text,
  system_event_admins text[] not null default '{}'::text[],
  system_event_min_severity text not null default 'high'::text,
  system_event_retention_days integer not null default 180,
  record_hot_days integer not null default 90,
  constraint tenants_abandoned_retention_days_check CHECK ((abandoned_retention_days > 0)),
  constraint tenants_audit_retention_days_check CHECK ((audit_retention_days >= 30)),
  constraint tenants_check CHECK ((retry_cap_ms >= retry_base_ms)),
  constraint tenants_computed_key_window_seconds_check CHECK ((computed_key_window_seconds >= 0)),
  constraint tenants_dead_letter_retention_days_check CHECK ((dead_letter_retention_days > 0)),
  constraint tenants_deleted_are_suspended CHECK (((delete_at IS NULL) OR (suspended_at IS NOT NULL))),
  constraint tenants_event_retention_days_check CHECK ((event_retention_days > 0)),
  constraint tenants_fallback_locale_check CHECK (((length(fallback_locale) >= 2) AND (length(fallback_locale) <= 35))),
  constraint tenants_idempotency_window_seconds_check CHECK ((idempotency_window_seconds > 0)),
  constraint tenants_inbox_retention_days_check CHECK ((inbox_retention_days > 0)),
  constraint tenants_mails_per_hour_check CHECK ((mails_per_hour > 0)),
  constraint tenants_mails_per_thread_window_seconds_check CHECK (((mails_per_thread_window_seconds >= 0) AND (mails_per_thread_window_seconds <= 86400))),
  constraint tenants_malformed_retention_days_check CHECK ((malformed_retention_days > 0)),
  constraint tenants_max_attempts_check CHECK ((jsonb_typeof(max_attempts) = 'object'::text)),
  constraint tenants_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint tenants_notifications_per_day_check CHECK ((notifications_per_day > 0)),
  constraint tenants_quota_requests_per_minute_check CHECK ((quota_requests_per_minute > 0)),
  constraint tenants_quota_routes_per_day_check CHECK ((quota_routes_per_day > 0)),
  constraint tenants_quota_storage_mb_check CHECK ((quota_storage_mb > 0)),
  constraint tenants_record_hot_days_check CHECK ((record_hot_days > 0)),
  constraint tenants_record_retention_days_check CHECK ((record_retention_days > 0)),
  constraint tenants_reply_domain_check CHECK (((length(reply_domain) >= 1) AND (length(reply_domain) <= 253))),
  constraint tenants_reply_event_kind_check CHECK (((length(reply_event_kind) >= 1) AND (length(reply_event_kind) <= 64))),
  constraint tenants_requests_per_minute_check CHECK ((requests_per_minute > 0)),
  constraint tenants_retention_covers_idempotency CHECK ((((record_retention_days)::bigint * 86400) >= GREATEST(idempotency_window_seconds, computed_key_window_seconds))),
  constraint tenants_retry_base_ms_check CHECK ((retry_base_ms > 0)),
  constraint tenants_run_retention_days_check CHECK ((run_retention_days > 0)),
  constraint tenants_suspension_reason_check CHECK ((length(suspension_reason) <= 500)),
  constraint tenants_system_event_min_severity_check CHECK ((system_event_min_severity = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text, 'critical'::text]))),
  constraint tenants_system_event_retention_days_check CHECK (((system_event_retention_days >= 90) AND (system_event_retention_days <= 365))),
  constraint tenants_trigger_backoff_check CHECK ((trigger_backoff = ANY (ARRAY['exponential'::text, 'linear'::text, 'constant'::text]))),
  constraint tenants_trigger_base_ms_check CHECK (((trigger_base_ms >= 1) AND (trigger_base_ms <= 86400000))),
  constraint tenants_trigger_max_attempts_check CHECK (((trigger_max_attempts >= 1) AND (trigger_max_attempts <= 50))),
  constraint tenants_user_requests_per_minute_check CHECK ((user_requests_per_minute > 0)),
  constraint tenants_user_token_epoch_check CHECK ((user_token_epoch > 0)),
  constraint tenants_pkey PRIMARY KEY (id),
  constraint tenants_name_key UNIQUE (name)
);
CREATE INDEX tenants_cors_origins ON carillon.tenants USING gin (cors_origins);
CREATE INDEX tenants_route_quota ON carillon.tenants USING btree (id) WHERE (quota_routes_per_day IS NOT NULL);

create table carillon.thread_participants (
  tenant_id uuid not null,
  thread_kind text not null,
  thread_id text not null,
  relation text not null,
  user_id text not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint thread_participants_relation_check CHECK (((length(relation) >= 1) AND (length(relation) <= 32))),
  constraint thread_participants_tenant_id_thread_kind_thread_id_fkey FOREIGN KEY (tenant_id, thread_kind, thread_id) REFERENCES threads(tenant_id, kind, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint thread_participants_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint thread_participants_pkey PRIMARY KEY (tenant_id, thread_kind, thread_id, relation, user_id)
);
CREATE INDEX thread_participants_user ON carillon.thread_participants USING btree (tenant_id, user_id);

create table carillon.threads (
  tenant_id uuid not null,
  kind text not null,
  id text not null,
  topic text,
  title text not null default ''::text,
  url text not null default ''::text,
  author_id text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint threads_id_check CHECK (((length(id) >= 1) AND (length(id) <= 200))),
  constraint threads_kind_check CHECK (((length(kind) >= 1) AND (length(kind) <= 32))),
  constraint threads_title_check CHECK ((length(title) <= 500)),
  constraint threads_url_check CHECK ((length(url) <= 500)),
  constraint threads_tenant_id_author_id_fkey FOREIGN KEY (tenant_id, author_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE SET NULL (author_id),
  constraint threads_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint threads_tenant_id_topic_fkey FOREIGN KEY (tenant_id, topic) REFERENCES topics(tenant_id, topic) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint threads_pkey PRIMARY KEY (tenant_id, kind, id)
);
CREATE INDEX threads_author ON carillon.threads USING btree (tenant_id, author_id) WHERE (author_id IS NOT NULL);
CREATE INDEX threads_topic ON carillon.threads USING btree (tenant_id, topic, kind, id) WHERE (topic IS NOT NULL);

create table carillon.throttles (
  tenant_id uuid not null,
  notification_type text not null,
  recipient_ref text not null,
  key text not null,
  user_id text,
  passes jsonb not null default '{}'::jsonb,
  expires_at timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint throttles_key_check CHECK ((length(key) <= 100)),
  constraint throttles_passes_check CHECK ((jsonb_typeof(passes) = 'object'::text)),
  constraint throttles_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint throttles_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint throttles_pkey PRIMARY KEY (tenant_id, notification_type, recipient_ref, key)
);
CREATE INDEX throttles_expired ON carillon.throttles USING btree (expires_at);
CREATE INDEX throttles_user ON carillon.throttles USING btree (tenant_id, user_id) WHERE (user_id IS NOT NULL);

create table carillon.time_zones (
  zone text not null,
  tz_version text not null,
  changes timestamp with time zone[] not null,
  offsets integer[] not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint time_zones_check CHECK (((cardinality(changes) = cardinality(offsets)) AND (cardinality(changes) > 0))),
  constraint time_zones_pkey PRIMARY KEY (zone)
);

create table carillon.topic_members (
  tenant_id uuid not null,
  topic text not null,
  user_id text not null,
  role text not null default 'member'::text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint topic_members_role_check CHECK ((role = ANY (ARRAY['member'::text, 'owner'::text]))),
  constraint topic_members_tenant_id_topic_fkey FOREIGN KEY (tenant_id, topic) REFERENCES topics(tenant_id, topic) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint topic_members_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint topic_members_pkey PRIMARY KEY (tenant_id, topic, user_id)
);
CREATE INDEX topic_members_owner ON carillon.topic_members USING btree (tenant_id, topic, user_id) WHERE (role = 'owner'::text);
CREATE INDEX topic_members_user ON carillon.topic_members USING btree (tenant_id, user_id);

create table carillon.topics (
  tenant_id uuid not null,
  topic text not null,
  title text not null default ''::text,
  url text not null default ''::text,
  visibility text not null default 'public'::text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint topics_title_check CHECK ((length(title) <= 500)),
  constraint topics_topic_check CHECK (((length(topic) >= 1) AND (length(topic) <= 200))),
  constraint topics_url_check CHECK ((length(url) <= 500)),
  constraint topics_visibility_check CHECK ((visibility = ANY (ARRAY['public'::text, 'private'::text]))),
  constraint topics_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint topics_pkey PRIMARY KEY (tenant_id, topic)
);
CREATE INDEX topics_search ON carillon.topics USING btree (tenant_id, lower(topic) text_pattern_ops);

create table carillon.translations (
  tenant_id uuid not null,
  locale text not null,
  messages jsonb not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint translations_locale_check CHECK (((length(locale) >= 2) AND (length(locale) <= 35))),
  constraint translations_messages_check CHECK ((jsonb_typeof(messages) = 'object'::text)),
  constraint translations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint translations_pkey PRIMARY KEY (tenant_id, locale)
);

create table carillon.triggers (
  id uuid not null,
  tenant_id uuid not null,
  name text not null,
  script_id uuid not null,
  kind text not null,
  is_enabled boolean not null default true,
  dispatch_mode text not null default 'async'::text,
  max_attempts integer not null,
  backoff text not null,
  base_ms integer not null,
  registered_by_user text,
  registered_by_key uuid,
  registered_scopes text[] not null,
  registered_producers text[],
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint triggers_backoff_check CHECK ((backoff = ANY (ARRAY['exponential'::text, 'linear'::text, 'constant'::text]))),
  constraint triggers_base_ms_check CHECK (((base_ms >= 1) AND (base_ms <= 86400000))),
  constraint triggers_dispatch_mode_check CHECK ((dispatch_mode = ANY (ARRAY['async'::text, 'sync'::text]))),
  constraint triggers_kind_check CHECK ((kind = ANY (ARRAY['kv'::text, 'cron'::text, 'event'::text, 'queue'::text, 'email'::text, 'http'::text, 'dead_letter'::text]))),
  constraint triggers_max_attempts_check CHECK (((max_attempts >= 1) AND (max_attempts <= 50))),
  constraint triggers_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint triggers_one_registrant CHECK ((num_nonnulls(registered_by_user, registered_by_key) = 1)),
  constraint triggers_sync_is_http CHECK (((dispatch_mode = 'async'::text) OR (kind = 'http'::text))),
  constraint triggers_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint triggers_tenant_id_registered_by_key_fkey FOREIGN KEY (tenant_id, registered_by_key) REFERENCES api_keys(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint triggers_tenant_id_registered_by_user_fkey FOREIGN KEY (tenant_id, registered_by_user) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint triggers_tenant_id_script_id_fkey FOREIGN KEY (tenant_id, script_id) REFERENCES scripts(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint triggers_pkey PRIMARY KEY (tenant_id, id),
  constraint triggers_tenant_id_id_kind_key UNIQUE (tenant_id, id, kind)
);
CREATE INDEX triggers_enabled ON carillon.triggers USING btree (tenant_id, kind) WHERE is_enabled;
CREATE INDEX triggers_key ON carillon.triggers USING btree (tenant_id, registered_by_key) WHERE (registered_by_key IS NOT NULL);
CREATE INDEX triggers_script ON carillon.triggers USING btree (tenant_id, script_id);
CREATE INDEX triggers_search ON carillon.triggers USING btree (tenant_id, lower(name) text_pattern_ops);
CREATE INDEX triggers_user ON carillon.triggers USING btree (tenant_id, registered_by_user) WHERE (registered_by_user IS NOT NULL);

create table carillon.user_devices (
  id uuid not null,
  tenant_id uuid not null,
  user_id text not null,
  kind text not null,
  token text not null,
  token_hash text not null,
  label text not null default ''::text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  rejections integer not null default 0,
  rejected_since timestamp(3) with time zone,
  retry_at timestamp(3) with time zone,
  is_gone boolean not null default false,
  constraint user_devices_kind_check CHECK ((kind = ANY (ARRAY['fcm'::text, 'apns'::text, 'expo'::text, 'web_push'::text]))),
  constraint user_devices_label_check CHECK ((length(label) <= 100)),
  constraint user_devices_token_check CHECK (((length(token) >= 1) AND (length(token) <= 4096))),
  constraint user_devices_token_hash_check CHECK ((length(token_hash) = 64)),
  constraint user_devices_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint user_devices_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX user_devices_gone ON carillon.user_devices USING btree (rejected_since) WHERE is_gone;
CREATE INDEX user_devices_rejected ON carillon.user_devices USING btree (tenant_id, kind, rejected_since) WHERE (rejected_since IS NOT NULL);
CREATE UNIQUE INDEX user_devices_token_key ON carillon.user_devices USING btree (tenant_id, kind, token_hash);
CREATE INDEX user_devices_user ON carillon.user_devices USING btree (tenant_id, user_id);

create table carillon.users (
  tenant_id uuid not null,
  id text not null,
  email text,
  username text,
  phone text,
  locale text not null default ''::text,
  timezone text not null default 'UTC'::text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  chat_address text,
  tokens_void_before timestamp(3) with time zone,
  constraint users_chat_address_check CHECK (((length(chat_address) >= 1) AND (length(chat_address) <= 500))),
  constraint users_email_check CHECK (((length(email) >= 3) AND (length(email) <= 255))),
  constraint users_id_check CHECK (((length(id) >= 1) AND (length(id) <= 200))),
  constraint users_locale_check CHECK ((length(locale) <= 35)),
  constraint users_phone_check CHECK (((length(phone) >= 3) AND (length(phone) <= 20))),
  constraint users_timezone_check CHECK (((length(timezone) >= 1) AND (length(timezone) <= 50))),
  constraint users_username_check CHECK (((length(username) >= 1) AND (length(username) <= 100))),
  constraint users_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint users_pkey PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX users_email_key ON carillon.users USING btree (tenant_id, lower(email));
CREATE INDEX users_email_search ON carillon.users USING btree (tenant_id, lower(email) text_pattern_ops);
CREATE INDEX users_id_search ON carillon.users USING btree (tenant_id, lower(id) text_pattern_ops);
CREATE UNIQUE INDEX users_username_key ON carillon.users USING btree (tenant_id, username);
CREATE INDEX users_username_search ON carillon.users USING btree (tenant_id, lower(username) text_pattern_ops);

create table carillon.visibility_checks (
  tenant_id uuid not null,
  id uuid not null,
  url text not null,
  secrets text not null,
  timeout_ms integer not null default 2000,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint visibility_checks_timeout_ms_check CHECK (((timeout_ms >= 100) AND (timeout_ms <= 10000))),
  constraint visibility_checks_url_check CHECK (((length(url) >= 1) AND (length(url) <= 500))),
  constraint visibility_checks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint visibility_checks_pkey PRIMARY KEY (tenant_id)
);

create table carillon.watches (
  tenant_id uuid not null,
  topic text not null,
  user_id text not null,
  level text not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  kinds text[] not null default '{}'::text[],
  is_automatic boolean not null default false,
  constraint watches_level_check CHECK ((level = ANY (ARRAY['all'::text, 'participating'::text, 'ignore'::text]))),
  constraint watches_topic_check CHECK (((length(topic) >= 1) AND (length(topic) <= 200))),
  constraint watches_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint watches_pkey PRIMARY KEY (tenant_id, topic, user_id)
);
CREATE INDEX watches_reached ON carillon.watches USING btree (tenant_id, topic, user_id) WHERE ((level = 'all'::text) OR (kinds <> '{}'::text[]));
CREATE INDEX watches_user ON carillon.watches USING btree (tenant_id, user_id);

create table carillon.webhook_deliveries (
  id uuid not null,
  tenant_id uuid not null,
  webhook_id uuid not null,
  notification_id uuid,
  event_id uuid not null,
  event_type text not null,
  payload text not null,
  content_type text not null default 'application/json'::text,
  traceparent text not null default ''::text,
  response_status integer,
  attempt_count integer not null default 1,
  attempts jsonb not null,
  delivered boolean not null default false,
  delivered_at timestamp(3) with time zone,
  next_retry_at timestamp(3) with time zone,
  is_test boolean not null default false,
  redelivery_of uuid,
  redelivered_at timestamp(3) with time zone,
  recovery_id uuid,
  created_at timestamp(3) with time zone not null default now(),
  ordering_key text,
  constraint webhook_deliveries_attempts_check CHECK ((jsonb_typeof(attempts) = 'array'::text)),
  constraint webhook_deliveries_delivered_at CHECK ((delivered = (delivered_at IS NOT NULL))),
  constraint webhook_deliveries_event_type_check CHECK (((length(event_type) >= 1) AND (length(event_type) <= 50))),
  constraint webhook_deliveries_no_retry_after_success CHECK (((NOT delivered) OR (next_retry_at IS NULL))),
  constraint webhook_deliveries_tenant_id_webhook_id_fkey FOREIGN KEY (tenant_id, webhook_id) REFERENCES notification_webhooks(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint webhook_deliveries_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX webhook_deliveries_listing ON carillon.webhook_deliveries USING btree (tenant_id, webhook_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_next_retry ON carillon.webhook_deliveries USING btree (tenant_id, next_retry_at) WHERE (next_retry_at IS NOT NULL);
CREATE INDEX webhook_deliveries_notification ON carillon.webhook_deliveries USING btree (tenant_id, notification_id, webhook_id);
CREATE INDEX webhook_deliveries_old ON carillon.webhook_deliveries USING btree (tenant_id, created_at) WHERE (notification_id IS NULL);
CREATE INDEX webhook_deliveries_recovery ON carillon.webhook_deliveries USING btree (tenant_id, recovery_id) WHERE (recovery_id IS NOT NULL);
CREATE INDEX webhook_deliveries_undelivered ON carillon.webhook_deliveries USING btree (tenant_id, webhook_id, created_at DESC, id DESC) WHERE (NOT delivered);

create table carillon.webhook_recoveries (
  id uuid not null,
  tenant_id uuid not null,
  webhook_id uuid not null,
  since timestamp(3) with time zone not null,
  until timestamp(3) with time zone not null,
  rate_limit integer,
  matched integer not null,
  redelivered integer not null default 0,
  cursor_created_at timestamp(3) with time zone,
  cursor_id uuid,
  created_at timestamp(3) with time zone not null default now(),
  finished_at timestamp(3) with time zone,
  constraint webhook_recoveries_rate_limit_check CHECK ((rate_limit > 0)),
  constraint webhook_recoveries_tenant_id_webhook_id_fkey FOREIGN KEY (tenant_id, webhook_id) REFERENCES notification_webhooks(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint webhook_recoveries_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX webhook_recoveries_webhook ON carillon.webhook_recoveries USING btree (tenant_id, webhook_id, created_at DESC);

create view carillon.monitoring_dead_letters as
 SELECT tenant_id,
    count(*) AS count,
    min(created_at) AS oldest_at
   FROM dead_letters d
  WHERE (resolved_at IS NULL)
  GROUP BY tenant_id;

create view carillon.monitoring_hours as
 SELECT t.id AS tenant_id,
    h.at,
    h.sent,
    h.failed,
    h.pending,
    h.skipped,
    h.cancelled,
    h.expired,
    h.counted_at
   FROM (tenants t
     CROSS JOIN LATERAL ( SELECT s.at,
            (COALESCE(sum(m.sent), (0)::bigint))::integer AS sent,
            (COALESCE(sum(m.failed), (0)::bigint))::integer AS failed,
            (COALESCE(sum(m.pending), (0)::bigint))::integer AS pending,
            (COALESCE(sum(m.skipped), (0)::bigint))::integer AS skipped,
            (COALESCE(sum(m.cancelled), (0)::bigint))::integer AS cancelled,
            (COALESCE(sum(m.expired), (0)::bigint))::integer AS expired,
            max(m.updated_at) AS counted_at
           FROM (generate_series((date_trunc('hour'::text, now(), 'UTC'::text) - '23:00:00'::interval), (now() - '01:00:00'::interval), '01:00:00'::interval) s(at)
             LEFT JOIN notification_metrics m ON (((m.tenant_id = t.id) AND (m.date = ((s.at AT TIME ZONE 'UTC'::text))::date) AND (m.hour = (EXTRACT(hour FROM (s.at AT TIME ZONE 'UTC'::text)))::smallint))))
          GROUP BY s.at
        UNION ALL
         SELECT date_trunc('hour'::text, now(), 'UTC'::text) AS date_trunc,
            (count(*) FILTER (WHERE (o.status = 'sent'::text)))::integer AS count,
            (count(*) FILTER (WHERE (o.status = 'dead'::text)))::integer AS count,
            (count(*) FILTER (WHERE (o.status = ANY (ARRAY['pending'::text, 'retrying'::text]))))::integer AS count,
            (count(*) FILTER (WHERE (o.status = 'skipped'::text)))::integer AS count,
            (count(*) FILTER (WHERE (o.status = 'cancelled'::text)))::integer AS count,
            (count(*) FILTER (WHERE (o.status = 'expired'::text)))::integer AS count,
            NULL::timestamp(3) with time zone AS timestamptz
           FROM (records r
             JOIN routes o ON (((o.tenant_id = r.tenant_id) AND (o.notification_id = r.notification_id))))
          WHERE ((r.tenant_id = t.id) AND (r.accepted_at >= date_trunc('hour'::text, now(), 'UTC'::text)))) h);

create view carillon.monitoring_providers_1h as
 SELECT t.id AS tenant_id,
    p.provider,
    p.channel,
    p.total,
    p.sent,
    p.failed,
    p.avg_delivery_ms
   FROM (tenants t
     CROSS JOIN LATERAL ( SELECT o.provider,
            o.channel,
            (count(*))::integer AS total,
            (count(*) FILTER (WHERE (o.status = 'sent'::text)))::integer AS sent,
            (count(*) FILTER (WHERE (o.status = 'dead'::text)))::integer AS failed,
            (round(avg((EXTRACT(epoch FROM (o.sent_at - GREATEST(o.created_at, r.send_at))) * (1000)::numeric))))::integer AS avg_delivery_ms
           FROM (records r
             JOIN routes o ON (((o.tenant_id = r.tenant_id) AND (o.notification_id = r.notification_id))))
          WHERE ((r.tenant_id = t.id) AND (r.accepted_at > (now() - '01:00:00'::interval)) AND (o.provider <> ''::text))
          GROUP BY o.provider, o.channel) p);

create view carillon.monitoring_status_24h as
 SELECT h.tenant_id,
    s.status,
    sum(s.count) AS count
   FROM (monitoring_hours h
     CROSS JOIN LATERAL ( VALUES ('sent'::text,h.sent), ('failed'::text,h.failed), ('pending'::text,h.pending), ('skipped'::text,h.skipped), ('cancelled'::text,h.cancelled), ('expired'::text,h.expired)) s(status, count))
  GROUP BY h.tenant_id, s.status;

create view carillon.monitoring_stuck as
 SELECT o.tenant_id,
    o.notification_id,
    o.route_id,
    o.channel,
    o.user_id,
    o.status,
    o.reason,
    o.attempt_count,
    o.next_attempt_at,
    o.last_error_message,
    r.notification_type,
    GREATEST(o.created_at, r.send_at) AS due_at
   FROM (routes o
     JOIN records r ON (((r.tenant_id = o.tenant_id) AND (r.notification_id = o.notification_id))))
  WHERE ((o.next_attempt_at IS NOT NULL) AND (o.created_at < (now() - '01:00:00'::interval)) AND (GREATEST(o.created_at, r.send_at) < (now() - '01:00:00'::interval)));

CREATE OR REPLACE FUNCTION carillon.accept_intents(intents jsonb)
 RETURNS TABLE(ord integer, outcome text, notification_id uuid, failure_code text, failure_field text, failure_message text)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  -- larger audiences are expanded by a worker, so that accepting stays quick
  inline_limit constant integer := 100;
  item record;
  accepted_tenants uuid[] := '{}';
  accepted_ids uuid[] := '{}';
  key_in_use jsonb := '[]';
  reusable integer[];
  over_quota constant integer[] := carillon.over_route_quota(intents);
begin
  for item in
    -- `offset 0` keeps the planner from merging the steps, so each value is computed once, without materializing them.
    with input as (
      select
        i.*, i.audience ->> 'kind' as audience_kind, i.payload_json::jsonb as payload,
        t.suspended_at is not null as is_suspended, t.storage_bytes > t.quota_storage_mb * 1000000::bigint as is_full,
        t.accept_unknown_types, t.thread_kinds, t.idempotency_window_seconds, t.computed_key_window_seconds,
        coalesce(y.retry_base_ms, t.retry_base_ms) as retry_base_ms,
        greatest(coalesce(y.retry_cap_ms, t.retry_cap_ms), coalesce(y.retry_base_ms, t.retry_base_ms)) as retry_cap_ms,
        y.name is not null as is_known_type, y.producers, y.audience_kinds, y.channels as type_channels, y.required_fields,
        y.escalate,
        case i.audience ->> 'kind'
          when 'users' then array(select distinct v from jsonb_array_elements_text(i.audience -> 'user_ids') v order by v)
          -- null for what is no address
          when 'addresses' then array(
            select distinct carillon.normal_address(i.audience ->> 'channel', v)
            from jsonb_array_elements_text(i.audience -> 'addresses') v order by 1
          )
          when 'admin_email' then coalesce(y.admin_emails, '{}')
          else '{}'
        end as recipients,
        coalesce(i.channels, case
          when i.audience ->> 'kind' = 'addresses' then array[i.audience ->> 'channel']
          when i.audience ->> 'kind' = 'admin_email' then array['email']
          when y.name is not null then y.channels
          else array['in_app', 'email']
        end) as chosen_channels
      from jsonb_to_recordset(intents) as i (
        ord integer, tenant_id uuid, notification_id uuid, notification_type text, producer text, idempotency_key text,
        audience jsonb, channels text[], payload_json text, send_at timestamptz, send_at_local text,
        expires_at timestamptz, occurred_at timestamptz, request_id text, traceparent text, source text,
        source_entry_id text, reason text, template text, thread jsonb, options jsonb, run_id uuid, trigger_depth integer
      )
      join carillon.tenants t on t.id = i.tenant_id
      left join carillon.notification_types y on y.tenant_id = i.tenant_id and y.name = i.notification_type
      offset 0
    ),
    measured as (
      select i.*,
        -- jsonb's text form has sorted keys and no insignificant whitespace. An admin audience counts as empty: its
        -- addresses are configuration and may change between two sends of one intent. A template goes in beside the type,
        -- and options and thread beside the payload, so that intents without them keep the hashes they always had.
        encode(sha256(convert_to(jsonb_build_array(
          case when i.template is null then to_jsonb(i.notification_type)
            else jsonb_build_array(i.notification_type, i.template) end, i.audience_kind,
          case i.audience_kind
            when 'admin_email' then '[]'
            -- as they were sent
            when 'addresses' then to_jsonb(array(
              select distinct v from jsonb_array_elements_text(i.audience -> 'addresses') v order by v))
            else to_jsonb(i.recipients)
          end,
          i.audience ->> 'topic', extract(epoch from i.occurred_at),
          case
            when i.thread is not null then jsonb_build_array(i.payload, i.options, i.thread)
            when i.options is not null then jsonb_build_array(i.payload, i.options)
            else i.payload
          end
        )::text, 'UTF8')), 'hex') as content,
        -- Channels that come from the type are not part of an intent, because the type may change.
        -- Neither is their order, nor how often one is named.
        case when i.channels is not null or i.audience_kind = 'addresses' then
          array(select distinct c from unnest(i.chosen_channels) c order by c) end as named_channels,
        carillon.is_too_deep(i.payload) as is_too_deep,
        case when i.required_fields <> '{}' then
          (select needed from unnest(i.required_fields) needed where not i.payload ? needed limit 1)
        end as missing_field,
        case when i.audience_kind = 'addresses' and array_position(i.recipients, null) is not null then (
          select min(n) - 1 from jsonb_array_elements_text(i.audience -> 'addresses') with ordinality as given (v, n)
          where carillon.normal_address(i.audience ->> 'channel', v) is null
        ) end as bad_address,
        case when i.options is not null then carillon.bad_option_address(i.options) end as bad_option,
        case when i.audience_kind = 'users' then array(
          select person.id from unnest(i.recipients) as person (id)
          where not exists (select from carillon.users u where u.tenant_id = i.tenant_id and u.id = person.id) limit 5
        ) end as unknown_users,
        i.template is not null and not exists (
          select from carillon.notification_templates n
          where n.tenant_id = i.tenant_id and n.name = i.template and n.is_active and n.published_version_id is not null
            and (n.channel = any (i.chosen_channels) or i.audience_kind not in ('addresses', 'admin_email')
              and i.escalate @> jsonb_build_array(jsonb_build_object('channel', n.channel)))
        ) as lacks_template
      from input i
      offset 0
    ),
    checked as materialized (
      select m.*,
        case
          when m.is_suspended then 'suspended'
          when m.is_full then 'storage'
          when not m.is_known_type and not m.accept_unknown_types then 'type'
          when m.producers <> '{}' and m.producer <> all (m.producers) then 'producer'
          when m.audience_kinds <> '{}' and m.audience_kind <> all (m.audience_kinds) then 'audience'
          when not m.chosen_channels <@ m.type_channels then 'channels'
          when m.audience_kind = 'addresses' and m.chosen_channels <> array[m.audience ->> 'channel'] then 'address_channel'
          when m.audience_kind = 'admin_email' and not m.is_known_type then 'admin_type'
          when m.audience_kind = 'admin_email' and m.chosen_channels <> array['email'] then 'admin_channel'
          when m.bad_address is not null then 'address'
          when m.bad_option is not null then 'option:' || m.bad_option
          when m.is_too_deep then 'depth'
          when m.missing_field is not null then 'payload'
          when m.expires_at <= now() then 'expired'
          when m.thread ->> 'kind' <> all (m.thread_kinds) then 'thread'
          when m.lacks_template then 'template'
          when m.unknown_users <> '{}' then 'users'
          when m.ord = any (over_quota) then 'routes'
        end as problem,
        -- Whether a repeated key comes with the same intent. Without a key there is nothing to contradict.
        case when m.idempotency_key is null then m.content else encode(sha256(convert_to(jsonb_build_array(
          m.content, to_jsonb(m.named_channels), extract(epoch from m.send_at),
          m.send_at_local, extract(epoch from m.expires_at), m.reason
        )::text, 'UTF8')), 'hex') end as fingerprint,
        -- Without a key the content is the key, including channels and time: the same content at another time or on
        -- another channel is another notification. A reason or deadline does not make it one.
        coalesce(m.idempotency_key, case
          when m.computed_key_window_seconds > 0 then encode(sha256(convert_to(
            m.content || coalesce(array_to_string(m.named_channels, ','), '')
            || coalesce(extract(epoch from m.send_at)::text, '') || coalesce(m.send_at_local, ''), 'UTF8'
          )), 'hex')
          else m.notification_id::text
        end) as key,
        make_interval(secs => case
          when m.idempotency_key is null and m.computed_key_window_seconds > 0 then m.computed_key_window_seconds
          else m.idempotency_window_seconds
        end) as window,
        m.audience_kind in ('topic', 'tenant') or cardinality(m.recipients) > inline_limit as is_large
      from measured m
    ),
    inserted as (
      insert into carillon.records (
        tenant_id, notification_id, notification_type, producer, audience_kind, recipients, topic, channels, payload_json,
        idempotency_key, request_fingerprint, idempotency_expires_at, source, source_entry_id, request_id, traceparent,
        retry_base_ms, retry_cap_ms, send_at, send_at_local, expires_at, occurred_at, accepted_at, expanded_at, updated_at,
        reason, template, options, run_id, trigger_depth, thread_kind, thread_id
      )
      select
        c.tenant_id, c.notification_id, c.notification_type, c.producer, c.audience_kind, c.recipients,
        c.audience ->> 'topic', c.chosen_channels, c.payload_json, c.key, c.fingerprint, now() + c.window, c.source,
        c.source_entry_id, coalesce(c.request_id, ''), coalesce(c.traceparent, ''), c.retry_base_ms, c.retry_cap_ms,
        c.send_at, c.send_at_local, c.expires_at, c.occurred_at, now(), case when not c.is_large then now() end, now(),
        coalesce(c.reason, case c.audience_kind when 'topic' then 'watching' else '' end), c.template,
        case when c.options is not null then carillon.stored_options(c.options) end, c.run_id, coalesce(c.trigger_depth, 0),
        c.thread ->> 'kind', c.thread ->> 'id'
      from checked c
      where c.problem is null
      -- always in the same order: two batches that share keys wait for each other instead of deadlocking
      order by c.tenant_id, c.producer, c.key
      on conflict do nothing
      returning
        tenant_id, notification_id, notification_type, audience_kind, recipients, channels, send_at, send_at_local,
        template, expanded_at, options #> '{email,attachments}' is not null as has_attachments
    ),
    -- New records have no routes yet, so there can be no conflict.
    routed as (
      insert into carillon.routes (
        tenant_id, notification_id, route_id, channel, recipient_ref, user_id, resolved_address, resolved_locale,
        template_version_id, status, reason, skipped_at, max_attempts, next_attempt_at, unless_read, priority,
        created_at, updated_at
      )
      select n.tenant_id, n.notification_id, p.*, now(), now() from inserted n
      cross join lateral carillon.planned_routes(
        n.tenant_id, n.notification_type, n.audience_kind, n.recipients, n.channels, n.send_at, n.send_at_local, n.template,
        now(), false
      ) p
      where n.expanded_at is not null
    ),
    attached as (
      insert into carillon.attachments (tenant_id, notification_id, position, filename, content_type, content)
      select n.tenant_id, n.notification_id, a.position, a.file ->> 'filename', a.file ->> 'content_type',
        decode(a.file ->> 'content', 'base64')
      from inserted n
      join checked c on c.notification_id = n.notification_id
      cross join lateral jsonb_array_elements(c.options #> '{email,attachments}') with ordinality as a (file, position)
      where n.has_attachments
    ),
    left_to_expander as (
      insert into carillon.expansions (tenant_id, notification_id)
      select tenant_id, notification_id from inserted where expanded_at is null
    )
    select
      c.ord, c.tenant_id, c.notification_id, c.producer, c.key, c.content, c.fingerprint, c.source, c.source_entry_id,
      c.problem,
      c.notification_id in (select n.notification_id from inserted n) as is_new,
      c.notification_type, c.is_known_type, c.missing_field, c.unknown_users, c.template, c.bad_address, c.audience,
      case c.problem
        when 'producer' then c.producers when 'audience' then c.audience_kinds when 'template' then c.chosen_channels
        when 'thread' then c.thread_kinds
        else c.type_channels
      end as allowed
    from checked c
  loop
    ord := item.ord;
    notification_id := null;
    failure_code := null;
    failure_field := null;
    failure_message := null;
    if item.problem is not null then
      -- Does not wait for a transaction that is accepting the same intent: refusing is still correct, and the next repeat
      -- finds the record.
      select first.notification_id into notification_id from (
        select r.notification_id from carillon.records r
        where r.tenant_id = item.tenant_id and r.producer = item.producer and r.idempotency_key = item.key
          and r.idempotency_released_at is null and r.idempotency_expires_at > now()
          and r.request_fingerprint in (item.fingerprint, item.content)
        union all
        select r.notification_id from carillon.records r
        where r.tenant_id = item.tenant_id and r.source = item.source and r.producer = item.producer
          and r.source_entry_id = item.source_entry_id
        limit 1
      ) first;
      if notification_id is not null then
        outcome := 'duplicate';
        failure_message := carillon.unknown_type_warning(item.is_known_type, item.notification_type);
        return next;
        continue;
      end if;
      outcome := 'refused';
      select f.code, f.field, f.message into failure_code, failure_field, failure_message from carillon.intent_failure(
        item.problem, item.notification_type, item.missing_field, item.unknown_users, item.allowed, item.template,
        item.bad_address, item.audience ->> 'channel'
      ) f;
      return next;
    elsif item.is_new then
      outcome := 'accepted';
      notification_id := item.notification_id;
      failure_message := carillon.unknown_type_warning(item.is_known_type, item.notification_type);
      accepted_tenants := accepted_tenants || item.tenant_id;
      accepted_ids := accepted_ids || item.notification_id;
      return next;
    else
      key_in_use := key_in_use || jsonb_build_object(
        'ord', item.ord, 'tenant_id', item.tenant_id, 'producer', item.producer, 'key', item.key,
        'content', item.content, 'fingerprint', item.fingerprint, 'source', item.source,
        'source_entry_id', item.source_entry_id,
        'warning', carillon.unknown_type_warning(item.is_known_type, item.notification_type)
      );
    end if;
  end loop;

  perform carillon.count_routes(t.id, (
    select count(*)::integer from unnest(accepted_tenants, accepted_ids) as a (tenant_id, notification_id)
    join carillon.routes r on r.tenant_id = a.tenant_id and r.notification_id = a.notification_id
    where a.tenant_id = t.id
  )) from carillon.tenants t where t.id = any (accepted_tenants) and t.quota_routes_per_day is not null;
  -- Most tenants have no webhook; for them this one lookup is the whole cost.
  if exists (
    select from carillon.notification_webhooks w
    where w.tenant_id = any (accepted_tenants) and (w.is_active or w.keeps_events_until > now())
  ) then
    perform carillon.emit_events((
      select jsonb_agg(jsonb_build_object(
        'event', e.event, 'tenant_id', a.tenant_id, 'notification_id', a.notification_id, 'route_id', e.route_id
      ) order by a.ord, e.route_id nulls first)
      from unnest(accepted_tenants, accepted_ids) with ordinality as a (tenant_id, notification_id, ord)
      cross join lateral (
        select 'notification.accepted' as event, null::text as route_id,
          case when r.audience_kind = 'users' then r.recipients end as people
        from carillon.records r where r.tenant_id = a.tenant_id and r.notification_id = a.notification_id
        union all
        select 'notification.skipped', r.route_id, array[r.user_id] from carillon.routes r
        where r.tenant_id = a.tenant_id and r.notification_id = a.notification_id and r.status = 'skipped'
      ) e
      where exists (select from carillon.endpoints_for(a.tenant_id, e.event, e.people))
    ));
  end if;
  if key_in_use = '[]' then
    return;
  end if;

  -- An expired key may be used again: release it here, in the accepting transaction, and try once more.
  with released as (
    update carillon.records r set idempotency_released_at = now(), updated_at = now()
    from jsonb_to_recordset(key_in_use) as k (ord integer, tenant_id uuid, producer text, key text)
    where r.tenant_id = k.tenant_id and r.producer = k.producer and r.idempotency_key = k.key
      and r.idempotency_released_at is null and r.idempotency_expires_at <= now()
    returning r.tenant_id, r.producer, r.idempotency_key
  )
  select coalesce(array_agg(k.ord), '{}') into reusable
  from jsonb_to_recordset(key_in_use) as k (ord integer, tenant_id uuid, producer text, key text)
  join released r on r.tenant_id = k.tenant_id and r.producer = k.producer and r.idempotency_key = k.key;

  for item in
    select k.*, first.notification_id as first_id, first.same
    from jsonb_to_recordset(key_in_use) as k (
      ord integer, tenant_id uuid, producer text, key text, content text, fingerprint text, source text,
      source_entry_id text, warning text
    )
    left join lateral (
      -- Records of earlier versions have the hash of the content alone: a repeat of theirs must not become a conflict.
      select r.notification_id, r.request_fingerprint in (k.fingerprint, k.content) as same from carillon.records r
      where r.tenant_id = k.tenant_id and r.producer = k.producer and r.idempotency_key = k.key
        and r.idempotency_released_at is null
      union all
      -- the same entry of the same producer's stream, read again
      select r.notification_id, true from carillon.records r
      where r.tenant_id = k.tenant_id and r.source = k.source and r.producer = k.producer
        and r.source_entry_id = k.source_entry_id
      limit 1
    ) first on true
    where k.ord <> all (reusable)
  loop
    -- what was in the way has been archived or deleted since
    if item.first_id is null then
      reusable := reusable || item.ord;
      continue;
    end if;
    ord := item.ord;
    outcome := case when item.same then 'duplicate' else 'conflict' end;
    notification_id := item.first_id;
    failure_code := case when not item.same then 'idempotency_conflict' end;
    failure_field := case when not item.same then 'idempotency_key' end;
    failure_message := case when item.same then item.warning else format(
      'Producer "%s" already used the key "%s" for different content: notification %s.', item.producer, item.key,
      item.first_id
    ) end;
    return next;
  end loop;
  if reusable <> '{}' then
    return query select a.* from carillon.accept_intents(
      (select jsonb_agg(i) from jsonb_array_elements(intents) i where (i ->> 'ord')::integer = any (reusable))
    ) a;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.accepts_items(tenant uuid, digest uuid, closes_at timestamp with time zone, at timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(
    (select r.next_attempt_at is not null and (at is null or r.next_attempt_at > at) from carillon.routes r
      where r.tenant_id = tenant and r.notification_id = digest limit 1),
    closes_at > coalesce(at, now()))
$function$;

CREATE OR REPLACE FUNCTION carillon.add_event_cursors(tenant uuid)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into carillon.domain_events_processed (tenant_id, consumer, last_event_id, head_id)
  select tenant, c.consumer, e.head, e.head
  from unnest(carillon.event_consumers()) as c (consumer), carillon.event_log_head(tenant) as e (head)
  on conflict do nothing
$function$;

CREATE OR REPLACE FUNCTION carillon.announce_system_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  max_per_hour constant integer := 50;
  max_depth constant integer := 8;
  severities constant text[] := array['low', 'medium', 'high', 'critical'];
  depth constant integer := coalesce((new.details ->> 'trigger_depth')::integer, 0);
  told record;
begin
  if carillon.is_importing() then
    return null;
  end if;
  select t.id, severities[array_position(severities, t.system_event_min_severity):] as announced, array(
    select u.id from carillon.users u where u.tenant_id = t.id and u.id = any (t.system_event_admins)
  ) as admins into told
  from carillon.tenants t
  where t.id = coalesce(new.tenant_id, (select f.id from carillon.tenants f order by f.created_at, f.id limit 1))
    and array_position(severities, new.severity) >= array_position(severities, t.system_event_min_severity);
  if not found or told.admins = '{}' or depth >= max_depth or max_per_hour < (
    select count(*) from (
      select from carillon.admin_system_events e
      where e.tenant_id is not distinct from new.tenant_id and e.created_at > now() - interval '1 hour'
        and e.severity = any (told.announced)
      limit max_per_hour + 1
    ) recent
  ) then
    return null;
  end if;
  perform carillon.ensure_system_event_type(told.id);
  perform carillon.accept_intents(jsonb_build_array(jsonb_build_object(
    'ord', 0, 'tenant_id', told.id, 'notification_id', carillon.uuid_v7(), 'source', 'system_event',
    'notification_type', 'system_event', 'producer', 'carillon', 'idempotency_key', concat_ws(':', 'system_event', new.id, case when tg_op = 'UPDATE' then new.severity end),
    'audience', jsonb_build_object('kind', 'users', 'user_ids', told.admins),
    'payload_json', jsonb_build_object(
      'title', left(new.description, 500), 'system_event_id', new.id, 'event_type', new.event_type,
      'subject', new.subject, 'severity', new.severity,
      'text', format('%s (%s%s)', new.description, new.event_type, coalesce(', ' || nullif(new.subject, ''), ''))
    )::text,
    'reason', 'system_event', 'trigger_depth', depth + 1
  )));
  return null;
exception when others then
  -- The event itself matters more than telling people about it.
  raise warning 'carillon: system event % could not be announced: %', new.id, sqlerrm;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.append_events(events jsonb)
 RETURNS TABLE(ord integer, outcome text, event_id uuid, failure_code text, failure_field text, failure_message text)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  max_relation_bytes constant integer := 65536;
  answers jsonb;
begin
  with input as materialized (
    -- ids and numbers in the order of the batch, however it is written below
    select e.*, carillon.uuid_v7() as event_id, nextval('carillon.domain_events_seq') as seq,
      case
        when t.suspended_at is not null then 'tenant_suspended'
        when t.storage_bytes > t.quota_storage_mb * 1000000::bigint then 'quota_exceeded'
        when octet_length(e.relations::text) > max_relation_bytes then 'payload_too_large'
        when carillon.is_too_deep(e.payload_json::jsonb) then 'invalid_payload'
        when e.thread ->> 'kind' <> all (t.thread_kinds) then 'invalid_request'
      end as problem,
      t.thread_kinds,
      encode(sha256(convert_to(jsonb_build_array(
        e.kind, e.actor_id, e.topic, e.thread, e.source_kind, e.source_id, coalesce(e.is_public, true),
        coalesce(e.relations, '{}'), e.payload_json::jsonb, extract(epoch from e.occurred_at)
      )::text, 'UTF8')), 'hex') as fingerprint
    from jsonb_to_recordset(events) as e (
      ord integer, tenant_id uuid, kind text, producer text, actor_id text, topic text, thread jsonb, source_kind text,
      source_id text, is_public boolean, relations jsonb, payload_json text, idempotency_key text, request_id text,
      traceparent text, trigger_depth integer, occurred_at timestamptz
    )
    join carillon.tenants t on t.id = e.tenant_id
  ),
  inserted as (
    insert into carillon.domain_events (
      tenant_id, event_id, seq, kind, producer, actor_id, topic, thread_kind, thread_id, thread_title, thread_url,
      thread_author_id, source_kind, source_id, is_public, relations, payload_json, idempotency_key, request_fingerprint,
      request_id, traceparent, trigger_depth, occurred_at
    )
    select i.tenant_id, i.event_id, i.seq, i.kind, i.producer, i.actor_id, i.topic, i.thread ->> 'kind', i.thread ->> 'id',
      i.thread ->> 'title', i.thread ->> 'url', i.thread ->> 'author_id', coalesce(i.source_kind, ''),
      coalesce(i.source_id, ''), coalesce(i.is_public, true), coalesce(i.relations, '{}'), i.payload_json,
      i.idempotency_key, i.fingerprint, coalesce(i.request_id, ''), coalesce(i.traceparent, ''),
      coalesce(i.trigger_depth, 0), coalesce(i.occurred_at, now())
    from input i
    where i.problem is null
    -- always in the same order: two batches that share keys wait for each other instead of deadlocking
    order by i.tenant_id, i.producer, i.idempotency_key, i.ord
    on conflict do nothing
    returning event_id
  )
  select jsonb_agg(jsonb_build_object(
    'ord', i.ord, 'tenant_id', i.tenant_id, 'producer', i.producer, 'key', i.idempotency_key, 'kind', i.kind,
    'fingerprint', i.fingerprint, 'problem', i.problem, 'event_id', n.event_id,
    'thread_kinds', array_to_string(i.thread_kinds, ', ')
  )) into answers
  from input i left join inserted n on n.event_id = i.event_id;

  -- A statement of its own, which sees the events whose keys are in use, even if they were committed meanwhile.
  return query
    select a.ord,
      case
        when a.event_id is not null then 'accepted'
        when first.same then 'duplicate'
        when first.event_id is not null then 'conflict'
        else 'refused'
      end,
      coalesce(a.event_id, first.event_id),
      case
        when first.event_id is not null and not first.same then 'idempotency_conflict'
        when a.event_id is null and first.event_id is null then coalesce(a.problem, 'unavailable')
      end,
      case
        when first.event_id is not null and not first.same then 'idempotency_key'
        when a.event_id is null and first.event_id is null then case a.problem
          when 'payload_too_large' then 'relations' when 'invalid_payload' then 'payload'
          when 'invalid_request' then 'thread.kind' else 'body' end
      end,
      case
        when first.event_id is not null and not first.same then format(
          'Producer "%s" already used the key "%s" for different content: event %s.', a.producer, a.key, first.event_id)
        when a.event_id is null and first.event_id is null then case a.problem
          when 'tenant_suspended' then 'The tenant is suspended by its operator.'
          when 'quota_exceeded' then
            'The storage that the operator allows this tenant is used up: delete something, or keep records for fewer days.'
          when 'payload_too_large' then format('The relations have more than %s bytes.', max_relation_bytes)
          when 'invalid_payload' then 'The payload is nested more than 100 levels deep.'
          when 'invalid_request' then format('This tenant has only threads of the kinds %s (thread_kinds).', a.thread_kinds)
          else 'The event with the same key was just deleted: send it again.'
        end
      end
    from jsonb_to_recordset(answers) as a (
      ord integer, tenant_id uuid, producer text, key text, kind text, fingerprint text, problem text, event_id uuid,
      thread_kinds text
    )
    left join lateral (
      select d.event_id, d.request_fingerprint = a.fingerprint as same from carillon.domain_events d
      where a.event_id is null and d.tenant_id = a.tenant_id and d.producer = a.producer and d.idempotency_key = a.key
    ) first on true;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.apply_reports(tenant uuid, reports jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 STRICT
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  reported integer;
  events jsonb;
begin
  with reported_routes as materialized (
    select r.*, n.delivered_at, n.opened_at, n.bounced_at
    from (
      select i.notification_id, i.route_id, min(i.at) filter (where i.kind = 'delivered') as delivered_at,
        min(i.at) filter (where i.kind = 'opened') as opened_at,
        min(i.at) filter (where i.kind in ('bounced', 'failed')) as bounced_at
      from jsonb_to_recordset(reports) as i (notification_id uuid, route_id text, kind text, at timestamptz)
      group by i.notification_id, i.route_id
    ) n
    -- `limit` keeps it one lookup per route, however wrong the statistics are
    cross join lateral (
      select x.ctid as row_ctid, x.notification_id, x.route_id, x.user_id, x.delivered_at as was_delivered,
        x.bounced_at as was_bounced
      from carillon.routes x
      where x.tenant_id = tenant and x.notification_id = n.notification_id and x.route_id = n.route_id
      limit 1 for update
    ) r
  ),
  updated as (
    update carillon.routes r set
      delivered_at = coalesce(r.delivered_at, n.delivered_at), opened_at = coalesce(r.opened_at, n.opened_at),
      bounced_at = coalesce(r.bounced_at, n.bounced_at), updated_at = now()
    from reported_routes n where r.ctid = n.row_ctid
    returning n.*
  )
  select count(distinct (u.notification_id, u.route_id)), jsonb_agg(jsonb_build_object(
      'event', e.event, 'tenant_id', tenant, 'notification_id', u.notification_id, 'route_id', u.route_id
    )) filter (where e.event is not null and exists (
      select from carillon.endpoints_for(tenant, e.event, array[u.user_id])))
  into reported, events
  from updated u left join lateral (
    select 'notification.delivered' as event where u.delivered_at is not null and u.was_delivered is null
    union all
    select 'notification.failed' where u.bounced_at is not null and u.was_bounced is null
  ) e on true;
  perform carillon.emit_events(events);
  return reported;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.archive_bound(month date)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE STRICT
AS $function$
  select (lpad(to_hex((extract(epoch from date_trunc('month', month::timestamp)) * 1000)::bigint), 12, '0')
    || repeat('0', 20))::uuid
$function$;

CREATE OR REPLACE FUNCTION carillon.archive_month(id uuid)
 RETURNS date
 LANGUAGE sql
 IMMUTABLE STRICT
AS $function$
  select date_trunc('month', to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
    at time zone 'UTC')::date
$function$;

CREATE OR REPLACE FUNCTION carillon.archive_months(OUT month date, OUT is_over boolean)
 RETURNS SETOF record
 LANGUAGE sql
 STABLE
AS $function$
  select m.month, m.month + interval '1 month' < now() - make_interval(days => k.longest) and not exists (
      select from carillon.tenants t cross join lateral (
        select from carillon.records_archive x
        where x.tenant_id = t.id and x.accepted_at >= now() - make_interval(days => t.record_retention_days)
          and x.notification_id >= carillon.archive_bound(m.month)
          and x.notification_id < carillon.archive_bound((m.month + interval '1 month')::date)
        limit 1
      ) kept
    )
  from (
    select to_date(right(c.relname, 7), 'YYYY_MM') as month
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'carillon.records_archive'::regclass and c.relname ~ '_[0-9]{4}_[0-9]{2}$'
  ) m
  cross join (select coalesce(max(t.record_retention_days), 0) as longest from carillon.tenants t) k
  order by m.month
$function$;

CREATE OR REPLACE FUNCTION carillon.archive_records(tenant uuid, after_time timestamp with time zone, after_id uuid, most_records integer, most_routes integer, OUT looked_at integer, OUT records integer, OUT routes integer, OUT last_time timestamp with time zone, OUT last_id uuid)
 RETURNS record
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
declare
  candidates uuid[];
  free uuid[];
begin
  -- the last of them may have any number of routes
  select count(*), array_agg(c.notification_id), max(c.accepted_at),
    (array_agg(c.notification_id order by c.accepted_at desc, c.notification_id desc))[1]
  into looked_at, candidates, last_time, last_id
  from (
    select x.accepted_at, x.notification_id,
      coalesce(sum(x.routes) over (order by x.accepted_at, x.notification_id rows between unbounded preceding and 1 preceding), 0) as before
    from (
      select r.accepted_at, r.notification_id, n.routes from (
        select x.accepted_at, x.notification_id from carillon.records x
        join carillon.tenants t on t.id = x.tenant_id
        where x.tenant_id = tenant and x.accepted_at < now() - make_interval(days => t.record_hot_days)
          and (x.accepted_at, x.notification_id) > (after_time, after_id)
        order by x.accepted_at, x.notification_id limit most_records
      ) r
      cross join lateral (
        select count(*) as routes from (
          select from carillon.routes o where o.tenant_id = tenant and o.notification_id = r.notification_id
          limit most_routes
        ) counted
      ) n
    ) x
  ) c
  where c.before < most_routes;

  free := array(
    select r.notification_id from carillon.records r
    where r.tenant_id = tenant and r.notification_id = any (candidates)
      and r.expanded_at is not null and (r.idempotency_released_at is not null or r.idempotency_expires_at < now())
      and (r.event_id is null or not exists (select from carillon.records e
        where e.tenant_id = tenant and e.event_id = r.event_id and e.expanded_at is null))
      and not exists (select from carillon.routes o
        where o.tenant_id = tenant and o.notification_id = r.notification_id
          and (o.next_attempt_at is not null or o.updated_at > now() - interval '2 days'
            or o.reason = 'digested' and exists (select from carillon.digests g
              where g.tenant_id = tenant and g.id = o.digest_id and g.closed_at is null)))
      and not exists (select from carillon.dead_letters d
        where d.tenant_id = tenant and d.notification_id = r.notification_id and d.resolved_at is null)
    for update skip locked
  );
  -- A person who is deleted takes their routes along, and may hold some of these.
  free := array(
    select f.id from unnest(free) as f (id)
    cross join lateral (
      select count(*) as count from (
        select from carillon.routes o where o.tenant_id = tenant and o.notification_id = f.id
        for update skip locked
      ) one
    ) locked
    where locked.count = (
      select count(*) from carillon.routes o where o.tenant_id = tenant and o.notification_id = f.id
    )
  );
  routes := carillon.archive_routes(tenant, free);
  with moved as (
    delete from carillon.records r where r.tenant_id = tenant and r.notification_id = any (free) returning r.*
  )
  insert into carillon.records_archive select * from moved;
  get diagnostics records = row_count;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.archive_routes(tenant uuid, records uuid[])
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
declare
  moved_routes integer;
begin
  with moved as (
    delete from carillon.route_attempts a where a.tenant_id = tenant and a.notification_id = any (records) returning a.*
  )
  insert into carillon.route_attempts_archive select * from moved;
  with moved as (
    delete from carillon.routes r where r.tenant_id = tenant and r.notification_id = any (records) returning r.*
  )
  insert into carillon.routes_archive select * from moved;
  get diagnostics moved_routes = row_count;
  return moved_routes;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.ascii_domain(given text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  -- the full stop of Chinese and Japanese
  folded text := translate(normalize(carillon.lower_text(normalize(given, nfkc)), nfkc), E'\u3002', '.');
begin
  if folded ~ '[^.]{64}' then
    return null;
  end if;
  return (
    select string_agg(case when label ~ '[^ -~]' then 'xn--' || carillon.punycode(label) else label end, '.' order by n)
    from unnest(string_to_array(folded, '.')) with ordinality as labels (label, n)
  );
end
$function$;

CREATE OR REPLACE FUNCTION carillon.ask_gates_again(tenant uuid, person text)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  update carillon.routes r set next_attempt_at = now(), updated_at = now()
  where r.tenant_id = tenant and (r.user_id = person or person is null and r.user_id is not null)
    and r.reason in ('paused', 'quiet_hours', 'digest') and r.next_attempt_at is not null and r.next_attempt_at > now()
    and r.lease_owner is null;
  -- another index, as one that processes use is not replaced while they run
  update carillon.routes r set next_attempt_at = now(), updated_at = now()
  where r.tenant_id = tenant and (r.user_id = person or person is null and r.user_id is not null)
    and r.reason = 'cap_reached' and r.next_attempt_at is not null and r.next_attempt_at > now()
    and r.lease_owner is null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.asked_periods(asked jsonb)
 RETURNS TABLE(tenant_id uuid, user_id text, channel text, n integer, per text, category text, period text, max integer, is_whole_day boolean)
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select a.tenant_id, a.user_id, a.channel, p.n::integer - 1, p.value ->> 'per', p.value ->> 'category',
    p.value ->> 'period', (p.value ->> 'max')::integer, p.value ->> 'per' = 'day' and p.value ->> 'category' = ''
  from jsonb_to_recordset(asked) as a (tenant_id uuid, user_id text, channel text, periods jsonb)
  cross join lateral jsonb_array_elements(a.periods) with ordinality as p (value, n)
$function$;

CREATE OR REPLACE FUNCTION carillon.attachment_bytes(content text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select length(content) / 4 * 3 - (length(content) - length(rtrim(content, '=')))
$function$;

CREATE OR REPLACE FUNCTION carillon.attachment_problem(value jsonb, OUT code text, OUT field text, OUT message text)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
begin
  code := 'invalid_request';
  field := '';
  if jsonb_typeof(value) <> 'object' then
    message := 'must be a JSON object';
    return;
  end if;
  select case when value ? name then 'invalid_request' else 'missing_field' end, '.' || name, problem
  into code, field, message
  from (values
    (1, 'filename', coalesce(carillon.name_problem(value -> 'filename', 200),
      case when coalesce(value ->> 'filename' like '%/%' or position(chr(92) in value ->> 'filename') > 0
          or value ->> 'filename' !~ '[^ .]', true)
        then 'must be a name without a path' end)),
    (2, 'content_type', case when jsonb_typeof(value -> 'content_type') is distinct from 'string'
        or length(value ->> 'content_type') > 100
        or value ->> 'content_type' !~ '^(?!multipart/|message/(?!rfc822$))[a-z0-9][a-z0-9.+-]*/[a-z0-9][a-z0-9.+-]*$'
      then 'must be a media type such as application/pdf' end),
    (3, 'content', case when jsonb_typeof(value -> 'content') is distinct from 'string' or value ->> 'content' = ''
        or length(value ->> 'content') % 4 <> 0 or value ->> 'content' !~ '^[A-Za-z0-9+/]+={0,2}$'
      then 'must be Base64' end)
  ) as checks (n, name, problem)
  where problem is not null order by n limit 1;
  if message is null then
    code := 'invalid_request';
    select '.' || min(name), 'is not a field of an attachment' into field, message from jsonb_object_keys(value) name
    where name <> all (array['filename', 'content_type', 'content']) having count(*) > 0;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.audience_problem(value jsonb, OUT code text, OUT field text, OUT message text)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  kind constant text := case when jsonb_typeof(value -> 'kind') = 'string' then value ->> 'kind' end;
  list constant text := case kind when 'users' then 'user_ids' when 'addresses' then 'addresses' end;
  longest constant integer := case kind when 'users' then 200 else 500 end;
  entries jsonb;
begin
  code := 'invalid_audience';
  field := 'audience';
  if jsonb_typeof(value) <> 'object' then
    message := 'must be a JSON object';
    return;
  end if;
  if kind is null or kind <> all (array['users', 'topic', 'tenant', 'addresses', 'admin_email']) then
    code := case when value ? 'kind' then code else 'missing_field' end;
    field := 'audience.kind';
    message := 'must be users, topic, tenant, addresses or admin_email';
    return;
  end if;
  if kind = 'topic' then
    field := 'audience.topic';
    code := case when value ? 'topic' then code else 'missing_field' end;
    message := coalesce(carillon.name_problem(value -> 'topic', 200), case when not value ? 'topic' then 'is required' end);
  elsif kind = 'addresses'
      and coalesce(value -> 'channel' <> all (array['"email"', '"sms"', '"push"', '"chat"', '"webhook"']::jsonb[]), true) then
    field := 'audience.channel';
    code := case when value ? 'channel' then code else 'missing_field' end;
    message := 'must be email, sms, push, chat or webhook';
  end if;
  if message is not null then
    return;
  end if;
  if list is not null then
    entries := value -> list;
    code := 'invalid_recipients';
    field := 'audience.' || list;
    if jsonb_typeof(entries) is distinct from 'array' or jsonb_array_length(entries) not between 1 and 10000 then
      message := 'must be an array of 1 to 10000 strings';
      return;
    end if;
    select 'audience.' || list || '.' || e.ordinal - 1, carillon.name_problem(e.entry, longest) into field, message
    from jsonb_array_elements(entries) with ordinality as e (entry, ordinal)
    where carillon.name_problem(e.entry, longest) is not null order by e.ordinal limit 1;
    if message is not null then
      return;
    end if;
  end if;
  code := 'invalid_audience';
  select 'audience.' || min(name), format('is not a field of the kind %s', kind) into field, message
  from jsonb_object_keys(value) name
  where name <> 'kind' and name is distinct from list and not (kind = 'addresses' and name = 'channel')
    and not (kind = 'topic' and name = 'topic')
  having count(*) > 0;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.bad_option_address(options jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select 'email.' || a.field from (
    select 1 as n, 0::bigint as m, 'reply_to' as field, options #>> '{email,reply_to}' as given
    where options #>> '{email,reply_to}' is not null
    union all
    select 2, e.n, 'cc.' || e.n - 1, e.v
    from jsonb_array_elements_text(options #> '{email,cc}') with ordinality as e (v, n)
    union all
    select 3, e.n, 'bcc.' || e.n - 1, e.v
    from jsonb_array_elements_text(options #> '{email,bcc}') with ordinality as e (v, n)
  ) a
  where carillon.normal_address('email', a.given) is null order by a.n, a.m limit 1
$function$;

CREATE OR REPLACE FUNCTION carillon.bring_digest_forward(tenant uuid, digest uuid, ends timestamp with time zone)
 RETURNS void
 LANGUAGE sql
AS $function$
  update carillon.digests d set closes_at = ends where d.tenant_id = tenant and d.id = digest;
  select carillon.bring_record_forward(tenant, digest, ends);
  select carillon.bring_routes_forward(tenant, digest, ends);
$function$;

CREATE OR REPLACE FUNCTION carillon.bring_record_forward(tenant uuid, notification uuid, due timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  update carillon.records r set send_at = due, updated_at = now()
  where r.tenant_id = tenant and r.notification_id = notification;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.bring_routes_forward(tenant uuid, notification uuid, due timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  update carillon.routes r set next_attempt_at = due, updated_at = now()
  where r.tenant_id = tenant and r.notification_id = notification and r.next_attempt_at > due;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.builtin_fanout_rules()
 RETURNS TABLE(event_kind text, relation text, channels text[], passes_mute boolean)
 LANGUAGE sql
 IMMUTABLE
AS $function$
  with rules (kinds, all_channels, inbox_only, passing) as (values
    -- kinds; who gets inbox and mail; who gets the inbox only; who gets both even if they muted it
    ('issue_created pr_opened', 'watching', '', 'mention'),
    ('issue_comment_created pr_comment_created', 'assignee author commenter subscribed watching', '', 'mention'),
    ('issue_assigned pr_assigned', 'assignee', '', 'mention'),
    ('issue_closed issue_reopened pr_closed pr_reopened pr_merged', 'author assignee subscribed', 'watching', ''),
    ('review_requested', '', '', 'reviewer'),
    ('review_submitted', 'author', 'subscribed', ''),
    ('mentioned', '', '', 'mention'),
    ('check_failed check_fixed', '', 'author', ''),
    ('repo_archived repo_unarchived repo_visibility_changed repo_soft_deleted repo_restored repo_transfer_*', 'owner', '', '')
  )
  select k, g.relation, g.channels, g.passes_mute
  from rules r
  cross join lateral unnest(string_to_array(r.kinds, ' ')) as k
  cross join lateral (
    select relation, array['in_app', 'email'], false from unnest(string_to_array(r.all_channels, ' ')) as relation
    union all
    select relation, array['in_app'], false from unnest(string_to_array(r.inbox_only, ' ')) as relation
    union all
    select relation, array['in_app', 'email'], true from unnest(string_to_array(r.passing, ' ')) as relation
  ) as g (relation, channels, passes_mute)
$function$;

CREATE OR REPLACE FUNCTION carillon.builtin_relations()
 RETURNS TABLE(name text, priority integer, reason text)
 LANGUAGE sql
 IMMUTABLE
AS $function$
  values
    ('mention', 10, 'mention'),
    ('assignee', 20, 'assignment'),
    ('reviewer', 30, 'review_requested'),
    ('author', 40, 'author'),
    ('commenter', 50, 'commenter'),
    ('subscribed', 60, 'subscribed'),
    ('watching', 70, 'watching'),
    ('owner', 80, 'repo_admin_action')
$function$;

CREATE OR REPLACE FUNCTION carillon.channels_problem(value jsonb, OUT field text, OUT message text)
 RETURNS record
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case when bad.ordinal is null then 'channels' else 'channels.' || bad.ordinal - 1 end,
    case
      when jsonb_typeof(value) <> 'array' or value = '[]' then 'must be an array of at least one channel'
      when bad.ordinal is not null then 'must be in_app, email, sms, push, chat or webhook'
    end
  from (
    select min(ordinal) as ordinal
    from jsonb_array_elements(case jsonb_typeof(value) when 'array' then value else '[]' end)
      with ordinality as entries (entry, ordinal)
    where entry <> all (array['"in_app"', '"email"', '"sms"', '"push"', '"chat"', '"webhook"']::jsonb[])
  ) bad
$function$;

CREATE OR REPLACE FUNCTION carillon.claim_chains(tenants uuid[], heads uuid[], max_followers integer, owner text, lease_seconds double precision)
 RETURNS TABLE(head uuid, id uuid, seq bigint, tenant_id uuid, source_kind text, op text, target_id uuid, payload text, context jsonb, ordering_key text, batch_size integer, trigger_depth integer, attempt_count integer, max_attempts integer, backoff text, base_ms integer, cap_ms integer, jitter real, claim_count integer, next_attempt_at timestamp with time zone, created_at timestamp with time zone)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
begin
  return query
  with follower as materialized (
    select h.id as head, h.next_attempt_at as head_due, h.tenant_id, f.id
    from unnest(tenants, heads) as given (tenant_id, id)
    join carillon.outbox h on h.tenant_id = given.tenant_id and h.id = given.id and h.lease_owner = owner
    cross join lateral (
      select min(e.seq) as seq from carillon.outbox e
      where e.tenant_id = h.tenant_id and e.source_kind = h.source_kind and e.target_id = h.target_id
        and e.ordering_key = h.ordering_key and e.seq > h.seq
        and (e.lease_owner is not null or e.attempt_count > 0 or e.batch_size > 1
          or (e.context ->> 'not_before')::timestamptz > now())
    ) obstacle
    cross join lateral (
      select o.id from carillon.outbox o
      where o.tenant_id = h.tenant_id and o.source_kind = h.source_kind and o.target_id = h.target_id
        and o.ordering_key = h.ordering_key and o.seq > h.seq and (obstacle.seq is null or o.seq < obstacle.seq)
      order by o.seq limit max_followers
      for update
    ) f
  )
  update carillon.outbox o set
    lease_owner = owner, lease_until = now() + make_interval(secs => lease_seconds), attempt_count = o.attempt_count + 1,
    claim_count = o.claim_count + 1, first_attempt_at = coalesce(o.first_attempt_at, now())
  from follower w where o.tenant_id = w.tenant_id and o.id = w.id and o.lease_owner is null
  returning w.head, o.id, o.seq, o.tenant_id, o.source_kind, o.op, o.target_id, o.payload, o.context, o.ordering_key,
    o.batch_size, o.trigger_depth, o.attempt_count, o.max_attempts, o.backoff, o.base_ms, o.cap_ms, o.jitter,
    -- their own may be later: those behind a head are put aside
    o.claim_count, w.head_due, o.created_at;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.claim_outbox(known_tenants uuid[], known_kinds text[], known_targets uuid[], free integer[], watermarks timestamp with time zone[], kinds text[], slots integer[], max_rows integer, owner text, lease_seconds double precision)
 RETURNS TABLE(id uuid, seq bigint, tenant_id uuid, source_kind text, op text, target_id uuid, payload text, context jsonb, ordering_key text, batch_size integer, trigger_depth integer, attempt_count integer, max_attempts integer, backoff text, base_ms integer, cap_ms integer, jitter real, claim_count integer, next_attempt_at timestamp with time zone, created_at timestamp with time zone)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  first_id constant uuid := '00000000-0000-0000-0000-000000000000';
  last_id constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  return query
  with recursive known as materialized (
    select * from unnest(known_tenants, known_kinds, known_targets, free, watermarks)
      with ordinality as k (tenant_id, source_kind, target_id, free, watermark, turn)
  ),
  gap as materialized (
    select e.tenant_id, e.source_kind, e.target_id, lead(e.tenant_id, 1, last_id) over w as next_tenant,
      lead(e.source_kind, 1, '') over w as next_kind, lead(e.target_id, 1, last_id) over w as next_target
    from (select k.tenant_id, k.source_kind, k.target_id from known k union all select first_id, '', first_id) e
    window w as (order by e.tenant_id, e.source_kind, e.target_id)
  ),
  fresh as (
    select f.*, g.next_tenant, g.next_kind, g.next_target
    from gap g cross join lateral (
      select o.tenant_id, o.source_kind, o.target_id from carillon.outbox o
      where (o.tenant_id, o.source_kind, o.target_id) > (g.tenant_id, g.source_kind, g.target_id)
        and (o.tenant_id, o.source_kind, o.target_id) < (g.next_tenant, g.next_kind, g.next_target)
      order by o.tenant_id, o.source_kind, o.target_id limit 1
    ) f
    union all
    select f.*, p.next_tenant, p.next_kind, p.next_target
    from fresh p cross join lateral (
      select o.tenant_id, o.source_kind, o.target_id from carillon.outbox o
      where (o.tenant_id, o.source_kind, o.target_id) > (p.tenant_id, p.source_kind, p.target_id)
        and (o.tenant_id, o.source_kind, o.target_id) < (p.next_tenant, p.next_kind, p.next_target)
      order by o.tenant_id, o.source_kind, o.target_id limit 1
    ) f
  ),
  lane as (
    select k.turn, k.tenant_id, k.source_kind, k.target_id, k.free, k.watermark from known k where k.free > 0
    union all
    select 0, f.tenant_id, f.source_kind, f.target_id, h.slots, '-infinity'
    from fresh f join unnest(kinds, slots) as h (source_kind, slots) on h.source_kind = f.source_kind
  ),
  wanted as materialized (
    select due.row_ctid
    from (select * from lane order by lane.turn) l
    cross join lateral (
      select o.ctid as row_ctid from carillon.outbox o
      where o.tenant_id = l.tenant_id and o.source_kind = l.source_kind and o.target_id = l.target_id
        and o.next_attempt_at >= l.watermark and o.next_attempt_at <= now()::timestamptz(3)
        and (o.lease_until is null or o.lease_until <= now())
        and (o.ordering_key is null or not exists (
          select from carillon.outbox e where e.tenant_id = o.tenant_id and e.source_kind = o.source_kind
            and e.target_id = o.target_id and e.ordering_key = o.ordering_key and e.seq < o.seq))
      order by o.next_attempt_at, o.seq limit l.free
      for update skip locked
    ) due
    limit max_rows
  )
  update carillon.outbox o set
    lease_owner = owner, lease_until = now() + make_interval(secs => lease_seconds), attempt_count = o.attempt_count + 1,
    claim_count = o.claim_count + 1, first_attempt_at = coalesce(o.first_attempt_at, now())
  from wanted w where o.ctid = w.row_ctid
  returning o.id, o.seq, o.tenant_id, o.source_kind, o.op, o.target_id, o.payload, o.context, o.ordering_key,
    o.batch_size, o.trigger_depth, o.attempt_count, o.max_attempts, o.backoff, o.base_ms, o.cap_ms, o.jitter,
    o.claim_count, o.next_attempt_at, o.created_at;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.close_digest(tenant uuid, digest uuid)
 RETURNS TABLE(payload_json text, item_count integer)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  closing carillon.digests;
  counted integer;
  items jsonb[];
  deepest integer;
begin
  select * into closing from carillon.digests d
  where d.tenant_id = tenant and d.id = digest and d.closed_at is null for no key update;
  if found then
    -- a separate statement, so that it sees what was committed while waiting for the lock
    with gathered as (
      select rec.payload_json, rec.notification_id, rec.trigger_depth, min(rec.accepted_at) over (
        partition by rec.producer, coalesce(nullif(rec.request_id, ''), rec.notification_id::text)
      ) as began_at
      from carillon.routes r
      join carillon.records rec on rec.tenant_id = r.tenant_id and rec.notification_id = r.notification_id
      where r.tenant_id = tenant and r.digest_id = digest and r.notification_id <> digest
        and r.notification_id is distinct from closing.first_notification_id
        and r.status not in ('cancelled', 'expired') and rec.cancelled_at is null
        and (rec.expires_at is null or rec.expires_at > now())
        and (r.unless_read is not true or not carillon.was_read(r.tenant_id, r.notification_id, r.recipient_ref))
    ),
    item as (
      select g.payload_json, g.trigger_depth, row_number() over by_age as n,
        sum(octet_length(g.payload_json)) over by_age as bytes
      from gathered g
      -- Intents of one batch keep its order: they are accepted by several statements at a time, but get their ids in turn.
      window by_age as (order by g.began_at, g.notification_id)
    )
    select count(*), array_agg(i.payload_json::jsonb order by i.n) filter (where i.n = 1 or (i.bytes <= 524288 and i.n <= (
      select coalesce((y.digest ->> 'max_items')::integer, 100) from carillon.notification_types y
      where y.tenant_id = tenant and y.name = closing.notification_type
    ))), max(i.trigger_depth)
    into counted, items, deepest from item i;

    perform carillon.finish_left_out_routes(tenant, digest);
    update carillon.digests d set closed_at = now(), item_count = counted where d.tenant_id = tenant and d.id = digest;
    perform carillon.write_digest_payload(
      tenant, digest, coalesce(items[1] || jsonb_build_object('items', to_jsonb(items), 'count', counted), '{}')::text);
    perform carillon.continue_chain(tenant, digest, deepest);
  end if;
  return query
    select r.payload_json, d.item_count from carillon.records r
    left join carillon.digests d on d.tenant_id = r.tenant_id and d.id = r.notification_id
    where r.tenant_id = tenant and r.notification_id = digest;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.complete_outbox(owner text, completions jsonb)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  completed uuid[];
  gone jsonb;
begin
  with input as materialized (
    -- A plain success comes with nothing but its key and claim. Processes of before 0055_tenant_keys do not say the tenant.
    select coalesce(i.tenant_id, (select o.tenant_id from carillon.outbox o where o.id = i.id)) as tenant_id, i.id,
      i.claim_count, coalesce(i.action, 'done') as action, i.delay_ms, i.uses_attempt, i.message,
      i.failure_reason, i.classification, i.recovery_hint
    from jsonb_to_recordset(completions) as i (
      tenant_id uuid, id uuid, claim_count integer, action text, delay_ms float8, uses_attempt boolean, message text,
      failure_reason text, classification text, recovery_hint text
    )
  ),
  removed as (
    delete from carillon.outbox o using input i
    where i.action <> 'retry' and o.tenant_id = i.tenant_id and o.id = i.id and o.lease_owner = owner
      and o.claim_count = i.claim_count
    returning o.*, i.action, i.message, i.failure_reason, i.classification, i.recovery_hint
  ),
  retried as (
    update carillon.outbox o set
      next_attempt_at = now() + make_interval(secs => i.delay_ms / 1000), lease_owner = null, lease_until = null,
      attempt_count = o.attempt_count - case when i.uses_attempt then 0 else 1 end,
      last_error = case when i.uses_attempt then i.message else o.last_error end
    from input i
    where i.action = 'retry' and o.tenant_id = i.tenant_id and o.id = i.id and o.lease_owner = owner
      and o.claim_count = i.claim_count
    returning o.id
  ),
  -- Fifty at a time: the bodies of a whole batch may be more than one value can hold.
  dead_letters as materialized (
    select carillon.open_dead_letters(jsonb_agg(jsonb_build_object(
      'tenant_id', d.tenant_id, 'source_kind', 'outbox', 'final_attempt_count', d.attempt_count,
      'max_attempts', d.max_attempts, 'failure_reason', d.failure_reason, 'failure_classification', d.classification,
      'failure_message', d.message, 'recovery_hint', d.recovery_hint, 'original_event_id', d.id, 'source', d.source_kind,
      'op', d.op, 'target_id', d.target_id, 'payload', d.payload, 'trigger_id', d.context ->> 'trigger_id',
      'script_id', d.context ->> 'script_id', 'trigger_depth', d.trigger_depth,
      'dispatch', jsonb_build_object('context', d.context, 'ordering_key', d.ordering_key, 'batch_size', d.batch_size,
        'backoff', d.backoff, 'base_ms', d.base_ms, 'cap_ms', d.cap_ms, 'jitter', d.jitter),
      'first_attempt_at', d.first_attempt_at, 'last_attempt_at', now()
    ))) as opened
    from (
      select r.*, row_number() over () / 50 as part from removed r
      where r.action = 'dead' and r.source_kind <> 'dead_letter'
    ) d group by d.part
  ),
  -- What handles a dead letter leaves none, whatever its handler says: it would be called again for its own.
  failed_handlers as materialized (
    select carillon.handler_failed(jsonb_agg(jsonb_build_object(
      'tenant_id', r.tenant_id, 'id', r.context ->> 'dead_letter_id'))) as marked
    from removed r where r.action = 'dead' and r.source_kind = 'dead_letter'
  )
  -- a CTE of type SELECT runs only if it is read, so the letters are counted
  select array(select r.id from removed r union all select r.id from retried r),
    (select jsonb_agg(jsonb_build_object('tenant_id', r.tenant_id, 'source_kind', r.source_kind, 'target_id', r.target_id,
      'ordering_key', r.ordering_key, 'seq', r.seq)) from removed r where r.ordering_key is not null)
  into completed, gone
  where (select count(d.opened) from dead_letters d) >= 0 and (select count(f.marked) from failed_handlers f) >= 0;

  if gone is not null then
    -- A statement of its own, as it sees what was committed since the first one began: an event that came in between, and
    -- was put aside because the row before it was still there.
    update carillon.outbox n set next_attempt_at = greatest(now(), (n.context ->> 'not_before')::timestamptz)
    from jsonb_to_recordset(gone) as r (
      tenant_id uuid, source_kind text, target_id uuid, ordering_key text, seq bigint
    )
    cross join lateral (
      select f.id from carillon.outbox f where f.tenant_id = r.tenant_id and f.source_kind = r.source_kind
        and f.target_id = r.target_id and f.ordering_key = r.ordering_key and f.seq > r.seq
      order by f.seq limit 1
    ) next
    -- Even if it is due already: a process that is about to put it aside then finds it locked or changed.
    where n.tenant_id = r.tenant_id and n.id = next.id and n.attempt_count = 0;
  end if;
  return query select unnest(completed);
end
$function$;

CREATE OR REPLACE FUNCTION carillon.continue_chain(tenant uuid, digest uuid, depth integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  update carillon.records r set trigger_depth = depth
  where r.tenant_id = tenant and r.notification_id = digest and r.trigger_depth < depth;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.count_capped_sends(owner text, asked jsonb)
 RETURNS TABLE(ord integer, refused jsonb)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
declare
  ask record;
begin
  -- like count_sends: the count matters only once the message is sent, and that commit comes later in the same log
  perform set_config('synchronous_commit', 'off', true);
  -- The counters are made where they are missing, then locked, by everybody in the same order: no deadlocks.
  insert into carillon.daily_sends (tenant_id, user_id, channel, day, used, cap, granted)
  select distinct k.tenant_id, k.user_id, k.channel, k.period::date, 0, 0, 0
  from carillon.asked_periods(asked) k where k.is_whole_day order by 1, 2, 3, 4
  on conflict do nothing;
  insert into carillon.capped_sends (tenant_id, user_id, channel, category, per, period, used)
  select distinct k.tenant_id, k.user_id, k.channel, k.category, k.per, k.period, 0
  from carillon.asked_periods(asked) k where not k.is_whole_day order by 1, 2, 3, 4, 5, 6
  on conflict do nothing;
  perform from carillon.asked_periods(asked) k
  join carillon.daily_sends s on s.tenant_id = k.tenant_id and s.user_id = k.user_id and s.channel = k.channel
    and s.day = k.period::date
  where k.is_whole_day order by s.tenant_id, s.user_id, s.channel, s.day for update of s;
  perform from carillon.asked_periods(asked) k
  join carillon.capped_sends s on s.tenant_id = k.tenant_id and s.user_id = k.user_id and s.channel = k.channel
    and s.category = k.category and s.per = k.per and s.period = k.period
  where not k.is_whole_day order by s.tenant_id, s.user_id, s.channel, s.category, s.per, s.period for update of s;

  for ask in
    select a.ord, a.tenant_id, a.notification_id, a.route_id, a.claim_count, a.user_id, a.channel, a.periods
    from jsonb_to_recordset(asked) as a (ord integer, tenant_id uuid, notification_id uuid, route_id text,
      claim_count integer, user_id text, channel text, periods jsonb)
    order by a.ord
  loop
    select jsonb_agg(k.n order by k.n) into refused
    from carillon.asked_periods(jsonb_build_array(to_jsonb(ask))) k
    where k.max <= case when k.is_whole_day
      then (select s.used from carillon.daily_sends s where s.tenant_id = k.tenant_id and s.user_id = k.user_id
        and s.channel = k.channel and s.day = k.period::date)
      else (select s.used from carillon.capped_sends s where s.tenant_id = k.tenant_id and s.user_id = k.user_id
        and s.channel = k.channel and s.category = k.category and s.per = k.per and s.period = k.period) end;
    if refused is null then
      update carillon.daily_sends s set used = s.used + 1
      from carillon.asked_periods(jsonb_build_array(to_jsonb(ask))) k
      where k.is_whole_day and s.tenant_id = k.tenant_id and s.user_id = k.user_id and s.channel = k.channel
        and s.day = k.period::date;
      update carillon.capped_sends s set used = s.used + 1
      from carillon.asked_periods(jsonb_build_array(to_jsonb(ask))) k
      where not k.is_whole_day and s.tenant_id = k.tenant_id and s.user_id = k.user_id and s.channel = k.channel
        and s.category = k.category and s.per = k.per and s.period = k.period;
      perform carillon.mark_counted_in(owner, ask.tenant_id, ask.notification_id, ask.route_id, ask.claim_count,
        ask.periods);
    end if;
    ord := ask.ord;
    return next;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.count_requests(asks jsonb, at timestamp with time zone DEFAULT clock_timestamp())
 RETURNS TABLE(ord integer, granted integer, used integer, reset_ms double precision)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  ask record;
  start timestamptz;
  row_ctid tid;
begin
  for ask in
    select * from jsonb_to_recordset(asks) as a (
      ord integer, tenant_id uuid, user_id text, api_key_id uuid, limit_type text, window_seconds float8, allowed integer,
      wanted integer, known integer, known_ms float8
    )
    -- always in the same order: two batches that share callers wait for each other instead of deadlocking
    order by a.tenant_id, a.user_id, a.api_key_id, a.limit_type
  loop
    start := to_timestamp(floor(extract(epoch from at) / ask.window_seconds) * ask.window_seconds);
    ord := ask.ord;
    reset_ms := extract(epoch from start - at) * 1000 + ask.window_seconds * 1000;
    for attempt in 1..2 loop
      -- a statement for each kind, because "is not distinct from" cannot use the index
      if ask.user_id is null and ask.api_key_id is null then
        select r.ctid, r.request_count into row_ctid, used from carillon.rate_limits r
        where r.tenant_id = ask.tenant_id and r.user_id is null and r.api_key_id is null
          and r.window_start = start and r.limit_type = ask.limit_type for update;
      elsif ask.user_id is not null then
        select r.ctid, r.request_count into row_ctid, used from carillon.rate_limits r
        where r.tenant_id = ask.tenant_id and r.user_id = ask.user_id and r.api_key_id is null
          and r.window_start = start and r.limit_type = ask.limit_type for update;
      else
        select r.ctid, r.request_count into row_ctid, used from carillon.rate_limits r
        where r.tenant_id = ask.tenant_id and r.user_id is null and r.api_key_id = ask.api_key_id
          and r.window_start = start and r.limit_type = ask.limit_type for update;
      end if;
      exit when row_ctid is not null or attempt = 2;
      -- the caller may have been deleted a moment ago: then nothing is inserted
      insert into carillon.rate_limits (tenant_id, user_id, api_key_id, limit_type, window_start, request_count)
      select ask.tenant_id, ask.user_id, ask.api_key_id, ask.limit_type, start, 0
      where exists (select from carillon.users u where u.tenant_id = ask.tenant_id and u.id = ask.user_id for key share)
        or exists (select from carillon.api_keys k where k.tenant_id = ask.tenant_id and k.id = ask.api_key_id for key share)
        or ask.user_id is null and ask.api_key_id is null
          and exists (select from carillon.tenants t where t.id = ask.tenant_id for key share)
      on conflict do nothing;
    end loop;
    if row_ctid is null then
      used := ask.allowed;
    elsif ask.known_ms > 0 and reset_ms - ask.known_ms < ask.window_seconds * 500 then
      used := greatest(used, ask.known);
    end if;
    granted := greatest(0, least(ask.wanted, ask.allowed - used));
    used := used + granted;
    update carillon.rate_limits r set request_count = used, updated_at = at where r.ctid = row_ctid;
    return next;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.count_routes(tenant uuid, created integer)
 RETURNS void
 LANGUAGE sql
AS $function$
  update carillon.rate_limits l set request_count = l.request_count + created, updated_at = now()
  from carillon.tenants t
  where l.tenant_id = tenant and l.user_id is null and l.api_key_id is null
    and l.window_start = date_trunc('day', now(), 'UTC') and l.limit_type = 'route'
    and t.id = tenant and t.quota_routes_per_day is not null
$function$;

CREATE OR REPLACE FUNCTION carillon.count_tries(tenant uuid, hash text, allowed integer, window_ms double precision, known integer, known_ms double precision, at timestamp with time zone DEFAULT clock_timestamp())
 RETURNS TABLE(granted integer, used integer, reset_ms double precision)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_variable
declare
  fresh_until timestamptz := at + make_interval(secs => case when known_ms > 0 then known_ms else window_ms end / 1000);
  ends_at timestamptz;
begin
  insert into carillon.limit_counters as c (tenant_id, key_hash, tries, expires_at) values (tenant, hash, 0, fresh_until)
  on conflict (tenant_id, key_hash) do update set
    tries = case when c.expires_at <= at then 0 else c.tries end,
    expires_at = case when c.expires_at <= at then fresh_until else c.expires_at end
  returning c.tries, c.expires_at into used, ends_at;
  if known_ms > 0 then
    used := greatest(used, known);
  end if;
  granted := case when used < allowed then 1 else 0 end;
  used := used + granted;
  reset_ms := extract(epoch from ends_at - at) * 1000;
  update carillon.limit_counters c set tries = used where c.tenant_id = tenant and c.key_hash = hash;
  return next;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.create_archive_months(first date, last date)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'carillon', 'pg_temp'
 SET lock_timeout TO '500ms'
AS $function$
declare
  month date;
  parent text;
  part text;
  created integer := 0;
begin
  for month in
    select m::date from generate_series(
      date_trunc('month', greatest(first, (now() - interval '3650 days')::date - 31)::timestamp),
      least(last, (now() + interval '1 year')::date)::timestamp, interval '1 month'
    ) m
    where not exists (select from carillon.archive_months() a where a.month = m::date)
  loop
    -- two processes would both create it
    perform pg_advisory_xact_lock(hashtextextended('archive months', 0));
    continue when to_regclass(format('carillon.records_archive_%s', to_char(month, 'YYYY_MM'))) is not null;
    foreach parent in array array['records_archive', 'routes_archive', 'route_attempts_archive'] loop
      part := format('%s_%s', parent, to_char(month, 'YYYY_MM'));
      -- rows are written once: the first vacuum may freeze them
      execute format('create table carillon.%I (like carillon.%I including defaults including indexes)
        with (autovacuum_freeze_min_age = 0)', part, parent);
      execute format('with moved as (
          delete from carillon.%I where notification_id >= $1 and notification_id < $2 returning *
        ) insert into carillon.%I select * from moved', parent || '_default', part)
      using carillon.archive_bound(month), carillon.archive_bound((month + interval '1 month')::date);
      execute format('alter table carillon.%I attach partition carillon.%I for values from (%L) to (%L)', parent, part,
        carillon.archive_bound(month), carillon.archive_bound((month + interval '1 month')::date));
    end loop;
    created := created + 1;
  end loop;
  return created;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.create_digest_record(tenant uuid, digest uuid, item uuid, channel text, recipient_ref text, due timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from carillon.records r where r.tenant_id = tenant and r.notification_id = digest) then
    return false;
  end if;
  insert into carillon.records (
    tenant_id, notification_id, notification_type, producer, audience_kind, recipients, channels, payload_json,
    idempotency_key, request_fingerprint, idempotency_expires_at, source, retry_base_ms, retry_cap_ms, send_at,
    accepted_at, expanded_at, updated_at, template, trigger_depth
  )
  select r.tenant_id, digest, r.notification_type, 'carillon',
    case split_part(recipient_ref, ':', 1) when 'user' then 'users' when 'admin' then 'admin_email' else 'addresses' end,
    array[substring(recipient_ref from position(':' in recipient_ref) + 1)], array[channel], '{}',
    'digest:' || digest, '', due, 'digest', r.retry_base_ms, r.retry_cap_ms, due, now(), now(), now(), r.template,
    r.trigger_depth
  from carillon.records r where r.tenant_id = tenant and r.notification_id = item;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.create_digest_route(tenant uuid, digest uuid, item uuid, item_route text, due timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  insert into carillon.routes (
    tenant_id, notification_id, route_id, channel, recipient_ref, user_id, resolved_address, resolved_locale,
    template_version_id, status, reason, max_attempts, next_attempt_at, digest_id, priority, created_at, updated_at
  )
  select r.tenant_id, digest, r.route_id, r.channel, r.recipient_ref, r.user_id, r.resolved_address,
    r.resolved_locale, r.template_version_id, 'pending', 'digest' as reason, r.max_attempts, due, digest,
    r.priority, now(), now()
  from carillon.routes r where r.tenant_id = tenant and r.notification_id = item and r.route_id = item_route;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.create_event_cursors()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- the table is missing when migrations are undone; one that comes from elsewhere brings its own cursors
  if to_regclass('carillon.domain_events_processed') is not null and not carillon.is_importing() then
    perform carillon.add_event_cursors(new.id);
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.create_event_record(tenant uuid, event_id uuid, rule jsonb, payload text, topic text, expanded boolean)
 RETURNS uuid
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
declare
  type_name text := rule ->> 'notification_type';
  wanted text[] := array(select jsonb_array_elements_text(rule -> 'channels'));
  full_key text := format('event:%s:%s:%s:%s:%s', event_id, rule ->> 'reason', rule ->> 'relation', type_name,
    array_to_string(wanted, ','));
  digits text := md5(full_key);
  -- a UUID of version 7 with the time of the event's: links in mails reckon their expiry from it
  record_id uuid := (left(replace(event_id::text, '-', ''), 12) || '7' || substr(digits, 1, 3) || '8' || substr(digits, 5, 15))::uuid;
  is_new boolean;
begin
  insert into carillon.records (
    tenant_id, notification_id, notification_type, producer, audience_kind, topic, channels, payload_json, idempotency_key,
    request_fingerprint, idempotency_expires_at, source, request_id, traceparent, retry_base_ms, retry_cap_ms,
    occurred_at, accepted_at, expanded_at, updated_at, reason, trigger_depth, event_id, thread_kind, thread_id, actor_id,
    passes_mute, relation
  )
  select e.tenant_id, record_id, type_name, e.producer, 'event', create_event_record.topic, wanted, create_event_record.payload, left(full_key, 255), '',
    now() + make_interval(secs => t.idempotency_window_seconds), 'event', e.request_id, e.traceparent,
    coalesce(y.retry_base_ms, t.retry_base_ms),
    greatest(coalesce(y.retry_cap_ms, t.retry_cap_ms), coalesce(y.retry_base_ms, t.retry_base_ms)),
    e.occurred_at, now(), case when expanded then now() end, now(), rule ->> 'reason', e.trigger_depth, e.event_id,
    e.thread_kind, e.thread_id, e.actor_id, (rule ->> 'passes_mute')::boolean, rule ->> 'relation'
  from carillon.domain_events e
  join carillon.tenants t on t.id = e.tenant_id
  left join carillon.notification_types y on y.tenant_id = e.tenant_id and y.name = type_name
  where e.tenant_id = tenant and e.event_id = create_event_record.event_id
  on conflict (tenant_id, notification_id) do nothing;
  is_new := found;
  if is_new and exists (select from carillon.endpoints_for(tenant, 'notification.accepted', null)) then
    perform carillon.emit_events(jsonb_build_array(jsonb_build_object(
      'event', 'notification.accepted', 'tenant_id', tenant, 'notification_id', record_id)));
  end if;
  return record_id;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.create_routes(tenant uuid, notification uuid, chunk text[], is_bulk boolean DEFAULT true)
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  created integer;
  skipped jsonb;
begin
  with new_routes as (
    insert into carillon.routes (
      tenant_id, notification_id, route_id, channel, recipient_ref, user_id, resolved_address, resolved_locale,
      template_version_id, status, reason, skipped_at, max_attempts, next_attempt_at, unless_read, priority,
      created_at, updated_at
    )
    select r.tenant_id, r.notification_id, p.*, now(), now() from carillon.records r
    cross join lateral carillon.planned_routes(
      r.tenant_id, r.notification_type, r.audience_kind, chunk, r.channels, r.send_at, r.send_at_local,
      r.template, r.accepted_at, is_bulk
    ) p
    where r.tenant_id = tenant and r.notification_id = notification
    on conflict (tenant_id, notification_id, route_id) do nothing
    returning tenant_id, notification_id, route_id, user_id, status
  )
  select count(*), jsonb_agg(jsonb_build_object(
      'event', 'notification.skipped', 'tenant_id', n.tenant_id, 'notification_id', n.notification_id, 'route_id', n.route_id
    )) filter (where n.status = 'skipped' and exists (
      select from carillon.endpoints_for(n.tenant_id, 'notification.skipped', array[n.user_id])))
  into created, skipped from new_routes n;
  perform carillon.emit_events(skipped);
  return created;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.delete_archive_of_tenants()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from carillon.records_archive r using gone g where r.tenant_id = g.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.delete_archived_attempts_of_routes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from carillon.route_attempts_archive a using gone g
  where a.tenant_id = g.tenant_id and a.notification_id = g.notification_id and a.route_id = g.route_id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.delete_archived_routes_of_records()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from carillon.routes_archive r using gone g
  where r.tenant_id = g.tenant_id and r.notification_id = g.notification_id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.delete_archived_routes_of_users()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from carillon.routes_archive r using gone g where r.tenant_id = g.tenant_id and r.user_id = g.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.delete_attempts_of_routes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from carillon.route_attempts a using gone g
  where a.tenant_id = g.tenant_id and a.notification_id = g.notification_id and a.route_id = g.route_id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.delete_audit_logs(places tid[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'carillon', 'pg_temp'
AS $function$
declare
  deleted integer;
begin
  delete from carillon.audit_logs where ctid = any (places);
  get diagnostics deleted = row_count;
  return deleted;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.delete_callbacks_of_routes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from carillon.provider_callbacks c using gone g
  where c.tenant_id = g.tenant_id and c.notification_id = g.notification_id and c.route_id = g.route_id
    and not exists (select from carillon.routes_archive a
      where a.tenant_id = g.tenant_id and a.notification_id = g.notification_id and a.route_id = g.route_id);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.delete_deliveries_of_records()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from carillon.webhook_deliveries d using gone g
  where d.tenant_id = g.tenant_id and d.notification_id = g.notification_id
    and not exists (select from carillon.records_archive a
      where a.tenant_id = g.tenant_id and a.notification_id = g.notification_id);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.delete_letters_of_routes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from carillon.dead_letters d using gone g
  where d.tenant_id = g.tenant_id and d.notification_id = g.notification_id and d.route_id = g.route_id
    and not exists (select from carillon.routes_archive a
      where a.tenant_id = g.tenant_id and a.notification_id = g.notification_id and a.route_id = g.route_id);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.delete_notifications_of_tenants()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from carillon.notifications n using gone g where n.tenant_id = g.id and n.user_id is null;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.delete_routes_of_records()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from carillon.routes r using gone g where r.tenant_id = g.tenant_id and r.notification_id = g.notification_id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.delete_routes_of_users()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from carillon.routes r using gone g where r.tenant_id = g.tenant_id and r.user_id = g.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.delete_sends_of_users()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from carillon.daily_sends s using gone g where s.tenant_id = g.tenant_id and s.user_id = g.id;
  delete from carillon.capped_sends s using gone g where s.tenant_id = g.tenant_id and s.user_id = g.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.delete_tenant_rows(tenant uuid, most integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  name text;
  part oid;
  deleted integer;
begin
  for name in select carillon.tenant_tables() loop
    -- a ctid is a row of one partition, and another one in the next
    execute format('select tableoid from carillon.%I where tenant_id = $1 limit 1', name) into part using tenant;
    continue when part is null;
    if name = 'audit_logs' then
      deleted := carillon.delete_audit_logs(array(select a.ctid from carillon.audit_logs a where a.tenant_id = tenant limit most));
    else
      execute format(
        'delete from carillon.%I where tableoid = $3 and ctid = any (array(
          select ctid from carillon.%I where tenant_id = $1 and tableoid = $3 limit $2))', name, name
      ) using tenant, most, part;
      get diagnostics deleted = row_count;
    end if;
    if deleted > 0 then
      return deleted;
    end if;
  end loop;
  return 0;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.derived_uuid(content text)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select overlay(overlay(md5(content) placing '8' from 13) placing '8' from 17)::uuid
$function$;

CREATE OR REPLACE FUNCTION carillon.drop_archive_month(month date)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'carillon', 'pg_temp'
 SET lock_timeout TO '500ms'
AS $function$
declare
  part text;
  parts text[];
begin
  if not exists (select from carillon.archive_months() a where a.month = drop_archive_month.month and a.is_over) then
    return false;
  end if;
  parts := array(select format('carillon.%I', format('%s_%s', parent, to_char(month, 'YYYY_MM')))
    from unnest(array['route_attempts_archive', 'routes_archive', 'records_archive']) parent);
  foreach part in array parts loop
    execute format('lock table %s in access exclusive mode', part);
  end loop;
  if not exists (select from carillon.archive_months() a where a.month = drop_archive_month.month and a.is_over) then
    return false;
  end if;
  foreach part in array parts loop
    execute format('drop table %s', part);
  end loop;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.emit_changed_receipt_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform carillon.emit_events((
    select jsonb_agg(jsonb_build_object(
      'event', 'notification.read', 'tenant_id', a.tenant_id, 'notification_id', a.notification_id,
      'route_id', 'in_app:user:' || a.user_id, 'inbox_id', a.notification_id, 'reader', a.user_id
    ))
    from after_change a
    join before_change b on b.tenant_id = a.tenant_id and b.user_id = a.user_id and b.notification_id = a.notification_id
    where a.is_read and not b.is_read
      and exists (select from carillon.endpoints_for(a.tenant_id, 'notification.read', array[a.user_id]))
  ));
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.emit_domain_event(tenant uuid, event_id uuid, depth integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
declare
  emitted integer;
begin
  with told as materialized (
    select e.*, carillon.derived_uuid(emit_domain_event.event_id::text || e.webhook_id) as id
    from carillon.webhook_events(jsonb_build_array(jsonb_build_object(
      'event', 'event.emitted', 'tenant_id', tenant, 'domain_event_id', emit_domain_event.event_id
    ))) e
    join carillon.notification_webhooks w on w.tenant_id = e.tenant_id and w.id = e.webhook_id
    cross join lateral (
      select d.kind from carillon.domain_events d where d.tenant_id = tenant and d.event_id = emit_domain_event.event_id
    ) d
    where w.event_kinds = '{}' or exists (select from unnest(w.event_kinds) as glob where carillon.matches_glob(glob, d.kind))
  ),
  untold as materialized (
    select t.* from told t
    where (select d.id from carillon.webhook_deliveries d where d.tenant_id = t.tenant_id and d.id = t.id) is null
  ),
  queued as (
    insert into carillon.outbox (id, tenant_id, source_kind, op, target_id, payload, context, ordering_key, batch_size,
      trigger_depth, max_attempts, backoff, base_ms, cap_ms, next_attempt_at)
    select t.id, t.tenant_id, 'webhook', t.event, t.webhook_id, t.body, t.context, t.ordering_key, t.batch_size, depth,
      t.max_attempts, t.backoff, t.base_ms, t.cap_ms, t.due_at
    from untold t where t.is_active
    on conflict do nothing
    returning id
  ),
  kept as (
    select carillon.keep_delivery(t.tenant_id, t.webhook_id, t.event, t.body,
      t.context || jsonb_build_object('delivery_id', t.id), t.ordering_key) as id
    from untold t where not t.is_active
  )
  select count(id) into emitted from (select q.id from queued q union all select k.id from kept k) written;
  return emitted;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.emit_event(event jsonb)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'carillon', 'pg_temp'
AS $function$
declare
  max_bytes constant integer := 4096;
  tenant constant text := coalesce(event ->> 'tenant', 'default');
  problem record;
  tenant_id uuid;
  payload_json text;
  answer record;
begin
  select * into problem from carillon.event_problem(event);
  if problem.code is null then
    payload_json := coalesce(event -> 'payload', '{}')::text;
    tenant_id := (select t.id from carillon.tenants t where t.name = tenant);
    if octet_length(payload_json) > max_bytes then
      select 'payload_too_large' as code, 'payload' as field, format('the payload has more than %s bytes', max_bytes) as message
      into problem;
    elsif tenant_id is null then
      select 'invalid_request' as code, 'tenant' as field, format('no tenant is named "%s"', tenant) as message into problem;
    end if;
  end if;
  if problem.code is not null then
    raise exception 'carillon.emit_event: %: %', problem.code, problem.message
      using errcode = 'invalid_parameter_value', column = problem.field;
  end if;

  select * into answer from carillon.append_events(jsonb_build_array(
    event - array['tenant', 'payload', 'traceparent'] || jsonb_build_object(
      'ord', 0, 'tenant_id', tenant_id, 'producer', coalesce(event ->> 'producer', 'sql:' || session_user),
      'payload_json', payload_json,
      -- the standard says to drop one that is not well-formed
      'traceparent', substring(event ->> 'traceparent' from '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$')
    )
  ));
  if answer.outcome in ('accepted', 'duplicate') then
    return answer.event_id;
  end if;
  raise exception 'carillon.emit_event: %: %', answer.failure_code, answer.failure_message
    using errcode = case answer.outcome when 'conflict' then 'unique_violation' else 'invalid_parameter_value' end,
      column = answer.failure_field;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.emit_events(subjects jsonb, depth integer DEFAULT 0)
 RETURNS integer
 LANGUAGE plpgsql
 STRICT
AS $function$
declare
  emitted integer;
begin
  with events as materialized (
    select * from carillon.webhook_events(subjects)
  ),
  queued as (
    insert into carillon.outbox (id, tenant_id, source_kind, op, target_id, payload, context, ordering_key, batch_size,
      trigger_depth, max_attempts, backoff, base_ms, cap_ms, next_attempt_at)
    select carillon.uuid_v7(), e.tenant_id, 'webhook', e.event, e.webhook_id, e.body, e.context, e.ordering_key,
      e.batch_size, depth, e.max_attempts, e.backoff, e.base_ms, e.cap_ms, e.due_at
    from events e where e.is_active
    returning id
  ),
  kept as (
    select carillon.keep_delivery(e.tenant_id, e.webhook_id, e.event, e.body, e.context, e.ordering_key) as id
    from events e where not e.is_active
  )
  select count(id) into emitted from (select q.id from queued q union all select k.id from kept k) written;
  return emitted;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.emit_read_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform carillon.emit_events((
    select jsonb_agg(case
      when a.record_id is not null then jsonb_build_object(
        'event', 'notification.read', 'tenant_id', a.tenant_id, 'notification_id', a.record_id, 'route_id', a.route_id,
        'inbox_id', a.id)
      else jsonb_build_object(
        'event', 'notification.read', 'tenant_id', a.tenant_id, 'notification_id', a.id,
        'route_id', 'in_app:user:' || a.user_id, 'inbox_id', a.id, 'reader', a.user_id)
    end)
    from after_change a join before_change b on b.tenant_id = a.tenant_id and b.id = a.id
    where a.is_read and not b.is_read and exists (
      select from carillon.endpoints_for(a.tenant_id, 'notification.read', array[a.user_id]))
  ));
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.emit_receipt_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if carillon.is_importing() then
    return null;
  end if;
  perform carillon.emit_events((
    select jsonb_agg(jsonb_build_object(
      'event', 'notification.read', 'tenant_id', a.tenant_id, 'notification_id', a.notification_id,
      'route_id', 'in_app:user:' || a.user_id, 'inbox_id', a.notification_id, 'reader', a.user_id
    ))
    from after_change a
    where a.is_read and exists (select from carillon.endpoints_for(a.tenant_id, 'notification.read', array[a.user_id]))
  ));
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.emit_system_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if carillon.is_importing() then
    return null;
  end if;
  perform carillon.emit_events(
    jsonb_build_array(jsonb_build_object(
      'event', case when new.is_resolved then 'system_event.resolved' else 'system_event.raised' end,
      'tenant_id', new.tenant_id, 'system_event_id', new.id
    )),
    coalesce((new.details ->> 'trigger_depth')::integer, 0)
  );
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.endpoints_for(tenant uuid, event text, people text[])
 RETURNS TABLE(id uuid, notification_types text[], categories text[], payload_mode text, format text, ordering text, batch_size integer, batch_seconds integer, retry_count integer, backoff text, retry_base_ms integer, retry_cap_ms integer, is_active boolean)
 LANGUAGE sql
 STABLE
AS $function$
  select w.id, w.notification_types, w.categories, w.payload_mode, w.format, w.ordering, w.batch_size, w.batch_seconds,
    w.retry_count, w.backoff, w.retry_base_ms, w.retry_cap_ms, w.is_active
  from carillon.notification_webhooks w
  where w.tenant_id = tenant and (w.is_active or w.keeps_events_until > now()) and w.user_id is null and event = any (w.events)
  union all
  select w.id, w.notification_types, w.categories, w.payload_mode, w.format, w.ordering, w.batch_size, w.batch_seconds,
    w.retry_count, w.backoff, w.retry_base_ms, w.retry_cap_ms, w.is_active
  from carillon.notification_webhooks w
  where w.tenant_id = tenant and (w.is_active or w.keeps_events_until > now()) and w.user_id = any (people) and event = any (w.events)
$function$;

CREATE OR REPLACE FUNCTION carillon.enqueue(tenant uuid, source_kind text, op text, target uuid, payload text, context jsonb DEFAULT NULL::jsonb, ordering_key text DEFAULT NULL::text, batch_size integer DEFAULT NULL::integer, trigger_depth integer DEFAULT NULL::integer, max_attempts integer DEFAULT NULL::integer, backoff text DEFAULT NULL::text, base_ms integer DEFAULT NULL::integer, cap_ms integer DEFAULT NULL::integer, jitter real DEFAULT NULL::real, due_at timestamp with time zone DEFAULT NULL::timestamp with time zone, id uuid DEFAULT NULL::uuid)
 RETURNS uuid
 LANGUAGE plpgsql
AS $function$
declare
  row_id constant uuid := coalesce(id, carillon.uuid_v7());
begin
  insert into carillon.outbox (id, tenant_id, source_kind, op, target_id, payload, context, ordering_key, batch_size,
    trigger_depth, max_attempts, backoff, base_ms, cap_ms, jitter, next_attempt_at)
  values (row_id, tenant, source_kind, op, target, payload, coalesce(context, '{}'), ordering_key,
    coalesce(batch_size, 1), coalesce(trigger_depth, 0), coalesce(max_attempts, 3), coalesce(backoff, 'exponential'),
    coalesce(base_ms, 1000), coalesce(cap_ms, 86400000), coalesce(jitter, 0.2), coalesce(due_at, now()));
  return row_id;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.ensure_places_of_events(tenant uuid, batch uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  named jsonb;
begin
  select jsonb_agg(jsonb_build_object('tenant_id', tenant, 'topic', d.topic)) into named
  from (
    select distinct d.topic from unnest(batch) as b (event_id)
    join carillon.domain_events d on d.tenant_id = tenant and d.event_id = b.event_id where d.topic is not null
  ) d;
  perform carillon.ensure_topics(named);
  select jsonb_agg(jsonb_build_object('tenant_id', tenant, 'kind', d.thread_kind, 'id', d.thread_id, 'topic', d.topic,
    'title', d.thread_title, 'url', d.thread_url, 'author_id', d.thread_author_id) order by b.place) into named
  from unnest(batch) with ordinality as b (event_id, place)
  join carillon.domain_events d on d.tenant_id = tenant and d.event_id = b.event_id where d.thread_id is not null;
  perform carillon.ensure_threads(named);
end
$function$;

CREATE OR REPLACE FUNCTION carillon.ensure_system_event_type(tenant uuid)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into carillon.notification_types (tenant_id, name, description, category, channels)
  values (tenant, 'system_event', 'Something that operators should know', 'system', '{in_app,email}')
  on conflict do nothing
$function$;

CREATE OR REPLACE FUNCTION carillon.ensure_threads(threads jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STRICT
 SET enable_seqscan TO 'off'
AS $function$
begin
  insert into carillon.threads as t (tenant_id, kind, id, topic, title, url, author_id)
  select g.tenant_id, g.kind, g.id, p.topic, coalesce(g.title, ''), coalesce(g.url, ''), g.author_id
  from (
    select x.tenant_id, x.kind, x.id,
      (array_agg(x.topic order by x.ord) filter (where x.topic is not null))[1] as topic,
      (array_agg(x.title order by x.ord desc) filter (where x.title is not null))[1] as title,
      (array_agg(x.url order by x.ord desc) filter (where x.url is not null))[1] as url,
      (array_agg(v.id order by x.ord) filter (where v.id is not null))[1] as author_id
    from rows from (jsonb_to_recordset(threads) as (
      tenant_id uuid, kind text, id text, topic text, title text, url text, author_id text
    )) with ordinality as x (tenant_id, kind, id, topic, title, url, author_id, ord)
    left join carillon.users v on v.tenant_id = x.tenant_id and v.id = x.author_id
    group by x.tenant_id, x.kind, x.id
  ) g
  left join carillon.topics p on p.tenant_id = g.tenant_id and p.topic = g.topic
  -- what changes nothing is left out, so that most events lock no thread
  where not exists (
    select from carillon.threads o where o.tenant_id = g.tenant_id and o.kind = g.kind and o.id = g.id
      and o.title = coalesce(g.title, o.title) and o.url = coalesce(g.url, o.url)
      and (o.topic is not null or p.topic is null) and (o.author_id is not null or g.author_id is null)
  )
  order by g.tenant_id, g.kind, g.id
  on conflict (tenant_id, kind, id) do update set
    topic = coalesce(t.topic, excluded.topic), author_id = coalesce(t.author_id, excluded.author_id),
    title = coalesce(nullif(excluded.title, ''), t.title), url = coalesce(nullif(excluded.url, ''), t.url),
    updated_at = now();
end
$function$;

CREATE OR REPLACE FUNCTION carillon.ensure_topics(topics jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 STRICT
 SET enable_seqscan TO 'off'
AS $function$
declare
  created integer;
begin
  insert into carillon.topics (tenant_id, topic)
  select distinct g.tenant_id, g.topic from jsonb_to_recordset(topics) as g (tenant_id uuid, topic text)
  where not exists (select from carillon.topics t where t.tenant_id = g.tenant_id and t.topic = g.topic)
  order by 1, 2
  on conflict do nothing;
  get diagnostics created = row_count;
  return created;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.event_consumers()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select array['notify_fanout', 'webhooks', 'triggers']
$function$;

CREATE OR REPLACE FUNCTION carillon.event_data(mode text, rec records, route routes, category text, dead_letter_id uuid, inbox_id uuid)
 RETURNS json
 LANGUAGE sql
 STABLE
AS $function$
  select case mode
    when 'thin' then (
      select row_to_json(d) from (
        select rec.notification_id, rec.notification_type, route.route_id, dead_letter_id, inbox_id
      ) d
    )
    else (
      select row_to_json(d) from (
        select rec.notification_id, rec.notification_type, route.route_id, dead_letter_id, inbox_id,
          category, rec.producer, rec.idempotency_key, rec.request_id, carillon.iso(rec.occurred_at) as occurred_at,
          carillon.iso(rec.accepted_at) as accepted_at,
          -- keeps bodies below about 20 KB, which receivers can expect to handle
          case when octet_length(rec.payload_json) <= 16384 then rec.payload_json::json end as payload,
          octet_length(rec.payload_json) > 16384 as payload_omitted,
          case when route.route_id is not null then (
            select row_to_json(r) from (
              select route.channel, route.recipient_ref, route.user_id, route.status, route.reason, route.attempt_count,
                route.max_attempts, route.provider, route.provider_message_id,
                route.last_error_classification as error_classification, route.last_error_message as error_message,
                carillon.iso(route.sent_at) as sent_at, carillon.iso(route.delivered_at) as delivered_at,
                carillon.iso(route.bounced_at) as bounced_at
            ) r
          ) end as route
      ) d
    )
  end
$function$;

CREATE OR REPLACE FUNCTION carillon.event_log_head(tenant uuid)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(max(p.head_id), 0) from carillon.domain_events_processed p where p.tenant_id = tenant
$function$;

CREATE OR REPLACE FUNCTION carillon.event_payload(tenant uuid, event_id uuid, title text, url text, topic text)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select
    jsonb_strip_nulls(jsonb_build_object(
      'title', coalesce(event_payload.title, initcap(left(k.words, 1)) || substr(k.words, 2)), 'url', event_payload.url,
      'event', jsonb_build_object(
        'id', e.event_id, 'kind', e.kind, 'actor_id', e.actor_id, 'topic', event_payload.topic,
        'thread', case when e.thread_id is not null then
          jsonb_build_object('kind', e.thread_kind, 'id', e.thread_id, 'title', e.thread_title, 'url', e.thread_url) end,
        'source_kind', nullif(e.source_kind, ''), 'source_id', nullif(e.source_id, ''),
        'occurred_at', carillon.iso(e.occurred_at))
    ))
    || (
      -- a title that is no text would not be one in the inbox
      select coalesce(jsonb_object_agg(p.key, p.value), '{}') from jsonb_each(e.payload_json::jsonb) p
      where p.key not in ('title', 'url') or jsonb_typeof(p.value) = 'string' and p.value <> '""'
    )
  from carillon.domain_events e
  cross join lateral (select replace(e.kind, '_', ' ') as words) k
  where e.tenant_id = tenant and e.event_id = event_payload.event_id
$function$;

CREATE OR REPLACE FUNCTION carillon.event_people(tenant uuid, event_id uuid, topic text, relations text[], after text, until text, most integer)
 RETURNS TABLE(user_id text, bits bigint)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  e carillon.domain_events;
  is_watched constant boolean := topic is not null and 'watching' = any (relations);
  is_owned constant boolean := topic is not null and 'owner' = any (relations);
  is_one constant boolean := coalesce(until = after, false);
  is_followed boolean;
begin
  select d.* into e from carillon.domain_events d where d.tenant_id = tenant and d.event_id = event_people.event_id;
  is_followed := e.thread_id is not null and 'subscribed' = any (relations);
  return query
  select f.user_id, bit_or(1::bigint << (array_position(relations, f.relation) - 1))
  from (
    select person.id, r.name from jsonb_each(e.relations) as r (name, people)
    cross join lateral jsonb_array_elements_text(r.people) as person (id)
    where r.name = any (relations) and r.name not in ('subscribed', 'watching')
      and person.id >= after and (is_one or person.id > after and (until is null or person.id <= until))
    union all
    select t.author_id, 'author' from carillon.threads t
    where t.tenant_id = tenant and t.kind = e.thread_kind and t.id = e.thread_id and 'author' = any (relations)
      and t.author_id >= after and (is_one or t.author_id > after and (until is null or t.author_id <= until))
    union all
    select p.user_id, p.relation from carillon.thread_participants p
    where p.tenant_id = tenant and p.thread_kind = e.thread_kind and p.thread_id = e.thread_id
      and p.relation = any (relations)
      and p.user_id >= after and (is_one or p.user_id > after and (until is null or p.user_id <= until))
    union all
    (select s.user_id, 'subscribed' from carillon.notification_threads s
      where is_followed and s.tenant_id = tenant and s.thread_kind = e.thread_kind and s.thread_id = e.thread_id
        and s.user_id >= after and (is_one or s.user_id > after and (until is null or s.user_id <= until))
        -- one that this event made, or a later one, is no reason to be told of it
        and s.subscribed and (s.source_event_id is null or s.source_event_id < e.id)
      order by s.user_id limit most)
    union all
    (select w.user_id, 'watching' from carillon.watches w
      where is_watched and w.tenant_id = tenant and w.topic = event_people.topic
        and w.user_id >= after and (is_one or w.user_id > after and (until is null or w.user_id <= until))
        and (w.level = 'all' or w.kinds <> '{}') and (w.level = 'all' or w.level <> 'ignore' and e.kind = any (w.kinds))
      order by w.user_id limit most)
    union all
    (select m.user_id, 'owner' from carillon.topic_members m
      where is_owned and m.tenant_id = tenant and m.topic = event_people.topic and m.role = 'owner'
        and m.user_id >= after and (is_one or m.user_id > after and (until is null or m.user_id <= until))
      order by m.user_id limit most)
  ) as f (user_id, relation)
  where not is_one or f.user_id = after
  group by f.user_id
  order by f.user_id
  limit most;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.event_problem(event jsonb, OUT code text, OUT field text, OUT message text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  rule record;
  value jsonb;
  known text[] := '{}';
begin
  if jsonb_typeof(event) is distinct from 'object' then
    select 'invalid_request', 'body', 'an event is a JSON object' into code, field, message;
    return;
  end if;
  for rule in
    select * from (values
      ('kind', 'name', 64, true), ('actor_id', 'name', 200, false), ('topic', 'name', 200, false),
      ('thread', 'thread', null, false), ('source_kind', 'name', 32, false), ('source_id', 'name', 200, false),
      ('is_public', 'boolean', null, false), ('relations', 'relations', null, false), ('payload', 'payload', null, false),
      ('producer', 'name', 100, false), ('idempotency_key', 'name', 255, false), ('occurred_at', 'time', null, false),
      ('request_id', 'name', 200, false),
      -- over HTTP the API key determines the tenant, and a header carries the trace
      ('tenant', 'name', 100, false), ('traceparent', 'text', null, false)
    ) as rules (field, kind, most, is_required)
  loop
    known := known || rule.field;
    value := event -> rule.field;
    field := rule.field;
    if value is null then
      if rule.is_required then
        code := 'missing_field';
        message := format('%s is required', field);
        return;
      end if;
      continue;
    end if;
    code := 'invalid_request';
    case rule.kind
      when 'name' then
        message := carillon.name_problem(value, rule.most);
      when 'time' then
        message := carillon.time_problem(value);
        code := 'invalid_timestamp';
      when 'text' then
        message := case when jsonb_typeof(value) <> 'string' then 'must be a string' end;
      when 'boolean' then
        message := case when jsonb_typeof(value) <> 'boolean' then 'must be true or false' end;
      when 'thread' then
        select t.code, t.field, t.message into code, field, message from carillon.event_thread_problem(value) t;
      when 'relations' then
        select r.field, r.message into field, message from carillon.relations_problem(value) r;
      when 'payload' then
        message := case when jsonb_typeof(value) <> 'object' then 'must be a JSON object' end;
        code := 'invalid_payload';
    end case;
    if message is not null then
      message := format('%s %s', field, message);
      return;
    end if;
  end loop;

  select min(name) into field from jsonb_object_keys(event) name where name <> all (known);
  if field is not null then
    code := 'invalid_request';
    message := format('"%s" is not a field of an event', field);
  elsif carillon.has_oversized_number(event -> 'payload') then
    select 'invalid_payload', 'payload',
      'payload must not contain numbers of 10^1000 or more, or with more than 999 decimal places' into code, field, message;
  else
    code := null;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.event_scope(tenant uuid, event_id uuid, OUT topic text, OUT title text, OUT url text, OUT members_only boolean, OUT is_gone boolean)
 RETURNS record
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
declare
  e carillon.domain_events;
  thread carillon.threads;
  place carillon.topics;
begin
  is_gone := true;
  select d.* into e from carillon.domain_events d where d.tenant_id = tenant and d.event_id = event_scope.event_id;
  if not found then
    return;
  end if;
  if e.thread_id is not null then
    select t.* into thread from carillon.threads t
    where t.tenant_id = tenant and t.kind = e.thread_kind and t.id = e.thread_id;
    if not found then
      return;
    end if;
  end if;
  topic := coalesce(e.topic, thread.topic);
  if topic is not null then
    select t.* into place from carillon.topics t where t.tenant_id = tenant and t.topic = event_scope.topic for key share;
    if not found then
      return;
    end if;
  end if;
  is_gone := false;
  title := coalesce(nullif(thread.title, ''), nullif(place.title, ''));
  url := coalesce(nullif(thread.url, ''), nullif(place.url, ''));
  members_only := topic is not null and (place.visibility = 'private' or not e.is_public);
end
$function$;

CREATE OR REPLACE FUNCTION carillon.event_thread_problem(value jsonb, OUT code text, OUT field text, OUT message text)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  rule record;
begin
  code := 'invalid_request';
  field := 'thread';
  if jsonb_typeof(value) <> 'object' then
    message := 'must be a JSON object';
    return;
  end if;
  for rule in
    select * from (values ('kind', 32, true), ('id', 200, true), ('title', 500, false), ('url', 500, false),
      ('author_id', 200, false)) as rules (name, most, is_required)
  loop
    field := 'thread.' || rule.name;
    if value -> rule.name is null then
      if rule.is_required then
        code := 'missing_field';
        message := 'is required';
        return;
      end if;
      continue;
    end if;
    message := carillon.name_problem(value -> rule.name, rule.most);
    if message is null and rule.name = 'url' and carillon.page_address(value ->> 'url') is null then
      message := 'must be an address such as https://example.com/page, or a path such as /page';
    end if;
    if message is not null then
      return;
    end if;
  end loop;
  select 'thread.' || min(name), 'is not a field of a thread' into field, message
  from jsonb_object_keys(value) name where name <> all (array['kind', 'id', 'title', 'url', 'author_id'])
  having count(*) > 0;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.expected_address(channel text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case channel
    when 'email' then 'Expected an email address such as ada@example.com.'
    when 'sms' then 'Expected an E.164 number such as +4915112345678.'
    when 'chat' then 'Expected an address that is not blank, such as whatsapp:+4915112345678.'
    else 'Expected an address that is not blank.'
  end
$function$;

CREATE OR REPLACE FUNCTION carillon.explain_fanout(tenant uuid, event_id uuid, after text, until text, most integer, visible text[] DEFAULT NULL::text[])
 RETURNS TABLE(user_id text, relations text[], relation text, outcome text, channels text[])
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  e carillon.domain_events;
  place record;
  rules jsonb;
  names text[];
  found_users text[];
  found_bits bigint[];
begin
  select d.* into e from carillon.domain_events d where d.tenant_id = tenant and d.event_id = explain_fanout.event_id;
  place := carillon.event_scope(tenant, event_id);
  if place.is_gone then
    return;
  end if;
  select jsonb_agg(to_jsonb(r)) into rules from (select r.* from carillon.rules_for(tenant, e.kind) r limit 60) r;
  -- Bits are those of a bigint. What no rule names comes last, and only to be shown.
  names := array(select n.name from (
    select r.rule ->> 'relation', r.place from jsonb_array_elements(rules) with ordinality as r (rule, place)
    union all select o.name, 1000 + o.priority from carillon.relations o where o.tenant_id = tenant
    union all select b.name, 1000 + b.priority from carillon.builtin_relations() b
    union all select k, 3000 from jsonb_object_keys(e.relations) k
  ) as n (name, place) group by n.name order by min(n.place), n.name limit 62);
  select array_agg(p.user_id order by p.user_id), array_agg(p.bits order by p.user_id) into found_users, found_bits
  from carillon.event_people(tenant, event_id, place.topic, names, after, until, most) p;

  return query
  with decided as materialized (
    select p.user_id, p.bits, p.place, case when u.id is null then 'unknown_user' else d.outcome end as outcome,
      case when d.rule_bit <> 0 then rules -> (ln(d.rule_bit) / ln(2))::integer end as rule
    from unnest(found_users, found_bits) with ordinality as p (user_id, bits, place)
    join carillon.fanout_decisions(
      tenant, event_id, place.topic, place.members_only, rules, found_users, found_bits, visible
    ) d on d.user_id = p.user_id
    left join lateral (select u.id from carillon.users u where u.tenant_id = tenant and u.id = p.user_id limit 1) u on true
  ), told as (
    -- one row per rule, as tell_people() goes by it
    select t.rule, y.escalate, k.channels,
      case when 'in_app' = any (k.channels)
        then carillon.people_wanting(tenant, 'in_app', t.people, y.category, t.rule ->> 'reason') end as wanting
    from (select d.rule, array_agg(d.user_id) as people from decided d where d.outcome = 'told' group by d.rule) t
    left join carillon.notification_types y on y.tenant_id = tenant and y.name = t.rule ->> 'notification_type'
    cross join lateral (
      select array(select c from jsonb_array_elements_text(t.rule -> 'channels') c
        where y.channels is null or c = any (y.channels)) as channels
    ) k
  )
  select d.user_id,
    array(select n.name from unnest(names) with ordinality as n (name, place) where d.bits >> n.place::integer - 1 & 1 = 1),
    d.rule ->> 'relation',
    case
      when d.outcome <> 'told' or got.channels <> '{}' then d.outcome
      when t.channels = '{}' then 'no_channel'
      else 'in_app_off'
    end,
    coalesce(got.channels, '{}')
  from decided d
  left join told t on d.outcome = 'told' and t.rule = d.rule
  left join lateral (
    select case when t.channels = '{}' then '{}' else
      array(select c from unnest(t.channels) c where c <> 'in_app' or d.user_id = any (t.wanting))
      || array(select s ->> 'channel' from jsonb_array_elements(t.escalate) s where s ->> 'channel' <> all (t.channels))
    end as channels
    where t.rule is not null
  ) got on true
  order by d.place;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.fan_out(tenant uuid, event_id uuid, after text, most integer, visible text[] DEFAULT NULL::text[], until text DEFAULT NULL::text, is_repeat boolean DEFAULT NULL::boolean, OUT last_user text, OUT people integer, OUT routes integer, OUT is_done boolean, OUT was_repeat boolean, OUT told text[])
 RETURNS record
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  e carillon.domain_events;
  place record;
  rules jsonb;
  relations text[];
  found_users text[];
  found_bits bigint[];
  part record;
  is_over boolean;
begin
  last_user := after;
  people := 0;
  told := '{}';
  routes := 0;
  is_done := true;
  select d.* into e from carillon.domain_events d where d.tenant_id = tenant and d.event_id = fan_out.event_id;
  place := carillon.event_scope(tenant, event_id);
  -- bits are those of a bigint
  select jsonb_agg(to_jsonb(r) order by r.place), array_agg(r.relation order by r.place) into rules, relations
  from (
    select r.*, row_number() over () as place from carillon.rules_for(tenant, e.kind) r limit 60
  ) r;
  if place.is_gone or rules is null then
    return;
  end if;
  was_repeat := is_repeat;
  if is_repeat is null then
    -- Whoever has changed their mind since must not be told of what is over. A large event that ended as a dead letter in
    -- the middle is the exception: the rest of its people follow.
    select count(*) > 0, coalesce(bool_and(r.expanded_at is not null), false) into was_repeat, is_over
    from carillon.records r where r.tenant_id = tenant and r.event_id = fan_out.event_id;
    -- Records are archived only when all of their event are expanded. Their ids have the time of the event's, so this reads
    -- one month; and nothing is archived before it is a day old.
    if not was_repeat and e.created_at < now() - interval '1 day' then
      is_over := exists (select from carillon.records_archive r
        where r.tenant_id = tenant and r.event_id = fan_out.event_id
          and r.notification_id >= overlay(event_id::text placing '-0000-0000-000000000000' from 14)::uuid
          and r.notification_id <= overlay(event_id::text placing '-ffff-ffff-ffffffffffff' from 14)::uuid);
    end if;
    if is_over then
      return;
    end if;
  end if;

  select array_agg(p.user_id order by p.user_id), array_agg(p.bits order by p.user_id) into found_users, found_bits
  from carillon.event_people(tenant, event_id, place.topic, relations, after, until, most) p;
  if found_users is not null then
    last_user := found_users[cardinality(found_users)];
    is_done := cardinality(found_users) < most;
  end if;
  if is_done and until is not null then
    -- those who come after them have not been asked about
    last_user := until;
    is_done := false;
  end if;
  if not was_repeat and after = '' then
    perform carillon.involve_actor(tenant, event_id, place.topic, place.members_only);
  end if;

  for part in
    select d.rule_bit as bit, array_agg(d.user_id order by d.user_id) as users
    from carillon.fanout_decisions(
      tenant, event_id, place.topic, place.members_only, rules, found_users, found_bits, visible
    ) d
    -- The lock makes a deletion of the user wait until the rows exist and are deleted with it.
    cross join lateral (
      select from carillon.users u where u.tenant_id = tenant and u.id = d.user_id limit 1 for key share
    ) known
    where d.outcome = 'told'
    group by d.rule_bit
    order by d.rule_bit
  loop
    people := people + cardinality(part.users);
    told := case when people <= 200 then told || part.users end;
    routes := routes + carillon.tell_people(
      tenant, event_id, rules -> (ln(part.bit) / ln(2))::integer, to_jsonb(place), part.users,
      is_done, not is_done or after <> '' or cardinality(part.users) > 100, was_repeat
    );
  end loop;
  if is_done and (after <> '' or was_repeat) then
    perform carillon.mark_event_expanded(tenant, event_id);
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.fanout_decisions(tenant uuid, event_id uuid, topic text, members_only boolean, rules jsonb, users text[], bits bigint[], visible text[])
 RETURNS TABLE(user_id text, rule_bit bigint, outcome text)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  e carillon.domain_events;
  ruled constant bigint := (1::bigint << coalesce(jsonb_array_length(rules), 0)) - 1;
  passing bigint;
  watching bigint;
  home text;
begin
  select d.* into e from carillon.domain_events d where d.tenant_id = tenant and d.event_id = fanout_decisions.event_id;
  select coalesce(bit_or(1::bigint << r.place::integer - 1) filter (where (r.rule ->> 'passes_mute')::boolean), 0),
    coalesce(bit_or(1::bigint << r.place::integer - 1) filter (where r.rule ->> 'relation' = 'watching'), 0)
  into passing, watching
  from jsonb_array_elements(rules) with ordinality as r (rule, place);

  -- A thread that is in another topic, such as one that it was moved to since, shows what only members of that may see.
  select h.topic into home from carillon.threads h
  where h.tenant_id = tenant and h.kind = e.thread_kind and h.id = e.thread_id and h.topic <> fanout_decisions.topic
    and (select t.visibility from carillon.topics t where t.tenant_id = tenant and t.topic = h.topic) = 'private';

  return query
  select p.user_id, chosen.bit, case
    when p.bits & ruled = 0 then 'no_rule'
    when p.user_id = e.actor_id then 'actor'
    when chosen.bit = 0 then case when choice.subscribed = false then 'unsubscribed' else 'ignores_topic' end
    when members_only and not exists (
      select from carillon.topic_members m
      where m.tenant_id = tenant and m.topic = fanout_decisions.topic and m.user_id = p.user_id) then 'not_member'
    when home is not null and not exists (
      select from carillon.topic_members m
      where m.tenant_id = tenant and m.topic = home and m.user_id = p.user_id) then 'not_member'
    when visible is not null and p.user_id <> all (visible) then 'not_visible'
    else 'told'
  end
  from unnest(users, bits) as p (user_id, bits)
  left join lateral (
    select s.subscribed, s.reason from carillon.notification_threads s
    where s.tenant_id = tenant and s.user_id = p.user_id and s.thread_kind = e.thread_kind and s.thread_id = e.thread_id
      and (s.source_event_id is null or s.source_event_id < e.id)
    limit 1
  ) choice on true
  -- whoever was found because they watch does not ignore the topic
  left join lateral (
    select w.level from carillon.watches w
    where p.bits & watching = 0 and w.tenant_id = tenant and w.topic = fanout_decisions.topic and w.user_id = p.user_id
    limit 1
  ) watch on true
  cross join lateral (
    select p.bits & ruled & case
      when choice.subscribed = false then passing
      when choice.subscribed and choice.reason = 'manual' then -1
      when watch.level = 'ignore' then passing
      else -1
    end as bits
  ) reached
  -- the lowest bit: the first relation that reaches the person
  cross join lateral (select reached.bits & -reached.bits as bit) chosen;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.finish_left_out_routes(tenant uuid, digest uuid)
 RETURNS void
 LANGUAGE sql
AS $function$
  with left_out as (
    select r.notification_id, r.route_id, rec.expires_at <= now() as is_expired
    from carillon.routes r
    join carillon.records rec on rec.tenant_id = r.tenant_id and rec.notification_id = r.notification_id
    where r.tenant_id = tenant and r.digest_id = digest and r.notification_id <> digest
      -- including routes that have joined but whose worker has not stored the outcome yet: its completion is refused then
      and (r.reason = 'digested' or r.next_attempt_at is not null)
      and (rec.expires_at <= now()
        or r.unless_read and carillon.was_read(r.tenant_id, r.notification_id, r.recipient_ref))
    for update of r skip locked
  ),
  finished as (
    update carillon.routes r set
      status = case when l.is_expired then 'expired' else 'skipped' end,
      reason = case when l.is_expired then 'deadline' else 'read' end,
      expired_at = case when l.is_expired then now() end,
      skipped_at = case when l.is_expired then null else coalesce(r.skipped_at, now()) end,
      next_attempt_at = null, lease_owner = null, lease_until = null, updated_at = now()
    from left_out l
    where r.tenant_id = tenant and r.notification_id = l.notification_id and r.route_id = l.route_id
    returning r.notification_id, r.route_id, r.status
  )
  select carillon.emit_events(jsonb_agg(jsonb_build_object(
    'event', 'notification.failed', 'tenant_id', tenant, 'notification_id', f.notification_id, 'route_id', f.route_id)))
  from finished f where f.status = 'expired'
$function$;

CREATE OR REPLACE FUNCTION carillon.fire_event_triggers(tenant uuid, event_id uuid, subject jsonb, payload text, depth integer, origin text)
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
declare
  fired integer;
begin
  select count(carillon.fire_trigger(tenant, m.trigger_id, 'emitted', payload, jsonb_build_object(
    'id', m.row_id, 'depth', depth, 'origin', origin,
    'context', jsonb_strip_nulls(jsonb_build_object('traceparent', subject -> 'traceparent'))
  ))) into fired
  from (
    select matching as trigger_id, carillon.derived_uuid(fire_event_triggers.event_id::text || matching) as row_id
    from carillon.matching_triggers(tenant, 'event', subject) as matching
  ) m
  where (select o.id from carillon.outbox o where o.tenant_id = tenant and o.id = m.row_id) is null
    and (select r.id from carillon.runs r where r.tenant_id = tenant and r.event_id = m.row_id and r.status = 'succeeded') is null;
  return fired;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.fire_letter_triggers(tenants uuid[], letters uuid[])
 RETURNS integer
 LANGUAGE sql
 SET enable_seqscan TO 'off'
AS $function$
  select coalesce(sum(carillon.fire_triggers(d.tenant_id, 'dead_letter', s.subject, d.failure_reason, e.event,
    jsonb_build_object(
      'depth', coalesce(replayed.trigger_depth, d.trigger_depth) + 1, 'max_attempts', 3,
      'origin', coalesce(d.dispatch #>> '{context,origin}', ''), 'context', jsonb_build_object('dead_letter_id', d.id)
    ))), 0)::integer
  from unnest(tenants, letters) as l (tenant_id, id)
  join carillon.dead_letters d on d.tenant_id = l.tenant_id and d.id = l.id
  cross join lateral (
    select case d.source_kind when 'route' then 'route' else d.source end as source
  ) k
  cross join lateral (
    select jsonb_build_object('source', k.source, 'trigger_id', d.trigger_id, 'script_id', d.script_id) as subject
  ) s
  left join carillon.records rec on rec.tenant_id = d.tenant_id and rec.notification_id = d.notification_id
  left join lateral (
    select p.trigger_depth from carillon.dead_letters p
    where p.tenant_id = d.tenant_id and p.notification_id = d.notification_id and p.route_id = d.route_id
      and p.resolution = 'replayed'
    order by p.created_at desc, p.id desc limit 1
  ) replayed on true
  cross join lateral (
    select row_to_json(data)::text as event from (
      select row_to_json(letter) as dead_letter from (
        select d.id, d.source_kind, k.source, d.op, d.notification_id, d.route_id, d.notification_type, d.channel,
          d.recipient_ref, d.original_event_id, d.target_id, d.trigger_id, d.script_id, d.failure_reason,
          d.failure_classification, d.failure_message, d.recovery_hint, d.final_attempt_count as attempts,
          d.max_attempts, carillon.iso(d.first_attempt_at) as first_attempt_at,
          carillon.iso(d.last_attempt_at) as last_attempt_at, carillon.iso(d.created_at) as created_at,
          carillon.original_event(coalesce(d.payload, rec.payload_json)) as event
      ) letter
    ) data
  ) e
  -- so that nothing is put together for letters that no handler wants
  where exists (select from carillon.matching_triggers(d.tenant_id, 'dead_letter', s.subject))
$function$;

CREATE OR REPLACE FUNCTION carillon.fire_trigger(tenant uuid, trigger_id uuid, op text, payload text, cause jsonb DEFAULT '{}'::jsonb)
 RETURNS uuid
 LANGUAGE sql
AS $function$
  select carillon.enqueue(
    t.tenant_id, t.kind, op, t.id, payload,
    context => coalesce(cause -> 'context', '{}') || jsonb_build_object(
      'trigger_id', t.id, 'script_id', t.script_id, 'origin', coalesce(cause ->> 'origin', ''))
      || case when (cause ->> 'delay_ms')::float8 > 0 then jsonb_build_object('not_before', d.due_at) else '{}' end,
    ordering_key => cause ->> 'ordering_key',
    trigger_depth => coalesce((cause ->> 'depth')::integer, 0),
    max_attempts => coalesce((cause ->> 'max_attempts')::integer, t.max_attempts), backoff => t.backoff,
    base_ms => t.base_ms,
    due_at => d.due_at, id => (cause ->> 'id')::uuid
  )
  from carillon.triggers t
  cross join lateral (
    select now() + make_interval(secs => coalesce((cause ->> 'delay_ms')::float8, 0) / 1000) as due_at
  ) d
  where t.tenant_id = tenant and t.id = fire_trigger.trigger_id and t.is_enabled
$function$;

CREATE OR REPLACE FUNCTION carillon.fire_triggers(tenant uuid, trigger_kind text, subject jsonb, op text, payload text, cause jsonb DEFAULT '{}'::jsonb)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  fired integer;
begin
  select count(carillon.fire_trigger(tenant, matching, op, payload, cause)) into fired
  from carillon.matching_triggers(tenant, trigger_kind, subject) as matching;
  return fired;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.forget_quiet_windows()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if to_jsonb(new) ->> 'quiet_windows' is null then
    return new;
  end if;
  if new.quiet_windows = old.quiet_windows
    and (new.quiet_hours_start, new.quiet_hours_end) is distinct from (old.quiet_hours_start, old.quiet_hours_end)
  then
    new.quiet_windows := null;
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.grant_roles()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  secret constant name[] := array['secrets', 'key_hash', 'password_hash', 'token', 'token_hash', 'settings_hash'];
  shown record;
begin
  if to_regrole('carillon_app') is not null and has_schema_privilege('carillon_app', 'carillon', 'usage') then
    -- while migrations are undone, they may not exist
    if to_regclass('carillon.audit_logs') is not null then
      revoke update, delete, truncate on carillon.audit_logs from carillon_app;
    end if;
    if to_regclass('carillon.releases') is not null then
      revoke insert, update, delete on carillon.releases, carillon.pgmigrations from carillon_app;
    end if;
  end if;
  if to_regrole('carillon_reader') is null or not has_schema_privilege('carillon_reader', 'carillon', 'usage') then
    return;
  end if;
  for shown in
    select c.oid::regclass as name,
      string_agg(quote_ident(a.attname), ', ' order by a.attnum) filter (where a.attname <> all (secret)) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'carillon'::regnamespace and c.relkind in ('r', 'p')
    group by c.oid having bool_or(a.attname = any (secret))
  loop
    execute format('revoke select on %s from carillon_reader', shown.name);
    execute format('grant select (%s) on %s to carillon_reader', shown.columns, shown.name);
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.handler_failed(letters jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 STRICT
 SET enable_seqscan TO 'off'
AS $function$
declare
  marked integer;
begin
  -- one after the other by id, so that two who mark the same letters cannot wait for each other
  with open_letters as materialized (
    select l.tenant_id, l.id
    from (select * from jsonb_to_recordset(letters) as g (tenant_id uuid, id uuid) order by g.id) l
    cross join lateral (
      select from carillon.dead_letters x where x.tenant_id = l.tenant_id and x.id = l.id and x.resolved_at is null
      for update
    ) d
  )
  update carillon.dead_letters d set resolution = 'handler_failed'
  from open_letters o where d.tenant_id = o.tenant_id and d.id = o.id;
  get diagnostics marked = row_count;
  return marked;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.has_oversized_number(payload jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select exists (
    select from jsonb_path_query(payload, 'strict $.** ? (@.type() == "number")') number
    where abs(number::numeric) >= 1e1000 or scale(number::numeric) > 999
  )
$function$;

CREATE OR REPLACE FUNCTION carillon.inbox_epoch()
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return substr(md5(concat_ws(' ',
    (select c.system_identifier from pg_control_system() c),
    left(pg_walfile_name(pg_current_wal_lsn()), 8),
    (select d.oid from pg_database d where d.datname = current_database()),
    (select r.id from carillon.restores r order by r.created_at desc, r.id limit 1)
  )), 1, 8);
end
$function$;

CREATE OR REPLACE FUNCTION carillon.intent_failure(problem text, notification_type text, missing_field text, unknown_users text[], allowed text[], template text, bad_address bigint, channel text, OUT code text, OUT field text, OUT message text)
 RETURNS record
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select
    case case when problem like 'option:%' then 'address' else problem end
      when 'suspended' then 'tenant_suspended'
      when 'storage' then 'quota_exceeded'
      when 'routes' then 'rate_limited'
      when 'type' then 'unsupported_type'
      when 'producer' then 'invalid_producer'
      when 'payload' then 'invalid_payload'
      when 'depth' then 'invalid_payload'
      when 'expired' then 'invalid_timestamp'
      when 'template' then 'invalid_template'
      when 'thread' then 'invalid_request'
      when 'address' then 'invalid_recipients'
      when 'users' then 'recipient_not_found'
      else 'invalid_audience'
    end,
    case case when problem like 'option:%' then 'option' else problem end
      when 'option' then substr(problem, length('option:') + 1)
      when 'type' then 'notification_type'
      when 'producer' then 'producer'
      when 'payload' then 'payload.' || missing_field
      when 'depth' then 'payload'
      when 'expired' then 'expires_at'
      when 'template' then 'template'
      when 'thread' then 'thread.kind'
      when 'address' then 'audience.addresses.' || bad_address
      when 'users' then 'audience.user_ids'
      when 'suspended' then 'body'
      when 'storage' then 'body'
      when 'routes' then 'audience'
      when 'audience' then 'audience.kind'
      when 'admin_type' then 'audience.kind'
      else 'channels'
    end,
    case case when problem like 'option:%' then 'option' else problem end
      when 'option' then carillon.expected_address('email')
      when 'suspended' then 'The tenant is suspended by its operator.'
      when 'storage' then 'The storage that the operator allows this tenant is used up: delete something, or keep records for fewer days.'
      when 'routes' then 'It needs more routes than the operator still allows this tenant today; the count restarts at 00:00 UTC.'
      when 'type' then format('The type "%s" is not in the catalog, and this tenant does not accept unknown types.', notification_type)
      when 'producer' then format('The type "%s" allows only the producers %s.', notification_type, array_to_string(allowed, ', '))
      when 'audience' then format('The type "%s" allows only the audiences %s.', notification_type, array_to_string(allowed, ', '))
      when 'channels' then format('The type "%s" allows only the channels %s.', notification_type, array_to_string(allowed, ', '))
      when 'address_channel' then 'Addresses belong to one channel: leave channels out, or name only that of audience.channel.'
      when 'admin_type' then format('An admin_email audience takes its addresses from the type, and "%s" is not in the catalog.', notification_type)
      when 'admin_channel' then 'An admin_email audience is reached by email only.'
      when 'address' then carillon.expected_address(channel)
      when 'depth' then 'The payload is nested more than 100 levels deep.'
      when 'payload' then format('The type "%s" requires the payload field "%s".', notification_type, missing_field)
      when 'expired' then 'expires_at must be in the future.'
      when 'template' then format('No active template "%s" is published for %s: publish one, or leave template out.', template, array_to_string(allowed, ', '))
      when 'thread' then format('This tenant has only threads of the kinds %s (thread_kinds).', array_to_string(allowed, ', '))
      when 'users' then format('No such user: "%s". Create users with PUT /v1/users/{id} first.', array_to_string(unknown_users, '", "'))
    end
$function$;

CREATE OR REPLACE FUNCTION carillon.intent_problem(intent jsonb, OUT code text, OUT field text, OUT message text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  rule record;
  value jsonb;
  known text[] := '{}';
begin
  if jsonb_typeof(intent) is distinct from 'object' then
    select 'invalid_request', 'body', 'an intent is a JSON object' into code, field, message;
    return;
  end if;
  for rule in
    select * from (values
      ('notification_type', 'name', 100, true), ('producer', 'name', 100, false), ('idempotency_key', 'name', 255, false),
      ('audience', 'audience', null, true), ('channels', 'channels', null, false), ('payload', 'payload', null, true),
      ('send_at', 'time', null, false), ('send_at_local', 'wall_time', null, false), ('expires_at', 'time', null, false),
      ('occurred_at', 'time', null, false), ('request_id', 'name', 200, false), ('template', 'name', 100, false),
      ('reason', 'name', 32, false), ('thread', 'thread', null, false), ('email', 'options', null, false), ('sms', 'options', null, false),
      ('chat', 'options', null, false),
      -- over HTTP the API key determines the tenant, and a header carries the trace
      ('tenant', 'name', 100, false), ('traceparent', 'text', null, false)
    ) as rules (field, kind, most, is_required)
  loop
    known := known || rule.field;
    value := intent -> rule.field;
    field := rule.field;
    if value is null then
      if rule.is_required then
        code := 'missing_field';
        message := format('%s is required', field);
        return;
      end if;
      continue;
    end if;
    case rule.kind
      when 'name' then
        message := carillon.name_problem(value, rule.most);
        code := 'invalid_request';
      when 'time' then
        message := carillon.time_problem(value);
        code := 'invalid_timestamp';
      when 'wall_time' then
        message := carillon.wall_time_problem(value);
        code := 'invalid_timestamp';
      when 'text' then
        message := case when jsonb_typeof(value) <> 'string' then 'must be a string' end;
        code := 'invalid_request';
      when 'channels' then
        select c.field, c.message into field, message from carillon.channels_problem(value) c;
        code := 'invalid_audience';
      when 'audience' then
        select a.code, a.field, a.message into code, field, message from carillon.audience_problem(value) a;
      when 'thread' then
        select t.code, t.field, t.message into code, field, message from carillon.thread_problem(value) t;
      when 'options' then
        select o.code, o.field, o.message into code, field, message from carillon.options_problem(rule.field, value) o;
      when 'payload' then
        message := case when jsonb_typeof(value) <> 'object' then 'must be a JSON object' end;
        code := 'invalid_payload';
    end case;
    if message is not null then
      message := format('%s %s', field, message);
      return;
    end if;
  end loop;

  select min(name) into field from jsonb_object_keys(intent) name where name <> all (known);
  if field is not null then
    code := 'invalid_request';
    message := format('"%s" is not a field of an intent', field);
  elsif carillon.has_oversized_number(intent -> 'payload') then
    select 'invalid_payload', 'payload',
      'payload must not contain numbers of 10^1000 or more, or with more than 999 decimal places' into code, field, message;
  elsif (
    select sum(carillon.attachment_bytes(a ->> 'content')) > 5242880 from jsonb_array_elements(intent #> '{email,attachments}') a
  ) then
    select 'payload_too_large', 'email.attachments', 'the attachments have more than 5242880 bytes' into code, field, message;
  elsif (intent -> 'email' ? 'cc' or intent -> 'email' ? 'bcc') and coalesce(jsonb_array_length(case intent #>> '{audience,kind}'
      when 'users' then intent #> '{audience,user_ids}' when 'addresses' then intent #> '{audience,addresses}' end), 0) <> 1 then
    code := 'invalid_request';
    field := case when intent -> 'email' ? 'cc' then 'email.cc' else 'email.bcc' end;
    message := 'copies need an audience of one person or address: everybody in it gets a mail of their own';
  elsif intent ? 'send_at' and intent ? 'send_at_local' then
    select 'invalid_timestamp', 'send_at_local', 'give send_at or send_at_local, not both' into code, field, message;
  -- compared as stored, in milliseconds
  elsif date_trunc('milliseconds', (intent ->> 'expires_at')::timestamptz)
      <= date_trunc('milliseconds', (intent ->> 'send_at')::timestamptz) then
    select 'invalid_timestamp', 'expires_at', 'expires_at must be later than send_at' into code, field, message;
  else
    code := null;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.involve_actor(tenant uuid, event_id uuid, topic text, members_only boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
declare
  e carillon.domain_events;
  author text;
begin
  select d.* into e from carillon.domain_events d where d.tenant_id = tenant and d.event_id = involve_actor.event_id;
  if e.thread_id is null then
    return;
  end if;
  select t.author_id into author from carillon.threads t
  where t.tenant_id = tenant and t.kind = e.thread_kind and t.id = e.thread_id;
  perform carillon.involve_people(tenant, event_id, topic, array[p.id], p.reason)
  from (
    select author as id, 'author' as reason
    union all
    select e.actor_id, 'commenter' where e.kind like '%comment\_created' and e.actor_id is distinct from author
  ) p
  join carillon.users u on u.tenant_id = tenant and u.id = p.id
  where not members_only or exists (
    select from carillon.topic_members m where m.tenant_id = tenant and m.topic = involve_actor.topic and m.user_id = p.id);
end
$function$;

CREATE OR REPLACE FUNCTION carillon.involve_people(tenant uuid, event_id uuid, topic text, users text[], reason text)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
declare
  e carillon.domain_events;
begin
  select d.* into e from carillon.domain_events d where d.tenant_id = tenant and d.event_id = involve_people.event_id;
  if e.thread_id is not null then
    perform carillon.subscribe_automatically(tenant, e.thread_kind, e.thread_id, users, reason, e.id);
  end if;
  if topic is not null then
    perform carillon.watch_automatically(tenant, topic, users, 'participating');
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.is_importing()
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(current_setting('carillon.importing', true), '') = 'on'
$function$;

CREATE OR REPLACE FUNCTION carillon.is_too_deep(payload jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select jsonb_path_exists(payload, 'strict $.**{101}')
$function$;

CREATE OR REPLACE FUNCTION carillon.iso(at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$function$;

CREATE OR REPLACE FUNCTION carillon.join_digests(owner text, wanted jsonb)
 RETURNS TABLE(ord integer, digest_id uuid, is_item boolean, closes_at timestamp with time zone)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  asked record;
  digest carillon.digests;
  -- rounded like the stored time, so that rounding alone never looks like an earlier end
  ends timestamptz(3);
begin
  for asked in
    select w.ord, w.notification_type, w.key, w.window_seconds, w.closes_at, w.first_at_once, w.at, r.tenant_id, r.notification_id,
      r.route_id, r.channel, r.recipient_ref, r.user_id, r.digest_id
    from jsonb_to_recordset(wanted) as w (
      ord integer, tenant_id uuid, notification_id uuid, route_id text, claim_count integer, notification_type text,
      key text, window_seconds integer, closes_at timestamptz, first_at_once boolean, at timestamptz
    )
    join carillon.routes r on r.tenant_id = w.tenant_id and r.notification_id = w.notification_id
      and r.route_id = w.route_id and r.lease_owner = owner and r.claim_count = w.claim_count
    -- always in the same order: batches that share digests wait for each other instead of deadlocking
    order by r.tenant_id, w.notification_type, r.recipient_ref, r.channel, w.key, r.notification_id
    for update of r
  loop
    if asked.digest_id is not null then
      select * into digest from carillon.digests d where d.tenant_id = asked.tenant_id and d.id = asked.digest_id;
    else
      -- at the person's chosen time, or after the type's window
      ends := coalesce(asked.closes_at, coalesce(asked.at, now()) + make_interval(secs => asked.window_seconds));
      loop
        -- waits for anybody who is closing or joining it
        select * into digest from carillon.digests d
        where d.tenant_id = asked.tenant_id and d.notification_type = asked.notification_type
          and d.recipient_ref = asked.recipient_ref and d.channel = asked.channel and d.key = asked.key
          and d.closed_at is null
        for no key update;
        exit when found and carillon.accepts_items(digest.tenant_id, digest.id, digest.closes_at, asked.at);
        update carillon.digests d set closed_at = now(), item_count = 0
        where d.tenant_id = asked.tenant_id and d.id = digest.id and d.closed_at is null;
        insert into carillon.digests (
          id, tenant_id, notification_type, channel, recipient_ref, user_id, key, first_notification_id, closes_at
        )
        values (carillon.uuid_v7(), asked.tenant_id, asked.notification_type, asked.channel, asked.recipient_ref,
          asked.user_id, asked.key, case when asked.first_at_once then asked.notification_id end,
          ends)
        on conflict do nothing
        returning * into digest;
        exit when found;
      end loop;
      if ends < digest.closes_at then
        perform carillon.bring_digest_forward(digest.tenant_id, digest.id, ends);
        digest.closes_at := ends;
      end if;
      perform carillon.set_route_digest(asked.tenant_id, asked.notification_id, asked.route_id, digest.id);
      if digest.first_notification_id is distinct from asked.notification_id then
        perform carillon.start_digest(digest.id, asked.tenant_id, asked.notification_id, asked.route_id);
      end if;
      -- what something holds back, as quiet hours do, goes out later than it was to
      digest.closes_at := greatest(digest.closes_at, coalesce(asked.at, now()));
    end if;
    ord := asked.ord;
    digest_id := coalesce(asked.digest_id, digest.id);
    is_item := digest.first_notification_id is distinct from asked.notification_id;
    closes_at := digest.closes_at;
    return next;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.keep_deletion()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the deletion of a tenant cannot be taken back once it has begun' using errcode = 'insufficient_privilege';
end
$function$;

CREATE OR REPLACE FUNCTION carillon.keep_delivery(tenant uuid, webhook uuid, event text, body text, context jsonb, ordering_key text)
 RETURNS uuid
 LANGUAGE plpgsql
AS $function$
declare
  kept constant uuid := coalesce((context ->> 'delivery_id')::uuid, carillon.uuid_v7());
begin
  insert into carillon.webhook_deliveries (
    id, tenant_id, webhook_id, notification_id, event_id, event_type, payload, content_type, traceparent, ordering_key,
    attempt_count, attempts
  ) values (
    kept, tenant, webhook, (context ->> 'notification_id')::uuid, (context ->> 'event_id')::uuid, event, body,
    context ->> 'content_type', context ->> 'traceparent', keep_delivery.ordering_key, 0, '[]'
  );
  return kept;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.keep_push_tickets(tickets jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 STRICT
AS $function$
declare
  kept integer;
begin
  insert into carillon.push_tickets (tenant_id, provider_id, ticket, notification_id, route_id, device_id, next_attempt_at)
  select t.tenant_id, t.provider_id, t.ticket, t.notification_id, t.route_id, t.device_id, now() + interval '15 minutes'
  from jsonb_to_recordset(tickets) as t (
    tenant_id uuid, provider_id uuid, ticket text, notification_id uuid, route_id text, device_id uuid
  )
  on conflict do nothing;
  get diagnostics kept = row_count;
  return kept;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.lift_suppressions(addresses jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 STRICT
AS $function$
declare
  lifted integer;
begin
  delete from carillon.suppressions s
  using jsonb_to_recordset(addresses) as a (tenant_id uuid, channel text, address text)
  where s.tenant_id = a.tenant_id and s.channel = a.channel and s.address = lower(coalesce(carillon.normal_address(a.channel, a.address), a.address))
    and s.reason = 'unsubscribed';
  get diagnostics lifted = row_count;
  return lifted;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.local_time(wall text, zone text)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  shown timestamptz := wall::timestamp at time zone 'UTC';
  by_before timestamptz := shown - carillon.zone_offset(zone, shown - interval '1 day');
  by_after timestamptz := shown - carillon.zone_offset(zone, shown + interval '1 day');
begin
  if by_before is null then return shown; end if;
  if by_before = by_after or least(by_before, by_after) + carillon.zone_offset(zone, least(by_before, by_after)) = shown then
    return least(by_before, by_after);
  end if;
  return greatest(by_before, by_after);
end
$function$;

CREATE OR REPLACE FUNCTION carillon.lower_text(given text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
begin
  return lower(given collate "und-x-icu");
exception when undefined_object then
  return lower(given);
end
$function$;

CREATE OR REPLACE FUNCTION carillon.mark_counted(owner text, tenants uuid[], notifications uuid[], routes text[], claims integer[], days date[])
 RETURNS integer
 LANGUAGE plpgsql
 STRICT
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  marked integer;
begin
  update carillon.routes r set counted_on = c.day
  from (
    -- `limit` keeps it one lookup per route: as a join it became a scan of all routes while statistics were missing.
    select claim.day, found.row_ctid
    from unnest(tenants, notifications, routes, claims, days)
      as claim (tenant_id, notification_id, route_id, claim_count, day)
    cross join lateral (
      select m.ctid as row_ctid from carillon.routes m
      where m.tenant_id = claim.tenant_id and m.notification_id = claim.notification_id and m.route_id = claim.route_id
        and m.lease_owner = owner and m.claim_count = claim.claim_count
      limit 1 for update
    ) found
  ) c
  where r.ctid = c.row_ctid;
  get diagnostics marked = row_count;
  return marked;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.mark_counted_in(owner text, tenant uuid, notification uuid, route text, claim integer, periods jsonb)
 RETURNS void
 LANGUAGE sql
AS $function$
  update carillon.routes r set
    counted_on = coalesce((select (p.value ->> 'period')::date from jsonb_array_elements(periods) p
      where p.value ->> 'per' = 'day' and p.value ->> 'category' = ''), r.counted_on),
    counted_in = coalesce(r.counted_in, '[]') || coalesce((select jsonb_agg(p.value - 'max')
      from jsonb_array_elements(periods) p where p.value ->> 'per' <> 'day' or p.value ->> 'category' <> ''), '[]')
  where r.tenant_id = tenant and r.notification_id = notification and r.route_id = route and r.lease_owner = owner
    and r.claim_count = claim
$function$;

CREATE OR REPLACE FUNCTION carillon.mark_event_expanded(tenant uuid, event_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  update carillon.records r set expanded_at = now(), updated_at = now()
  where r.tenant_id = tenant and r.event_id = mark_event_expanded.event_id and r.expanded_at is null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.mark_expanded(tenant uuid, notification uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  update carillon.records r set expanded_at = now(), updated_at = now()
  where r.tenant_id = tenant and r.notification_id = notification;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.mark_redelivered(tenant uuid, delivery uuid)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  update carillon.webhook_deliveries d set redelivered_at = now() where d.tenant_id = tenant and d.id = delivery;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.matches_glob(glob text, name text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select case when right(glob, 1) = '*' then starts_with(name, left(glob, -1)) else name = glob end
$function$;

CREATE OR REPLACE FUNCTION carillon.matching_triggers(tenant uuid, trigger_kind text, subject jsonb)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
AS $function$
  select t.id from carillon.triggers t
  where t.tenant_id = tenant and t.kind = trigger_kind and t.is_enabled and case trigger_kind
    when 'kv' then exists (
      select from carillon.kv_trigger_details d where d.tenant_id = t.tenant_id and d.trigger_id = t.id
        and carillon.matches_glob(d.collection_glob, subject ->> 'collection')
        and (d.ops = '{}' or subject ->> 'op' = any (d.ops)))
    when 'event' then exists (
      select from carillon.event_trigger_details d where d.tenant_id = t.tenant_id and d.trigger_id = t.id
        and carillon.matches_glob(d.event_kind_glob, subject ->> 'kind')
        and (d.topic is null or d.topic = subject ->> 'topic'))
    when 'queue' then exists (
      select from carillon.queue_trigger_details d where d.tenant_id = t.tenant_id and d.trigger_id = t.id
        and carillon.matches_glob(d.queue_glob, subject ->> 'queue'))
    when 'email' then exists (
      select from carillon.email_trigger_details d
      cross join jsonb_array_elements_text(subject -> 'addresses') as given (address)
      where d.tenant_id = t.tenant_id and d.trigger_id = t.id
        and carillon.matches_glob(d.address_glob, lower(given.address)))
    when 'dead_letter' then exists (
      select from carillon.dead_letter_trigger_details d where d.tenant_id = t.tenant_id and d.trigger_id = t.id
        and (d.source is null or d.source = subject ->> 'source')
        and (d.source_trigger_id is null or d.source_trigger_id = (subject ->> 'trigger_id')::uuid)
        and (d.source_script_id is null or d.source_script_id = (subject ->> 'script_id')::uuid))
    else false
  end
$function$;

CREATE OR REPLACE FUNCTION carillon.may_create_routes(tenant uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select t.suspended_at is null and (t.quota_routes_per_day is null or t.quota_routes_per_day > coalesce((
    select l.request_count from carillon.rate_limits l
    where l.tenant_id = tenant and l.user_id is null and l.api_key_id is null
      and l.window_start = date_trunc('day', now(), 'UTC') and l.limit_type = 'route'
  ), 0))
  from carillon.tenants t where t.id = tenant
$function$;

CREATE OR REPLACE FUNCTION carillon.may_see(tenant uuid, topic text, person text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select may_see.topic is null or exists (
    select from carillon.topics t
    where t.tenant_id = tenant and t.topic = may_see.topic and (t.visibility = 'public' or exists (
      select from carillon.topic_members m
      where m.tenant_id = tenant and m.topic = may_see.topic and m.user_id = person))
  )
$function$;

CREATE OR REPLACE FUNCTION carillon.move_event_head(tenant uuid, head bigint)
 RETURNS void
 LANGUAGE sql
AS $function$
  update carillon.domain_events_processed p
  set head_id = head, updated_at = now(), moved_at = case when p.last_event_id = p.head_id then now() else p.moved_at end
  where p.tenant_id = tenant
$function$;

CREATE OR REPLACE FUNCTION carillon.name_problem(value jsonb, most integer)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case
    when jsonb_typeof(value) <> 'string' then 'must be a string'
    when length(value #>> '{}') not between 1 and most or value #>> '{}' ~ E'[\\u0001-\\u001f\\u007f]'
      then format('must have 1 to %s characters and no control characters', most)
  end
$function$;

CREATE OR REPLACE FUNCTION carillon.new_lanes(known_tenants uuid[], known_channels text[], known_priorities smallint[])
 RETURNS TABLE(tenant_id uuid, channel text, priority smallint)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  first_id constant uuid := '00000000-0000-0000-0000-000000000000';
  last_id constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  return query
  with recursive gap as materialized (
    select e.tenant_id, e.channel, e.priority, lead(e.tenant_id, 1, last_id) over w as next_tenant,
      lead(e.channel, 1, '') over w as next_channel, lead(e.priority, 1, 0::smallint) over w as next_priority
    from (
      select k.tenant_id, k.channel, k.priority
      from unnest(known_tenants, known_channels, known_priorities) as k (tenant_id, channel, priority)
      union all select first_id, '', 0::smallint
    ) e
    window w as (order by e.tenant_id, e.channel, e.priority)
  ),
  fresh as (
    select f.*, g.next_tenant, g.next_channel, g.next_priority
    from gap g cross join lateral (
      select r.tenant_id, r.channel, r.priority from carillon.routes r
      where r.next_attempt_at is not null
        and (r.tenant_id, r.channel, r.priority) > (g.tenant_id, g.channel, g.priority)
        and (r.tenant_id, r.channel, r.priority) < (g.next_tenant, g.next_channel, g.next_priority)
      order by r.tenant_id, r.channel, r.priority limit 1
    ) f
    union all
    select f.*, p.next_tenant, p.next_channel, p.next_priority
    from fresh p cross join lateral (
      select r.tenant_id, r.channel, r.priority from carillon.routes r
      where r.next_attempt_at is not null
        and (r.tenant_id, r.channel, r.priority) > (p.tenant_id, p.channel, p.priority)
        and (r.tenant_id, r.channel, r.priority) < (p.next_tenant, p.next_channel, p.next_priority)
      order by r.tenant_id, r.channel, r.priority limit 1
    ) f
  )
  select f.tenant_id, f.channel, f.priority from fresh f
  where exists (
    select from carillon.routes r
    where r.tenant_id = f.tenant_id and r.channel = f.channel and r.priority = f.priority and r.next_attempt_at <= now()
      and (r.lease_until is null or r.lease_until <= now()));
end
$function$;

CREATE OR REPLACE FUNCTION carillon.normal_address(channel text, given text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case channel
    when 'email' then carillon.normal_mail_address(given)
    when 'sms' then carillon.normal_phone_number(given)
    when 'chat' then case when btrim(given) like 'whatsapp:%' then carillon.normal_phone_number(given) else nullif(btrim(given), '') end
    else nullif(btrim(given), '')
  end
$function$;

CREATE OR REPLACE FUNCTION carillon.normal_mail_address(given text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  bare text := btrim(given);
  local_part text;
  domain text;
begin
  if bare like '<%>' then
    bare := btrim(substr(bare, 2, length(bare) - 2));
  end if;
  local_part := substring(bare from '^([^@]*)@');
  domain := lower(substring(bare from '^[^@]*@([^@]*)$'));
  if bare ~ '[^ -~]' then
    -- Characters that nobody sees make a second address of the same name.
    if bare ~ (E'[\\u0080-\\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200f'
        || E'\\u2028-\\u202f\\u205f-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\uffff\\U000e0000-\\U000e0fff]') then
      return null;
    end if;
    -- Suppressions are compared in lower case, and the database's own collation may know that of ASCII letters only.
    if local_part ~ '[^ -~]' then
      local_part := normalize(carillon.lower_text(normalize(local_part, nfc)), nfc);
    end if;
    domain := carillon.ascii_domain(domain);
  end if;
  if octet_length(local_part) <= 64 and octet_length(local_part) + length(domain) < 254
      and local_part ~ E'^[A-Za-z0-9!#$%&''*+/=?^_`{|}~\\u0080-\\U0010ffff-]+([.][A-Za-z0-9!#$%&''*+/=?^_`{|}~\\u0080-\\U0010ffff-]+)*$'
      and domain ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?([.][a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$' then
    return local_part || '@' || domain;
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.normal_phone_number(given text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case when normalize(given, nfkc) !~ '[(] *0 *[)]' then substring(
    regexp_replace(normalize(given, nfkc), E'[ ()./\\u2010-\\u2015\\u2212-]', '', 'g')
    from '^(?:whatsapp:)?[+][1-9][0-9]{6,14}$'
  ) end
$function$;

CREATE OR REPLACE FUNCTION carillon.notify(intent jsonb)
 RETURNS uuid
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'carillon', 'pg_temp'
AS $function$
  select carillon.notify_with_payload(intent, null)
$function$;

CREATE OR REPLACE FUNCTION carillon.notify(notification_type text, audience jsonb, payload json, idempotency_key text DEFAULT NULL::text, channels text[] DEFAULT NULL::text[], producer text DEFAULT NULL::text, send_at timestamp with time zone DEFAULT NULL::timestamp with time zone, expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone, occurred_at timestamp with time zone DEFAULT NULL::timestamp with time zone, traceparent text DEFAULT NULL::text, tenant text DEFAULT 'default'::text, reason text DEFAULT NULL::text, send_at_local text DEFAULT NULL::text, template text DEFAULT NULL::text)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'carillon', 'pg_temp'
AS $function$
declare
  content jsonb;
  given jsonb;
begin
  begin
    content := payload::jsonb;
  exception when data_exception or program_limit_exceeded then
    raise exception 'carillon.notify: invalid_payload: payload cannot be stored: %', sqlerrm
      using errcode = 'invalid_parameter_value', column = 'payload';
  end;
  -- A null argument counts as not given, except for tenant, where it is a mistake.
  select jsonb_object_agg(f.key, f.value) into given
  from jsonb_each(jsonb_build_object(
    'notification_type', notification_type, 'audience', audience, 'payload', content, 'idempotency_key', idempotency_key,
    'channels', channels, 'producer', producer, 'send_at', to_jsonb(send_at at time zone 'UTC') #>> '{}' || 'Z',
    'expires_at', to_jsonb(expires_at at time zone 'UTC') #>> '{}' || 'Z',
    'occurred_at', to_jsonb(occurred_at at time zone 'UTC') #>> '{}' || 'Z', 'traceparent', traceparent, 'tenant', tenant,
    'reason', reason, 'send_at_local', send_at_local, 'template', template
  )) f
  where f.value <> 'null' or f.key = 'tenant';
  return carillon.notify_with_payload(given, payload::text);
end
$function$;

CREATE OR REPLACE FUNCTION carillon.notify_with_payload(intent jsonb, payload_text text)
 RETURNS uuid
 LANGUAGE plpgsql
AS $function$
declare
  max_bytes constant integer := 65536;
  tenant constant text := coalesce(intent ->> 'tenant', 'default');
  problem record;
  tenant_id uuid;
  payload_json text;
  answer record;
begin
  select * into problem from carillon.intent_problem(intent);
  if problem.code is null then
    payload_json := coalesce(payload_text, (intent -> 'payload')::text);
    tenant_id := (select t.id from carillon.tenants t where t.name = tenant);
    if octet_length(payload_json) > max_bytes then
      select 'payload_too_large' as code, 'payload' as field, format('the payload has more than %s bytes', max_bytes) as message
      into problem;
    elsif tenant_id is null then
      select 'invalid_request' as code, 'tenant' as field, format('no tenant is named "%s"', tenant) as message into problem;
    end if;
  end if;
  if problem.code is not null then
    raise exception 'carillon.notify: %: %', problem.code, problem.message
      using errcode = 'invalid_parameter_value', column = problem.field;
  end if;

  select * into answer from carillon.accept_intents(jsonb_build_array(jsonb_build_object(
    'ord', 0, 'tenant_id', tenant_id, 'notification_id', carillon.uuid_v7(), 'source', 'sql',
    'notification_type', intent -> 'notification_type', 'producer', coalesce(intent ->> 'producer', 'sql:' || session_user),
    'idempotency_key', intent -> 'idempotency_key', 'audience', intent -> 'audience',
    'channels', (
      select jsonb_agg(c.channel order by c.ordinal) from (
        select channel, min(ordinal) as ordinal from jsonb_array_elements(intent -> 'channels')
          with ordinality as given (channel, ordinal) group by channel
      ) c
    ),
    'payload_json', payload_json, 'send_at', intent -> 'send_at', 'send_at_local', intent -> 'send_at_local',
    'expires_at', intent -> 'expires_at', 'occurred_at', intent -> 'occurred_at', 'request_id', intent -> 'request_id',
    'reason', intent -> 'reason', 'template', intent -> 'template', 'thread', intent -> 'thread',
    'options', (
      select jsonb_object_agg(o.key, o.value) from jsonb_each(intent) o where o.key in ('email', 'sms', 'chat')
    ),
    -- the standard says to drop one that is not well-formed
    'traceparent', substring(intent ->> 'traceparent' from '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$')
  )));
  if answer.outcome in ('accepted', 'duplicate') then
    return answer.notification_id;
  end if;
  raise exception 'carillon.notify: %: %', answer.failure_code, answer.failure_message
    using errcode = case answer.outcome when 'conflict' then 'unique_violation' else 'invalid_parameter_value' end,
      column = answer.failure_field;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.open_dead_letters(letters jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 STRICT
 SET enable_seqscan TO 'off'
AS $function$
declare
  tenants uuid[];
  handled uuid[];
begin
  with opened as (
    insert into carillon.dead_letters (id, tenant_id, source_kind, notification_id, route_id, notification_type, channel,
      recipient_ref, final_attempt_count, max_attempts, failure_reason, failure_classification, failure_message,
      recovery_hint, created_at, original_event_id, source, op, target_id, payload, dispatch, first_attempt_at,
      last_attempt_at, trigger_id, script_id, trigger_depth, provider, template)
    select coalesce(l.id, carillon.uuid_v7()), l.tenant_id, l.source_kind, l.notification_id, l.route_id,
      coalesce(l.notification_type, ''), l.channel, coalesce(l.recipient_ref, ''), l.final_attempt_count, l.max_attempts,
      l.failure_reason, l.failure_classification, l.failure_message, l.recovery_hint, now(), l.original_event_id,
      coalesce(l.source, ''), coalesce(l.op, ''), l.target_id, l.payload, l.dispatch, l.first_attempt_at,
      l.last_attempt_at, l.trigger_id, l.script_id, coalesce(l.trigger_depth, 0),
      case l.source_kind when 'outbox' then '' else l.provider end, coalesce(v.name, '')
    from jsonb_to_recordset(letters) as l (id uuid, tenant_id uuid, source_kind text, notification_id uuid, route_id text,
      notification_type text, channel text, recipient_ref text, final_attempt_count integer, max_attempts integer,
      failure_reason text, failure_classification text, failure_message text, recovery_hint text, original_event_id uuid,
      source text, op text, target_id uuid, payload text, dispatch jsonb, first_attempt_at timestamptz,
      last_attempt_at timestamptz, trigger_id uuid, script_id uuid, trigger_depth integer, provider text,
      template_version_id uuid)
    left join carillon.template_versions v on v.tenant_id = l.tenant_id and v.id = l.template_version_id
    returning dead_letters.id, dead_letters.tenant_id
  ),
  -- Most tenants have no handlers: one lookup for each of them, however many letters there are.
  with_handlers as materialized (
    select t.tenant_id from (select distinct o.tenant_id from opened o) t
    cross join lateral (
      select from carillon.triggers g where g.tenant_id = t.tenant_id and g.kind = 'dead_letter' and g.is_enabled limit 1
    ) handler
  )
  select array_agg(o.tenant_id), array_agg(o.id) into tenants, handled from opened o
  where o.tenant_id in (select w.tenant_id from with_handlers w);
  if handled is null then
    return 0;
  end if;
  return carillon.fire_letter_triggers(tenants, handled);
end
$function$;

CREATE OR REPLACE FUNCTION carillon.options_problem(channel text, value jsonb, OUT code text, OUT field text, OUT message text)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  rule record;
  part jsonb;
begin
  code := 'invalid_request';
  field := channel;
  if jsonb_typeof(value) <> 'object' then
    message := 'must be a JSON object';
    return;
  end if;
  for rule in
    select * from (values
      ('email', 'reply_to', 'name', 255), ('email', 'cc', 'names', 255), ('email', 'bcc', 'names', 255),
      ('email', 'preheader', 'name', 200), ('email', 'attachments', 'attachments', null),
      ('sms', 'media', 'media', null), ('chat', 'media', 'media', null), ('chat', 'content_sid', 'sid', null),
      ('chat', 'content_variables', 'variables', null)
    ) as rules (of_channel, name, kind, most)
    where rules.of_channel = options_problem.channel
  loop
    part := value -> rule.name;
    continue when part is null;
    field := channel || '.' || rule.name;
    if rule.kind in ('names', 'attachments', 'media')
        and (jsonb_typeof(part) <> 'array' or jsonb_array_length(part) not between 1 and 10) then
      message := 'must be an array of 1 to 10 entries';
      return;
    end if;
    case rule.kind
      when 'name' then
        message := carillon.name_problem(part, rule.most);
      when 'names' then
        select field || '.' || e.n - 1, carillon.name_problem(e.v, rule.most) into field, message
        from jsonb_array_elements(part) with ordinality as e (v, n)
        where carillon.name_problem(e.v, rule.most) is not null order by e.n limit 1;
      when 'attachments' then
        select a.code, options_problem.field || '.' || e.n - 1 || a.field, a.message into code, field, message
        from jsonb_array_elements(part) with ordinality as e (v, n)
        cross join lateral carillon.attachment_problem(e.v) a
        where a.message is not null order by e.n limit 1;
      when 'media' then
        select field || '.' || e.n - 1, 'must be an https URL' into field, message
        from jsonb_array_elements(part) with ordinality as e (v, n)
        where jsonb_typeof(e.v) <> 'string' or length(e.v #>> '{}') > 2000
          or e.v #>> '{}' !~ '^https://[A-Za-z0-9.-]+(:[0-9]+)?(/[!-~]*)?$'
        order by e.n limit 1;
      when 'sid' then
        message := case when jsonb_typeof(part) <> 'string' or part #>> '{}' !~ '^HX[0-9a-f]{32}$'
          then 'must be HX and 32 hexadecimal digits' end;
      when 'variables' then
        if jsonb_typeof(part) <> 'object' then
          message := 'must be a JSON object';
        else
          select field || '.' || e.key, 'must be a name of letters and digits with a text of at most 1600 characters'
          into field, message from jsonb_each(part) e
          where e.key !~ '^[A-Za-z0-9_]{1,50}$' or jsonb_typeof(e.value) <> 'string' or length(e.value #>> '{}') > 1600
          limit 1;
        end if;
    end case;
    if message is not null then
      return;
    end if;
  end loop;
  code := 'invalid_request';
  select channel || '.' || min(name), 'is not a field of it' into field, message from jsonb_object_keys(value) name
  where name <> all (case channel
    when 'email' then array['reply_to', 'cc', 'bcc', 'preheader', 'attachments']
    when 'sms' then array['media']
    else array['media', 'content_sid', 'content_variables']
  end)
  having count(*) > 0;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.order_events(tenant uuid, most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  head bigint;
  batch uuid[];
begin
  if not pg_try_advisory_xact_lock(hashtextextended(format('order events %s', tenant), 0)) then
    return null;
  end if;
  -- Statements of their own: each sees what whoever had the lock before has committed.
  head := carillon.event_log_head(tenant);
  select array_agg(w.event_id order by w.seq) into batch from (
    select d.event_id, d.seq from carillon.domain_events d
    where d.tenant_id = tenant and d.id is null order by d.seq limit most
  ) w;
  if batch is null then
    return 0;
  end if;
  perform carillon.ensure_places_of_events(tenant, batch);
  update carillon.domain_events d set id = head + b.place
  from unnest(batch) with ordinality as b (event_id, place)
  where d.tenant_id = tenant and d.event_id = b.event_id;
  perform carillon.move_event_head(tenant, head + cardinality(batch));
  return cardinality(batch);
end
$function$;

CREATE OR REPLACE FUNCTION carillon.original_event(payload text)
 RETURNS json
 LANGUAGE plpgsql
 IMMUTABLE STRICT
AS $function$
begin
  return case when octet_length(payload) <= 131072 then payload::json end;
exception when others then
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.over_route_quota(intents jsonb)
 RETURNS integer[]
 LANGUAGE plpgsql
AS $function$
declare
  over integer[] := '{}';
  tenant uuid;
  remaining integer;
  intent record;
  is_over boolean := false;
begin
  -- Most instances have no quotas; for them this one lookup is the whole cost.
  if not exists (select from carillon.tenants t where t.quota_routes_per_day is not null) then
    return over;
  end if;
  for tenant in
    select t.id from carillon.tenants t
    where t.quota_routes_per_day is not null and t.suspended_at is null
      and t.id in (select (i ->> 'tenant_id')::uuid from jsonb_array_elements(intents) i)
    -- always in the same order: two batches that share tenants wait for each other instead of deadlocking
    order by t.id
  loop
    remaining := carillon.routes_left(tenant);
    for intent in
      select i.ord, case when people.number > 100 then 0 else people.number * coalesce(
          cardinality(i.channels), case when i.audience ->> 'kind' in ('addresses', 'admin_email') then 1 end,
          cardinality(y.channels), 2) end as needed
      from jsonb_to_recordset(intents) as i (
        ord integer, tenant_id uuid, notification_type text, audience jsonb, channels text[]
      )
      left join carillon.notification_types y on y.tenant_id = i.tenant_id and y.name = i.notification_type
      cross join lateral (
        select case i.audience ->> 'kind'
          when 'users' then jsonb_array_length(i.audience -> 'user_ids')
          when 'addresses' then jsonb_array_length(i.audience -> 'addresses')
          when 'admin_email' then coalesce(cardinality(y.admin_emails), 0)
          else 0
        end as number
      ) people
      where i.tenant_id = tenant
      order by i.ord
    loop
      if remaining > 0 and intent.needed <= remaining then
        remaining := remaining - intent.needed;
      else
        over := over || intent.ord;
        is_over := true;
      end if;
    end loop;
    if is_over then
      perform carillon.raise_quota_event(tenant, 'routes_per_day', 'The messages of the day are used up; intents are refused.');
      is_over := false;
    end if;
  end loop;
  return over;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.page_address(address text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select address where length(address) <= 2000 and address ~* '^(https?://[^\s/]|/(?![/\\]))\S*$|^/$'
$function$;

CREATE OR REPLACE FUNCTION carillon.pass_throttles(wanted jsonb)
 RETURNS SETOF integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  asked record;
  recent jsonb;
  at float8;
begin
  for asked in
    select * from jsonb_to_recordset(wanted) as w (
      ord integer, tenant_id uuid, notification_type text, recipient_ref text, user_id text, key text,
      notification_id uuid, per_seconds integer, max_passes integer, at timestamptz
    )
    -- always in the same order: batches that share recipients wait for each other instead of deadlocking
    order by w.tenant_id, w.notification_type, w.recipient_ref, w.key, w.notification_id, w.at
  loop
    insert into carillon.throttles (tenant_id, notification_type, recipient_ref, key, user_id, expires_at)
    values (asked.tenant_id, asked.notification_type, asked.recipient_ref, asked.key, asked.user_id,
      now() + make_interval(secs => asked.per_seconds))
    on conflict do nothing;
    select t.passes into recent from carillon.throttles t
    where t.tenant_id = asked.tenant_id and t.notification_type = asked.notification_type
      and t.recipient_ref = asked.recipient_ref and t.key = asked.key
    for update;
    -- read after waiting for the lock, so that passes are stored in the order of their times
    at := extract(epoch from coalesce(asked.at, clock_timestamp()));
    select coalesce(jsonb_object_agg(p.key, p.value), '{}') into recent
    from jsonb_each(recent) p where p.value::float8 > at - asked.per_seconds;
    if recent ? asked.notification_id::text then
      return next asked.ord;
    elsif (select count(*) from jsonb_object_keys(recent)) < asked.max_passes then
      update carillon.throttles t
      set passes = recent || jsonb_build_object(asked.notification_id, at),
        expires_at = clock_timestamp() + make_interval(secs => asked.per_seconds)
      where t.tenant_id = asked.tenant_id and t.notification_type = asked.notification_type
        and t.recipient_ref = asked.recipient_ref and t.key = asked.key;
      return next asked.ord;
    end if;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.people_wanting(tenant uuid, channel text, people text[], category text, reason text)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_variable
declare
  defaults record;
begin
  if exists (select from carillon.categories k where k.tenant_id = tenant and k.category = people_wanting.category and k.required) then
    return people;
  end if;
  select d.enabled, (d.categories ->> category)::boolean as of_category, (d.reasons ->> reason)::boolean as of_reason
  into defaults from carillon.default_preferences d
  where d.tenant_id = tenant and d.channel = people_wanting.channel;
  return array(
    select p.id from unnest(people) with ordinality as p (id, place)
    left join lateral (
      select o.enabled, (o.categories ->> category)::boolean as of_category, (o.reasons ->> reason)::boolean as of_reason
      from carillon.notification_preferences o
      where o.tenant_id = tenant and o.user_id = p.id and o.channel = people_wanting.channel limit 1
    ) own on true
    where coalesce(own.enabled, defaults.enabled, true) and coalesce(own.of_category, defaults.of_category, true)
      and coalesce(own.of_reason, defaults.of_reason, true)
    order by p.place
  );
end
$function$;

CREATE OR REPLACE FUNCTION carillon.pick_locale(by_locale jsonb, locale text, fallback text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
select coalesce(
  by_locale ->> lower(replace(locale, '_', '-')),
  by_locale ->> lower(replace(substring(locale from '^([^-_]+([-_][^-_]+){3})[-_]'), '_', '-')),
  by_locale ->> lower(replace(substring(locale from '^([^-_]+([-_][^-_]+){2})[-_]'), '_', '-')),
  by_locale ->> lower(replace(substring(locale from '^([^-_]+[-_][^-_]+)[-_]'), '_', '-')),
  by_locale ->> lower(substring(locale from '^[^-_]+')),
  by_locale ->> lower(replace(fallback, '_', '-')), by_locale ->> lower(substring(fallback from '^[^-_]+')),
  by_locale ->> 'en'
)
$function$;

CREATE OR REPLACE FUNCTION carillon.place_simulated_event(tenant uuid, event_id uuid)
 RETURNS bigint
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  place constant bigint := 4e18::bigint + (random() * 1e18)::bigint;
begin
  perform carillon.ensure_places_of_events(tenant, array[event_id]);
  update carillon.domain_events d set id = place
  where d.tenant_id = tenant and d.event_id = place_simulated_event.event_id;
  return place;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.planned_routes(tenant uuid, notification_type text, audience_kind text, recipients text[], channels text[], send_at timestamp with time zone, send_at_local text, template text, accepted_at timestamp with time zone, is_bulk boolean)
 RETURNS TABLE(route_id text, channel text, recipient_ref text, user_id text, resolved_address text, resolved_locale text, template_version_id uuid, status text, reason text, skipped_at timestamp with time zone, max_attempts integer, next_attempt_at timestamp with time zone, unless_read boolean, priority smallint)
 LANGUAGE sql
 STABLE
AS $function$
select
  c.channel || ':' || p.ref, c.channel, p.ref, p.user_id, coalesce(a.address, ''),
  l.locale,
  case when a.address is not null then coalesce(
    case when w.named is not null then carillon.pick_locale(w.named, l.locale, t.fallback_locale) end,
    case when w.versions is not null then carillon.pick_locale(w.versions, l.locale, t.fallback_locale) end
  )::uuid end,
  case when a.address is null then 'skipped' else 'pending' end,
  case
    when a.address is null then 'no_address'
    when e.later is not null then 'escalation'
    when y.delay > 0 then 'delay'
    when planned_routes.send_at_local is not null then 'local_time'
    else ''
  end as reason,
  case when a.address is null then now() end,
  coalesce((y.max_attempts ->> c.channel)::integer, (t.max_attempts ->> c.channel)::integer, 5),
  case
    when a.address is null then null
    when e.later is not null then d.due + make_interval(secs => (e.later ->> 'after')::integer)
    else d.due
  end,
  case when e.later is not null then coalesce(e.later ->> 'unless', '') = 'read' end,
  case when y.critical then 0 when planned_routes.is_bulk then 2 else 1 end::smallint
from carillon.tenants t
left join carillon.notification_types y on y.tenant_id = t.id and y.name = planned_routes.notification_type
-- Most types do not escalate; for them this only reads one column. An address belongs to one channel: only people can be
-- reached on another. What an event puts into inboxes needs no routes: fan-out has written it.
cross join lateral unnest(array_remove(case
  when y.escalate is null or planned_routes.audience_kind in ('addresses', 'admin_email') then planned_routes.channels
  else planned_routes.channels || array(
    select e ->> 'channel' from jsonb_array_elements(y.escalate) e where e ->> 'channel' <> all (planned_routes.channels))
end, case when planned_routes.audience_kind = 'event' then 'in_app' end)) as c (channel)
cross join lateral (
  select case when y.escalate is not null and c.channel <> all (planned_routes.channels) then (
    select e from jsonb_array_elements(y.escalate) e where e ->> 'channel' = c.channel
  ) end as later
) e
-- locale → version, once per record and channel: a lookup per route tripled the time of a large audience
cross join lateral (
  select
    jsonb_object_agg(lower(n.locale), published.id)
      -- one that was switched off while the routes are being created was active when the intent was accepted, and the
      -- routes created before use it
      filter (where n.name = planned_routes.template and (n.is_active or n.updated_at > planned_routes.accepted_at))
      as named,
    jsonb_object_agg(lower(n.locale), published.id)
      filter (where n.name = coalesce(y.templates ->> c.channel, planned_routes.notification_type)) as versions
  from carillon.notification_templates n
  cross join lateral (
    select v.id from carillon.template_versions v
    where v.tenant_id = n.tenant_id and v.template_id = n.id and v.published_at <= planned_routes.accepted_at
    order by v.version desc limit 1
  ) published
  where n.tenant_id = tenant and n.channel = c.channel
    and n.name in (coalesce(y.templates ->> c.channel, planned_routes.notification_type), planned_routes.template)
) w
cross join lateral (
  select 'user:' || u.id as ref, u.id as user_id, u.email, u.phone, u.chat_address, u.locale, u.timezone, null::text as given
  from unnest(recipients) as person (id)
  -- The lock makes a deletion of the user wait until the routes exist and are deleted with it. `limit` keeps it one lookup
  -- per person: as a join it became a scan of all users while statistics were missing.
  cross join lateral (
    select id, email, phone, chat_address, locale, timezone from carillon.users where tenant_id = tenant and id = person.id
    limit 1 for key share
  ) u
  where audience_kind in ('users', 'topic', 'tenant', 'event')
  union all
  select 'address:' || listed, null, null, null, null, '', 'UTC', listed
  from unnest(recipients) as listed where audience_kind = 'addresses'
  union all
  select 'admin:' || listed, null, null, null, null, '', 'UTC', nullif(listed, '')
  -- a type without addresses still leaves a visible, skipped route
  from unnest(case when recipients = '{}' then array[''] else recipients end) as listed
  where audience_kind = 'admin_email'
) p
cross join lateral (
  select case
    when p.user_id is null then p.given
    when c.channel = 'email' then p.email
    when c.channel = 'sms' then p.phone
    when c.channel = 'chat' then coalesce(p.chat_address, '')
    else '' -- the provider addresses the person, as it may on chat
  end as address
) a
cross join lateral (
  select case
    when p.locale <> '' and (t.locales is null or p.locale = any (t.locales)) then p.locale
    when p.locale = '' then t.fallback_locale
    else coalesce(carillon.pick_locale(
      (select jsonb_object_agg(lower(offered), offered) from unnest(t.locales) offered), p.locale, t.fallback_locale
    ), t.fallback_locale)
  end as locale
) l
cross join lateral (
  select case
    when y.delay > 0 then greatest(w.due, planned_routes.accepted_at + make_interval(secs => y.delay)) else w.due
  end as due
  from (
    select case
      when planned_routes.send_at_local is not null then carillon.local_time(planned_routes.send_at_local, p.timezone)
      else coalesce(planned_routes.send_at, now())
    end as due
  ) w
) d
where t.id = tenant
$function$;

CREATE OR REPLACE FUNCTION carillon.punycode(label text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  digits constant text := 'abcdefghijklmnopqrstuvwxyz0123456789';
  points constant integer[] := array(
    select ascii(c) from unnest(string_to_array(label, null)) with ordinality as letters (c, position) order by position
  );
  basic constant text := regexp_replace(label, '[^ -~]', '', 'g');
  encoded text := case when basic = '' then '' else basic || '-' end;
  handled integer := length(basic);
  n integer := 128;
  next_n integer;
  delta integer := 0;
  bias integer := 72;
  point integer;
  q integer;
  k integer;
  t integer;
begin
  while handled < cardinality(points) loop
    next_n := (select min(p) from unnest(points) p where p >= n);
    delta := delta + (next_n - n) * (handled + 1);
    n := next_n;
    foreach point in array points loop
      if point < n then
        delta := delta + 1;
      elsif point = n then
        q := delta;
        k := 36;
        loop
          t := least(greatest(k - bias, 1), 26);
          exit when q < t;
          encoded := encoded || substr(digits, 1 + t + (q - t) % (36 - t), 1);
          q := (q - t) / (36 - t);
          k := k + 36;
        end loop;
        encoded := encoded || substr(digits, 1 + q, 1);
        -- the next bias
        delta := case when handled = length(basic) then delta / 700 else delta / 2 end;
        delta := delta + delta / (handled + 1);
        k := 0;
        while delta > 455 loop
          delta := delta / 35;
          k := k + 36;
        end loop;
        bias := k + 36 * delta / (delta + 38);
        delta := 0;
        handled := handled + 1;
      end if;
    end loop;
    delta := delta + 1;
    n := n + 1;
  end loop;
  return encoded;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.quarantine_devices(reports jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 STRICT
 SET enable_seqscan TO 'off'
AS $function$
declare
  -- At least so many, and at least this part of all devices of the kind.
  wave_devices constant integer := 10;
  wave_part constant float8 := 0.2;
  -- Counting further would not change the answer.
  most_counted constant integer := 500;
  report record;
  refused record;
  recent integer;
  known integer;
  named integer := 0;
begin
  -- one by one, always in the same order: a join might read every device there is
  for report in
    select distinct on (r.tenant_id, r.id) r.tenant_id, r.id, r.since, coalesce(r.doubtful, false) as doubtful
    from jsonb_to_recordset(reports) as r (tenant_id uuid, id uuid, since timestamptz, doubtful boolean)
    order by r.tenant_id, r.id
  loop
    update carillon.user_devices d set
      rejections = case when d.rejected_since > now() - interval '30 days' then d.rejections + 1 else 1 end,
      rejected_since = case when d.rejected_since > now() - interval '30 days' then d.rejected_since else now() end,
      is_gone = not report.doubtful or (d.rejections >= 4 and d.rejected_since > now() - interval '30 days'),
      retry_at = now() + interval '1 day'
    where d.tenant_id = report.tenant_id and d.id = report.id and not d.is_gone
      and (report.since is null or d.updated_at <= report.since);
    named := named + 1;
  end loop;

  for refused in
    select distinct r.tenant_id, (
      select d.kind from carillon.user_devices d where d.tenant_id = r.tenant_id and d.id = r.id
    ) as kind
    from jsonb_to_recordset(reports) as r (tenant_id uuid, id uuid) order by 1, 2
  loop
    select count(*) into recent from (
      select from carillon.user_devices d
      where d.tenant_id = refused.tenant_id and d.kind = refused.kind and d.rejected_since > now() - interval '1 hour'
      limit most_counted
    ) counted;
    continue when recent < wave_devices;
    select count(*) into known from (
      select from carillon.user_devices d where d.tenant_id = refused.tenant_id and d.kind = refused.kind
      limit (recent / wave_part)::integer + 1
    ) counted;
    continue when recent < known * wave_part;
    update carillon.user_devices d set is_gone = false, retry_at = null
    where d.tenant_id = refused.tenant_id and d.kind = refused.kind and d.rejected_since > now() - interval '1 hour'
      and d.retry_at is not null;
    perform carillon.raise_system_event(
      refused.tenant_id, 'devices_refused', refused.kind, 'high',
      format('Many devices of the kind %s were refused within an hour. They are kept: check the settings of the provider, '
        'such as its environment and its credentials.', refused.kind),
      jsonb_build_object('devices', recent), 3600
    );
  end loop;
  return named;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.raise_quota_event(tenant uuid, quota text, description text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (
    select from carillon.admin_system_events e
    where e.tenant_id = tenant and e.created_at > now() - interval '1 hour' and e.event_type = 'quota_exceeded'
      and e.subject = quota and not e.is_resolved
  ) then
    perform carillon.raise_system_event(tenant, 'quota_exceeded', quota, 'high', description, '{}', 3600);
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.raise_system_event(tenant uuid, kind text, about text, severity text, description text, details jsonb, cool_down_seconds double precision)
 RETURNS SETOF admin_system_events
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  -- below the table's own limit, with room for the counter
  max_bytes constant integer := 16000;
  severities constant text[] := array['low', 'medium', 'high', 'critical'];
  given jsonb := raise_system_event.details;
  open_event carillon.admin_system_events;
  is_worse boolean;
begin
  -- Details are context, not storage: if they are too large, only the names of their fields are kept.
  if octet_length(given::text) > max_bytes then
    select jsonb_build_object('omitted', jsonb_agg(left(name, 80))) into given
    from (select name from jsonb_object_keys(given) name limit 40) first_names;
  end if;
  perform pg_advisory_xact_lock(hashtextextended(format('system event %s %s %s', kind, about, tenant), 0));
  select * into open_event from carillon.admin_system_events e
  where e.tenant_id is not distinct from tenant and e.event_type = kind and e.subject = about and not e.is_resolved
    and e.created_at > now() - make_interval(secs => cool_down_seconds)
  order by e.created_at desc limit 1;
  if open_event.id is null then
    return query insert into carillon.admin_system_events as e (tenant_id, event_type, subject, severity, description, details)
      values (tenant, kind, about, raise_system_event.severity, raise_system_event.description, given || '{"count": 1}')
      returning e.*;
    return;
  end if;
  if octet_length((open_event.details || given)::text) <= max_bytes then
    given := open_event.details || given;
  end if;
  is_worse := array_position(severities, raise_system_event.severity) > array_position(severities, open_event.severity);
  return query update carillon.admin_system_events e
    set severity = case when is_worse then raise_system_event.severity else e.severity end,
      description = case when is_worse then raise_system_event.description else e.description end,
      details = given || jsonb_build_object(
      'count', coalesce((open_event.details ->> 'count')::integer, 1) + 1, 'last_raised_at', now()
    )
    where e.id = open_event.id returning e.*;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.recent_actors(earlier jsonb, actor text)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case
    when actor is null then coalesce(earlier, '[]')
    else jsonb_build_array(actor) || coalesce((
      select jsonb_agg(a.name order by a.place)
      from jsonb_array_elements_text(earlier) with ordinality as a (name, place)
      where a.name <> actor and a.place <= 5
    ), '[]')
  end
$function$;

CREATE OR REPLACE FUNCTION carillon.refuse_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' and pg_trigger_depth() > 1
    and to_jsonb(new) - '{tenant_id,user_id}'::text[] = to_jsonb(old) - '{tenant_id,user_id}'::text[] then
    return new;
  end if;
  if tg_op = 'DELETE' and not exists (
    select from carillon.tenants t where t.id = old.tenant_id and t.deleting_since is null and (t.audit_retention_days is null
      or old.created_at >= now() - make_interval(days => t.audit_retention_days))
  ) then
    return old;
  end if;
  raise exception 'audit_logs is append-only' using errcode = 'insufficient_privilege';
end
$function$;

CREATE OR REPLACE FUNCTION carillon.relations_problem(value jsonb, OUT field text, OUT message text)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  relation text;
  people jsonb;
begin
  field := 'relations';
  if jsonb_typeof(value) <> 'object' then
    message := 'must be a JSON object';
    return;
  end if;
  if (select count(*) from jsonb_object_keys(value)) > 50 then
    message := 'must have at most 50 relations';
    return;
  end if;
  for relation, people in select * from jsonb_each(value) loop
    field := 'relations.' || relation;
    if relation !~ '^[a-z][a-z0-9_]{0,31}$' then
      message := 'must be named with at most 32 small letters, digits and _';
      return;
    end if;
    if jsonb_typeof(people) <> 'array' or jsonb_array_length(people) > 1000 then
      message := 'must be an array of at most 1000 user ids';
      return;
    end if;
    select field || '.' || e.ordinal - 1, carillon.name_problem(e.entry, 200) into field, message
    from jsonb_array_elements(people) with ordinality as e (entry, ordinal)
    where carillon.name_problem(e.entry, 200) is not null order by e.ordinal limit 1;
    if message is not null then
      return;
    end if;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.remove_key_triggers(tenant uuid, key uuid)
 RETURNS TABLE(id uuid, name text)
 LANGUAGE sql
AS $function$
  delete from carillon.triggers t where t.tenant_id = tenant and t.registered_by_key = key returning t.id, t.name
$function$;

CREATE OR REPLACE FUNCTION carillon.remove_notifications_of_topics()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  -- while migrations are undone, the column may be gone before the table of topics
  if exists (select from pg_attribute where attrelid = 'carillon.notifications'::regclass and attname = 'topic'
    and not attisdropped) then
    -- Emptied and marked, so that clients learn that they are gone; retention deletes them.
    update carillon.notifications n
    set deleted_at = coalesce(n.deleted_at, now()), saved_at = null, title = '', message = '', summary = '{}', actions = null,
      answer = null, topic = null, thread_kind = null, thread_id = null, source_event_id = null, last_actor_id = null
    from removed r where n.tenant_id = r.tenant_id and n.topic = r.topic;
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.remove_watches_of_topics()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  delete from carillon.watches w using removed r where w.tenant_id = r.tenant_id and w.topic = r.topic;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.rename_archive_of_tenants()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update carillon.records_archive r set tenant_id = new.id where r.tenant_id = old.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.rename_archived_routes_of_tenants()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update carillon.routes_archive r set tenant_id = new.id where r.tenant_id = old.id;
  update carillon.route_attempts_archive a set tenant_id = new.id where a.tenant_id = old.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.rename_archived_routes_of_users()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update carillon.routes_archive r set tenant_id = new.tenant_id, user_id = new.id
  where r.tenant_id = old.tenant_id and r.user_id = old.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.rename_attempts_of_routes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update carillon.route_attempts a
  set tenant_id = new.tenant_id, notification_id = new.notification_id, route_id = new.route_id
  where a.tenant_id = old.tenant_id and a.notification_id = old.notification_id and a.route_id = old.route_id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.rename_callbacks_of_routes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update carillon.provider_callbacks c
  set tenant_id = new.tenant_id, notification_id = new.notification_id, route_id = new.route_id
  where c.tenant_id = old.tenant_id and c.notification_id = old.notification_id and c.route_id = old.route_id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.rename_deliveries_of_records()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update carillon.webhook_deliveries d set tenant_id = new.tenant_id, notification_id = new.notification_id
  where d.tenant_id = old.tenant_id and d.notification_id = old.notification_id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.rename_letters_of_routes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update carillon.dead_letters d
  set tenant_id = new.tenant_id, notification_id = new.notification_id, route_id = new.route_id
  where d.tenant_id = old.tenant_id and d.notification_id = old.notification_id and d.route_id = old.route_id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.rename_notifications_of_tenants()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update carillon.notifications n set tenant_id = new.id where n.tenant_id = old.id and n.user_id is null;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.rename_routes_of_records()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update carillon.routes r set tenant_id = new.tenant_id, notification_id = new.notification_id
  where r.tenant_id = old.tenant_id and r.notification_id = old.notification_id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.rename_routes_of_users()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update carillon.routes r set tenant_id = new.tenant_id, user_id = new.id
  where r.tenant_id = old.tenant_id and r.user_id = old.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.rename_sends_of_users()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update carillon.daily_sends s set tenant_id = new.tenant_id, user_id = new.id
  where s.tenant_id = old.tenant_id and s.user_id = old.id;
  update carillon.capped_sends s set tenant_id = new.tenant_id, user_id = new.id
  where s.tenant_id = old.tenant_id and s.user_id = old.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.reserve_mails(asked jsonb)
 RETURNS TABLE(ord integer, refused text)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  mail record;
  at timestamptz;
begin
  -- like caps: the count matters only once the mail is sent, and that commit comes later in the same log
  perform set_config('synchronous_commit', 'off', true);
  -- Always in the same order, so that batches wait for each other instead of deadlocking. People have no row that every
  -- mail could lock: their own is changed, and locked, by others.
  perform pg_advisory_xact_lock(k.key) from (
    select distinct hashtextextended('mails:' || a.tenant_id || ':' || a.user_id, 0) as key
    from jsonb_to_recordset(asked) as a (tenant_id text, user_id text) order by 1
  ) k;
  for mail in
    select a.*, t.mails_per_thread_window_seconds as window_seconds, t.mails_per_hour as most
    from jsonb_to_recordset(asked) as a (ord integer, tenant_id uuid, user_id text, notification_id uuid, route_id text,
      thread_kind text, thread_id text, message_id text, exempt boolean, at timestamptz)
    join carillon.tenants t on t.id = a.tenant_id
    order by a.at, a.tenant_id, a.notification_id, a.route_id
  loop
    -- after waiting for the lock, so that what others counted meanwhile lies in the past
    at := coalesce(mail.at, clock_timestamp());
    refused := case
      when mail.exempt then null
      when mail.thread_id is not null and mail.window_seconds > 0 and exists (
        select from carillon.notification_email_log l
        where l.tenant_id = mail.tenant_id and l.user_id = mail.user_id and l.thread_kind = mail.thread_kind
          and l.thread_id = mail.thread_id and l.counted_at > at - make_interval(secs => mail.window_seconds)
          and (l.record_id, l.route_id) <> (mail.notification_id, mail.route_id)
      ) then 'thread'
      when (
        select count(*) from (
          select from carillon.notification_email_log l
          where l.tenant_id = mail.tenant_id and l.user_id = mail.user_id and l.counted_at > at - interval '1 hour'
            and (l.record_id, l.route_id) <> (mail.notification_id, mail.route_id)
          limit mail.most
        ) recent
      ) >= mail.most then 'hour'
    end;
    if refused is null then
      insert into carillon.notification_email_log as l (tenant_id, user_id, record_id, route_id, notification_id,
        thread_kind, thread_id, topic, message_id, counted_at)
      values (mail.tenant_id, mail.user_id, mail.notification_id, mail.route_id,
        (select n.id from carillon.notifications n where n.tenant_id = mail.tenant_id and n.user_id = mail.user_id
          and n.thread_kind = mail.thread_kind and n.thread_id = mail.thread_id),
        mail.thread_kind, mail.thread_id,
        (select h.topic from carillon.threads h
          where h.tenant_id = mail.tenant_id and h.kind = mail.thread_kind and h.id = mail.thread_id),
        mail.message_id, at)
      -- what certainly was not sent has no row any more, so this one is about an attempt that nobody knows the end of
      on conflict (tenant_id, record_id, route_id) do update set
        counted_at = excluded.counted_at, may_have_arrived = true;
    end if;
    ord := mail.ord;
    return next;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.reserve_sends(subject uuid, per_minute integer, wanted integer, at timestamp with time zone DEFAULT clock_timestamp())
 RETURNS TABLE(granted integer, free_at timestamp with time zone)
 LANGUAGE plpgsql
AS $function$
declare
  used_before integer;
  this_second timestamptz := date_trunc('second', at);
begin
  -- one caller at a time: the count must not change between reading it and adding to it
  perform pg_advisory_xact_lock(hashtextextended(format('rate of %s', subject), 0));
  -- sends of the second sixty seconds ago may have gone out at its very end, so they still count
  select coalesce(sum(s.used), 0) into used_before from carillon.recent_sends s
  where s.subject_id = subject and s.second >= this_second - interval '60 seconds';
  granted := greatest(0, least(wanted, per_minute - used_before));
  if granted > 0 then
    insert into carillon.recent_sends as s (subject_id, second, used) values (subject, this_second, granted)
    on conflict (subject_id, second) do update set used = s.used + excluded.used;
  end if;
  delete from carillon.recent_sends s where s.subject_id = subject and s.second < this_second - interval '60 seconds';
  select min(s.second) + interval '61 seconds' into free_at from carillon.recent_sends s where s.subject_id = subject;
  return next;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.return_capped_sends(sends jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 STRICT
 SET enable_seqscan TO 'off'
AS $function$
declare
  counted record;
  changed integer := 0;
begin
  -- one by one, in the order in which sends are counted
  for counted in
    select s.tenant_id, s.user_id, s.channel, p.category, p.per, p.period, count(*)::integer as sends
    from jsonb_to_recordset(sends) as s (tenant_id uuid, user_id text, channel text, periods jsonb)
    cross join lateral jsonb_to_recordset(s.periods) as p (category text, per text, period text)
    group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
  loop
    update carillon.capped_sends s set used = greatest(0, s.used - counted.sends)
    where s.tenant_id = counted.tenant_id and s.user_id = counted.user_id and s.channel = counted.channel
      and s.category = counted.category and s.per = counted.per and s.period = counted.period;
    changed := changed + 1;
  end loop;
  return changed;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.return_counted_sends(sends jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 STRICT
 SET enable_seqscan TO 'off'
AS $function$
declare
  counted record;
  changed integer := 0;
begin
  -- one by one, in the order in which sends are counted: a join might read every count there is
  for counted in
    select s.tenant_id, s.user_id, s.channel, s.day, count(*)::integer as sends
    from jsonb_to_recordset(sends) as s (tenant_id uuid, user_id text, channel text, day date)
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
  loop
    update carillon.daily_sends s set used = greatest(0, s.used - counted.sends)
    where s.tenant_id = counted.tenant_id and s.user_id = counted.user_id and s.channel = counted.channel
      and s.day = counted.day;
    changed := changed + 1;
  end loop;
  return changed;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.return_throttles(unsent jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 STRICT
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  returned record;
  looked_at integer := 0;
begin
  -- one by one, in the order in which they are counted
  for returned in
    select u.tenant_id, u.notification_type, u.recipient_ref, u.notification_id, array_agg(u.route_id) as route_ids
    from jsonb_to_recordset(unsent) as u (
      tenant_id uuid, notification_type text, recipient_ref text, notification_id uuid, route_id text
    )
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
  loop
    update carillon.throttles t set passes = t.passes - returned.notification_id::text
    where t.tenant_id = returned.tenant_id and t.notification_type = returned.notification_type
      and t.recipient_ref = returned.recipient_ref and t.passes ? returned.notification_id::text
      and not exists (
        select from carillon.routes r
        where r.tenant_id = returned.tenant_id and r.notification_id = returned.notification_id
          and r.recipient_ref = returned.recipient_ref and r.route_id <> all (returned.route_ids)
          and (r.status = 'sent' or r.next_attempt_at is not null or r.reason = 'digested')
      );
    looked_at := looked_at + 1;
  end loop;
  return looked_at;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.routes_left(tenant uuid)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  quota integer;
  is_suspended boolean;
  today constant timestamptz := date_trunc('day', now(), 'UTC');
  used integer;
begin
  select t.quota_routes_per_day, t.suspended_at is not null into quota, is_suspended
  from carillon.tenants t where t.id = tenant;
  if is_suspended then
    return 0;
  elsif quota is null then
    return null;
  end if;
  insert into carillon.rate_limits (tenant_id, limit_type, window_start, request_count) values (tenant, 'route', today, 0)
  on conflict do nothing;
  select l.request_count into used from carillon.rate_limits l
  where l.tenant_id = tenant and l.user_id is null and l.api_key_id is null and l.window_start = today
    and l.limit_type = 'route' for update;
  return greatest(0, quota - used);
end
$function$;

CREATE OR REPLACE FUNCTION carillon.rules_for(tenant uuid, kind text)
 RETURNS TABLE(relation text, reason text, channels text[], passes_mute boolean, notification_type text, event_kind text, is_builtin boolean)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
begin
  return query
  select r.relation, n.reason, r.channels, r.passes_mute, coalesce(r.notification_type, kind), r.event_kind, r.is_builtin
  from (
    select distinct on (a.relation) a.* from (
      select o.relation, o.channels, o.passes_mute, o.notification_type, o.event_kind, false as is_builtin
      from carillon.fanout_rules o where o.tenant_id = tenant
      union all
      select b.relation, b.channels, b.passes_mute, null, b.event_kind, true from carillon.builtin_fanout_rules() b
    ) a
    where carillon.matches_glob(a.event_kind, kind)
    order by a.relation, a.is_builtin, a.event_kind = kind desc, length(a.event_kind) desc
  ) r
  join (
    select distinct on (a.name) a.* from (
      select o.name, o.priority, o.reason, 0 as place from carillon.relations o where o.tenant_id = tenant
      union all
      select b.name, b.priority, b.reason, 1 from carillon.builtin_relations() b
    ) a order by a.name, a.place
  ) n on n.name = r.relation
  where r.channels <> '{}'
  order by n.priority, n.name;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.seen_snapshot(version text)
 RETURNS pg_snapshot
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  snapshot pg_snapshot := substring(version from '^\d+:\d+:[\d,]*')::pg_snapshot;
  epoch text := substring(version from ':([0-9a-f]{8})$');
begin
  if pg_snapshot_xmax(snapshot) > pg_snapshot_xmax(pg_current_snapshot()) or epoch <> carillon.inbox_epoch() then
    return null;
  end if;
  return snapshot;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.send_again(tenant uuid, repeated uuid, source_kind text, op text, target uuid, payload text, context jsonb, ordering_key text, former_policy jsonb DEFAULT '{}'::jsonb, link jsonb DEFAULT '{}'::jsonb)
 RETURNS uuid
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  policy record;
begin
  select * into policy from carillon.target_policy(tenant, source_kind, target);
  perform carillon.mark_redelivered(tenant, repeated);
  return carillon.enqueue(
    tenant, source_kind, op, target, payload, ordering_key => ordering_key,
    trigger_depth => (former_policy ->> 'trigger_depth')::integer,
    -- A delivery leaves the recovery that sent it before; for other work the id of a recovery may be the work itself.
    context => case source_kind when 'webhook' then context - 'recovery_id' else context end - array['replay_of', 'reply_to'] || link
      || jsonb_build_object('redelivery_of', repeated),
    max_attempts => coalesce(policy.max_attempts, (former_policy ->> 'max_attempts')::integer),
    backoff => coalesce(policy.backoff, former_policy ->> 'backoff'),
    base_ms => coalesce(policy.base_ms, (former_policy ->> 'base_ms')::integer),
    cap_ms => coalesce(policy.cap_ms, (former_policy ->> 'cap_ms')::integer)
  );
end
$function$;

CREATE OR REPLACE FUNCTION carillon.set_outbox_aside(max_rows integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  moved integer;
begin
  with blocked as materialized (
    select o.tenant_id, o.id, o.next_attempt_at from carillon.outbox o
    cross join lateral (
      select min(e.seq) as seq from carillon.outbox e where e.tenant_id = o.tenant_id and e.source_kind = o.source_kind
        and e.target_id = o.target_id and e.ordering_key = o.ordering_key
    ) first
    cross join lateral (
      select from carillon.outbox e where e.tenant_id = o.tenant_id and e.source_kind = o.source_kind
        and e.target_id = o.target_id and e.ordering_key = o.ordering_key and e.seq = first.seq
      for key share skip locked
    ) held
    where o.ordering_key is not null and o.seq > 0 and o.next_attempt_at <= now() and o.lease_owner is null
      and first.seq < o.seq
    order by o.next_attempt_at limit max_rows
    for update of o skip locked
  )
  -- A row that a completion has made due since it was read has another time now, and is left alone.
  update carillon.outbox o set next_attempt_at = now() + interval '1 minute'
  from blocked b where o.tenant_id = b.tenant_id and o.id = b.id and o.next_attempt_at = b.next_attempt_at;
  get diagnostics moved = row_count;
  return moved;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.set_route_digest(tenant uuid, notification uuid, route text, digest uuid)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  update carillon.routes r set digest_id = digest, updated_at = now()
  where r.tenant_id = tenant and r.notification_id = notification and r.route_id = route;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.set_updated_at()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.updated_at := now();
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.settle_mails(settled jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 STRICT
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  mail record;
  done integer := 0;
begin
  -- one by one, in the same order everywhere: a join might read the whole log
  for mail in
    select s.* from jsonb_to_recordset(settled) as s (tenant_id uuid, notification_id uuid, route_id text, is_sent boolean)
    order by s.tenant_id, s.notification_id, s.route_id
  loop
    if mail.is_sent then
      update carillon.notification_email_log l set sent_at = now(), counted_at = now()
      where l.tenant_id = mail.tenant_id and l.record_id = mail.notification_id and l.route_id = mail.route_id;
    else
      delete from carillon.notification_email_log l
      where l.tenant_id = mail.tenant_id and l.record_id = mail.notification_id and l.route_id = mail.route_id
        and l.sent_at is null and not l.may_have_arrived;
    end if;
    done := done + 1;
  end loop;
  return done;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.shown_actions(actions jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  action jsonb;
begin
  if jsonb_typeof(actions) is distinct from 'array' or jsonb_array_length(actions) not between 1 and 5 then
    return null;
  end if;
  for action in select a from jsonb_array_elements(actions) a loop
    if jsonb_typeof(action) <> 'object'
      or exists (select from jsonb_object_keys(action) k where k not in ('id', 'label', 'url', 'event_kind'))
      or not (action ? 'id' and action ? 'label')
      or carillon.name_problem(action -> 'id', 64) is not null
      or carillon.name_problem(action -> 'label', 100) is not null
      or coalesce(action -> 'event_kind', 'null') <> 'null' and carillon.name_problem(action -> 'event_kind', 64) is not null
      or coalesce(action -> 'url', 'null') <> 'null'
        and (jsonb_typeof(action -> 'url') <> 'string' or carillon.page_address(action ->> 'url') is null)
    then
      return null;
    end if;
  end loop;
  if (select count(distinct a ->> 'id') from jsonb_array_elements(actions) a) < jsonb_array_length(actions) then
    return null;
  end if;
  return actions;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.stamp_inbox_row()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.version := (pg_current_xact_id()::text)::bigint;
  new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 ms');
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.start_digest(digest_id uuid, tenant uuid, item uuid, item_route text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  digest carillon.digests;
begin
  select * into digest from carillon.digests d where d.tenant_id = tenant and d.id = digest_id;
  if carillon.create_digest_record(tenant, digest.id, item, digest.channel, digest.recipient_ref, digest.closes_at) then
    perform carillon.create_digest_route(tenant, digest.id, item, item_route, digest.closes_at);
    perform carillon.emit_events(jsonb_build_array(jsonb_build_object(
      'event', 'notification.accepted', 'tenant_id', tenant, 'notification_id', digest.id)));
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.stored_options(options jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case when options ? 'email' then options || jsonb_build_object('email', (options -> 'email') || jsonb_strip_nulls(
    jsonb_build_object(
      'reply_to', carillon.normal_address('email', options #>> '{email,reply_to}'),
      'cc', (select jsonb_agg(distinct carillon.normal_address('email', v))
        from jsonb_array_elements_text(options #> '{email,cc}') v),
      'bcc', (select jsonb_agg(distinct carillon.normal_address('email', v))
        from jsonb_array_elements_text(options #> '{email,bcc}') v),
      'attachments', (
        select jsonb_agg(jsonb_build_object('filename', e.v ->> 'filename', 'content_type', e.v ->> 'content_type',
          'bytes', carillon.attachment_bytes(e.v ->> 'content')) order by e.n)
        from jsonb_array_elements(options #> '{email,attachments}') with ordinality as e (v, n))
    ))) else options end
$function$;

CREATE OR REPLACE FUNCTION carillon.subscribe_automatically(tenant uuid, thread_kind text, thread_id text, people text[], reason text, source_event_id bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
begin
  insert into carillon.notification_threads (tenant_id, user_id, thread_kind, thread_id, subscribed, reason, source_event_id)
  select tenant, person, subscribe_automatically.thread_kind, subscribe_automatically.thread_id, true,
    subscribe_automatically.reason, subscribe_automatically.source_event_id
  from unnest(people) as person order by person
  on conflict (tenant_id, user_id, thread_kind, thread_id) do nothing;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.suppress_addresses(addresses jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 STRICT
AS $function$
declare
  suppressed integer;
begin
  insert into carillon.suppressions (tenant_id, channel, address, reason, detail)
  select a.tenant_id, a.channel, lower(coalesce(carillon.normal_address(a.channel, a.address), a.address)), a.reason, left(a.detail, 500)
  from jsonb_to_recordset(addresses) as a (tenant_id uuid, channel text, address text, reason text, detail text)
  on conflict do nothing;
  get diagnostics suppressed = row_count;
  return suppressed;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.sweep_archived_records(most integer)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
declare
  old record;
begin
  for old in
    select t.id as tenant, array_agg(r.notification_id) as ids
    from (select x.*, max(x.record_retention_days) over () as longest from carillon.tenants x) t
    cross join lateral (
      (
        select x.notification_id from carillon.records_archive x
        where t.record_retention_days < t.longest and x.tenant_id = t.id
          and x.accepted_at < now() - make_interval(days => t.record_retention_days)
        order by x.accepted_at limit most
      )
      union all
      (
        select x.notification_id from carillon.records_archive_default x
        where t.record_retention_days = t.longest and x.tenant_id = t.id
          and x.accepted_at < now() - make_interval(days => t.record_retention_days)
        order by x.accepted_at limit most
      )
    ) r
    group by t.id
  loop
    -- skipping what somebody has locked, such as another process that sweeps
    return query delete from carillon.records_archive a
    where a.tenant_id = old.tenant and a.notification_id = any (array(
      select r.notification_id from carillon.records_archive r
      where r.tenant_id = old.tenant and r.notification_id = any (old.ids) for update skip locked
    ))
    returning a.notification_id;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.target_policy(tenant uuid, source_kind text, target uuid)
 RETURNS TABLE(max_attempts integer, backoff text, base_ms integer, cap_ms integer)
 LANGUAGE sql
 STABLE
AS $function$
  select w.retry_count + 1, w.backoff, w.retry_base_ms, w.retry_cap_ms from carillon.notification_webhooks w
  where source_kind = 'webhook' and w.tenant_id = tenant and w.id = target
  union all
  -- rows for a trigger have its kind
  select t.max_attempts, t.backoff, t.base_ms, null from carillon.triggers t
  where t.tenant_id = tenant and t.id = target and t.kind = source_kind
$function$;

CREATE OR REPLACE FUNCTION carillon.tell_people(tenant uuid, event_id uuid, rule jsonb, place jsonb, users text[], expanded boolean, is_bulk boolean, is_repeat boolean)
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_material TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  e carillon.domain_events;
  kind_of_type carillon.notification_types;
  channels text[] := array(select jsonb_array_elements_text(rule -> 'channels'));
  shown jsonb;
  told text[] := users;
  record_id uuid;
  earlier uuid[];
  created integer := 0;
begin
  select d.* into e from carillon.domain_events d where d.tenant_id = tenant and d.event_id = tell_people.event_id;
  select y.* into kind_of_type from carillon.notification_types y
  where y.tenant_id = tenant and y.name = rule ->> 'notification_type';
  -- the catalog says on which channels a type may be sent
  channels := array(select c from unnest(channels) c
    where kind_of_type.channels is null or c = any (kind_of_type.channels));
  if channels = '{}' then
    return 0;
  end if;
  if is_repeat then
    earlier := array(select r.notification_id from carillon.records r
      where r.tenant_id = tenant and r.event_id = tell_people.event_id);
  end if;
  shown := carillon.event_payload(tenant, event_id, place ->> 'title', place ->> 'url', place ->> 'topic');
  record_id := carillon.create_event_record(
    tenant, event_id, rule || jsonb_build_object('channels', channels), shown::text, place ->> 'topic', expanded);
  if 'in_app' = any (channels) then
    told := carillon.people_wanting(tenant, 'in_app', users, kind_of_type.category, rule ->> 'reason');
    perform carillon.upsert_inbox(
      tenant, told, array_fill(rule ->> 'reason', array[cardinality(told)]),
      array_fill((rule ->> 'passes_mute')::boolean, array[cardinality(told)]),
      jsonb_build_object(
        'source_event_id', e.id, 'type', rule ->> 'notification_type', 'kind', e.kind,
        'title', shown ->> 'title', 'message', coalesce(shown ->> 'body', shown ->> 'message', shown ->> 'text', ''),
        'topic', place ->> 'topic', 'thread_kind', e.thread_kind, 'thread_id', e.thread_id,
        'last_event_at', e.occurred_at, 'last_actor_id', e.actor_id,
        'summary', jsonb_strip_nulls(jsonb_build_object(
          'title', shown ->> 'title', 'url', shown ->> 'url', 'number', shown -> 'number', 'relation', rule ->> 'relation')),
        'actions', case when jsonb_typeof(shown -> 'actions') = 'array' then shown -> 'actions' end
      )
    );
  end if;
  if channels <> array['in_app'] or kind_of_type.escalate is not null then
    told := users;
    if is_repeat then
      -- somebody whose relation has changed since must not get a second mail
      told := array(select u.id from unnest(users) with ordinality as u (id, place)
        where not exists (select from carillon.routes r
          where r.tenant_id = tenant and r.user_id = u.id and r.notification_id = any (earlier))
        order by u.place);
    end if;
    perform carillon.routes_left(tenant) from carillon.tenants t where t.id = tenant and t.quota_routes_per_day is not null;
    created := carillon.create_routes(tenant, record_id, told, is_bulk);
    perform carillon.count_routes(tenant, created);
  end if;
  if not is_repeat and rule ->> 'relation' in ('mention', 'assignee', 'reviewer', 'author', 'commenter') then
    perform carillon.involve_people(tenant, event_id, place ->> 'topic', users, case rule ->> 'relation'
      when 'assignee' then 'assigned' when 'reviewer' then 'review_requested' else rule ->> 'relation' end);
  end if;
  return created;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.tenant_rows(tenant uuid, OUT row_count bigint, OUT bytes bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
declare
  name text;
  found_rows bigint;
  found_bytes bigint;
begin
  row_count := 0;
  bytes := 0;
  for name in select carillon.tenant_tables() loop
    execute format('select count(*), coalesce(sum(pg_column_size(t.*)), 0) from carillon.%I t where t.tenant_id = $1', name)
    into found_rows, found_bytes using tenant;
    row_count := row_count + found_rows;
    bytes := bytes + found_bytes;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.tenant_tables()
 RETURNS SETOF text
 LANGUAGE sql
 STABLE
AS $function$
  select c.relname::text from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
  where c.relnamespace = 'carillon'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  order by array_position(array[
    'route_attempts', 'routes', 'records', 'route_attempts_archive', 'routes_archive', 'records_archive', 'outbox'
  ], c.relname::text), c.relname
$function$;

CREATE OR REPLACE FUNCTION carillon.thread_problem(value jsonb, OUT code text, OUT field text, OUT message text)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
begin
  code := 'invalid_request';
  field := 'thread';
  if jsonb_typeof(value) <> 'object' then
    message := 'must be a JSON object';
    return;
  end if;
  select 'thread.' || f.name, case when value ? f.name then 'invalid_request' else 'missing_field' end,
    coalesce(carillon.name_problem(value -> f.name, f.most), 'is required')
  into field, code, message
  from (values (1, 'kind', 32), (2, 'id', 200)) as f (n, name, most)
  where not value ? f.name or carillon.name_problem(value -> f.name, f.most) is not null order by f.n limit 1;
  if message is null then
    code := 'invalid_request';
    select 'thread.' || min(name), 'is not a field of a thread' into field, message
    from jsonb_object_keys(value) name where name not in ('kind', 'id') having count(*) > 0;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.time_problem(value jsonb)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  if jsonb_typeof(value) <> 'string' or length(value #>> '{}') > 40 or value #>> '{}' !~
      '^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]+)?(Z|[+-](0[0-9]|1[0-5]):[0-5][0-9])$' then
    return 'must be an ISO 8601 time with a zone, such as 2026-01-31T09:30:00Z';
  end if;
  perform (value #>> '{}')::timestamptz;
  return null;
exception when data_exception then
  return format('is not a valid time: %s', sqlerrm);
end
$function$;

CREATE OR REPLACE FUNCTION carillon.unknown_type_warning(is_known boolean, type text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case when not is_known then format('The catalog has no type "%s", so nothing is known about it.', type) end
$function$;

CREATE OR REPLACE FUNCTION carillon.upsert_inbox(tenant uuid, people text[], reasons text[], passing boolean[], item jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
declare
  event carillon.notifications := jsonb_populate_record(null::carillon.notifications, item);
  -- payloads come from anywhere, and a page that follows an address must not run it
  shown jsonb := coalesce(event.summary, '{}') - array['url', 'icon'] || jsonb_strip_nulls(jsonb_build_object(
    'url', carillon.page_address(event.summary ->> 'url'), 'icon', carillon.page_address(event.summary ->> 'icon')));
  buttons jsonb := carillon.shown_actions(event.actions);
  passed text[] := array(select p.user_id from unnest(people, passing) as p (user_id, passes) where p.passes);
  at timestamptz := coalesce(event.last_event_at, now());
  -- somebody who is unknown, or was deleted meanwhile, is nobody
  actor text := (select u.id from carillon.users u where u.tenant_id = tenant and u.id = event.last_actor_id);
  -- Once and not per row: a hundred thousand people may get the same. What makes their ids differ is the random part.
  first_summary jsonb := shown || jsonb_build_object('actors', carillon.recent_actors(null, actor));
  id_start text := left(carillon.uuid_v7()::text, 15);
  written integer;
begin
  if event.thread_id is null then
    insert into carillon.notifications (id, tenant_id, user_id, type, kind, reason, title, message, topic, source_event_id,
      last_event_at, last_actor_id, summary, actions, expires_at)
    select (id_start || substr(gen_random_uuid()::text, 16))::uuid, tenant, p.user_id, coalesce(event.type, event.kind), event.kind, p.reason,
      coalesce(event.title, ''), coalesce(event.message, ''),
      event.topic, event.source_event_id, at, actor,
      first_summary, buttons, event.expires_at
    from unnest(people, reasons) as p (user_id, reason)
    on conflict (tenant_id, user_id, source_event_id)
      where source_event_id is not null and thread_id is null and user_id is not null do nothing;
  else
    insert into carillon.notifications as n (id, tenant_id, user_id, type, kind, reason, title, message, topic, thread_kind,
      thread_id, source_event_id, last_event_at, last_actor_id, summary, actions, expires_at)
    select (id_start || substr(gen_random_uuid()::text, 16))::uuid, tenant, p.user_id, coalesce(event.type, event.kind), event.kind, p.reason,
      coalesce(event.title, ''), coalesce(event.message, ''),
      event.topic, event.thread_kind, event.thread_id, event.source_event_id, at, actor,
      first_summary, buttons, event.expires_at
    from unnest(people, reasons) as p (user_id, reason)
    on conflict (tenant_id, user_id, thread_kind, thread_id) where thread_id is not null do update set
      type = excluded.type, kind = excluded.kind, reason = excluded.reason, title = excluded.title,
      message = excluded.message, topic = excluded.topic, source_event_id = excluded.source_event_id,
      last_event_at = excluded.last_event_at, last_actor_id = excluded.last_actor_id,
      summary = excluded.summary || jsonb_build_object(
        'actors', carillon.recent_actors(n.summary -> 'actors', excluded.last_actor_id)),
      actions = excluded.actions, answer = null, expires_at = excluded.expires_at, event_count = n.event_count + 1,
      is_read = false, read_at = null, done_at = null, deleted_at = null,
      -- a snooze goes on, unless the event is one of those that reach people who want to hear nothing
      snoozed_until = case when n.snoozed_until > now() and excluded.user_id <> all (passed) then n.snoozed_until end,
      event_version = excluded.event_version
    where n.source_event_id is null or n.source_event_id < excluded.source_event_id;
  end if;
  get diagnostics written = row_count;
  return written;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.uuid_v7()
 RETURNS uuid
 LANGUAGE sql
 PARALLEL SAFE
AS $function$
  select encode(
    overlay(
      overlay(uuid_send(gen_random_uuid()) placing substring(int8send(t.micros / 1000) from 3) from 1 for 6)
      placing substring(int8send(28672 + t.micros % 1000 * 4096 / 1000) from 7) from 7 for 2
    ), 'hex'
  )::uuid
  from (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as micros offset 0) t
$function$;

CREATE OR REPLACE FUNCTION carillon.void_user_tokens(tenant uuid, person text)
 RETURNS boolean
 LANGUAGE sql
AS $function$
  with voided as (
    update carillon.users set tokens_void_before = clock_timestamp() where tenant_id = tenant and id = person returning id
  )
  select exists (select from voided)
$function$;

CREATE OR REPLACE FUNCTION carillon.wall_time_problem(value jsonb)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  if jsonb_typeof(value) <> 'string'
      or value #>> '{}' !~ '^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$' then
    return 'must be a time without a zone, such as 2026-12-24T09:00';
  end if;
  perform (value #>> '{}')::timestamp;
  return null;
exception when data_exception then
  return format('is not a valid time: %s', sqlerrm);
end
$function$;

CREATE OR REPLACE FUNCTION carillon.was_read(tenant uuid, notification uuid, recipient text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select exists (
    select from carillon.routes i
    join carillon.notifications n on n.tenant_id = i.tenant_id and n.route_id = i.route_id
      and n.record_id = case when i.reason = 'digested' then i.digest_id else i.notification_id end
    where i.tenant_id = tenant and i.notification_id = notification and i.route_id = 'in_app:' || recipient and n.is_read
  ) or exists (
    select from carillon.records r
    join carillon.notifications n on n.tenant_id = r.tenant_id and n.user_id = substr(recipient, length('user:') + 1)
      and n.thread_kind = r.thread_kind and n.thread_id = r.thread_id
    where r.tenant_id = tenant and r.notification_id = notification and r.thread_id is not null
      and recipient like 'user:%' and n.is_read
  ) or exists (
    -- of an event without a thread
    select from carillon.records r
    join carillon.domain_events e on e.tenant_id = r.tenant_id and e.event_id = r.event_id
    join carillon.notifications n on n.tenant_id = r.tenant_id and n.user_id = substr(recipient, length('user:') + 1)
      and n.source_event_id = e.id and n.thread_id is null
    where r.tenant_id = tenant and r.notification_id = notification and recipient like 'user:%' and n.is_read
  )
$function$;

CREATE OR REPLACE FUNCTION carillon.watch_automatically(tenant uuid, topic text, people text[], level text)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
begin
  insert into carillon.watches (tenant_id, topic, user_id, level, is_automatic)
  select tenant, watch_automatically.topic, person, watch_automatically.level, true from unnest(people) as person
  order by person
  on conflict (tenant_id, topic, user_id) do nothing;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.webhook_body(format text, event_id uuid, event text, tenant uuid, subject text, traceparent text, data json)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select case format
    when 'cloudevents' then (
      select row_to_json(body)::text from (
        select '1.0' as specversion, event_id as id, 'urn:carillon:tenant:' || tenant as source, event as type, subject,
          carillon.iso(now()) as time, 'application/json' as datacontenttype, data
      ) body where traceparent = ''
      union all
      select row_to_json(body)::text from (
        select '1.0' as specversion, event_id as id, 'urn:carillon:tenant:' || tenant as source, event as type, subject,
          carillon.iso(now()) as time, 'application/json' as datacontenttype, traceparent, data
      ) body where traceparent <> ''
    )
    else (
      select row_to_json(body)::text from (
        select event_id as id, event as type, carillon.iso(now()) as timestamp, data
      ) body
    )
  end
$function$;

CREATE OR REPLACE FUNCTION carillon.webhook_content_type(format text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case format when 'cloudevents' then 'application/cloudevents+json' else 'application/json' end
$function$;

CREATE OR REPLACE FUNCTION carillon.webhook_events(subjects jsonb)
 RETURNS TABLE(tenant_id uuid, event text, webhook_id uuid, body text, context jsonb, ordering_key text, batch_size integer, max_attempts integer, backoff text, base_ms integer, cap_ms integer, due_at timestamp with time zone, is_active boolean)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
begin
  return query
  with subject as materialized (
    -- told again, an event of the application is still the same one
    select s.*, coalesce(s.domain_event_id, carillon.uuid_v7()) as event_id
    from rows from (jsonb_to_recordset(subjects) as (
      event text, tenant_id uuid, notification_id uuid, route_id text, dead_letter_id uuid, inbox_id uuid,
      system_event_id bigint, domain_event_id uuid, reader text
    )) with ordinality as s (
      event, tenant_id, notification_id, route_id, dead_letter_id, inbox_id, system_event_id, domain_event_id, reader, ord
    )
  ),
  fact as materialized (
    select s.*, rec, r, y.category, r.recipient_ref, null::json as told, rec.notification_type as type,
      rec.traceparent as trace, p.people, null::text as ordered_by
    from subject s
    join carillon.records rec on rec.tenant_id = s.tenant_id and rec.notification_id = s.notification_id
    left join carillon.routes r
      on r.tenant_id = s.tenant_id and r.notification_id = s.notification_id and r.route_id = s.route_id
    left join carillon.notifications i on i.tenant_id = s.tenant_id and i.id = s.inbox_id
    left join carillon.notification_types y on y.tenant_id = rec.tenant_id and y.name = rec.notification_type
    cross join lateral (
      select case when rec.audience_kind = 'users' and s.route_id is null then rec.recipients else '{}' end
        || coalesce(r.user_id, i.user_id) as people
    ) p
    -- checked before whole rows, payloads included, are put together
    where s.system_event_id is null and s.domain_event_id is null and exists (select from carillon.endpoints_for(s.tenant_id, s.event, p.people))
    union all
    -- what a person read in the inbox when its record was in the archive already; nothing else happens to those
    select s.*, rec, r, y.category, r.recipient_ref, null, rec.notification_type, rec.traceparent, array[r.user_id], null
    from subject s
    join carillon.records_archive a on a.tenant_id = s.tenant_id and a.notification_id = s.notification_id
    join carillon.routes_archive o
      on o.tenant_id = s.tenant_id and o.notification_id = s.notification_id and o.route_id = s.route_id
    cross join lateral jsonb_populate_record(null::carillon.records, to_jsonb(a)) rec
    cross join lateral jsonb_populate_record(null::carillon.routes, to_jsonb(o)) r
    left join carillon.notification_types y on y.tenant_id = a.tenant_id and y.name = a.notification_type
    where s.event = 'notification.read'
      and exists (select from carillon.endpoints_for(s.tenant_id, s.event, array[o.user_id]))
    union all
    -- what a person read in the inbox that came from no record, as if it had been delivered to that person
    select s.*, rec, r, y.category, r.recipient_ref, null, i.type, '', array[s.reader], null
    from subject s
    join carillon.notifications i on i.tenant_id = s.tenant_id and i.id = s.inbox_id
    left join carillon.notification_types y on y.tenant_id = i.tenant_id and y.name = i.type
    cross join lateral jsonb_populate_record(null::carillon.records, jsonb_build_object(
      'notification_id', i.id, 'notification_type', i.type, 'producer', 'inbox', 'idempotency_key', '', 'request_id', '',
      'occurred_at', i.last_event_at, 'accepted_at', i.created_at,
      'payload_json', jsonb_build_object('title', i.title, 'message', i.message)::text)) rec
    cross join lateral jsonb_populate_record(null::carillon.routes, jsonb_build_object(
      'route_id', s.route_id, 'channel', 'in_app', 'recipient_ref', 'user:' || s.reader, 'user_id', s.reader,
      'status', 'sent', 'reason', '', 'attempt_count', 0, 'max_attempts', 0, 'provider', 'in_app',
      'provider_message_id', '', 'last_error_classification', '', 'last_error_message', '', 'sent_at', i.created_at)) r
    where s.reader is not null and exists (select from carillon.endpoints_for(s.tenant_id, s.event, array[s.reader]))
    union all
    select s.*, null, null, null, null, (
        select row_to_json(d) from (
          select e.id as system_event_id, e.event_type, e.subject, e.severity, e.description, e.details, e.is_resolved,
            carillon.iso(e.created_at) as created_at, carillon.iso(e.resolved_at) as resolved_at, e.resolved_by
        ) d
      ), e.event_type, '', array[e.user_id], 'system_event ' || e.event_type
    from subject s join carillon.admin_system_events e on e.id = s.system_event_id and e.tenant_id = s.tenant_id
    union all
    select s.*, null, null, null, null, (
        select row_to_json(t) from (
          select d.event_id, d.id, d.kind, d.producer, d.actor_id, d.topic, case when d.thread_id is not null then (
              select row_to_json(h) from (
                select d.thread_kind as kind, d.thread_id as id, d.thread_title as title, d.thread_url as url,
                  d.thread_author_id as author_id
              ) h
            ) end as thread,
            d.source_kind, d.source_id, d.is_public, d.relations, d.payload_json::json as payload,
            carillon.iso(d.occurred_at) as occurred_at
        ) t
      ), d.kind, d.traceparent, '{}',
      coalesce('thread ' || d.thread_kind || '/' || d.thread_id, 'topic ' || d.topic, 'event ' || d.kind)
    from subject s join carillon.domain_events d on d.tenant_id = s.tenant_id and d.event_id = s.domain_event_id
  )
  select f.tenant_id, f.event, w.id,
    carillon.webhook_body(w.format, f.event_id, f.event, f.tenant_id,
      coalesce(f.notification_id::text || coalesce('/' || f.route_id, ''), f.system_event_id::text, f.domain_event_id::text),
      f.trace,
      case
        when f.told is null then carillon.event_data(
          w.payload_mode, f.rec, f.r, coalesce(f.category, ''), f.dead_letter_id, f.inbox_id)
        when w.payload_mode = 'full' then f.told
        when f.domain_event_id is null then (
          select row_to_json(d) from (select f.system_event_id, f.type as event_type) d)
        else (select row_to_json(d) from (select f.domain_event_id as event_id, f.type as kind) d)
      end),
    jsonb_build_object('event_id', f.event_id, 'notification_id', f.notification_id, 'traceparent', f.trace,
      'content_type', carillon.webhook_content_type(w.format)),
    case w.ordering
      when 'notification' then left(coalesce(f.notification_id::text, f.ordered_by), 300)
      when 'recipient' then left(coalesce(f.recipient_ref, f.notification_id::text, f.ordered_by), 300)
      when 'endpoint' then ''
    end,
    w.batch_size, w.retry_count + 1, w.backoff, w.retry_base_ms, w.retry_cap_ms,
    -- Events of one window are due together, so that they can go out as one batch.
    case
      when w.batch_size > 1 and w.batch_seconds > 0 then
        date_bin(make_interval(secs => w.batch_seconds), now(), 'epoch') + make_interval(secs => w.batch_seconds)
      else now()
    end,
    w.is_active
  from fact f
  cross join lateral carillon.endpoints_for(f.tenant_id, f.event, f.people) w
  where (f.told is not null or w.notification_types = '{}' or f.type = any (w.notification_types))
    and (f.told is not null or w.categories = '{}' or coalesce(f.category, '') = any (w.categories))
  order by f.ord, w.id;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.write_digest_payload(tenant uuid, digest uuid, payload text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  update carillon.records r set payload_json = payload, updated_at = now()
  where r.tenant_id = tenant and r.notification_id = digest;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.zone_offset(zone text, at timestamp with time zone)
 RETURNS interval
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  by_node interval := (
    select make_interval(secs => z.offsets[width_bucket(at, z.changes)]) from carillon.time_zones z
    where z.zone = zone_offset.zone);
begin
  if by_node is not null then return by_node; end if;
  -- for offsets, PostgreSQL follows POSIX, where + means west
  return at at time zone case when zone ~ '^[+-]' then translate(zone, '+-', '-+') else zone end - at at time zone 'UTC';
exception when invalid_parameter_value then
  return null;
end
$function$;

CREATE TRIGGER admin_system_events_announced AFTER INSERT ON carillon.admin_system_events FOR EACH ROW EXECUTE FUNCTION announce_system_event();

CREATE TRIGGER admin_system_events_raised AFTER INSERT ON carillon.admin_system_events FOR EACH ROW WHEN ((new.tenant_id IS NOT NULL)) EXECUTE FUNCTION emit_system_events();

CREATE TRIGGER admin_system_events_resolved AFTER UPDATE OF is_resolved ON carillon.admin_system_events FOR EACH ROW WHEN (((new.tenant_id IS NOT NULL) AND new.is_resolved AND (NOT old.is_resolved))) EXECUTE FUNCTION emit_system_events();

CREATE TRIGGER admin_system_events_worsened AFTER UPDATE OF severity ON carillon.admin_system_events FOR EACH ROW WHEN ((new.severity <> old.severity)) EXECUTE FUNCTION announce_system_event();

CREATE TRIGGER audit_logs_append_only BEFORE DELETE OR UPDATE ON carillon.audit_logs FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();

CREATE TRIGGER audit_logs_no_truncate BEFORE TRUNCATE ON carillon.audit_logs FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

CREATE TRIGGER changed_receipts_read AFTER UPDATE ON carillon.notification_receipts REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION emit_changed_receipt_events();

CREATE TRIGGER delete_archive AFTER DELETE ON carillon.tenants REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_archive_of_tenants();

CREATE TRIGGER delete_attempts AFTER DELETE ON carillon.routes REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_attempts_of_routes();

CREATE TRIGGER delete_attempts AFTER DELETE ON carillon.routes_archive REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_archived_attempts_of_routes();

CREATE TRIGGER delete_callbacks AFTER DELETE ON carillon.routes REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_callbacks_of_routes();

CREATE TRIGGER delete_callbacks AFTER DELETE ON carillon.routes_archive REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_callbacks_of_routes();

CREATE TRIGGER delete_deliveries AFTER DELETE ON carillon.records REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_deliveries_of_records();

CREATE TRIGGER delete_deliveries AFTER DELETE ON carillon.records_archive REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_deliveries_of_records();

CREATE TRIGGER delete_letters AFTER DELETE ON carillon.routes REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_letters_of_routes();

CREATE TRIGGER delete_letters AFTER DELETE ON carillon.routes_archive REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_letters_of_routes();

CREATE TRIGGER delete_notifications AFTER DELETE ON carillon.tenants REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_notifications_of_tenants();

CREATE TRIGGER delete_routes AFTER DELETE ON carillon.records REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_routes_of_records();

CREATE TRIGGER delete_routes AFTER DELETE ON carillon.records_archive REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_archived_routes_of_records();

CREATE TRIGGER delete_routes AFTER DELETE ON carillon.users REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_routes_of_users();

CREATE TRIGGER delete_routes_archived AFTER DELETE ON carillon.users REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_archived_routes_of_users();

CREATE TRIGGER delete_sends AFTER DELETE ON carillon.users REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_sends_of_users();

CREATE TRIGGER forget_quiet_windows BEFORE UPDATE ON carillon.default_preferences FOR EACH ROW EXECUTE FUNCTION forget_quiet_windows();

CREATE TRIGGER forget_quiet_windows BEFORE UPDATE ON carillon.notification_preferences FOR EACH ROW EXECUTE FUNCTION forget_quiet_windows();

CREATE TRIGGER keep_deletion BEFORE UPDATE OF deleting_since ON carillon.tenants FOR EACH ROW WHEN (((old.deleting_since IS NOT NULL) AND (new.deleting_since IS NULL))) EXECUTE FUNCTION keep_deletion();

CREATE TRIGGER notification_threads_updated_at BEFORE UPDATE ON carillon.notification_threads FOR EACH ROW EXECUTE FUNCTION set_updated_at();

CREATE TRIGGER notifications_read AFTER UPDATE ON carillon.notifications REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION emit_read_events();

CREATE TRIGGER receipts_read AFTER INSERT ON carillon.notification_receipts REFERENCING NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION emit_receipt_events();

CREATE TRIGGER rename_archive AFTER UPDATE OF id ON carillon.tenants FOR EACH ROW EXECUTE FUNCTION rename_archive_of_tenants();

CREATE TRIGGER rename_archived_routes AFTER UPDATE OF id ON carillon.tenants FOR EACH ROW EXECUTE FUNCTION rename_archived_routes_of_tenants();

CREATE TRIGGER rename_attempts AFTER UPDATE OF tenant_id, notification_id, route_id ON carillon.routes FOR EACH ROW EXECUTE FUNCTION rename_attempts_of_routes();

CREATE TRIGGER rename_callbacks AFTER UPDATE OF tenant_id, notification_id, route_id ON carillon.routes FOR EACH ROW EXECUTE FUNCTION rename_callbacks_of_routes();

CREATE TRIGGER rename_deliveries AFTER UPDATE OF tenant_id, notification_id ON carillon.records FOR EACH ROW EXECUTE FUNCTION rename_deliveries_of_records();

CREATE TRIGGER rename_letters AFTER UPDATE OF tenant_id, notification_id, route_id ON carillon.routes FOR EACH ROW EXECUTE FUNCTION rename_letters_of_routes();

CREATE TRIGGER rename_notifications AFTER UPDATE OF id ON carillon.tenants FOR EACH ROW EXECUTE FUNCTION rename_notifications_of_tenants();

CREATE TRIGGER rename_routes AFTER UPDATE OF tenant_id, notification_id ON carillon.records FOR EACH ROW EXECUTE FUNCTION rename_routes_of_records();

CREATE TRIGGER rename_routes AFTER UPDATE OF tenant_id, id ON carillon.users FOR EACH ROW EXECUTE FUNCTION rename_routes_of_users();

CREATE TRIGGER rename_routes_archived AFTER UPDATE OF tenant_id, id ON carillon.users FOR EACH ROW EXECUTE FUNCTION rename_archived_routes_of_users();

CREATE TRIGGER rename_sends AFTER UPDATE OF tenant_id, id ON carillon.users FOR EACH ROW EXECUTE FUNCTION rename_sends_of_users();

CREATE TRIGGER stamp_row BEFORE UPDATE ON carillon.notification_receipts FOR EACH ROW EXECUTE FUNCTION stamp_inbox_row();

CREATE TRIGGER stamp_row BEFORE UPDATE ON carillon.notifications FOR EACH ROW EXECUTE FUNCTION stamp_inbox_row();

CREATE TRIGGER tenants_event_cursors AFTER INSERT ON carillon.tenants FOR EACH ROW EXECUTE FUNCTION create_event_cursors();

CREATE TRIGGER topics_notifications AFTER DELETE ON carillon.topics REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION remove_notifications_of_topics();

CREATE TRIGGER topics_watches AFTER DELETE ON carillon.topics REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION remove_watches_of_topics();
