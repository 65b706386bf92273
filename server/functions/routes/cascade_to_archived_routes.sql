-- What cascade_to_routes.sql does for live routes, for those in the archive.
create or replace function carillon.delete_archived_routes_of_records() returns trigger language plpgsql as $$
begin
  delete from carillon.routes_archive r using gone g
  where r.tenant_id = g.tenant_id and r.notification_id = g.notification_id;
  return null;
end
$$;

create or replace function carillon.delete_archived_attempts_of_routes() returns trigger language plpgsql as $$
begin
  delete from carillon.route_attempts_archive a using gone g
  where a.tenant_id = g.tenant_id and a.notification_id = g.notification_id and a.route_id = g.route_id;
  return null;
end
$$;

create or replace function carillon.delete_archived_routes_of_users() returns trigger language plpgsql as $$
begin
  delete from carillon.routes_archive r using gone g where r.tenant_id = g.tenant_id and r.user_id = g.id;
  return null;
end
$$;

create or replace function carillon.rename_archived_routes_of_users() returns trigger language plpgsql as $$
begin
  update carillon.routes_archive r set user_id = new.id
  where r.tenant_id = old.tenant_id and r.user_id = old.id;
  return null;
end
$$;

create or replace trigger delete_routes after delete on carillon.records_archive referencing old table as gone
for each statement execute function carillon.delete_archived_routes_of_records();
create or replace trigger delete_attempts after delete on carillon.routes_archive referencing old table as gone
for each statement execute function carillon.delete_archived_attempts_of_routes();
-- Triggers fire in the order of their names. These come after delete_routes and rename_routes, which wait for whoever is
-- moving the person's routes: only then are they in the archive to be found.
create or replace trigger delete_routes_archived after delete on carillon.users referencing old table as gone
for each statement execute function carillon.delete_archived_routes_of_users();
create or replace trigger rename_routes_archived after update of id on carillon.users
for each row execute function carillon.rename_archived_routes_of_users();
