-- Up Migration

-- Questions that grew with the tables.

-- Routes made after a time: their records were accepted after it, but for large audiences, which are expanded later, and
-- for digests that were opened by an item which went out at once. So the listing knows where to stop, and only those pay
-- for the indexes.
create index records_expanded_late on records (tenant_id, expanded_at) where expanded_at > accepted_at;
create index digests_opened_early on digests (tenant_id, closes_at) include (id)
  where first_notification_id is not null and closes_at - created_at > interval '1 hour';

-- Whom an event concerns: the endpoints of everybody and those of one person, however many other people have one.
drop index notification_webhooks_active;
create index notification_webhooks_active on notification_webhooks (tenant_id, user_id) where is_active;
create index notification_webhooks_listing on notification_webhooks (tenant_id, created_at, id);
-- The few that somebody has to look after, among all the others.
create index notification_webhooks_inactive on notification_webhooks (tenant_id, created_at, id) where not is_active;

-- Down Migration

drop index notification_webhooks_inactive;
drop index notification_webhooks_listing;
drop index notification_webhooks_active;
create index notification_webhooks_active on notification_webhooks (tenant_id) where is_active;
drop index digests_opened_early;
drop index records_expanded_late;
