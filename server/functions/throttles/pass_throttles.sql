-- Decides which notifications may go out to a recipient: for a throttled type and key, at most `max_passes` in any
-- `per_seconds`, however many workers ask. A notification counts once, whichever channel asks first, and asking again
-- gives the same answer while it is remembered. Returns the `ord` of those that may pass. A simulation says `at` when a
-- notification would ask; without it, that is now.
create or replace function carillon.pass_throttles(wanted jsonb) returns setof integer language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  asked record;
  recent jsonb;
  at float8;
begin
  for asked in
    select * from jsonb_to_recordset(wanted) as w (
      ord integer, tenant_id uuid, notification_type text, recipient_ref text, user_id text, key text,
      notification_id uuid, per_seconds integer, max_passes integer, at timestamptz
    )
    -- always in the same order: batches that share recipients wait for each other instead of deadlocking
    order by w.tenant_id, w.notification_type, w.recipient_ref, w.key, w.notification_id, w.at
  loop
    insert into carillon.throttles (tenant_id, notification_type, recipient_ref, key, user_id, expires_at)
    values (asked.tenant_id, asked.notification_type, asked.recipient_ref, asked.key, asked.user_id,
      now() + make_interval(secs => asked.per_seconds))
    on conflict do nothing;
    select t.passes into recent from carillon.throttles t
    where t.tenant_id = asked.tenant_id and t.notification_type = asked.notification_type
      and t.recipient_ref = asked.recipient_ref and t.key = asked.key
    for update;
    -- read after waiting for the lock, so that passes are stored in the order of their times
    at := extract(epoch from coalesce(asked.at, clock_timestamp()));
    select coalesce(jsonb_object_agg(p.key, p.value), '{}') into recent
    from jsonb_each(recent) p where p.value::float8 > at - asked.per_seconds;
    if recent ? asked.notification_id::text then
      return next asked.ord;
    elsif (select count(*) from jsonb_object_keys(recent)) < asked.max_passes then
      update carillon.throttles t
      set passes = recent || jsonb_build_object(asked.notification_id, at),
        expires_at = clock_timestamp() + make_interval(secs => asked.per_seconds)
      where t.tenant_id = asked.tenant_id and t.notification_type = asked.notification_type
        and t.recipient_ref = asked.recipient_ref and t.key = asked.key;
      return next asked.ord;
    end if;
  end loop;
end
$$;
