-- Up Migration

alter table user_devices
  -- How often its push service has refused it since then.
  add column rejections integer not null default 0,
  add column rejected_since timestamptz(3),
  -- In quarantine until then: perhaps not the device is at fault but our settings.
  add column retry_at timestamptz(3),
  -- The service is sure that it does not exist any more; it is deleted after a while, unless it is registered again.
  add column is_gone boolean not null default false;
-- Whether many were refused at once.
create index user_devices_rejected on user_devices (tenant_id, kind, rejected_since) where rejected_since is not null;
-- For the retention sweep.
create index user_devices_gone on user_devices (rejected_since) where is_gone;

-- Down Migration

alter table user_devices drop column rejections, drop column rejected_since, drop column retry_at, drop column is_gone;
