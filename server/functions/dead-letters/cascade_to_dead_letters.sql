-- Letters are deleted with their route, unless that has only moved to the archive, and follow a changed id.
create or replace function carillon.delete_letters_of_routes() returns trigger language plpgsql as $$
begin
  delete from carillon.dead_letters d using gone g
  where d.tenant_id = g.tenant_id and d.notification_id = g.notification_id and d.route_id = g.route_id
    and not exists (select from carillon.routes_archive a
      where a.tenant_id = g.tenant_id and a.notification_id = g.notification_id and a.route_id = g.route_id);
  return null;
end
$$;

create or replace function carillon.rename_letters_of_routes() returns trigger language plpgsql as $$
begin
  update carillon.dead_letters d
  set notification_id = new.notification_id, route_id = new.route_id
  where d.tenant_id = old.tenant_id and d.notification_id = old.notification_id and d.route_id = old.route_id;
  return null;
end
$$;

create or replace trigger delete_letters after delete on carillon.routes referencing old table as gone
for each statement execute function carillon.delete_letters_of_routes();
create or replace trigger delete_letters after delete on carillon.routes_archive referencing old table as gone
for each statement execute function carillon.delete_letters_of_routes();
create or replace trigger rename_letters after update of notification_id, route_id on carillon.routes
for each row execute function carillon.rename_letters_of_routes();
