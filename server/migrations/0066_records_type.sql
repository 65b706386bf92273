-- Up Migration
-- Outside a transaction: the index is built while intents are accepted.

-- The list of a type; the id and the producer are what is asked together with it, so that no row is read that does not match.
create index concurrently if not exists records_type on records (tenant_id, notification_type, accepted_at desc)
  include (notification_id, producer);

-- Down Migration

drop index if exists records_type;
