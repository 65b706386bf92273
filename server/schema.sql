-- Generated from the migrations by `npm run db:dump`; compared in CI. Do not edit.

create table carillon.abandoned_executions (
  tenant_id uuid not null,
  id uuid not null,
  outbox_id uuid not null,
  script_id uuid,
  inbox_id uuid not null,
  status_code integer not null,
  summary text not null default ''::text,
  created_at timestamp(3) with time zone not null default now(),
  constraint abandoned_executions_summary_check CHECK ((length(summary) <= 1000)),
  constraint abandoned_executions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  subject text not null default ''::text,
  description text not null,
  details jsonb not null default '{}'::jsonb,
  is_resolved boolean not null default false,
  resolved_at timestamp(3) with time zone,
  resolved_by text,
  created_at timestamp(3) with time zone not null default now(),
  constraint admin_system_events_details_check CHECK ((octet_length((details)::text) <= 16384)),
  constraint admin_system_events_event_type_check CHECK (((length(event_type) >= 1) AND (length(event_type) <= 50))),
  constraint admin_system_events_resolved_whole CHECK ((is_resolved = (resolved_at IS NOT NULL))),
  constraint admin_system_events_severity_check CHECK ((severity = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text, 'critical'::text]))),
  constraint admin_system_events_subject_check CHECK ((length(subject) <= 100)),
  constraint admin_system_events_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  constraint admin_system_events_pkey PRIMARY KEY (id)
);
CREATE INDEX admin_system_events_listing ON carillon.admin_system_events USING btree (created_at DESC, id DESC);
CREATE INDEX admin_system_events_open ON carillon.admin_system_events USING btree (tenant_id, severity) WHERE (NOT is_resolved);
CREATE INDEX admin_system_events_severity ON carillon.admin_system_events USING btree (severity, created_at DESC, id DESC);
CREATE INDEX admin_system_events_tenant ON carillon.admin_system_events USING btree (tenant_id, created_at DESC, id DESC);

create table carillon.api_keys (
  tenant_id uuid not null,
  id uuid not null,
  user_id text,
  name text not null,
  key_hash text not null,
  hint text not null,
  scopes text[],
  producers text[],
  limited_as uuid,
  is_active boolean not null default true,
  expires_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  constraint api_keys_key_hash_check CHECK ((length(key_hash) = 64)),
  constraint api_keys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint api_keys_producers_check CHECK (((cardinality(producers) >= 1) AND (cardinality(producers) <= 50))),
  constraint api_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  constraint attachments_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  constraint attachments_tenant_id_notification_id_fkey FOREIGN KEY (tenant_id, notification_id) REFERENCES records(tenant_id, notification_id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint attachments_pkey PRIMARY KEY (tenant_id, notification_id, "position")
);

create table carillon.audit_logs (
  tenant_id uuid not null,
  id uuid not null,
  user_id text,
  api_key_id uuid,
  account_id uuid,
  account_email text,
  action text not null,
  resource_type text not null,
  resource_id text,
  ip_address inet,
  user_agent text,
  request_id text,
  old_values jsonb,
  new_values jsonb,
  created_at timestamp(3) with time zone not null default now(),
  constraint audit_logs_action_check CHECK (((length(action) >= 1) AND (length(action) <= 100))),
  constraint audit_logs_resource_id_check CHECK (((length(resource_id) >= 1) AND (length(resource_id) <= 520))),
  constraint audit_logs_resource_type_check CHECK (((length(resource_type) >= 1) AND (length(resource_type) <= 50))),
  constraint audit_logs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  constraint branding_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  options jsonb,
  captured_at timestamp(3) with time zone not null default now(),
  constraint captured_messages_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  constraint categories_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  tenant_id uuid not null,
  id uuid not null default gen_random_uuid(),
  source_kind text not null,
  notification_id uuid,
  route_id text,
  notification_type text not null,
  channel text,
  recipient_ref text not null,
  provider text not null default ''::text,
  template text not null default ''::text,
  original_event_id uuid,
  source text not null default ''::text,
  op text not null default ''::text,
  target_id uuid,
  trigger_id uuid,
  script_id uuid,
  payload text,
  dispatch jsonb,
  trigger_depth integer not null default 0,
  final_attempt_count integer not null,
  max_attempts integer not null,
  first_attempt_at timestamp(3) with time zone,
  last_attempt_at timestamp(3) with time zone,
  failure_reason text not null,
  failure_classification text not null,
  failure_message text not null,
  recovery_hint text not null default ''::text,
  expiry_warned_at timestamp(3) with time zone,
  resolved_at timestamp(3) with time zone,
  resolution text,
  resolved_by text,
  replayed_from text,
  replayed_to text,
  created_at timestamp(3) with time zone not null,
  constraint dead_letters_failure_reason_check CHECK ((failure_reason = ANY (ARRAY['max_retries_exceeded'::text, 'permanent_failure'::text, 'provider_rate_limit_exceeded'::text, 'provider_misconfigured'::text, 'worker_lost'::text, 'uncertain_delivery'::text, 'target_missing'::text]))),
  constraint dead_letters_not_of_handlers CHECK ((source <> 'dead_letter'::text)),
  constraint dead_letters_outbox_named CHECK (((source_kind <> 'outbox'::text) OR ((original_event_id IS NOT NULL) AND (source <> ''::text) AND (target_id IS NOT NULL) AND (payload IS NOT NULL) AND (dispatch IS NOT NULL)))),
  constraint dead_letters_resolution_check CHECK ((resolution = ANY (ARRAY['replayed'::text, 'ignored'::text, 'handled_by_script'::text, 'handler_failed'::text]))),
  constraint dead_letters_resolution_whole CHECK (((resolved_at IS NOT NULL) = ((resolution IS NOT NULL) AND (resolution <> 'handler_failed'::text)))),
  constraint dead_letters_route_channel CHECK (((source_kind <> 'route'::text) OR (channel IS NOT NULL))),
  constraint dead_letters_route_named CHECK (((source_kind <> 'route'::text) OR ((notification_id IS NOT NULL) AND (route_id IS NOT NULL)))),
  constraint dead_letters_source_kind_check CHECK ((source_kind = ANY (ARRAY['route'::text, 'outbox'::text]))),
  constraint dead_letters_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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

create table carillon.default_preferences (
  tenant_id uuid not null,
  channel text not null,
  enabled boolean,
  categories jsonb not null default '{}'::jsonb,
  reasons jsonb not null default '{}'::jsonb,
  digests jsonb not null default '{}'::jsonb,
  frequency_cap integer,
  caps jsonb,
  quiet_hours_start time(0) without time zone,
  quiet_hours_end time(0) without time zone,
  quiet_windows jsonb,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint default_preferences_caps_check CHECK ((jsonb_typeof(caps) = 'array'::text)),
  constraint default_preferences_categories_check CHECK ((jsonb_typeof(categories) = 'object'::text)),
  constraint default_preferences_channel_check CHECK ((channel = ANY (ARRAY['in_app'::text, 'email'::text, 'sms'::text, 'push'::text, 'chat'::text, 'webhook'::text]))),
  constraint default_preferences_digests_check CHECK ((jsonb_typeof(digests) = 'object'::text)),
  constraint default_preferences_frequency_cap_check CHECK ((frequency_cap >= 0)),
  constraint default_preferences_quiet_hours_once CHECK ((num_nonnulls(quiet_hours_start, quiet_windows) <= 1)),
  constraint default_preferences_quiet_hours_whole CHECK (((quiet_hours_start IS NULL) = (quiet_hours_end IS NULL))),
  constraint default_preferences_quiet_windows_check CHECK ((jsonb_typeof(quiet_windows) = 'array'::text)),
  constraint default_preferences_reasons_check CHECK ((jsonb_typeof(reasons) = 'object'::text)),
  constraint default_preferences_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  constraint default_preferences_pkey PRIMARY KEY (tenant_id, channel)
);

create table carillon.digests (
  tenant_id uuid not null,
  id uuid not null,
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
  constraint digests_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  constraint domain_events_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  constraint domain_events_processed_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  constraint fanout_rules_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  constraint invariant_violations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  api_key_id uuid not null,
  expires_at timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint invitations_email_check CHECK (((email = lower(email)) AND ((length(email) >= 3) AND (length(email) <= 255)))),
  constraint invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'operator'::text, 'viewer'::text]))),
  constraint invitations_token_hash_check CHECK ((length(token_hash) = 64)),
  constraint invitations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  constraint kv_entries_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  constraint limit_counters_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  constraint limit_counters_pkey PRIMARY KEY (tenant_id, key_hash)
);
CREATE INDEX limit_counters_expired ON carillon.limit_counters USING btree (expires_at);

create table carillon.malformed_intents (
  tenant_id uuid not null,
  source text not null,
  producer text not null default ''::text,
  source_entry_id text not null,
  notification_type text not null default ''::text,
  idempotency_key text not null default ''::text,
  failure_code text not null,
  failure_message text not null,
  raw_fields jsonb not null,
  recorded_at timestamp(3) with time zone not null default now(),
  constraint malformed_intents_source_entry_id_check CHECK (((length(source_entry_id) >= 1) AND (length(source_entry_id) <= 255))),
  constraint malformed_intents_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  constraint members_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  constraint members_pkey PRIMARY KEY (tenant_id, account_id),
  constraint members_tenant_id_api_key_id_key UNIQUE (tenant_id, api_key_id)
);
CREATE INDEX members_account ON carillon.members USING btree (account_id, created_at);
CREATE INDEX members_owners ON carillon.members USING btree (tenant_id, account_id) WHERE (role = 'owner'::text);

create table carillon.notification_email_log (
  tenant_id uuid not null,
  id bigint generated always as identity not null,
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
  delivery_buckets smallint[] not null default '{}'::smallint[],
  delivery_counts integer[] not null default '{}'::integer[],
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint notification_metrics_histogram_whole CHECK ((cardinality(delivery_buckets) = cardinality(delivery_counts))),
  constraint notification_metrics_hour_check CHECK (((hour >= 0) AND (hour <= 23))),
  constraint notification_metrics_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  paused_until timestamp(3) with time zone,
  categories jsonb not null default '{}'::jsonb,
  reasons jsonb not null default '{}'::jsonb,
  digests jsonb not null default '{}'::jsonb,
  frequency_cap integer,
  caps jsonb,
  quiet_hours_start time(0) without time zone,
  quiet_hours_end time(0) without time zone,
  quiet_windows jsonb,
  timezone text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint notification_preferences_caps_check CHECK ((jsonb_typeof(caps) = 'array'::text)),
  constraint notification_preferences_categories_check CHECK ((jsonb_typeof(categories) = 'object'::text)),
  constraint notification_preferences_channel_check CHECK ((channel = ANY (ARRAY['in_app'::text, 'email'::text, 'sms'::text, 'push'::text, 'chat'::text, 'webhook'::text]))),
  constraint notification_preferences_digests_check CHECK ((jsonb_typeof(digests) = 'object'::text)),
  constraint notification_preferences_frequency_cap_check CHECK ((frequency_cap >= 0)),
  constraint notification_preferences_quiet_hours_once CHECK ((num_nonnulls(quiet_hours_start, quiet_windows) <= 1)),
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
  answer jsonb,
  is_read boolean not null default false,
  read_at timestamp(3) with time zone,
  done_at timestamp(3) with time zone,
  saved_at timestamp(3) with time zone,
  snoozed_until timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
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
  tenant_id uuid not null,
  id uuid not null,
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
  constraint notification_templates_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  critical boolean not null default false,
  producers text[] not null default '{}'::text[],
  audience_kinds text[] not null default '{}'::text[],
  channels text[] not null,
  required_fields text[] not null default '{}'::text[],
  admin_emails text[] not null default '{}'::text[],
  templates jsonb not null default '{}'::jsonb,
  providers jsonb not null default '{}'::jsonb,
  max_attempts jsonb not null default '{}'::jsonb,
  retry_base_ms integer,
  retry_cap_ms integer,
  delay integer not null default 0,
  throttle jsonb,
  digest jsonb,
  escalate jsonb,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
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
  constraint notification_types_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  constraint notification_types_pkey PRIMARY KEY (tenant_id, name)
);
CREATE INDEX notification_types_search ON carillon.notification_types USING btree (tenant_id, lower(name) text_pattern_ops);

create table carillon.notification_webhooks (
  tenant_id uuid not null,
  id uuid not null,
  user_id text,
  url text not null,
  description text not null default ''::text,
  events text[] not null,
  notification_types text[] not null default '{}'::text[],
  categories text[] not null default '{}'::text[],
  event_kinds text[] not null default '{}'::text[],
  secrets text not null,
  payload_mode text not null default 'full'::text,
  format text not null default 'standard'::text,
  ordering text not null default 'none'::text,
  batch_size integer not null default 1,
  batch_seconds integer not null default 0,
  retry_count integer not null default 3,
  backoff text not null default 'exponential'::text,
  retry_base_ms integer not null default 30000,
  retry_cap_ms integer not null default 86400000,
  timeout_seconds integer not null default 10,
  rate_limit integer,
  is_active boolean not null default true,
  keeps_events_until timestamp(3) with time zone,
  is_paused boolean not null default false,
  consecutive_failures integer not null default 0,
  disable_after integer default 50,
  disabled_at timestamp(3) with time zone,
  disabled_reason text not null default ''::text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
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
  constraint notification_webhooks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  constraint notification_webhooks_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint notification_webhooks_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX notification_webhooks_active ON carillon.notification_webhooks USING btree (tenant_id, user_id) WHERE (is_active OR (keeps_events_until IS NOT NULL));
CREATE INDEX notification_webhooks_inactive ON carillon.notification_webhooks USING btree (tenant_id, created_at, id) WHERE (NOT is_active);
CREATE INDEX notification_webhooks_listing ON carillon.notification_webhooks USING btree (tenant_id, created_at, id);
CREATE INDEX notification_webhooks_user ON carillon.notification_webhooks USING btree (tenant_id, user_id) WHERE (user_id IS NOT NULL);

create table carillon.notifications (
  tenant_id uuid not null,
  id uuid not null,
  user_id text,
  record_id uuid,
  route_id text,
  type text not null,
  kind text not null default ''::text,
  reason text not null default ''::text,
  title text not null,
  message text not null,
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
  is_read boolean not null default false,
  read_at timestamp(3) with time zone,
  done_at timestamp(3) with time zone,
  saved_at timestamp(3) with time zone,
  snoozed_until timestamp(3) with time zone,
  expires_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  version bigint not null default ((pg_current_xact_id())::text)::bigint,
  event_version bigint not null default ((pg_current_xact_id())::text)::bigint,
  created_at timestamp(3) with time zone not null default now(),
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
  tenant_id uuid not null,
  id uuid not null,
  seq bigint generated always as identity not null,
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
  constraint outbox_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  constraint provider_callbacks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  seen_at timestamp(3) with time zone,
  settings_hash text not null default ''::text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint provider_configs_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text, 'push'::text, 'chat'::text, 'webhook'::text]))),
  constraint provider_configs_config_check CHECK ((jsonb_typeof(config) = 'object'::text)),
  constraint provider_configs_kind_check CHECK (((length(kind) >= 1) AND (length(kind) <= 20))),
  constraint provider_configs_name_check CHECK (((length(name) >= 1) AND (length(name) <= 50))),
  constraint provider_configs_rate_limit_check CHECK ((rate_limit > 0)),
  constraint provider_configs_secrets_of_tenant CHECK (((tenant_id IS NULL) = (secrets IS NULL))),
  constraint provider_configs_timeout_seconds_check CHECK (((timeout_seconds >= 1) AND (timeout_seconds <= 60))),
  constraint provider_configs_uncertain_policy_check CHECK ((uncertain_policy = ANY (ARRAY['resend'::text, 'ask'::text, 'hold'::text]))),
  constraint provider_configs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  constraint push_tickets_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  constraint rate_limits_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  reason text not null default ''::text,
  payload_json text not null,
  template text,
  options jsonb,
  idempotency_key text not null,
  request_fingerprint text not null,
  idempotency_expires_at timestamp(3) with time zone not null,
  idempotency_released_at timestamp(3) with time zone,
  source text not null,
  source_entry_id text,
  request_id text not null default ''::text,
  traceparent text not null default ''::text,
  run_id uuid,
  trigger_depth integer not null default 0,
  event_id uuid,
  thread_kind text,
  thread_id text,
  actor_id text,
  passes_mute boolean not null default false,
  relation text,
  retry_base_ms integer not null,
  retry_cap_ms integer not null,
  send_at timestamp(3) with time zone,
  send_at_local text,
  expires_at timestamp(3) with time zone,
  occurred_at timestamp(3) with time zone,
  accepted_at timestamp(3) with time zone not null,
  expanded_at timestamp(3) with time zone,
  cancelled_at timestamp(3) with time zone,
  updated_at timestamp(3) with time zone not null,
  constraint records_audience_kind_check CHECK ((audience_kind = ANY (ARRAY['users'::text, 'topic'::text, 'tenant'::text, 'addresses'::text, 'admin_email'::text, 'event'::text]))),
  constraint records_idempotency_key_check CHECK (((length(idempotency_key) >= 1) AND (length(idempotency_key) <= 255))),
  constraint records_notification_type_check CHECK (((length(notification_type) >= 1) AND (length(notification_type) <= 100))),
  constraint records_producer_check CHECK (((length(producer) >= 1) AND (length(producer) <= 100))),
  constraint records_reason_check CHECK ((length(reason) <= 32)),
  constraint records_send_at_local_check CHECK ((length(send_at_local) <= 19)),
  constraint records_template_check CHECK (((length(template) >= 1) AND (length(template) <= 100))),
  constraint records_topic_for_topics CHECK (((audience_kind = 'event'::text) OR ((topic IS NOT NULL) = (audience_kind = 'topic'::text)))),
  constraint records_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  reason text not null,
  payload_json text not null,
  template text,
  options jsonb,
  idempotency_key text not null,
  request_fingerprint text not null,
  idempotency_expires_at timestamp(3) with time zone not null,
  idempotency_released_at timestamp(3) with time zone,
  source text not null,
  source_entry_id text,
  request_id text not null,
  traceparent text not null,
  run_id uuid,
  trigger_depth integer not null,
  event_id uuid,
  thread_kind text,
  thread_id text,
  actor_id text,
  passes_mute boolean not null,
  relation text,
  retry_base_ms integer not null,
  retry_cap_ms integer not null,
  send_at timestamp(3) with time zone,
  send_at_local text,
  expires_at timestamp(3) with time zone,
  occurred_at timestamp(3) with time zone,
  accepted_at timestamp(3) with time zone not null,
  expanded_at timestamp(3) with time zone,
  cancelled_at timestamp(3) with time zone,
  updated_at timestamp(3) with time zone not null,
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
  constraint relations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  tenant_id uuid not null,
  id uuid not null,
  outbox_id uuid not null,
  script_id uuid not null,
  expires_at timestamp(3) with time zone not null,
  status_code integer,
  reply_json text,
  replied_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  constraint reply_inboxes_reply_whole CHECK (((replied_at IS NOT NULL) = (status_code IS NOT NULL))),
  constraint reply_inboxes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  calls jsonb not null default '[]'::jsonb,
  message text not null default ''::text,
  worker text not null,
  started_at timestamp(3) with time zone not null,
  duration_ms integer not null default 0,
  next_attempt_at timestamp(3) with time zone,
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
  calls jsonb not null,
  message text not null,
  worker text not null,
  started_at timestamp(3) with time zone not null,
  duration_ms integer not null,
  next_attempt_at timestamp(3) with time zone,
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
  template_version_id uuid,
  priority smallint not null default 1,
  unless_read boolean,
  digest_id uuid,
  status text not null,
  reason text not null default ''::text,
  attempt_count integer not null default 0,
  max_attempts integer not null,
  claim_count integer not null default 0,
  next_attempt_at timestamp(3) with time zone,
  lease_owner text,
  lease_until timestamp(3) with time zone,
  counted_on date,
  counted_in jsonb,
  reached_devices jsonb,
  provider text not null default ''::text,
  provider_message_id text not null default ''::text,
  message_ref text not null default ''::text,
  last_error_classification text not null default ''::text,
  last_error_message text not null default ''::text,
  last_error_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  sent_at timestamp(3) with time zone,
  delivered_at timestamp(3) with time zone,
  opened_at timestamp(3) with time zone,
  bounced_at timestamp(3) with time zone,
  dead_at timestamp(3) with time zone,
  skipped_at timestamp(3) with time zone,
  cancelled_at timestamp(3) with time zone,
  expired_at timestamp(3) with time zone,
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
  template_version_id uuid,
  priority smallint not null,
  unless_read boolean,
  digest_id uuid,
  status text not null,
  reason text not null,
  attempt_count integer not null,
  max_attempts integer not null,
  claim_count integer not null,
  next_attempt_at timestamp(3) with time zone,
  lease_owner text,
  lease_until timestamp(3) with time zone,
  counted_on date,
  counted_in jsonb,
  reached_devices jsonb,
  provider text not null,
  provider_message_id text not null,
  message_ref text not null,
  last_error_classification text not null,
  last_error_message text not null,
  last_error_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  sent_at timestamp(3) with time zone,
  delivered_at timestamp(3) with time zone,
  opened_at timestamp(3) with time zone,
  bounced_at timestamp(3) with time zone,
  dead_at timestamp(3) with time zone,
  skipped_at timestamp(3) with time zone,
  cancelled_at timestamp(3) with time zone,
  expired_at timestamp(3) with time zone,
  constraint routes_archive_pkey PRIMARY KEY (tenant_id, notification_id, route_id)
) partition by range (notification_id);
CREATE INDEX routes_archive_senders ON ONLY carillon.routes_archive USING brin (tenant_id uuid_bloom_ops (n_distinct_per_range='128'), provider text_bloom_ops (n_distinct_per_range='64'), channel text_bloom_ops (n_distinct_per_range='16')) WITH (autosummarize='on');
CREATE INDEX routes_archive_status ON ONLY carillon.routes_archive USING btree (tenant_id, status, notification_id DESC, route_id DESC) WHERE (status <> ALL (ARRAY['pending'::text, 'sent'::text]));
CREATE INDEX routes_archive_user ON ONLY carillon.routes_archive USING btree (tenant_id, user_id, notification_id DESC, route_id DESC) WHERE (user_id IS NOT NULL);

create table carillon.runs (
  tenant_id uuid not null,
  id uuid not null,
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
  constraint runs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  tenant_id uuid not null,
  id uuid not null,
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
  constraint schedules_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  tenant_id uuid not null,
  id uuid not null,
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
  constraint scripts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  constraint sessions_chosen_tenant_id_fkey FOREIGN KEY (chosen_tenant_id) REFERENCES tenants(id) ON DELETE SET NULL,
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
  constraint streams_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  constraint suppressions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  constraint suppressions_pkey PRIMARY KEY (tenant_id, channel, address)
);
CREATE INDEX suppressions_listing ON carillon.suppressions USING btree (tenant_id, created_at DESC, channel, address);

create table carillon.template_parts (
  tenant_id uuid not null,
  kind text not null,
  name text not null,
  source text not null,
  published_source text,
  plain_mail jsonb,
  published_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint template_parts_kind_check CHECK ((kind = ANY (ARRAY['layout'::text, 'partial'::text]))),
  constraint template_parts_name_check CHECK (((length(name) >= 1) AND (length(name) <= 50))),
  constraint template_parts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  constraint template_parts_pkey PRIMARY KEY (tenant_id, kind, name)
);

create table carillon.template_versions (
  tenant_id uuid not null,
  id uuid not null,
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
  constraint template_versions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  constraint template_versions_tenant_id_published_by_fkey FOREIGN KEY (tenant_id, published_by) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE SET NULL (published_by),
  constraint template_versions_pkey PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX template_versions_key ON carillon.template_versions USING btree (tenant_id, template_id, version);
CREATE INDEX template_versions_publisher ON carillon.template_versions USING btree (tenant_id, published_by) WHERE (published_by IS NOT NULL);
CREATE INDEX template_versions_replaced ON carillon.template_versions USING btree (tenant_id) WHERE (replaced_by IS NOT NULL);

create table carillon.tenant_retention (
  tenant_id uuid not null,
  idempotency_window_seconds integer not null default 604800,
  computed_key_window_seconds integer not null default 86400,
  record_hot_days integer not null default 90,
  record_retention_days integer not null default 365,
  malformed_retention_days integer not null default 30,
  dead_letter_retention_days integer not null default 30,
  inbox_retention_days integer not null default 180,
  event_retention_days integer not null default 90,
  run_retention_days integer not null default 7,
  abandoned_retention_days integer not null default 7,
  audit_retention_days integer,
  system_event_retention_days integer not null default 180,
  created_at timestamp(3) with time zone not null default now(),
  constraint tenant_retention_abandoned_retention_days_check CHECK ((abandoned_retention_days > 0)),
  constraint tenant_retention_audit_retention_days_check CHECK ((audit_retention_days >= 30)),
  constraint tenant_retention_computed_key_window_seconds_check CHECK ((computed_key_window_seconds >= 0)),
  constraint tenant_retention_covers_keys CHECK ((((record_retention_days)::bigint * 86400) >= GREATEST(idempotency_window_seconds, computed_key_window_seconds))),
  constraint tenant_retention_dead_letter_retention_days_check CHECK ((dead_letter_retention_days > 0)),
  constraint tenant_retention_event_retention_days_check CHECK ((event_retention_days > 0)),
  constraint tenant_retention_idempotency_window_seconds_check CHECK ((idempotency_window_seconds > 0)),
  constraint tenant_retention_inbox_retention_days_check CHECK ((inbox_retention_days > 0)),
  constraint tenant_retention_malformed_retention_days_check CHECK ((malformed_retention_days > 0)),
  constraint tenant_retention_record_hot_days_check CHECK ((record_hot_days > 0)),
  constraint tenant_retention_record_retention_days_check CHECK ((record_retention_days > 0)),
  constraint tenant_retention_run_retention_days_check CHECK ((run_retention_days > 0)),
  constraint tenant_retention_system_event_retention_days_check CHECK (((system_event_retention_days >= 90) AND (system_event_retention_days <= 365))),
  constraint tenant_retention_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  constraint tenant_retention_pkey PRIMARY KEY (tenant_id)
);

create table carillon.tenant_settings (
  tenant_id uuid not null,
  accept_unknown_types boolean not null default false,
  locales text[],
  fallback_locale text not null default 'en'::text,
  thread_kinds text[] not null default '{issue,pr}'::text[],
  max_attempts jsonb not null default '{"push": 3, "email": 7}'::jsonb,
  retry_base_ms integer not null default 10000,
  retry_cap_ms integer not null default 3600000,
  mails_per_thread_window_seconds integer not null default 600,
  mails_per_hour integer not null default 100,
  reply_domain text,
  reply_event_kind text,
  system_event_admins text[] not null default '{}'::text[],
  system_event_min_severity text not null default 'high'::text,
  trigger_max_attempts integer not null default 3,
  trigger_backoff text not null default 'exponential'::text,
  trigger_base_ms integer not null default 1000,
  created_at timestamp(3) with time zone not null default now(),
  constraint tenant_settings_check CHECK ((retry_cap_ms >= retry_base_ms)),
  constraint tenant_settings_fallback_locale_check CHECK (((length(fallback_locale) >= 2) AND (length(fallback_locale) <= 35))),
  constraint tenant_settings_mails_per_hour_check CHECK ((mails_per_hour > 0)),
  constraint tenant_settings_mails_per_thread_window_seconds_check CHECK (((mails_per_thread_window_seconds >= 0) AND (mails_per_thread_window_seconds <= 86400))),
  constraint tenant_settings_max_attempts_check CHECK ((jsonb_typeof(max_attempts) = 'object'::text)),
  constraint tenant_settings_reply_domain_check CHECK (((length(reply_domain) >= 1) AND (length(reply_domain) <= 253))),
  constraint tenant_settings_reply_event_kind_check CHECK (((length(reply_event_kind) >= 1) AND (length(reply_event_kind) <= 64))),
  constraint tenant_settings_retry_base_ms_check CHECK ((retry_base_ms > 0)),
  constraint tenant_settings_system_event_min_severity_check CHECK ((system_event_min_severity = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text, 'critical'::text]))),
  constraint tenant_settings_trigger_backoff_check CHECK ((trigger_backoff = ANY (ARRAY['exponential'::text, 'linear'::text, 'constant'::text]))),
  constraint tenant_settings_trigger_base_ms_check CHECK (((trigger_base_ms >= 1) AND (trigger_base_ms <= 86400000))),
  constraint tenant_settings_trigger_max_attempts_check CHECK (((trigger_max_attempts >= 1) AND (trigger_max_attempts <= 50))),
  constraint tenant_settings_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  constraint tenant_settings_pkey PRIMARY KEY (tenant_id)
);

create table carillon.tenants (
  id uuid not null,
  name text not null,
  requests_per_minute integer,
  notifications_per_day integer,
  quota_requests_per_minute integer,
  quota_routes_per_day integer,
  quota_storage_mb integer,
  storage_bytes bigint,
  storage_measured_at timestamp(3) with time zone,
  user_token_epoch integer not null default 1,
  user_token_rotated_at timestamp(3) with time zone,
  user_tokens_void_before timestamp(3) with time zone,
  cors_origins text[] not null default '{}'::text[],
  user_requests_per_minute integer not null default 300,
  script_http_allowed boolean not null default false,
  suspended_at timestamp(3) with time zone,
  suspension_reason text not null default ''::text,
  delete_at timestamp(3) with time zone,
  deleting_since timestamp(3) with time zone,
  rows_to_delete bigint not null default 0,
  rows_deleted bigint not null default 0,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint tenants_deleted_are_suspended CHECK (((delete_at IS NULL) OR (suspended_at IS NOT NULL))),
  constraint tenants_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint tenants_notifications_per_day_check CHECK ((notifications_per_day > 0)),
  constraint tenants_quota_requests_per_minute_check CHECK ((quota_requests_per_minute > 0)),
  constraint tenants_quota_routes_per_day_check CHECK ((quota_routes_per_day > 0)),
  constraint tenants_quota_storage_mb_check CHECK ((quota_storage_mb > 0)),
  constraint tenants_requests_per_minute_check CHECK ((requests_per_minute > 0)),
  constraint tenants_suspension_reason_check CHECK ((length(suspension_reason) <= 500)),
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
  constraint threads_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  constraint throttles_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  constraint topics_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  constraint translations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  constraint translations_pkey PRIMARY KEY (tenant_id, locale)
);

create table carillon.triggers (
  tenant_id uuid not null,
  id uuid not null,
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
  constraint triggers_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  tenant_id uuid not null,
  id uuid not null,
  user_id text not null,
  kind text not null,
  token text not null,
  token_hash text not null,
  label text not null default ''::text,
  rejections integer not null default 0,
  rejected_since timestamp(3) with time zone,
  retry_at timestamp(3) with time zone,
  is_gone boolean not null default false,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
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
  chat_address text,
  locale text not null default ''::text,
  timezone text not null default 'UTC'::text,
  tokens_void_before timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint users_chat_address_check CHECK (((length(chat_address) >= 1) AND (length(chat_address) <= 500))),
  constraint users_email_check CHECK (((length(email) >= 3) AND (length(email) <= 255))),
  constraint users_id_check CHECK (((length(id) >= 1) AND (length(id) <= 200))),
  constraint users_locale_check CHECK ((length(locale) <= 35)),
  constraint users_phone_check CHECK (((length(phone) >= 3) AND (length(phone) <= 20))),
  constraint users_timezone_check CHECK (((length(timezone) >= 1) AND (length(timezone) <= 50))),
  constraint users_username_check CHECK (((length(username) >= 1) AND (length(username) <= 100))),
  constraint users_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
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
  constraint visibility_checks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  constraint visibility_checks_pkey PRIMARY KEY (tenant_id)
);

create table carillon.watches (
  tenant_id uuid not null,
  topic text not null,
  user_id text not null,
  level text not null,
  kinds text[] not null default '{}'::text[],
  is_automatic boolean not null default false,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint watches_level_check CHECK ((level = ANY (ARRAY['all'::text, 'participating'::text, 'ignore'::text]))),
  constraint watches_topic_check CHECK (((length(topic) >= 1) AND (length(topic) <= 200))),
  constraint watches_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint watches_pkey PRIMARY KEY (tenant_id, topic, user_id)
);
CREATE INDEX watches_reached ON carillon.watches USING btree (tenant_id, topic, user_id) WHERE ((level = 'all'::text) OR (kinds <> '{}'::text[]));
CREATE INDEX watches_user ON carillon.watches USING btree (tenant_id, user_id);

create table carillon.webhook_deliveries (
  tenant_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  notification_id uuid,
  event_id uuid not null,
  event_type text not null,
  payload text not null,
  content_type text not null default 'application/json'::text,
  traceparent text not null default ''::text,
  ordering_key text,
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
  tenant_id uuid not null,
  id uuid not null,
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

-- Functions (server/functions):
-- accept_intents(intents jsonb) → TABLE(ord integer, outcome text, notification_id uuid, failure_code text, failure_field text, failure_message text)
-- accepts_items(tenant uuid, digest uuid, closes_at timestamp with time zone, at timestamp with time zone) → boolean
-- add_event_cursors(tenant uuid) → void
-- add_tenant_settings(tenant uuid) → void
-- announce_system_event() → trigger
-- append_events(events jsonb) → TABLE(ord integer, outcome text, event_id uuid, failure_code text, failure_field text, failure_message text)
-- apply_reports(tenant uuid, reports jsonb) → integer
-- archive_bound(month date) → uuid
-- archive_month(id uuid) → date
-- archive_months(OUT month date, OUT is_over boolean) → SETOF record
-- archive_records(tenant uuid, after_time timestamp with time zone, after_id uuid, most_records integer, most_routes integer, OUT looked_at integer, OUT records integer, OUT routes integer, OUT last_time timestamp with time zone, OUT last_id uuid) → record
-- archive_routes(tenant uuid, records uuid[]) → integer
-- ascii_domain(given text) → text
-- ask_gates_again(tenant uuid, person text) → void
-- asked_periods(asked jsonb) → TABLE(tenant_id uuid, user_id text, channel text, n integer, per text, category text, period text, max integer, is_whole_day boolean)
-- attachment_bytes(content text) → integer
-- attachment_problem(value jsonb, OUT code text, OUT field text, OUT message text) → record
-- audience_problem(value jsonb, OUT code text, OUT field text, OUT message text) → record
-- bad_option_address(options jsonb) → text
-- bring_digest_forward(tenant uuid, digest uuid, ends timestamp with time zone) → void
-- bring_record_forward(tenant uuid, notification uuid, due timestamp with time zone) → void
-- bring_routes_forward(tenant uuid, notification uuid, due timestamp with time zone) → void
-- builtin_fanout_rules() → TABLE(event_kind text, relation text, channels text[], passes_mute boolean)
-- builtin_relations() → TABLE(name text, priority integer, reason text)
-- channels_problem(value jsonb, OUT field text, OUT message text) → record
-- claim_chains(tenants uuid[], heads uuid[], max_followers integer, owner text, lease_seconds double precision) → TABLE(head uuid, id uuid, seq bigint, tenant_id uuid, source_kind text, op text, target_id uuid, payload text, context jsonb, ordering_key text, batch_size integer, trigger_depth integer, attempt_count integer, max_attempts integer, backoff text, base_ms integer, cap_ms integer, jitter real, claim_count integer, next_attempt_at timestamp with time zone, created_at timestamp with time zone)
-- claim_outbox(known_tenants uuid[], known_kinds text[], known_targets uuid[], free integer[], watermarks timestamp with time zone[], kinds text[], slots integer[], max_rows integer, owner text, lease_seconds double precision) → TABLE(id uuid, seq bigint, tenant_id uuid, source_kind text, op text, target_id uuid, payload text, context jsonb, ordering_key text, batch_size integer, trigger_depth integer, attempt_count integer, max_attempts integer, backoff text, base_ms integer, cap_ms integer, jitter real, claim_count integer, next_attempt_at timestamp with time zone, created_at timestamp with time zone)
-- close_digest(tenant uuid, digest uuid) → TABLE(payload_json text, item_count integer)
-- complete_outbox(owner text, completions jsonb) → SETOF uuid
-- continue_chain(tenant uuid, digest uuid, depth integer) → void
-- count_capped_sends(owner text, asked jsonb) → TABLE(ord integer, refused jsonb)
-- count_requests(asks jsonb, at timestamp with time zone DEFAULT clock_timestamp()) → TABLE(ord integer, granted integer, used integer, reset_ms double precision)
-- count_routes(tenant uuid, created integer) → void
-- count_tries(tenant uuid, hash text, allowed integer, window_ms double precision, known integer, known_ms double precision, at timestamp with time zone DEFAULT clock_timestamp()) → TABLE(granted integer, used integer, reset_ms double precision)
-- create_archive_months(first date, last date) → integer
-- create_digest_record(tenant uuid, digest uuid, item uuid, channel text, recipient_ref text, due timestamp with time zone) → boolean
-- create_digest_route(tenant uuid, digest uuid, item uuid, item_route text, due timestamp with time zone) → void
-- create_event_cursors() → trigger
-- create_event_record(tenant uuid, event_id uuid, rule jsonb, payload text, topic text, expanded boolean) → uuid
-- create_routes(tenant uuid, notification uuid, chunk text[], is_bulk boolean DEFAULT true) → integer
-- create_tenant_settings() → trigger
-- delete_archive_of_tenants() → trigger
-- delete_archived_attempts_of_routes() → trigger
-- delete_archived_routes_of_records() → trigger
-- delete_archived_routes_of_users() → trigger
-- delete_attempts_of_routes() → trigger
-- delete_audit_logs(places tid[]) → integer
-- delete_callbacks_of_routes() → trigger
-- delete_deliveries_of_records() → trigger
-- delete_letters_of_routes() → trigger
-- delete_notifications_of_tenants() → trigger
-- delete_routes_of_records() → trigger
-- delete_routes_of_users() → trigger
-- delete_sends_of_users() → trigger
-- delete_tenant_rows(tenant uuid, most integer) → integer
-- derived_uuid(content text) → uuid
-- drop_archive_month(month date) → boolean
-- emit_changed_receipt_events() → trigger
-- emit_domain_event(tenant uuid, event_id uuid, depth integer) → integer
-- emit_event(event jsonb) → uuid
-- emit_events(subjects jsonb, depth integer DEFAULT 0) → integer
-- emit_read_events() → trigger
-- emit_receipt_events() → trigger
-- emit_system_events() → trigger
-- endpoints_for(tenant uuid, event text, people text[]) → TABLE(id uuid, notification_types text[], categories text[], payload_mode text, format text, ordering text, batch_size integer, batch_seconds integer, retry_count integer, backoff text, retry_base_ms integer, retry_cap_ms integer, is_active boolean)
-- enqueue(tenant uuid, source_kind text, op text, target uuid, payload text, context jsonb DEFAULT NULL::jsonb, ordering_key text DEFAULT NULL::text, batch_size integer DEFAULT NULL::integer, trigger_depth integer DEFAULT NULL::integer, max_attempts integer DEFAULT NULL::integer, backoff text DEFAULT NULL::text, base_ms integer DEFAULT NULL::integer, cap_ms integer DEFAULT NULL::integer, jitter real DEFAULT NULL::real, due_at timestamp with time zone DEFAULT NULL::timestamp with time zone, id uuid DEFAULT NULL::uuid) → uuid
-- ensure_places_of_events(tenant uuid, batch uuid[]) → void
-- ensure_system_event_type(tenant uuid) → void
-- ensure_threads(threads jsonb) → void
-- ensure_topics(topics jsonb) → integer
-- event_consumers() → text[]
-- event_data(mode text, rec records, route routes, category text, dead_letter_id uuid, inbox_id uuid) → json
-- event_log_head(tenant uuid) → bigint
-- event_payload(tenant uuid, event_id uuid, title text, url text, topic text) → jsonb
-- event_people(tenant uuid, event_id uuid, topic text, relations text[], after text, until text, most integer) → TABLE(user_id text, bits bigint)
-- event_problem(event jsonb, OUT code text, OUT field text, OUT message text) → record
-- event_scope(tenant uuid, event_id uuid, OUT topic text, OUT title text, OUT url text, OUT members_only boolean, OUT is_gone boolean) → record
-- event_thread_problem(value jsonb, OUT code text, OUT field text, OUT message text) → record
-- expected_address(channel text) → text
-- explain_fanout(tenant uuid, event_id uuid, after text, until text, most integer, visible text[] DEFAULT NULL::text[]) → TABLE(user_id text, relations text[], relation text, outcome text, channels text[])
-- fan_out(tenant uuid, event_id uuid, after text, most integer, visible text[] DEFAULT NULL::text[], until text DEFAULT NULL::text, is_repeat boolean DEFAULT NULL::boolean, OUT last_user text, OUT people integer, OUT routes integer, OUT is_done boolean, OUT was_repeat boolean, OUT told text[]) → record
-- fanout_decisions(tenant uuid, event_id uuid, topic text, members_only boolean, rules jsonb, users text[], bits bigint[], visible text[]) → TABLE(user_id text, rule_bit bigint, outcome text)
-- finish_left_out_routes(tenant uuid, digest uuid) → void
-- fire_event_triggers(tenant uuid, event_id uuid, subject jsonb, payload text, depth integer, origin text) → integer
-- fire_letter_triggers(tenants uuid[], letters uuid[]) → integer
-- fire_trigger(tenant uuid, trigger_id uuid, op text, payload text, cause jsonb DEFAULT '{}'::jsonb) → uuid
-- fire_triggers(tenant uuid, trigger_kind text, subject jsonb, op text, payload text, cause jsonb DEFAULT '{}'::jsonb) → integer
-- grant_roles() → void
-- handler_failed(letters jsonb) → integer
-- has_oversized_number(payload jsonb) → boolean
-- inbox_epoch() → text
-- intent_failure(problem text, notification_type text, missing_field text, unknown_users text[], allowed text[], template text, bad_address bigint, channel text, OUT code text, OUT field text, OUT message text) → record
-- intent_problem(intent jsonb, OUT code text, OUT field text, OUT message text) → record
-- involve_actor(tenant uuid, event_id uuid, topic text, members_only boolean) → void
-- involve_people(tenant uuid, event_id uuid, topic text, users text[], reason text) → void
-- is_importing() → boolean
-- is_too_deep(payload jsonb) → boolean
-- iso(at timestamp with time zone) → text
-- join_digests(owner text, wanted jsonb) → TABLE(ord integer, digest_id uuid, is_item boolean, closes_at timestamp with time zone)
-- keep_deletion() → trigger
-- keep_delivery(tenant uuid, webhook uuid, event text, body text, context jsonb, ordering_key text) → uuid
-- keep_push_tickets(tickets jsonb) → integer
-- lift_suppressions(addresses jsonb) → integer
-- local_time(wall text, zone text) → timestamp with time zone
-- lower_text(given text) → text
-- mark_counted(owner text, tenants uuid[], notifications uuid[], routes text[], claims integer[], days date[]) → integer
-- mark_counted_in(owner text, tenant uuid, notification uuid, route text, claim integer, periods jsonb) → void
-- mark_event_expanded(tenant uuid, event_id uuid) → void
-- mark_expanded(tenant uuid, notification uuid) → void
-- mark_redelivered(tenant uuid, delivery uuid) → void
-- matches_glob(glob text, name text) → boolean
-- matching_triggers(tenant uuid, trigger_kind text, subject jsonb) → SETOF uuid
-- may_create_routes(tenant uuid) → boolean
-- may_see(tenant uuid, topic text, person text) → boolean
-- move_event_head(tenant uuid, head bigint) → void
-- name_problem(value jsonb, most integer) → text
-- new_lanes(known_tenants uuid[], known_channels text[], known_priorities smallint[]) → TABLE(tenant_id uuid, channel text, priority smallint)
-- normal_address(channel text, given text) → text
-- normal_mail_address(given text) → text
-- normal_phone_number(given text) → text
-- notify(intent jsonb) → uuid
-- notify(notification_type text, audience jsonb, payload json, idempotency_key text DEFAULT NULL::text, channels text[] DEFAULT NULL::text[], producer text DEFAULT NULL::text, send_at timestamp with time zone DEFAULT NULL::timestamp with time zone, expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone, occurred_at timestamp with time zone DEFAULT NULL::timestamp with time zone, traceparent text DEFAULT NULL::text, tenant text DEFAULT 'default'::text, reason text DEFAULT NULL::text, send_at_local text DEFAULT NULL::text, template text DEFAULT NULL::text) → uuid
-- notify_with_payload(intent jsonb, payload_text text) → uuid
-- open_dead_letters(letters jsonb) → integer
-- options_problem(channel text, value jsonb, OUT code text, OUT field text, OUT message text) → record
-- order_events(tenant uuid, most integer) → integer
-- original_event(payload text) → json
-- over_route_quota(intents jsonb) → integer[]
-- page_address(address text) → text
-- pass_throttles(wanted jsonb) → SETOF integer
-- people_wanting(tenant uuid, channel text, people text[], category text, reason text) → text[]
-- pick_locale(by_locale jsonb, locale text, fallback text) → text
-- place_simulated_event(tenant uuid, event_id uuid) → bigint
-- planned_routes(tenant uuid, notification_type text, audience_kind text, recipients text[], channels text[], send_at timestamp with time zone, send_at_local text, template text, accepted_at timestamp with time zone, is_bulk boolean) → TABLE(route_id text, channel text, recipient_ref text, user_id text, resolved_address text, resolved_locale text, template_version_id uuid, status text, reason text, skipped_at timestamp with time zone, max_attempts integer, next_attempt_at timestamp with time zone, unless_read boolean, priority smallint)
-- punycode(label text) → text
-- quarantine_devices(reports jsonb) → integer
-- raise_quota_event(tenant uuid, quota text, description text) → void
-- raise_system_event(tenant uuid, kind text, about text, severity text, description text, details jsonb, cool_down_seconds double precision) → SETOF admin_system_events
-- recent_actors(earlier jsonb, actor text) → jsonb
-- refuse_audit_change() → trigger
-- relations_problem(value jsonb, OUT field text, OUT message text) → record
-- remove_key_triggers(tenant uuid, key uuid) → TABLE(id uuid, name text)
-- remove_notifications_of_topics() → trigger
-- remove_watches_of_topics() → trigger
-- rename_archived_routes_of_users() → trigger
-- rename_attempts_of_routes() → trigger
-- rename_callbacks_of_routes() → trigger
-- rename_deliveries_of_records() → trigger
-- rename_letters_of_routes() → trigger
-- rename_routes_of_records() → trigger
-- rename_routes_of_users() → trigger
-- rename_sends_of_users() → trigger
-- reserve_mails(asked jsonb) → TABLE(ord integer, refused text)
-- reserve_sends(subject uuid, per_minute integer, wanted integer, at timestamp with time zone DEFAULT clock_timestamp()) → TABLE(granted integer, free_at timestamp with time zone)
-- return_capped_sends(sends jsonb) → integer
-- return_counted_sends(sends jsonb) → integer
-- return_throttles(unsent jsonb) → integer
-- routes_left(tenant uuid) → integer
-- rules_for(tenant uuid, kind text) → TABLE(relation text, reason text, channels text[], passes_mute boolean, notification_type text, event_kind text, is_builtin boolean)
-- seen_snapshot(version text) → pg_snapshot
-- send_again(tenant uuid, repeated uuid, source_kind text, op text, target uuid, payload text, context jsonb, ordering_key text, former_policy jsonb DEFAULT '{}'::jsonb, link jsonb DEFAULT '{}'::jsonb) → uuid
-- set_outbox_aside(max_rows integer) → integer
-- set_route_digest(tenant uuid, notification uuid, route text, digest uuid) → void
-- set_updated_at() → trigger
-- settle_mails(settled jsonb) → integer
-- shown_actions(actions jsonb) → jsonb
-- stamp_inbox_row() → trigger
-- start_digest(digest_id uuid, tenant uuid, item uuid, item_route text) → void
-- stored_options(options jsonb) → jsonb
-- subscribe_automatically(tenant uuid, thread_kind text, thread_id text, people text[], reason text, source_event_id bigint) → void
-- suppress_addresses(addresses jsonb) → integer
-- sweep_archived_records(most integer) → SETOF uuid
-- target_policy(tenant uuid, source_kind text, target uuid) → TABLE(max_attempts integer, backoff text, base_ms integer, cap_ms integer)
-- tell_people(tenant uuid, event_id uuid, rule jsonb, place jsonb, users text[], expanded boolean, is_bulk boolean, is_repeat boolean) → integer
-- tenant_rows(tenant uuid, OUT row_count bigint, OUT bytes bigint) → record
-- tenant_tables() → SETOF text
-- thread_problem(value jsonb, OUT code text, OUT field text, OUT message text) → record
-- time_problem(value jsonb) → text
-- unknown_type_warning(is_known boolean, type text) → text
-- upsert_inbox(tenant uuid, people text[], reasons text[], passing boolean[], item jsonb) → integer
-- uuid_v7() → uuid
-- void_user_tokens(tenant uuid, person text) → boolean
-- wall_time_problem(value jsonb) → text
-- was_read(tenant uuid, notification uuid, recipient text) → boolean
-- watch_automatically(tenant uuid, topic text, people text[], level text) → void
-- webhook_body(format text, event_id uuid, event text, tenant uuid, subject text, traceparent text, data json) → text
-- webhook_content_type(format text) → text
-- webhook_events(subjects jsonb) → TABLE(tenant_id uuid, event text, webhook_id uuid, body text, context jsonb, ordering_key text, batch_size integer, max_attempts integer, backoff text, base_ms integer, cap_ms integer, due_at timestamp with time zone, is_active boolean)
-- write_digest_payload(tenant uuid, digest uuid, payload text) → void
-- zone_offset(zone text, at timestamp with time zone) → interval

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
CREATE TRIGGER keep_deletion BEFORE UPDATE OF deleting_since ON carillon.tenants FOR EACH ROW WHEN (((old.deleting_since IS NOT NULL) AND (new.deleting_since IS NULL))) EXECUTE FUNCTION keep_deletion();
CREATE TRIGGER notification_threads_updated_at BEFORE UPDATE ON carillon.notification_threads FOR EACH ROW EXECUTE FUNCTION set_updated_at();
CREATE TRIGGER notifications_read AFTER UPDATE ON carillon.notifications REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION emit_read_events();
CREATE TRIGGER receipts_read AFTER INSERT ON carillon.notification_receipts REFERENCING NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION emit_receipt_events();
CREATE TRIGGER rename_attempts AFTER UPDATE OF notification_id, route_id ON carillon.routes FOR EACH ROW EXECUTE FUNCTION rename_attempts_of_routes();
CREATE TRIGGER rename_callbacks AFTER UPDATE OF notification_id, route_id ON carillon.routes FOR EACH ROW EXECUTE FUNCTION rename_callbacks_of_routes();
CREATE TRIGGER rename_deliveries AFTER UPDATE OF notification_id ON carillon.records FOR EACH ROW EXECUTE FUNCTION rename_deliveries_of_records();
CREATE TRIGGER rename_letters AFTER UPDATE OF notification_id, route_id ON carillon.routes FOR EACH ROW EXECUTE FUNCTION rename_letters_of_routes();
CREATE TRIGGER rename_routes AFTER UPDATE OF notification_id ON carillon.records FOR EACH ROW EXECUTE FUNCTION rename_routes_of_records();
CREATE TRIGGER rename_routes AFTER UPDATE OF id ON carillon.users FOR EACH ROW EXECUTE FUNCTION rename_routes_of_users();
CREATE TRIGGER rename_routes_archived AFTER UPDATE OF id ON carillon.users FOR EACH ROW EXECUTE FUNCTION rename_archived_routes_of_users();
CREATE TRIGGER rename_sends AFTER UPDATE OF id ON carillon.users FOR EACH ROW EXECUTE FUNCTION rename_sends_of_users();
CREATE TRIGGER stamp_row BEFORE UPDATE ON carillon.notification_receipts FOR EACH ROW EXECUTE FUNCTION stamp_inbox_row();
CREATE TRIGGER stamp_row BEFORE UPDATE ON carillon.notifications FOR EACH ROW EXECUTE FUNCTION stamp_inbox_row();
CREATE TRIGGER tenants_event_cursors AFTER INSERT ON carillon.tenants FOR EACH ROW EXECUTE FUNCTION create_event_cursors();
CREATE TRIGGER tenants_settings AFTER INSERT ON carillon.tenants FOR EACH ROW EXECUTE FUNCTION create_tenant_settings();
CREATE TRIGGER topics_notifications AFTER DELETE ON carillon.topics REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION remove_notifications_of_topics();
CREATE TRIGGER topics_watches AFTER DELETE ON carillon.topics REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION remove_watches_of_topics();
