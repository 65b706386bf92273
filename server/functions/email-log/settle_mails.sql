-- What became of mails that were counted: one that was sent is logged with its time, one that certainly was not no longer
-- counts. Returns the number of mails. Nothing is done about those that nobody knows, not even if a later attempt certainly
-- failed: they count until their time is over, and can be answered.
create or replace function carillon.settle_mails(settled jsonb) returns integer language plpgsql strict
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  mail record;
  done integer := 0;
begin
  -- one by one, in the same order everywhere: a join might read the whole log
  for mail in
    select s.* from jsonb_to_recordset(settled) as s (tenant_id uuid, notification_id uuid, route_id text, is_sent boolean)
    order by s.tenant_id, s.notification_id, s.route_id
  loop
    if mail.is_sent then
      update carillon.notification_email_log l set sent_at = now(), counted_at = now()
      where l.tenant_id = mail.tenant_id and l.record_id = mail.notification_id and l.route_id = mail.route_id;
    else
      delete from carillon.notification_email_log l
      where l.tenant_id = mail.tenant_id and l.record_id = mail.notification_id and l.route_id = mail.route_id
        and l.sent_at is null and not l.may_have_arrived;
    end if;
    done := done + 1;
  end loop;
  return done;
end
$$;
