-- Up Migration

-- The keys of operators and of owners, of which one always has to stay.
create index api_keys_instance on api_keys (id) where is_active and scopes @> '{instance}';
create index api_keys_owners on api_keys (tenant_id, id) where is_active and scopes @> '{admin}';

-- Down Migration

drop index api_keys_instance;
drop index api_keys_owners;
