-- Every table with rows of tenants, those with the most rows per notification first.
create or replace function carillon.tenant_tables() returns setof text language sql stable as $$
  select c.relname::text from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
  where c.relnamespace = 'carillon'::regnamespace and c.relkind = 'r'
  order by array_position(array['route_attempts', 'routes', 'records', 'outbox'], c.relname::text), c.relname
$$;

-- What a tenant has: the number of its rows, and their size without indexes.
create or replace function carillon.tenant_rows(tenant uuid, out row_count bigint, out bytes bigint) language plpgsql as $$
declare
  name text;
  found_rows bigint;
  found_bytes bigint;
begin
  row_count := 0;
  bytes := 0;
  for name in select carillon.tenant_tables() loop
    execute format('select count(*), coalesce(sum(pg_column_size(t.*)), 0) from carillon.%I t where t.tenant_id = $1', name)
    into found_rows, found_bytes using tenant;
    row_count := row_count + found_rows;
    bytes := bytes + found_bytes;
  end loop;
end
$$;

-- Deletes up to `most` rows of a tenant and returns how many; 0 when only the tenant itself is left. It is the cascade of
-- the foreign keys in portions, so it goes through the tables of all rooms.
create or replace function carillon.delete_tenant_rows(tenant uuid, most integer) returns integer language plpgsql as $$
declare
  name text;
  deleted integer;
begin
  for name in select carillon.tenant_tables() loop
    execute format(
      'delete from carillon.%I where ctid = any (array(select ctid from carillon.%I where tenant_id = $1 limit $2))', name, name
    ) using tenant, most;
    get diagnostics deleted = row_count;
    if deleted > 0 then
      return deleted;
    end if;
  end loop;
  return 0;
end
$$;
