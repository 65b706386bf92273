-- Every change of an inbox row or a receipt says when it was made and by which transaction: a reader compares that with the
-- snapshot it read with. The clock's time, not the transaction's: a fan-out takes seconds, and pollers ask by time.
create or replace function carillon.stamp_inbox_row() returns trigger language plpgsql as $$
begin
  new.version := (pg_current_xact_id()::text)::bigint;
  new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 ms');
  return new;
end
$$;
create or replace trigger stamp_row before update on carillon.notifications
for each row execute function carillon.stamp_inbox_row();
create or replace trigger stamp_row before update on carillon.notification_receipts
for each row execute function carillon.stamp_inbox_row();
