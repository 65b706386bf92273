-- Up Migration

-- Questions that grew with the tables.

-- Routes made after a time: their records were accepted after it, but for large audiences, which are expanded later. So
-- the listing knows where to stop, and only such audiences pay for the index.
create index records_expanded_late on records (tenant_id, expanded_at) where expanded_at > accepted_at;

-- Whom an event concerns: the endpoints of everybody and those of one person, however many other people have one.
drop index notification_webhooks_active;
create index notification_webhooks_active on notification_webhooks (tenant_id, user_id) where is_active;
create index notification_webhooks_listing on notification_webhooks (tenant_id, created_at, id);

-- Down Migration

drop index notification_webhooks_listing;
drop index notification_webhooks_active;
create index notification_webhooks_active on notification_webhooks (tenant_id) where is_active;
drop index records_expanded_late;
