-- What "send again" means, for replaying a dead letter, redelivering, and recovering an endpoint alike:
--   the same bytes      never batched with others, so that the receiver recognises a repeat by its id
--   the same order      behind what is waiting for its ordering key now
--   a fresh budget      under the target's current policy, or the former one if the target has none any more
--   for itself          nobody waits for its reply any longer
--   linked              to the delivery it repeats, which is marked so that a recovery does not send it once more
-- `link` says what else it belongs to. A person stepping in ends a chain of dispatches, so the depth starts again at 0;
-- if a dispatch does it, `former_policy` has the `trigger_depth` from then on.
-- Callers that resolve dead letters about it do so first: letters are always locked before deliveries. Returns the new
-- row's id.
create or replace function carillon.send_again(
  tenant uuid, repeated uuid, source_kind text, op text, target uuid, payload text, context jsonb, ordering_key text,
  former_policy jsonb default '{}', link jsonb default '{}'
) returns uuid language plpgsql
set enable_seqscan = off as $$
declare
  policy record;
begin
  select * into policy from carillon.target_policy(tenant, source_kind, target);
  perform carillon.mark_redelivered(tenant, repeated);
  return carillon.enqueue(
    tenant, source_kind, op, target, payload, ordering_key => ordering_key,
    trigger_depth => (former_policy ->> 'trigger_depth')::integer,
    -- A delivery leaves the recovery that sent it before; for other work the id of a recovery may be the work itself.
    context => case source_kind when 'webhook' then context - 'recovery_id' else context end - array['replay_of', 'reply_to'] || link
      || jsonb_build_object('redelivery_of', repeated),
    max_attempts => coalesce(policy.max_attempts, (former_policy ->> 'max_attempts')::integer),
    backoff => coalesce(policy.backoff, former_policy ->> 'backoff'),
    base_ms => coalesce(policy.base_ms, (former_policy ->> 'base_ms')::integer),
    cap_ms => coalesce(policy.cap_ms, (former_policy ->> 'cap_ms')::integer)
  );
end
$$;
