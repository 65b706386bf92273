-- Up Migration

-- The tenant leads every key: tables can be spread by it, and what belongs to another tenant cannot be referred to. Nothing
-- is read or rewritten here. Processes of the version before still ask for rows by id alone, and get them: PostgreSQL 18
-- skips from tenant to tenant in the new key, and older ones read all of it. The busiest tables are locked last.

alter table audit_logs drop constraint audit_logs_pkey,
  add constraint audit_logs_pkey primary key using index audit_logs_by_tenant;
alter table notification_templates drop constraint notification_templates_pkey,
  add constraint notification_templates_pkey primary key using index notification_templates_by_tenant;
alter table template_versions drop constraint template_versions_pkey,
  add constraint template_versions_pkey primary key using index template_versions_by_tenant;
alter table schedules drop constraint schedules_pkey,
  add constraint schedules_pkey primary key using index schedules_by_tenant;
-- the new key has the same order
drop index schedules_listing;
alter table user_devices drop constraint user_devices_pkey,
  add constraint user_devices_pkey primary key using index user_devices_by_tenant;
alter table dead_letters drop constraint dead_letters_pkey,
  add constraint dead_letters_pkey primary key using index dead_letters_by_tenant;
alter table digests drop constraint digests_pkey, add constraint digests_pkey primary key using index digests_by_tenant;

-- Inbox rows, and what refers to them. The next migration validates it.
alter table notification_email_log drop constraint notification_email_log_notification_id_fkey;
alter table notification_receipts drop constraint notification_receipts_notification_id_fkey;
alter table notification_email_log drop constraint notification_email_log_pkey,
  add constraint notification_email_log_pkey primary key using index notification_email_log_by_tenant;
alter table notifications drop constraint notifications_pkey,
  add constraint notifications_pkey primary key using index notifications_by_tenant;
drop index notification_email_log_notification;
alter index notification_email_log_notification_by_tenant rename to notification_email_log_notification;
alter table notification_email_log add constraint notification_email_log_tenant_id_notification_id_fkey
  foreign key (tenant_id, notification_id) references notifications (tenant_id, id)
  on update cascade on delete set null (notification_id) not valid;
drop index notification_receipts_notification;
alter index notification_receipts_notification_by_tenant rename to notification_receipts_notification;
alter table notification_receipts add constraint notification_receipts_tenant_id_notification_id_fkey
  foreign key (tenant_id, notification_id) references notifications (tenant_id, id)
  on update cascade on delete cascade not valid;

-- API keys, and what refers to them.
alter table triggers drop constraint triggers_registered_by_key_fkey;
alter table rate_limits drop constraint rate_limits_api_key_id_fkey;
alter table api_keys drop constraint api_keys_limited_as_fkey;
alter table api_keys drop constraint api_keys_pkey, add constraint api_keys_pkey primary key using index api_keys_by_tenant;
drop index triggers_key;
alter index triggers_key_by_tenant rename to triggers_key;
alter table triggers add constraint triggers_tenant_id_registered_by_key_fkey
  foreign key (tenant_id, registered_by_key) references api_keys (tenant_id, id)
  on update cascade on delete cascade not valid;
drop index rate_limits_api_key;
alter index rate_limits_api_key_by_tenant rename to rate_limits_api_key;
alter table rate_limits add constraint rate_limits_tenant_id_api_key_id_fkey
  foreign key (tenant_id, api_key_id) references api_keys (tenant_id, id)
  on update cascade on delete cascade not valid;
drop index api_keys_limited_as;
alter index api_keys_limited_as_by_tenant rename to api_keys_limited_as;
alter table api_keys add constraint api_keys_tenant_id_limited_as_fkey
  foreign key (tenant_id, limited_as) references api_keys (tenant_id, id)
  on update cascade on delete set null (limited_as) not valid;

alter table outbox drop constraint outbox_pkey, add constraint outbox_pkey primary key using index outbox_by_tenant;

-- Down Migration

alter table audit_logs drop constraint audit_logs_pkey, add primary key (id);
create unique index audit_logs_by_tenant on audit_logs (tenant_id, id);
alter table notification_templates drop constraint notification_templates_pkey, add primary key (id);
create unique index notification_templates_by_tenant on notification_templates (tenant_id, id);
alter table template_versions drop constraint template_versions_pkey, add primary key (id);
create unique index template_versions_by_tenant on template_versions (tenant_id, id);
alter table schedules drop constraint schedules_pkey, add primary key (id);
create unique index schedules_by_tenant on schedules (tenant_id, id);
create index schedules_listing on schedules (tenant_id, id desc);
alter table user_devices drop constraint user_devices_pkey, add primary key (id);
create unique index user_devices_by_tenant on user_devices (tenant_id, id);
alter table dead_letters drop constraint dead_letters_pkey, add primary key (id);
create unique index dead_letters_by_tenant on dead_letters (tenant_id, id);
alter table digests drop constraint digests_pkey, add primary key (id);
create unique index digests_by_tenant on digests (tenant_id, id);

alter table notification_email_log drop constraint notification_email_log_tenant_id_notification_id_fkey;
alter table notification_receipts drop constraint notification_receipts_tenant_id_notification_id_fkey;
alter table notification_email_log drop constraint notification_email_log_pkey, add primary key (id);
create unique index notification_email_log_by_tenant on notification_email_log (tenant_id, id);
alter table notifications drop constraint notifications_pkey, add primary key (id);
create unique index notifications_by_tenant on notifications (tenant_id, id);
alter index notification_email_log_notification rename to notification_email_log_notification_by_tenant;
create index notification_email_log_notification on notification_email_log (notification_id)
  where notification_id is not null;
alter table notification_email_log add foreign key (notification_id)
  references notifications on update cascade on delete set null;
alter index notification_receipts_notification rename to notification_receipts_notification_by_tenant;
create index notification_receipts_notification on notification_receipts (notification_id);
alter table notification_receipts add foreign key (notification_id)
  references notifications on update cascade on delete cascade;

alter table triggers drop constraint triggers_tenant_id_registered_by_key_fkey;
alter table rate_limits drop constraint rate_limits_tenant_id_api_key_id_fkey;
alter table api_keys drop constraint api_keys_tenant_id_limited_as_fkey;
alter table api_keys drop constraint api_keys_pkey, add primary key (id);
create unique index api_keys_by_tenant on api_keys (tenant_id, id);
alter index triggers_key rename to triggers_key_by_tenant;
create index triggers_key on triggers (registered_by_key) where registered_by_key is not null;
alter table triggers add foreign key (registered_by_key) references api_keys on update cascade on delete cascade;
alter index rate_limits_api_key rename to rate_limits_api_key_by_tenant;
create index rate_limits_api_key on rate_limits (api_key_id, window_start) where api_key_id is not null;
alter table rate_limits add foreign key (api_key_id) references api_keys on update cascade on delete cascade;
alter index api_keys_limited_as rename to api_keys_limited_as_by_tenant;
create index api_keys_limited_as on api_keys (limited_as) where limited_as is not null;
alter table api_keys add foreign key (limited_as) references api_keys on update cascade on delete set null;

alter table outbox drop constraint outbox_pkey, add primary key (id);
create unique index outbox_by_tenant on outbox (tenant_id, id);
