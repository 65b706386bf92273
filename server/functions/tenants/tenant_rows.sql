-- Every table with rows of tenants, those with the most rows per notification first. Settings are part of the tenant itself,
-- and go with it.
create or replace function carillon.tenant_tables() returns setof text language sql stable as $$
  select c.relname::text from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
  where c.relnamespace = 'carillon'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname not in ('tenant_settings', 'tenant_retention')
  order by array_position(array[
    'route_attempts', 'routes', 'records', 'route_attempts_archive', 'routes_archive', 'records_archive', 'outbox'
  ], c.relname::text), c.relname
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
  part oid;
  deleted integer;
begin
  for name in select carillon.tenant_tables() loop
    -- a ctid is a row of one partition, and another one in the next
    execute format('select tableoid from carillon.%I where tenant_id = $1 limit 1', name) into part using tenant;
    continue when part is null;
    if name = 'audit_logs' then
      deleted := carillon.delete_audit_logs(array(select a.ctid from carillon.audit_logs a where a.tenant_id = tenant limit most));
    else
      execute format(
        'delete from carillon.%I where tableoid = $3 and ctid = any (array(
          select ctid from carillon.%I where tenant_id = $1 and tableoid = $3 limit $2))', name, name
      ) using tenant, most, part;
      get diagnostics deleted = row_count;
    end if;
    if deleted > 0 then
      return deleted;
    end if;
  end loop;
  return 0;
end
$$;
