-- Up Migration

-- Outside a transaction: indexes of tables that may be large are built while others write them. The next migration makes
-- them the primary keys.
create unique index concurrently if not exists audit_logs_by_tenant on audit_logs (tenant_id, id);
create unique index concurrently if not exists notification_templates_by_tenant on notification_templates (tenant_id, id);
create unique index concurrently if not exists template_versions_by_tenant on template_versions (tenant_id, id);
create unique index concurrently if not exists schedules_by_tenant on schedules (tenant_id, id);
create unique index concurrently if not exists user_devices_by_tenant on user_devices (tenant_id, id);
create unique index concurrently if not exists dead_letters_by_tenant on dead_letters (tenant_id, id);
create unique index concurrently if not exists digests_by_tenant on digests (tenant_id, id);
create unique index concurrently if not exists notification_email_log_by_tenant on notification_email_log (tenant_id, id);
create unique index concurrently if not exists notifications_by_tenant on notifications (tenant_id, id);
create unique index concurrently if not exists api_keys_by_tenant on api_keys (tenant_id, id);
create unique index concurrently if not exists outbox_by_tenant on outbox (tenant_id, id);

-- What refers to those keys is found by the tenant too.
create index concurrently if not exists notification_email_log_notification_by_tenant
  on notification_email_log (tenant_id, notification_id) where notification_id is not null;
create index concurrently if not exists notification_receipts_notification_by_tenant
  on notification_receipts (tenant_id, notification_id);
create index concurrently if not exists triggers_key_by_tenant on triggers (tenant_id, registered_by_key)
  where registered_by_key is not null;
create index concurrently if not exists rate_limits_api_key_by_tenant on rate_limits (tenant_id, api_key_id, window_start)
  where api_key_id is not null;
create index concurrently if not exists api_keys_limited_as_by_tenant on api_keys (tenant_id, limited_as)
  where limited_as is not null;

-- Down Migration

drop index audit_logs_by_tenant;
drop index notification_templates_by_tenant;
drop index template_versions_by_tenant;
drop index schedules_by_tenant;
drop index user_devices_by_tenant;
drop index dead_letters_by_tenant;
drop index digests_by_tenant;
drop index notification_email_log_by_tenant;
drop index notifications_by_tenant;
drop index api_keys_by_tenant;
drop index outbox_by_tenant;
drop index notification_email_log_notification_by_tenant;
drop index notification_receipts_notification_by_tenant;
drop index triggers_key_by_tenant;
drop index rate_limits_api_key_by_tenant;
drop index api_keys_limited_as_by_tenant;
