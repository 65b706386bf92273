-- Takes notifications that certainly did not go out to a recipient out of the throttle again, so that the next one may. One
-- that went out on another channel, or still may, stays counted. Returns the number of notifications looked at.
create or replace function carillon.return_throttles(unsent jsonb) returns integer language plpgsql strict
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  returned record;
  looked_at integer := 0;
begin
  -- one by one, in the order in which they are counted
  for returned in
    select u.tenant_id, u.notification_type, u.recipient_ref, u.notification_id, array_agg(u.route_id) as route_ids
    from jsonb_to_recordset(unsent) as u (
      tenant_id uuid, notification_type text, recipient_ref text, notification_id uuid, route_id text
    )
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
  loop
    update carillon.throttles t set passes = t.passes - returned.notification_id::text
    where t.tenant_id = returned.tenant_id and t.notification_type = returned.notification_type
      and t.recipient_ref = returned.recipient_ref and t.passes ? returned.notification_id::text
      and not exists (
        select from carillon.routes r
        where r.tenant_id = returned.tenant_id and r.notification_id = returned.notification_id
          and r.recipient_ref = returned.recipient_ref and r.route_id <> all (returned.route_ids)
          and (r.status = 'sent' or r.next_attempt_at is not null or r.reason = 'digested')
      );
    looked_at := looked_at + 1;
  end loop;
  return looked_at;
end
$$;
