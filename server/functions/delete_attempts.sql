-- Attempts go with their routes, however those go: retention, a deleted user, a deleted tenant.
create or replace function carillon.delete_attempts() returns trigger language plpgsql as $$
begin
  delete from carillon.route_attempts a using gone g
  where a.tenant_id = g.tenant_id and a.notification_id = g.notification_id and a.route_id = g.route_id;
  return null;
end
$$;
create or replace trigger delete_attempts after delete on carillon.routes referencing old table as gone
for each statement execute function carillon.delete_attempts();
