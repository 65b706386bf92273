-- Up Migration

-- As routes_senders. A partitioned table cannot get it concurrently; meanwhile the archiver waits.
create index routes_archive_senders on routes_archive using brin (
  tenant_id uuid_bloom_ops (n_distinct_per_range = 128),
  provider text_bloom_ops (n_distinct_per_range = 64),
  channel text_bloom_ops (n_distinct_per_range = 16)
) with (autosummarize = on);

-- Down Migration

drop index if exists routes_archive_senders;
