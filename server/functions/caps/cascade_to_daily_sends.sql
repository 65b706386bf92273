-- Counted sends are deleted with their user and follow a changed user id: what a foreign key would do, but once per
-- statement.
create or replace function carillon.delete_sends_of_users() returns trigger language plpgsql as $$
begin
  delete from carillon.daily_sends s using gone g where s.tenant_id = g.tenant_id and s.user_id = g.id;
  delete from carillon.capped_sends s using gone g where s.tenant_id = g.tenant_id and s.user_id = g.id;
  return null;
end
$$;
create or replace trigger delete_sends after delete on carillon.users referencing old table as gone
for each statement execute function carillon.delete_sends_of_users();

create or replace function carillon.rename_sends_of_users() returns trigger language plpgsql as $$
begin
  update carillon.daily_sends s set user_id = new.id
  where s.tenant_id = old.tenant_id and s.user_id = old.id;
  update carillon.capped_sends s set user_id = new.id
  where s.tenant_id = old.tenant_id and s.user_id = old.id;
  return null;
end
$$;
create or replace trigger rename_sends after update of id on carillon.users
for each row execute function carillon.rename_sends_of_users();
