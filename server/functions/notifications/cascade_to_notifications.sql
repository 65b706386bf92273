-- What is everybody's belongs to no user, so it is deleted with its tenant, and follows a changed id: what a foreign key
-- would do, which would be checked for every row of every person too.
create or replace function carillon.delete_notifications_of_tenants() returns trigger language plpgsql as $$
begin
  delete from carillon.notifications n using gone g where n.tenant_id = g.id and n.user_id is null;
  return null;
end
$$;
create or replace trigger delete_notifications after delete on carillon.tenants referencing old table as gone
for each statement execute function carillon.delete_notifications_of_tenants();

create or replace function carillon.rename_notifications_of_tenants() returns trigger language plpgsql as $$
begin
  update carillon.notifications n set tenant_id = new.id where n.tenant_id = old.id and n.user_id is null;
  return null;
end
$$;
create or replace trigger rename_notifications after update of id on carillon.tenants
for each row execute function carillon.rename_notifications_of_tenants();
