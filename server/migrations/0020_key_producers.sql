-- Up Migration

-- The producers a key may send as, the first of them unless an intent names one. null = the key's own; with the scope
-- admin, any.
alter table api_keys add column producers text[] check (cardinality(producers) between 1 and 50);

-- Down Migration

alter table api_keys drop column producers;
