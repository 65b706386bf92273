-- The settings that a tenant lacks, with the defaults of their columns: a new tenant has none, and one that comes from
-- elsewhere brings its own.
create or replace function carillon.add_tenant_settings(tenant uuid) returns void language sql as $$
  insert into carillon.tenant_settings (tenant_id) values (tenant) on conflict do nothing;
  insert into carillon.tenant_retention (tenant_id) values (tenant) on conflict do nothing;
$$;
create or replace function carillon.create_tenant_settings() returns trigger language plpgsql as $$
begin
  if not carillon.is_importing() then
    perform carillon.add_tenant_settings(new.id);
  end if;
  return null;
end
$$;
create or replace trigger tenants_settings after insert on carillon.tenants
  for each row execute function carillon.create_tenant_settings();
