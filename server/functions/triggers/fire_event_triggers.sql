-- Fires the triggers that an event of the application concerns. The row's id is made from event and trigger, so that an event
-- which is read again runs no script twice: not while its row waits, and not when the script has run with success.
-- `subject` may have the traceparent that the runs continue. Returns the number of rows.
create or replace function carillon.fire_event_triggers(
  tenant uuid, event_id uuid, subject jsonb, payload text, depth integer, origin text
) returns integer language plpgsql
set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  fired integer;
begin
  select count(carillon.fire_trigger(tenant, m.trigger_id, 'emitted', payload, jsonb_build_object(
    'id', m.row_id, 'depth', depth, 'origin', origin,
    'context', jsonb_strip_nulls(jsonb_build_object('traceparent', subject -> 'traceparent'))
  ))) into fired
  from (
    select matching as trigger_id, carillon.derived_uuid(fire_event_triggers.event_id::text || matching) as row_id
    from carillon.matching_triggers(tenant, 'event', subject) as matching
  ) m
  where (select o.id from carillon.outbox o where o.tenant_id = tenant and o.id = m.row_id) is null
    and (select r.id from carillon.runs r where r.tenant_id = tenant and r.event_id = m.row_id and r.status = 'succeeded') is null;
  return fired;
end
$$;
