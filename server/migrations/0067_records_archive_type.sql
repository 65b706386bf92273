-- Up Migration

-- As records_type. A partitioned table cannot get it concurrently; meanwhile the archiver waits.
create index records_archive_type on records_archive (tenant_id, notification_type, accepted_at desc)
  include (notification_id, producer);

-- Down Migration

drop index if exists records_archive_type;
