-- Routes are deleted with their record or user and follow a changed id, and attempts do the same with their route: what
-- foreign keys would do, but once per statement instead of once per row. That a route's record and user exist when it is
-- created is ensured there: the record is new in the same transaction or its expansion is locked, and the user is locked
-- while its routes are created.
create or replace function carillon.delete_routes_of_records() returns trigger language plpgsql as $$
begin
  delete from carillon.routes r using gone g where r.tenant_id = g.tenant_id and r.notification_id = g.notification_id;
  return null;
end
$$;
create or replace trigger delete_routes after delete on carillon.records referencing old table as gone
for each statement execute function carillon.delete_routes_of_records();

create or replace function carillon.delete_routes_of_users() returns trigger language plpgsql as $$
begin
  delete from carillon.routes r using gone g where r.tenant_id = g.tenant_id and r.user_id = g.id;
  return null;
end
$$;
create or replace trigger delete_routes after delete on carillon.users referencing old table as gone
for each statement execute function carillon.delete_routes_of_users();

create or replace function carillon.delete_attempts_of_routes() returns trigger language plpgsql as $$
begin
  delete from carillon.route_attempts a using gone g
  where a.tenant_id = g.tenant_id and a.notification_id = g.notification_id and a.route_id = g.route_id;
  return null;
end
$$;
create or replace trigger delete_attempts after delete on carillon.routes referencing old table as gone
for each statement execute function carillon.delete_attempts_of_routes();

create or replace function carillon.rename_routes_of_records() returns trigger language plpgsql as $$
begin
  update carillon.routes r set notification_id = new.notification_id
  where r.tenant_id = old.tenant_id and r.notification_id = old.notification_id;
  return null;
end
$$;
create or replace trigger rename_routes after update of notification_id on carillon.records
for each row execute function carillon.rename_routes_of_records();

create or replace function carillon.rename_routes_of_users() returns trigger language plpgsql as $$
begin
  update carillon.routes r set user_id = new.id
  where r.tenant_id = old.tenant_id and r.user_id = old.id;
  return null;
end
$$;
create or replace trigger rename_routes after update of id on carillon.users
for each row execute function carillon.rename_routes_of_users();

create or replace function carillon.rename_attempts_of_routes() returns trigger language plpgsql as $$
begin
  update carillon.route_attempts a
  set notification_id = new.notification_id, route_id = new.route_id
  where a.tenant_id = old.tenant_id and a.notification_id = old.notification_id and a.route_id = old.route_id;
  return null;
end
$$;
create or replace trigger rename_attempts after update of notification_id, route_id on carillon.routes
for each row execute function carillon.rename_attempts_of_routes();
