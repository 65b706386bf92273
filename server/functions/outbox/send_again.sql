-- What "send again" means, whoever asks for it: replaying a dead letter, redelivering, or recovering an endpoint.
--   the same bytes      never put together with others, so that the receiver knows a repeat by its id
--   the same order      behind what waits for its key by now
--   a fresh budget      under the policy that its target has now; the former one where the target has none any more
--   linked              to what it repeats, which is marked, so that nobody sends it once more by a recovery
-- `link` says what else it belongs to. A chain of dispatches ends where somebody steps in: the depth starts anew.
-- Whoever resolves letters about it does so first: everybody locks letters before deliveries. Answers the new row's id.
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
    context => context - '{replay_of,recovery_id}'::text[] || link || jsonb_build_object('redelivery_of', repeated),
    max_attempts => coalesce(policy.max_attempts, (former_policy ->> 'max_attempts')::integer),
    backoff => coalesce(policy.backoff, former_policy ->> 'backoff'),
    base_ms => coalesce(policy.base_ms, (former_policy ->> 'base_ms')::integer),
    cap_ms => coalesce(policy.cap_ms, (former_policy ->> 'cap_ms')::integer)
  );
end
$$;
