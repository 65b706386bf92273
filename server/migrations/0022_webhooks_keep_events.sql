-- Up Migration

-- Events of a webhook that is not active are kept until then, so that a recovery can send them; null while it is active.
alter table notification_webhooks add column keeps_events_until timestamptz(3);
update notification_webhooks set keeps_events_until = now() + interval '7 days' where disabled_at is not null;
-- what every event is matched against
drop index notification_webhooks_active;
create index notification_webhooks_active on notification_webhooks (tenant_id, user_id)
  where is_active or keeps_events_until is not null;

-- Down Migration

drop index notification_webhooks_active;
create index notification_webhooks_active on notification_webhooks (tenant_id, user_id) where is_active;
alter table notification_webhooks drop column keeps_events_until;
