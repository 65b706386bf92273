-- The original event of a letter, if a handler can read it. Null for what is no JSON, or nested too deeply to tell; and for
-- what is so large that the event about the letter would be too large for a script.
create or replace function carillon.original_event(payload text) returns json language plpgsql immutable strict as $$
begin
  return case when octet_length(payload) <= 131072 then payload::json end;
exception when others then
  return null;
end
$$;

-- Fires the dead_letter triggers for letters that were just opened. A handler is not retried when it fails; its attempts
-- are only used up by processes that die while it runs. A route that was replayed and died again carries on from its
-- replay: scripts that replay what fails for ever come to an end, and after a person's replay the chain starts anew.
-- Returns the number of outbox rows.
create or replace function carillon.fire_letter_triggers(tenants uuid[], letters uuid[]) returns integer language sql
set enable_seqscan = off as $$
  select coalesce(sum(carillon.fire_triggers(d.tenant_id, 'dead_letter', s.subject, d.failure_reason, e.event,
    jsonb_build_object(
      'depth', coalesce(replayed.trigger_depth, d.trigger_depth) + 1, 'max_attempts', 3,
      'origin', coalesce(d.dispatch #>> '{context,origin}', ''), 'context', jsonb_build_object('dead_letter_id', d.id)
    ))), 0)::integer
  from unnest(tenants, letters) as l (tenant_id, id)
  join carillon.dead_letters d on d.tenant_id = l.tenant_id and d.id = l.id
  cross join lateral (
    select case d.source_kind when 'route' then 'route' else d.source end as source
  ) k
  cross join lateral (
    select jsonb_build_object('source', k.source, 'trigger_id', d.trigger_id, 'script_id', d.script_id) as subject
  ) s
  left join carillon.records rec on rec.tenant_id = d.tenant_id and rec.notification_id = d.notification_id
  left join lateral (
    select p.trigger_depth from carillon.dead_letters p
    where p.tenant_id = d.tenant_id and p.notification_id = d.notification_id and p.route_id = d.route_id
      and p.resolution = 'replayed'
    order by p.created_at desc, p.id desc limit 1
  ) replayed on true
  cross join lateral (
    select row_to_json(data)::text as event from (
      select row_to_json(letter) as dead_letter from (
        select d.id, d.source_kind, k.source, d.op, d.notification_id, d.route_id, d.notification_type, d.channel,
          d.recipient_ref, d.original_event_id, d.target_id, d.trigger_id, d.script_id, d.failure_reason,
          d.failure_classification, d.failure_message, d.recovery_hint, d.final_attempt_count as attempts,
          d.max_attempts, carillon.iso(d.first_attempt_at) as first_attempt_at,
          carillon.iso(d.last_attempt_at) as last_attempt_at, carillon.iso(d.created_at) as created_at,
          carillon.original_event(coalesce(d.payload, rec.payload_json)) as event
      ) letter
    ) data
  ) e
  -- so that nothing is put together for letters that no handler wants
  where exists (select from carillon.matching_triggers(d.tenant_id, 'dead_letter', s.subject))
$$;
