-- Up Migration
-- Outside a transaction: rows are read, and an index is built, while others write.

alter table notification_metrics validate constraint notification_metrics_histogram_whole;
-- what the overview counts
create index concurrently if not exists admin_system_events_open on admin_system_events (tenant_id, severity)
  where not is_resolved;

-- Down Migration

drop index if exists admin_system_events_open;
