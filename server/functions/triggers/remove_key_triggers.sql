-- A trigger that was registered by a key without a user runs as that key, so it goes when the key is revoked, in the same
-- transaction. Returns what was removed.
create or replace function carillon.remove_key_triggers(tenant uuid, key uuid)
returns table (id uuid, name text) language sql as $$
  delete from carillon.triggers t where t.tenant_id = tenant and t.registered_by_key = key returning t.id, t.name
$$;
