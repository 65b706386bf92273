-- Makes routes due that wait for the end of a pause, of quiet hours or of a cap's period, or as a digest, because what they wait for may have changed: the gates decide
-- anew, and those that still have to wait do so. All people of the tenant if `person` is null.
create or replace function carillon.ask_gates_again(tenant uuid, person text) returns void language plpgsql
set enable_seqscan = off as $$
begin
  update carillon.routes r set next_attempt_at = now(), updated_at = now()
  where r.tenant_id = tenant and (r.user_id = person or person is null and r.user_id is not null)
    and r.reason in ('paused', 'quiet_hours', 'digest') and r.next_attempt_at is not null and r.next_attempt_at > now()
    and r.lease_owner is null;
  -- another index, as one that processes use is not replaced while they run
  update carillon.routes r set next_attempt_at = now(), updated_at = now()
  where r.tenant_id = tenant and (r.user_id = person or person is null and r.user_id is not null)
    and r.reason = 'cap_reached' and r.next_attempt_at is not null and r.next_attempt_at > now()
    and r.lease_owner is null;
end
$$;
