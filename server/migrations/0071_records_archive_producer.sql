-- Up Migration

-- As records_producer, in smaller parts, as a month may be small. A partitioned table cannot get it concurrently; meanwhile
-- the archiver waits.
create index records_archive_producer on records_archive using brin (
  tenant_id uuid_bloom_ops (n_distinct_per_range = 128),
  producer text_bloom_ops (n_distinct_per_range = 64)
) with (autosummarize = on, pages_per_range = 32);

-- Down Migration

drop index if exists records_archive_producer;
