-- Makes the routes of the next `chunk` of a large audience. The expander may come to the same chunk again after a crash;
-- doing it twice adds nothing. Routes that are skipped from the start are told to webhooks like those skipped later.
create or replace function carillon.create_routes(tenant uuid, notification uuid, chunk text[])
returns integer language plpgsql
-- Nested loops over indexes whatever the estimates: a hash or merge join would read whole tables, slower with every row.
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_material = off set jit = off set plan_cache_mode = force_generic_plan as $$
declare
  created integer;
  skipped jsonb;
begin
  with made as (
    insert into carillon.routes (
      tenant_id, notification_id, route_id, channel, recipient_ref, user_id, resolved_address, resolved_locale,
      template_version_id, status, reason, skipped_at, max_attempts, next_attempt_at, unless_read, created_at,
      updated_at
    )
    select r.tenant_id, r.notification_id, p.*, now(), now() from carillon.records r
    cross join lateral carillon.planned_routes(
      r.tenant_id, r.notification_type, r.audience_kind, chunk, r.channels, r.send_at, r.send_at_local,
      r.template, r.accepted_at
    ) p
    where r.tenant_id = tenant and r.notification_id = notification
    on conflict (tenant_id, notification_id, route_id) do nothing
    returning tenant_id, notification_id, route_id, user_id, status
  )
  select count(*), jsonb_agg(jsonb_build_object(
      'event', 'notification.skipped', 'tenant_id', m.tenant_id, 'notification_id', m.notification_id, 'route_id', m.route_id
    )) filter (where m.status = 'skipped' and exists (
      select from carillon.endpoints_for(m.tenant_id, 'notification.skipped', array[m.user_id])))
  into created, skipped from made m;
  perform carillon.emit_events(skipped);
  return created;
end
$$;
