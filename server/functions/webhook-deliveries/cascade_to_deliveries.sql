-- Deliveries are deleted with the record they are about, unless that has only moved to the archive, and follow a changed id.
create or replace function carillon.delete_deliveries_of_records() returns trigger language plpgsql as $$
begin
  delete from carillon.webhook_deliveries d using gone g
  where d.tenant_id = g.tenant_id and d.notification_id = g.notification_id
    and not exists (select from carillon.records_archive a
      where a.tenant_id = g.tenant_id and a.notification_id = g.notification_id);
  return null;
end
$$;

create or replace function carillon.rename_deliveries_of_records() returns trigger language plpgsql as $$
begin
  update carillon.webhook_deliveries d set notification_id = new.notification_id
  where d.tenant_id = old.tenant_id and d.notification_id = old.notification_id;
  return null;
end
$$;

create or replace trigger delete_deliveries after delete on carillon.records referencing old table as gone
for each statement execute function carillon.delete_deliveries_of_records();
create or replace trigger delete_deliveries after delete on carillon.records_archive referencing old table as gone
for each statement execute function carillon.delete_deliveries_of_records();
create or replace trigger rename_deliveries after update of notification_id on carillon.records
for each row execute function carillon.rename_deliveries_of_records();
