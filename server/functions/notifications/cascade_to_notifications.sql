-- What is everybody's belongs to no user, so it is deleted with its tenant: what a foreign key would do, which would be
-- checked for every row of every person too.
create or replace function carillon.delete_notifications_of_tenants() returns trigger language plpgsql as $$
begin
  delete from carillon.notifications n using gone g where n.tenant_id = g.id and n.user_id is null;
  return null;
end
$$;
create or replace trigger delete_notifications after delete on carillon.tenants referencing old table as gone
for each statement execute function carillon.delete_notifications_of_tenants();
