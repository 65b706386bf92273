-- Up Migration
-- Outside a transaction: the index is built while reports come in.

-- Reports about messages that are unknown or archived belong to no record, so they go at an age of their own.
create index concurrently if not exists provider_callbacks_unrelated on provider_callbacks (tenant_id, received_at)
  where notification_id is null;

-- Down Migration

drop index if exists provider_callbacks_unrelated;
