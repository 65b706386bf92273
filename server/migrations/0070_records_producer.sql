-- Up Migration
-- Outside a transaction: the index is built while intents are accepted.

-- Which parts of the table may have records of a producer. Lists of one that is rare, or has none yet, would otherwise walk
-- all records of the tenant. A summary of 128 pages hardly ever changes, so records pay next to nothing for it.
create index concurrently if not exists records_producer on records using brin (
  tenant_id uuid_bloom_ops (n_distinct_per_range = 128),
  producer text_bloom_ops (n_distinct_per_range = 64)
) with (autosummarize = on);

-- Down Migration

drop index if exists records_producer;
