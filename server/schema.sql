-- Generated from the migrations by `npm run db:dump`; compared in CI. Do not edit.

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
  constraint api_keys_key_hash_check CHECK ((length(key_hash) = 64)),
  constraint api_keys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint api_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint api_keys_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_key_hash_key UNIQUE (key_hash)
);
CREATE INDEX api_keys_listing ON carillon.api_keys USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX api_keys_user ON carillon.api_keys USING btree (tenant_id, user_id) WHERE (user_id IS NOT NULL);

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
  constraint captured_messages_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint captured_messages_pkey PRIMARY KEY (tenant_id, message_id)
);
CREATE INDEX captured_messages_listing ON carillon.captured_messages USING btree (tenant_id, captured_at DESC, message_id DESC);
CREATE INDEX captured_messages_record ON carillon.captured_messages USING btree (tenant_id, notification_id);

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
) with (fillfactor=70);
CREATE INDEX daily_sends_day ON carillon.daily_sends USING btree (day);

create table carillon.dead_letters (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null,
  source_kind text not null,
  notification_id uuid,
  route_id text,
  notification_type text not null,
  channel text not null,
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
  constraint dead_letters_failure_reason_check CHECK ((failure_reason = ANY (ARRAY['max_retries_exceeded'::text, 'permanent_failure'::text, 'provider_rate_limit_exceeded'::text, 'provider_misconfigured'::text, 'worker_lost'::text, 'uncertain_delivery'::text]))),
  constraint dead_letters_resolution_check CHECK ((resolution = ANY (ARRAY['replayed'::text, 'ignored'::text, 'handled_by_script'::text, 'handler_failed'::text]))),
  constraint dead_letters_resolution_whole CHECK (((resolved_at IS NOT NULL) = ((resolution IS NOT NULL) AND (resolution <> 'handler_failed'::text)))),
  constraint dead_letters_route_named CHECK (((source_kind <> 'route'::text) OR ((notification_id IS NOT NULL) AND (route_id IS NOT NULL)))),
  constraint dead_letters_source_kind_check CHECK ((source_kind = 'route'::text)),
  constraint dead_letters_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint dead_letters_tenant_id_notification_id_route_id_fkey FOREIGN KEY (tenant_id, notification_id, route_id) REFERENCES routes(tenant_id, notification_id, route_id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint dead_letters_tenant_id_resolved_by_fkey FOREIGN KEY (tenant_id, resolved_by) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE SET NULL (resolved_by),
  constraint dead_letters_pkey PRIMARY KEY (id)
);
CREATE INDEX dead_letters_listing ON carillon.dead_letters USING btree (tenant_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX dead_letters_one_open ON carillon.dead_letters USING btree (tenant_id, notification_id, route_id) WHERE (resolved_at IS NULL);
CREATE INDEX dead_letters_open ON carillon.dead_letters USING btree (tenant_id, created_at DESC, id DESC) WHERE (resolved_at IS NULL);
CREATE INDEX dead_letters_resolver ON carillon.dead_letters USING btree (tenant_id, resolved_by) WHERE (resolved_by IS NOT NULL);
CREATE INDEX dead_letters_route ON carillon.dead_letters USING btree (tenant_id, notification_id, route_id);

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
  constraint default_preferences_categories_check CHECK ((jsonb_typeof(categories) = 'object'::text)),
  constraint default_preferences_channel_check CHECK ((channel = ANY (ARRAY['in_app'::text, 'email'::text, 'sms'::text, 'push'::text, 'chat'::text, 'webhook'::text]))),
  constraint default_preferences_frequency_cap_check CHECK ((frequency_cap >= 0)),
  constraint default_preferences_quiet_hours_whole CHECK (((quiet_hours_start IS NULL) = (quiet_hours_end IS NULL))),
  constraint default_preferences_reasons_check CHECK ((jsonb_typeof(reasons) = 'object'::text)),
  constraint default_preferences_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint default_preferences_pkey PRIMARY KEY (tenant_id, channel)
);

create table carillon.expansions (
  tenant_id uuid not null,
  notification_id uuid not null,
  cursor text not null default ''::text,
  created_at timestamp(3) with time zone not null default now(),
  constraint expansions_tenant_id_notification_id_fkey FOREIGN KEY (tenant_id, notification_id) REFERENCES records(tenant_id, notification_id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint expansions_pkey PRIMARY KEY (tenant_id, notification_id)
);
CREATE INDEX expansions_oldest ON carillon.expansions USING btree (created_at, tenant_id, notification_id);

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
  constraint malformed_intents_pkey PRIMARY KEY (tenant_id, source, source_entry_id)
);
CREATE INDEX malformed_intents_listing ON carillon.malformed_intents USING btree (tenant_id, recorded_at DESC, source_entry_id DESC);

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
  constraint notification_preferences_categories_check CHECK ((jsonb_typeof(categories) = 'object'::text)),
  constraint notification_preferences_channel_check CHECK ((channel = ANY (ARRAY['in_app'::text, 'email'::text, 'sms'::text, 'push'::text, 'chat'::text, 'webhook'::text]))),
  constraint notification_preferences_frequency_cap_check CHECK ((frequency_cap >= 0)),
  constraint notification_preferences_quiet_hours_whole CHECK (((quiet_hours_start IS NULL) = (quiet_hours_end IS NULL))),
  constraint notification_preferences_reasons_check CHECK ((jsonb_typeof(reasons) = 'object'::text)),
  constraint notification_preferences_timezone_check CHECK (((length(timezone) >= 1) AND (length(timezone) <= 50))),
  constraint notification_preferences_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint notification_preferences_pkey PRIMARY KEY (tenant_id, user_id, channel)
);
CREATE INDEX notification_preferences_enabled ON carillon.notification_preferences USING btree (tenant_id, channel, user_id) WHERE (NOT enabled);

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
  constraint notification_types_category_check CHECK ((length(category) <= 50)),
  constraint notification_types_channels_check CHECK ((cardinality(channels) > 0)),
  constraint notification_types_max_attempts_check CHECK ((jsonb_typeof(max_attempts) = 'object'::text)),
  constraint notification_types_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint notification_types_providers_check CHECK ((jsonb_typeof(providers) = 'object'::text)),
  constraint notification_types_retry_base_ms_check CHECK ((retry_base_ms > 0)),
  constraint notification_types_retry_cap_ms_check CHECK ((retry_cap_ms > 0)),
  constraint notification_types_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint notification_types_pkey PRIMARY KEY (tenant_id, name)
);

create table carillon.notifications (
  id uuid not null,
  tenant_id uuid not null,
  user_id text not null,
  record_id uuid not null,
  route_id text not null,
  type text not null,
  title text not null,
  message text not null,
  is_read boolean not null default false,
  read_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  constraint notifications_message_check CHECK ((octet_length(message) <= 4096)),
  constraint notifications_read_whole CHECK ((is_read = (read_at IS NOT NULL))),
  constraint notifications_type_check CHECK (((length(type) >= 1) AND (length(type) <= 100))),
  constraint notifications_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint notifications_pkey PRIMARY KEY (id)
);
CREATE INDEX notifications_listing ON carillon.notifications USING btree (tenant_id, user_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX notifications_route_key ON carillon.notifications USING btree (tenant_id, record_id, route_id);

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
  constraint provider_callbacks_kind_check CHECK ((kind = ANY (ARRAY['delivered'::text, 'bounced'::text, 'complained'::text, 'opened'::text, 'failed'::text, 'unsubscribed'::text]))),
  constraint provider_callbacks_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES provider_configs(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint provider_callbacks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint provider_callbacks_tenant_id_notification_id_route_id_fkey FOREIGN KEY (tenant_id, notification_id, route_id) REFERENCES routes(tenant_id, notification_id, route_id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint provider_callbacks_pkey PRIMARY KEY (tenant_id, provider_id, event_id)
);
CREATE INDEX provider_callbacks_provider ON carillon.provider_callbacks USING btree (provider_id);
CREATE INDEX provider_callbacks_route ON carillon.provider_callbacks USING btree (tenant_id, notification_id, route_id);

create table carillon.provider_configs (
  id uuid not null,
  tenant_id uuid not null,
  name text not null,
  kind text not null,
  channel text not null,
  config jsonb not null,
  secrets text not null,
  is_active boolean not null default true,
  rate_limit integer,
  timeout_seconds integer not null default 30,
  priority integer not null default 0,
  uncertain_policy text not null default 'resend'::text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint provider_configs_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text, 'push'::text, 'chat'::text, 'webhook'::text]))),
  constraint provider_configs_config_check CHECK ((jsonb_typeof(config) = 'object'::text)),
  constraint provider_configs_kind_check CHECK (((length(kind) >= 1) AND (length(kind) <= 20))),
  constraint provider_configs_name_check CHECK (((length(name) >= 1) AND (length(name) <= 50))),
  constraint provider_configs_rate_limit_check CHECK ((rate_limit > 0)),
  constraint provider_configs_timeout_seconds_check CHECK (((timeout_seconds >= 1) AND (timeout_seconds <= 600))),
  constraint provider_configs_uncertain_policy_check CHECK ((uncertain_policy = ANY (ARRAY['resend'::text, 'ask'::text, 'hold'::text]))),
  constraint provider_configs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint provider_configs_pkey PRIMARY KEY (id)
);
CREATE INDEX provider_configs_choice ON carillon.provider_configs USING btree (tenant_id, channel, priority DESC, name) WHERE is_active;
CREATE UNIQUE INDEX provider_configs_name_key ON carillon.provider_configs USING btree (tenant_id, name);

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

create table carillon.provider_sends (
  provider_id uuid not null,
  second timestamp(0) with time zone not null,
  used integer not null,
  constraint provider_sends_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES provider_configs(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint provider_sends_pkey PRIMARY KEY (provider_id, second)
);

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
  constraint records_audience_kind_check CHECK ((audience_kind = ANY (ARRAY['users'::text, 'topic'::text, 'tenant'::text, 'addresses'::text, 'admin_email'::text]))),
  constraint records_idempotency_key_check CHECK (((length(idempotency_key) >= 1) AND (length(idempotency_key) <= 255))),
  constraint records_notification_type_check CHECK (((length(notification_type) >= 1) AND (length(notification_type) <= 100))),
  constraint records_producer_check CHECK (((length(producer) >= 1) AND (length(producer) <= 100))),
  constraint records_reason_check CHECK ((length(reason) <= 32)),
  constraint records_topic_for_topics CHECK (((topic IS NOT NULL) = (audience_kind = 'topic'::text))),
  constraint records_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint records_pkey PRIMARY KEY (tenant_id, notification_id)
);
CREATE UNIQUE INDEX records_idempotency_key ON carillon.records USING btree (tenant_id, idempotency_key, producer, idempotency_released_at) NULLS NOT DISTINCT;
CREATE INDEX records_listing ON carillon.records USING btree (tenant_id, accepted_at DESC) INCLUDE (notification_id);
CREATE UNIQUE INDEX records_source_entry_key ON carillon.records USING btree (tenant_id, source, source_entry_id) WHERE (source_entry_id IS NOT NULL);

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
);

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
  counted_on date,
  constraint routes_cancelled_at CHECK (((cancelled_at IS NOT NULL) = (status = 'cancelled'::text))),
  constraint routes_channel_check CHECK ((channel = ANY (ARRAY['in_app'::text, 'email'::text, 'sms'::text, 'push'::text, 'chat'::text, 'webhook'::text]))),
  constraint routes_dead_at CHECK (((dead_at IS NOT NULL) = (status = 'dead'::text))),
  constraint routes_due_while_open CHECK (((next_attempt_at IS NOT NULL) = (status = ANY (ARRAY['pending'::text, 'retrying'::text])))),
  constraint routes_expired_at CHECK (((expired_at IS NOT NULL) = (status = 'expired'::text))),
  constraint routes_lease_while_open CHECK (((lease_owner IS NULL) OR (status = ANY (ARRAY['pending'::text, 'retrying'::text])))),
  constraint routes_lease_whole CHECK (((lease_owner IS NULL) = (lease_until IS NULL))),
  constraint routes_max_attempts_check CHECK ((max_attempts > 0)),
  constraint routes_sent_at CHECK (((sent_at IS NOT NULL) = (status = 'sent'::text))),
  constraint routes_skip_has_reason CHECK (((status <> 'skipped'::text) OR (reason <> ''::text))),
  constraint routes_skipped_at CHECK (((skipped_at IS NOT NULL) = (status = 'skipped'::text))),
  constraint routes_status CHECK ((status = ANY (ARRAY['pending'::text, 'retrying'::text, 'sent'::text, 'dead'::text, 'skipped'::text, 'cancelled'::text, 'expired'::text]))),
  constraint routes_pkey PRIMARY KEY (tenant_id, notification_id, route_id)
) with (fillfactor=50);
CREATE INDEX routes_due ON carillon.routes USING btree (channel, next_attempt_at) WHERE (next_attempt_at IS NOT NULL);
CREATE INDEX routes_message_ref ON carillon.routes USING btree (tenant_id, message_ref) WHERE (message_ref <> ''::text);
CREATE INDEX routes_status ON carillon.routes USING btree (tenant_id, status, notification_id DESC, route_id DESC) WHERE (status <> ALL (ARRAY['pending'::text, 'sent'::text]));
CREATE INDEX routes_user ON carillon.routes USING btree (tenant_id, user_id, notification_id DESC, route_id DESC) WHERE (user_id IS NOT NULL);

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
  record_retention_days integer not null default 90,
  malformed_retention_days integer not null default 30,
  dead_letter_retention_days integer not null default 30,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint tenants_check CHECK ((retry_cap_ms >= retry_base_ms)),
  constraint tenants_computed_key_window_seconds_check CHECK ((computed_key_window_seconds >= 0)),
  constraint tenants_dead_letter_retention_days_check CHECK ((dead_letter_retention_days > 0)),
  constraint tenants_idempotency_window_seconds_check CHECK ((idempotency_window_seconds > 0)),
  constraint tenants_malformed_retention_days_check CHECK ((malformed_retention_days > 0)),
  constraint tenants_max_attempts_check CHECK ((jsonb_typeof(max_attempts) = 'object'::text)),
  constraint tenants_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint tenants_record_retention_days_check CHECK ((record_retention_days > 0)),
  constraint tenants_retention_covers_idempotency CHECK ((((record_retention_days)::bigint * 86400) >= GREATEST(idempotency_window_seconds, computed_key_window_seconds))),
  constraint tenants_retry_base_ms_check CHECK ((retry_base_ms > 0)),
  constraint tenants_pkey PRIMARY KEY (id),
  constraint tenants_name_key UNIQUE (name)
);

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
  constraint user_devices_kind_check CHECK ((kind = ANY (ARRAY['fcm'::text, 'apns'::text, 'expo'::text, 'web_push'::text]))),
  constraint user_devices_label_check CHECK ((length(label) <= 100)),
  constraint user_devices_token_check CHECK (((length(token) >= 1) AND (length(token) <= 4096))),
  constraint user_devices_token_hash_check CHECK ((length(token_hash) = 64)),
  constraint user_devices_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint user_devices_pkey PRIMARY KEY (id)
);
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
CREATE UNIQUE INDEX users_username_key ON carillon.users USING btree (tenant_id, username);

create table carillon.watches (
  tenant_id uuid not null,
  topic text not null,
  user_id text not null,
  level text not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint watches_level_check CHECK ((level = ANY (ARRAY['all'::text, 'participating'::text, 'ignore'::text]))),
  constraint watches_topic_check CHECK (((length(topic) >= 1) AND (length(topic) <= 200))),
  constraint watches_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint watches_pkey PRIMARY KEY (tenant_id, topic, user_id)
);
CREATE INDEX watches_user ON carillon.watches USING btree (tenant_id, user_id);

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
  -- larger audiences are expanded by the worker, so that accepting stays quick
  inline_limit constant integer := 100;
  item record;
  taken jsonb := '[]';
  reusable integer[];
begin
  for item in
    -- `offset 0` keeps the steps apart: each value is computed once, and no step is written down for the next.
    with input as (
      select
        i.*, i.audience ->> 'kind' as audience_kind, i.payload_json::jsonb as payload,
        t.accept_unknown_types, t.idempotency_window_seconds, t.computed_key_window_seconds,
        coalesce(y.retry_base_ms, t.retry_base_ms) as retry_base_ms,
        greatest(coalesce(y.retry_cap_ms, t.retry_cap_ms), coalesce(y.retry_base_ms, t.retry_base_ms)) as retry_cap_ms,
        y.name is not null as known, y.producers, y.audience_kinds, y.channels as type_channels, y.required_fields,
        case i.audience ->> 'kind'
          when 'users' then array(select distinct v from jsonb_array_elements_text(i.audience -> 'user_ids') v order by v)
          when 'addresses' then array(select distinct v from jsonb_array_elements_text(i.audience -> 'addresses') v order by v)
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
        audience jsonb, channels text[], payload_json text, send_at timestamptz, expires_at timestamptz,
        occurred_at timestamptz, request_id text, traceparent text, source text, source_entry_id text, reason text
      )
      join carillon.tenants t on t.id = i.tenant_id
      left join carillon.notification_types y on y.tenant_id = i.tenant_id and y.name = i.notification_type
      offset 0
    ),
    measured as (
      select i.*,
        -- jsonb's text form has sorted keys and no insignificant whitespace. An admin audience counts as empty: its
        -- addresses are configuration and may change between two sends of one intent.
        encode(sha256(convert_to(jsonb_build_array(
          i.notification_type, i.audience_kind,
          case when i.audience_kind = 'admin_email' then '[]' else to_jsonb(i.recipients) end,
          i.audience ->> 'topic', extract(epoch from i.occurred_at), i.payload
        )::text, 'UTF8')), 'hex') as fingerprint,
        case when i.required_fields <> '{}' then
          (select needed from unnest(i.required_fields) needed where not i.payload ? needed limit 1)
        end as missing_field,
        case when i.audience_kind = 'users' then array(
          select person.id from unnest(i.recipients) as person (id)
          where not exists (select from carillon.users u where u.tenant_id = i.tenant_id and u.id = person.id) limit 5
        ) end as unknown_users
      from input i
      offset 0
    ),
    checked as materialized (
      select m.*,
        case
          when not m.known and not m.accept_unknown_types then 'type'
          when m.producers <> '{}' and m.producer <> all (m.producers) then 'producer'
          when m.audience_kinds <> '{}' and m.audience_kind <> all (m.audience_kinds) then 'audience'
          when not m.chosen_channels <@ m.type_channels then 'channels'
          when m.audience_kind = 'addresses' and m.chosen_channels <> array[m.audience ->> 'channel'] then 'address_channel'
          when m.audience_kind = 'admin_email' and not m.known then 'admin_type'
          when m.audience_kind = 'admin_email' and m.chosen_channels <> array['email'] then 'admin_channel'
          when m.missing_field is not null then 'payload'
          when m.unknown_users <> '{}' then 'users'
        end as problem,
        -- Without a key the content is the key, channels and time included: the same words at another time or on
        -- another channel are meant.
        coalesce(m.idempotency_key, case
          when m.computed_key_window_seconds > 0 then encode(sha256(convert_to(
            m.fingerprint || array_to_string(m.chosen_channels, ',') || coalesce(extract(epoch from m.send_at)::text, ''), 'UTF8'
          )), 'hex')
          else m.notification_id::text
        end) as key,
        make_interval(secs => case
          when m.idempotency_key is null and m.computed_key_window_seconds > 0 then m.computed_key_window_seconds
          else m.idempotency_window_seconds
        end) as window,
        m.audience_kind in ('topic', 'tenant') or cardinality(m.recipients) > inline_limit as large
      from measured m
    ),
    inserted as (
      insert into carillon.records (
        tenant_id, notification_id, notification_type, producer, audience_kind, recipients, topic, channels, payload_json,
        idempotency_key, request_fingerprint, idempotency_expires_at, source, source_entry_id, request_id, traceparent,
        retry_base_ms, retry_cap_ms, send_at, expires_at, occurred_at, accepted_at, expanded_at, updated_at, reason
      )
      select
        c.tenant_id, c.notification_id, c.notification_type, c.producer, c.audience_kind, c.recipients,
        c.audience ->> 'topic', c.chosen_channels, c.payload_json, c.key, c.fingerprint, now() + c.window, c.source,
        c.source_entry_id, coalesce(c.request_id, ''), coalesce(c.traceparent, ''), c.retry_base_ms, c.retry_cap_ms,
        c.send_at, c.expires_at, c.occurred_at, now(), case when not c.large then now() end, now(),
        coalesce(c.reason, case c.audience_kind when 'topic' then 'watching' else '' end)
      from checked c
      where c.problem is null
      -- one order for everybody: two batches that share keys wait for each other instead of deadlocking
      order by c.tenant_id, c.producer, c.key
      on conflict do nothing
      returning
        tenant_id, notification_id, notification_type, audience_kind, recipients, channels, send_at, expanded_at
    ),
    -- New records have no routes yet: no conflict to look for.
    routed as (
      insert into carillon.routes (
        tenant_id, notification_id, route_id, channel, recipient_ref, user_id, resolved_address, resolved_locale, status,
        reason, skipped_at, max_attempts, next_attempt_at, created_at, updated_at
      )
      select n.tenant_id, n.notification_id, p.*, now(), now() from inserted n
      cross join lateral carillon.planned_routes(
        n.tenant_id, n.notification_type, n.audience_kind, n.recipients, n.channels, n.send_at
      ) p
      where n.expanded_at is not null
    ),
    postponed as (
      insert into carillon.expansions (tenant_id, notification_id)
      select tenant_id, notification_id from inserted where expanded_at is null
    )
    select
      c.ord, c.tenant_id, c.notification_id, c.producer, c.key, c.fingerprint, c.source, c.source_entry_id, c.problem,
      c.notification_id in (select n.notification_id from inserted n) as is_new,
      c.notification_type, c.missing_field, c.unknown_users,
      case c.problem when 'producer' then c.producers when 'audience' then c.audience_kinds else c.type_channels end as allowed
    from checked c
  loop
    ord := item.ord;
    notification_id := null;
    failure_code := null;
    failure_field := null;
    failure_message := null;
    if item.problem is not null then
      outcome := 'refused';
      select f.code, f.field, f.message into failure_code, failure_field, failure_message from carillon.intent_failure(
        item.problem, item.notification_type, item.missing_field, item.unknown_users, item.allowed
      ) f;
      return next;
    elsif item.is_new then
      outcome := 'accepted';
      notification_id := item.notification_id;
      return next;
    else
      taken := taken || jsonb_build_object(
        'ord', item.ord, 'tenant_id', item.tenant_id, 'producer', item.producer, 'key', item.key,
        'fingerprint', item.fingerprint, 'source', item.source, 'source_entry_id', item.source_entry_id
      );
    end if;
  end loop;

  if taken = '[]' then
    return;
  end if;

  -- A key may be used again after its expiry: release it here, in the accepting transaction, and try once more.
  with released as (
    update carillon.records r set idempotency_released_at = now(), updated_at = now()
    from jsonb_to_recordset(taken) as k (ord integer, tenant_id uuid, producer text, key text)
    where r.tenant_id = k.tenant_id and r.producer = k.producer and r.idempotency_key = k.key
      and r.idempotency_released_at is null and r.idempotency_expires_at <= now()
    returning r.tenant_id, r.producer, r.idempotency_key
  )
  select coalesce(array_agg(k.ord), '{}') into reusable
  from jsonb_to_recordset(taken) as k (ord integer, tenant_id uuid, producer text, key text)
  join released r on r.tenant_id = k.tenant_id and r.producer = k.producer and r.idempotency_key = k.key;
  if reusable <> '{}' then
    return query select a.* from carillon.accept_intents(
      (select jsonb_agg(i) from jsonb_array_elements(intents) i where (i ->> 'ord')::integer = any (reusable))
    ) a;
  end if;

  return query
    select k.ord, case when first.same then 'duplicate' else 'conflict' end, first.notification_id,
      case when not first.same then 'idempotency_conflict' end,
      case when not first.same then 'idempotency_key' end,
      case when not first.same then format(
        'Producer "%s" used the key "%s" before for other content: %s.', k.producer, k.key, first.notification_id
      ) end
    from jsonb_to_recordset(taken) as k (
      ord integer, tenant_id uuid, producer text, key text, fingerprint text, source text, source_entry_id text
    )
    cross join lateral (
      select r.notification_id, r.request_fingerprint = k.fingerprint as same from carillon.records r
      where r.tenant_id = k.tenant_id and r.producer = k.producer and r.idempotency_key = k.key
        and r.idempotency_released_at is null
      union all
      -- the same entry of the same stream, read again
      select r.notification_id, true from carillon.records r
      where r.tenant_id = k.tenant_id and r.source = k.source and r.source_entry_id = k.source_entry_id
      limit 1
    ) first
    where k.ord <> all (reusable);
end
$function$;

CREATE OR REPLACE FUNCTION carillon.check_intent(notification_type text, audience jsonb, payload json, idempotency_key text, channels text[], producer text, send_at timestamp with time zone, expires_at timestamp with time zone, reason text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  problem text;
  kind text := audience ->> 'kind';
  list text := case kind when 'users' then 'user_ids' when 'addresses' then 'addresses' end;
  unknown_field text := (
    select min(name) from jsonb_object_keys(case jsonb_typeof(audience) when 'object' then audience end) name
    where name not in ('kind', coalesce(list, 'kind')) and not (kind = 'addresses' and name = 'channel')
      and not (kind = 'topic' and name = 'topic')
  );
  longest integer := case kind when 'users' then 200 else 500 end;
  control constant text := '[\u0001-\u001f\u007f]';
  wide_number constant text := '[eE][+-]?[0-9]{4}';
begin
  problem := case
    when notification_type is null or length(notification_type) not between 1 and 100 or notification_type ~ control
      then 'notification_type must have 1 to 100 characters and no control characters'
    when length(producer) not between 1 and 100 or producer ~ control
      then 'producer must have 1 to 100 characters and no control characters'
    when length(idempotency_key) not between 1 and 255 or idempotency_key ~ control
      then 'idempotency_key must have 1 to 255 characters and no control characters'
    when length(reason) not between 1 and 32 or reason ~ control
      then 'reason must have 1 to 32 characters and no control characters'
    when payload is null or json_typeof(payload) <> 'object' then 'payload must be a JSON object'
    when octet_length(payload::text) > 65536 then 'payload_too_large: the payload has more than 65536 bytes'
    -- Seven bytes of JSON may be a hundred thousand digits in the database. Strings may hold what they like.
    when payload::text ~ wide_number
      and regexp_replace(payload::text, '"[^"\\]*(\\.[^"\\]*)*"', '""', 'g') ~ wide_number
      then 'payload may not have numbers with an exponent beyond 999'
    when kind is null or kind not in ('users', 'addresses', 'topic', 'tenant', 'admin_email')
      then 'audience.kind must be users, addresses, topic, tenant or admin_email'
    when unknown_field is not null then format('audience.%s is not a field of the kind %s', unknown_field, kind)
    when list is not null and coalesce(jsonb_typeof(audience -> list), '') <> 'array'
      then format('audience.%s must be an array of strings', list)
    when list is not null and jsonb_array_length(audience -> list) not between 1 and 10000
      then format('audience.%s must have 1 to 10000 entries', list)
    when list is not null and exists (
      select from jsonb_array_elements(audience -> list) entry
      where jsonb_typeof(entry) <> 'string' or length(entry #>> '{}') not between 1 and longest or entry #>> '{}' ~ control
    ) then format('audience.%s must hold strings of 1 to %s characters without control characters', list, longest)
    when kind = 'topic' and (coalesce(length(audience ->> 'topic'), 0) not between 1 and 200 or audience ->> 'topic' ~ control)
      then 'audience.topic must have 1 to 200 characters and no control characters'
    when kind = 'addresses' and coalesce(audience ->> 'channel', '') not in ('email', 'sms', 'push', 'chat', 'webhook')
      then 'audience.channel must be email, sms, push, chat or webhook'
    when channels = '{}' or not channels <@ array['in_app', 'email', 'sms', 'push', 'chat', 'webhook']
      then 'channels must name in_app, email, sms, push, chat or webhook'
    when expires_at <= greatest(now(), coalesce(send_at, now())) then 'expires_at must lie after send_at and in the future'
  end;
  if problem is null then
    begin
      perform payload::jsonb;
    exception when data_exception or program_limit_exceeded then
      problem := format('payload cannot be stored: %s', sqlerrm);
    end;
  end if;
  if problem is not null then
    raise exception 'carillon.notify: %', problem using errcode = 'invalid_parameter_value';
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.create_routes(tenant uuid, notification uuid, chunk text[])
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
begin
  insert into carillon.routes (
    tenant_id, notification_id, route_id, channel, recipient_ref, user_id, resolved_address, resolved_locale, status, reason,
    skipped_at, max_attempts, next_attempt_at, created_at, updated_at
  )
  select r.tenant_id, r.notification_id, p.*, now(), now() from carillon.records r
  cross join lateral carillon.planned_routes(
    r.tenant_id, r.notification_type, r.audience_kind, chunk, r.channels, r.send_at
  ) p
  where r.tenant_id = tenant and r.notification_id = notification
  on conflict (tenant_id, notification_id, route_id) do nothing;
  get diagnostics created = row_count;
  return created;
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
  delete from carillon.daily_sends s using gone g where s.tenant_id = g.tenant_id and s.user_id = g.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.intent_failure(problem text, notification_type text, missing_field text, unknown_users text[], allowed text[], OUT code text, OUT field text, OUT message text)
 RETURNS record
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select
    case problem
      when 'type' then 'unsupported_type'
      when 'producer' then 'invalid_producer'
      when 'payload' then 'invalid_payload'
      when 'users' then 'recipient_not_found'
      else 'invalid_audience'
    end,
    case problem
      when 'type' then 'notification_type'
      when 'producer' then 'producer'
      when 'payload' then 'payload.' || missing_field
      when 'users' then 'audience.user_ids'
      when 'audience' then 'audience.kind'
      when 'admin_type' then 'audience.kind'
      else 'channels'
    end,
    case problem
      when 'type' then format('The type "%s" is not in the catalog and this tenant accepts no unknown types.', notification_type)
      when 'producer' then format('The type "%s" allows only the producers %s.', notification_type, array_to_string(allowed, ', '))
      when 'audience' then format('The type "%s" allows only the audiences %s.', notification_type, array_to_string(allowed, ', '))
      when 'channels' then format('The type "%s" allows only the channels %s.', notification_type, array_to_string(allowed, ', '))
      when 'address_channel' then 'Addresses are reached on one channel: leave channels out or repeat audience.channel.'
      when 'admin_type' then format('An admin_email audience takes its addresses from the type, and "%s" is not in the catalog.', notification_type)
      when 'admin_channel' then 'An admin_email audience is reached by email only.'
      when 'payload' then format('The type "%s" requires the payload field "%s".', notification_type, missing_field)
      when 'users' then format('No user with the id "%s"; create users with PUT /v1/users/{id} first.', array_to_string(unknown_users, '", "'))
    end
$function$;

CREATE OR REPLACE FUNCTION carillon.notify(notification_type text, audience jsonb, payload json, idempotency_key text DEFAULT NULL::text, channels text[] DEFAULT NULL::text[], producer text DEFAULT NULL::text, send_at timestamp with time zone DEFAULT NULL::timestamp with time zone, expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone, occurred_at timestamp with time zone DEFAULT NULL::timestamp with time zone, traceparent text DEFAULT NULL::text, tenant text DEFAULT 'default'::text, reason text DEFAULT NULL::text)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'carillon', 'pg_temp'
AS $function$
declare
  tenant_id uuid := (select t.id from carillon.tenants t where t.name = tenant);
  answer record;
begin
  if tenant_id is null then
    raise exception 'carillon.notify: no tenant is named "%"', tenant using errcode = 'invalid_parameter_value';
  end if;
  perform carillon.check_intent(
    notification_type, audience, payload, idempotency_key, channels, producer, send_at, expires_at, reason
  );
  select * into answer from carillon.accept_intents(jsonb_build_array(jsonb_build_object(
    'ord', 0, 'tenant_id', tenant_id, 'notification_id', carillon.uuid_v7(), 'notification_type', notification_type,
    'producer', coalesce(producer, 'sql:' || session_user), 'idempotency_key', idempotency_key, 'audience', audience,
    'channels', to_jsonb(channels), 'payload_json', payload::text, 'send_at', send_at, 'expires_at', expires_at,
    'occurred_at', occurred_at, 'source', 'sql', 'reason', reason,
    -- as the standard asks, one that does not follow it is dropped
    'traceparent', substring(traceparent from '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$')
  )));
  if answer.outcome in ('accepted', 'duplicate') then
    return answer.notification_id;
  end if;
  raise exception 'carillon.notify: %: %', answer.failure_code, answer.failure_message
    using errcode = case answer.outcome when 'conflict' then 'unique_violation' else 'invalid_parameter_value' end,
      column = answer.failure_field;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.planned_routes(tenant uuid, notification_type text, audience_kind text, recipients text[], channels text[], send_at timestamp with time zone)
 RETURNS TABLE(route_id text, channel text, recipient_ref text, user_id text, resolved_address text, resolved_locale text, status text, reason text, skipped_at timestamp with time zone, max_attempts integer, next_attempt_at timestamp with time zone)
 LANGUAGE sql
 STABLE
AS $function$
select
  c.channel || ':' || p.ref, c.channel, p.ref, p.user_id, coalesce(a.address, ''),
  case when p.locale <> '' and (t.locales is null or p.locale = any (t.locales)) then p.locale else 'en' end,
  case when a.address is null then 'skipped' else 'pending' end,
  case when a.address is null then 'no_address' else '' end,
  case when a.address is null then now() end,
  coalesce((y.max_attempts ->> c.channel)::integer, (t.max_attempts ->> c.channel)::integer, 5),
  case when a.address is not null then coalesce(planned_routes.send_at, now()) end
from carillon.tenants t
left join carillon.notification_types y on y.tenant_id = t.id and y.name = planned_routes.notification_type
cross join lateral (
  select 'user:' || u.id as ref, u.id as user_id, u.email, u.phone, u.locale, null::text as given
  from unnest(recipients) as person (id)
  -- The lock holds off a deletion until the routes are there to be deleted too. `limit` keeps it a look-up per person:
  -- as a join it became a walk over all users while statistics were missing.
  cross join lateral (
    select id, email, phone, locale from carillon.users where tenant_id = tenant and id = person.id limit 1 for key share
  ) u
  where audience_kind in ('users', 'topic', 'tenant')
  union all
  select 'address:' || listed, null, null, null, '', listed
  from unnest(recipients) as listed where audience_kind = 'addresses'
  union all
  select 'admin:' || listed, null, null, null, '', nullif(listed, '')
  -- a type without addresses still leaves a visible, skipped route
  from unnest(case when recipients = '{}' then array[''] else recipients end) as listed
  where audience_kind = 'admin_email'
) p
cross join lateral unnest(planned_routes.channels) as c (channel)
cross join lateral (
  select case
    when p.user_id is null then p.given
    when c.channel = 'email' then p.email
    when c.channel = 'sms' then p.phone
    else '' -- the provider addresses the person
  end as address
) a
where t.id = tenant
$function$;

CREATE OR REPLACE FUNCTION carillon.raise_system_event(tenant uuid, kind text, about text, severity text, description text, details jsonb, cool_down_seconds double precision)
 RETURNS SETOF admin_system_events
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  -- under the table's own limit, with room for the counter
  largest constant integer := 16000;
  given jsonb := raise_system_event.details;
  open_event carillon.admin_system_events;
begin
  -- Details are context, not storage: too large ones leave only their names.
  if octet_length(given::text) > largest then
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
  if octet_length((open_event.details || given)::text) <= largest then
    given := open_event.details || given;
  end if;
  return query update carillon.admin_system_events e
    set details = given || jsonb_build_object(
      'count', coalesce((open_event.details ->> 'count')::integer, 1) + 1, 'last_raised_at', now()
    )
    where e.id = open_event.id returning e.*;
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
  update carillon.daily_sends s set tenant_id = new.tenant_id, user_id = new.id
  where s.tenant_id = old.tenant_id and s.user_id = old.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.reserve_sends(provider uuid, wanted integer, at timestamp with time zone DEFAULT clock_timestamp())
 RETURNS TABLE(granted integer, free_at timestamp with time zone)
 LANGUAGE plpgsql
AS $function$
declare
  allowed integer;
  used_before integer;
  this_second timestamptz := date_trunc('second', at);
begin
  -- one at a time per provider: the count must not change between looking and taking
  select p.rate_limit into allowed from carillon.provider_configs p where p.id = provider for no key update;
  if allowed is null then
    return query select wanted, null::timestamptz;
    return;
  end if;
  -- the second sixty seconds ago may have been used at its very end, so it still counts
  select coalesce(sum(s.used), 0) into used_before from carillon.provider_sends s
  where s.provider_id = provider and s.second >= this_second - interval '60 seconds';
  granted := greatest(0, least(wanted, allowed - used_before));
  if granted > 0 then
    insert into carillon.provider_sends as s (provider_id, second, used) values (provider, this_second, granted)
    on conflict (provider_id, second) do update set used = s.used + excluded.used;
  end if;
  delete from carillon.provider_sends s where s.provider_id = provider and s.second < this_second - interval '61 seconds';
  select min(s.second) + interval '61 seconds' into free_at from carillon.provider_sends s where s.provider_id = provider;
  return next;
end
$function$;

CREATE OR REPLACE FUNCTION carillon.uuid_v7()
 RETURNS uuid
 LANGUAGE sql
 PARALLEL SAFE
AS $function$
  select encode(
    set_byte(
      overlay(
        uuid_send(gen_random_uuid())
        placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
        from 1 for 6
      ),
      6, 112 + floor(random() * 16)::integer
    ), 'hex'
  )::uuid
$function$;

CREATE TRIGGER delete_attempts AFTER DELETE ON carillon.routes REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_attempts_of_routes();

CREATE TRIGGER delete_routes AFTER DELETE ON carillon.users REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_routes_of_users();

CREATE TRIGGER delete_routes AFTER DELETE ON carillon.records REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_routes_of_records();

CREATE TRIGGER rename_attempts AFTER UPDATE OF tenant_id, notification_id, route_id ON carillon.routes FOR EACH ROW EXECUTE FUNCTION rename_attempts_of_routes();

CREATE TRIGGER rename_routes AFTER UPDATE OF tenant_id, id ON carillon.users FOR EACH ROW EXECUTE FUNCTION rename_routes_of_users();

CREATE TRIGGER rename_routes AFTER UPDATE OF tenant_id, notification_id ON carillon.records FOR EACH ROW EXECUTE FUNCTION rename_routes_of_records();
