-- Takes from the roles of platform/database/roles.ts what they may not do with single tables: the application neither
-- changes nor deletes audit rows, nor says which schema is here, and whoever only reads sees no secrets. A role that was given
-- no access to this schema is left alone: another Carillon on the same server may have it. Every release calls this, as a
-- migration may have added columns.
create or replace function carillon.grant_roles() returns void language plpgsql as $$
declare
  secret constant name[] := array['secrets', 'key_hash', 'password_hash', 'token', 'token_hash', 'settings_hash'];
  shown record;
begin
  if to_regrole('carillon_app') is not null and has_schema_privilege('carillon_app', 'carillon', 'usage') then
    revoke update, delete, truncate on carillon.audit_logs from carillon_app;
    revoke insert, update, delete on carillon.releases, carillon.pgmigrations from carillon_app;
  end if;
  if to_regrole('carillon_reader') is null or not has_schema_privilege('carillon_reader', 'carillon', 'usage') then
    return;
  end if;
  for shown in
    select c.oid::regclass as name,
      string_agg(quote_ident(a.attname), ', ' order by a.attnum) filter (where a.attname <> all (secret)) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'carillon'::regnamespace and c.relkind in ('r', 'p')
    group by c.oid having bool_or(a.attname = any (secret))
  loop
    execute format('revoke select on %s from carillon_reader', shown.name);
    execute format('grant select (%s) on %s to carillon_reader', shown.columns, shown.name);
  end loop;
end
$$;
do $$
begin
  perform carillon.grant_roles();
end
$$;
