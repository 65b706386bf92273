-- Up Migration
-- Outside a transaction: the index is built while messages are delivered.

-- Which parts of the table may have routes of a provider or a channel. Lists of one that is rare, or has none yet, would
-- otherwise walk all routes of the tenant. A summary of 128 pages hardly ever changes, so routes pay next to nothing for it.
create index concurrently if not exists routes_senders on routes using brin (
  tenant_id uuid_bloom_ops (n_distinct_per_range = 128),
  provider text_bloom_ops (n_distinct_per_range = 64),
  channel text_bloom_ops (n_distinct_per_range = 16)
) with (autosummarize = on);

-- Down Migration

drop index if exists routes_senders;
