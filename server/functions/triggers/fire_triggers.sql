-- `*`, a beginning followed by `*`, or an exact name. starts_with() and not LIKE: % and _ are ordinary characters here.
create or replace function carillon.matches_glob(glob text, name text) returns boolean language sql immutable strict
parallel safe as $$
  select case when right(glob, 1) = '*' then starts_with(name, left(glob, -1)) else name = glob end
$$;

-- The enabled triggers of a kind that something concerns. `subject` says what it is, in the words of the kind:
--   kv           collection, op          event  kind, topic       queue  queue
--   email        addresses               dead_letter  source, trigger_id, script_id
create or replace function carillon.matching_triggers(tenant uuid, trigger_kind text, subject jsonb)
returns setof uuid language sql stable
set enable_seqscan = off as $$
  select t.id from carillon.triggers t
  where t.tenant_id = tenant and t.kind = trigger_kind and t.is_enabled and case trigger_kind
    when 'kv' then exists (
      select from carillon.kv_trigger_details d where d.tenant_id = t.tenant_id and d.trigger_id = t.id
        and carillon.matches_glob(d.collection_glob, subject ->> 'collection')
        and (d.ops = '{}' or subject ->> 'op' = any (d.ops)))
    when 'event' then exists (
      select from carillon.event_trigger_details d where d.tenant_id = t.tenant_id and d.trigger_id = t.id
        and carillon.matches_glob(d.event_kind_glob, subject ->> 'kind')
        and (d.topic is null or d.topic = subject ->> 'topic'))
    when 'queue' then exists (
      select from carillon.queue_trigger_details d where d.tenant_id = t.tenant_id and d.trigger_id = t.id
        and carillon.matches_glob(d.queue_glob, subject ->> 'queue'))
    when 'email' then exists (
      select from carillon.email_trigger_details d
      cross join jsonb_array_elements_text(subject -> 'addresses') as given (address)
      where d.tenant_id = t.tenant_id and d.trigger_id = t.id
        and carillon.matches_glob(d.address_glob, lower(given.address)))
    when 'dead_letter' then exists (
      select from carillon.dead_letter_trigger_details d where d.tenant_id = t.tenant_id and d.trigger_id = t.id
        and (d.source is null or d.source = subject ->> 'source')
        and (d.source_trigger_id is null or d.source_trigger_id = (subject ->> 'trigger_id')::uuid)
        and (d.source_script_id is null or d.source_script_id = (subject ->> 'script_id')::uuid))
    else false
  end
$$;

-- One outbox row per matching trigger, in the caller's transaction; none if nothing matches. Returns the number of rows;
-- fire_trigger() says what `cause` may have.
create or replace function carillon.fire_triggers(
  tenant uuid, trigger_kind text, subject jsonb, op text, payload text, cause jsonb default '{}'
) returns integer language plpgsql as $$
declare
  fired integer;
begin
  select count(carillon.fire_trigger(tenant, matching, op, payload, cause)) into fired
  from carillon.matching_triggers(tenant, trigger_kind, subject) as matching;
  return fired;
end
$$;
