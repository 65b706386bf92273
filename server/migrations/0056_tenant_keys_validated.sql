-- Up Migration

-- Outside a transaction: rows of large tables are compared while others write them.
alter table notification_email_log validate constraint notification_email_log_tenant_id_notification_id_fkey;
alter table notification_receipts validate constraint notification_receipts_tenant_id_notification_id_fkey;
alter table triggers validate constraint triggers_tenant_id_registered_by_key_fkey;
alter table rate_limits validate constraint rate_limits_tenant_id_api_key_id_fkey;
alter table api_keys validate constraint api_keys_tenant_id_limited_as_fkey;

-- Down Migration

alter table notification_email_log drop constraint notification_email_log_tenant_id_notification_id_fkey,
  add constraint notification_email_log_tenant_id_notification_id_fkey
  foreign key (tenant_id, notification_id) references notifications (tenant_id, id)
  on update cascade on delete set null (notification_id) not valid;
alter table notification_receipts drop constraint notification_receipts_tenant_id_notification_id_fkey,
  add constraint notification_receipts_tenant_id_notification_id_fkey
  foreign key (tenant_id, notification_id) references notifications (tenant_id, id)
  on update cascade on delete cascade not valid;
alter table triggers drop constraint triggers_tenant_id_registered_by_key_fkey,
  add constraint triggers_tenant_id_registered_by_key_fkey
  foreign key (tenant_id, registered_by_key) references api_keys (tenant_id, id)
  on update cascade on delete cascade not valid;
alter table rate_limits drop constraint rate_limits_tenant_id_api_key_id_fkey,
  add constraint rate_limits_tenant_id_api_key_id_fkey
  foreign key (tenant_id, api_key_id) references api_keys (tenant_id, id)
  on update cascade on delete cascade not valid;
alter table api_keys drop constraint api_keys_tenant_id_limited_as_fkey,
  add constraint api_keys_tenant_id_limited_as_fkey
  foreign key (tenant_id, limited_as) references api_keys (tenant_id, id)
  on update cascade on delete set null (limited_as) not valid;
