-- Creates the routes of the next `chunk` of a large audience. The expander may repeat a chunk after a crash; that adds
-- nothing. Webhooks are told about routes that are skipped from the start, as they are about those skipped later.
create or replace function carillon.create_routes(
  tenant uuid, notification uuid, chunk text[], is_bulk boolean default true
)
returns integer language plpgsql
-- Nested loops over indexes, whatever the estimates: a hash or merge join would read whole tables, slower with every row.
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_material = off set jit = off set plan_cache_mode = force_generic_plan as $$
declare
  created integer;
  skipped jsonb;
begin
  with new_routes as (
    insert into carillon.routes (
      tenant_id, notification_id, route_id, channel, recipient_ref, user_id, resolved_address, resolved_locale,
      template_version_id, status, reason, skipped_at, max_attempts, next_attempt_at, unless_read, priority,
      created_at, updated_at
    )
    select r.tenant_id, r.notification_id, p.*, now(), now() from carillon.records r
    cross join lateral carillon.planned_routes(
      r.tenant_id, r.notification_type, r.audience_kind, chunk, r.channels, r.send_at, r.send_at_local,
      r.template, r.accepted_at, is_bulk
    ) p
    where r.tenant_id = tenant and r.notification_id = notification
    on conflict (tenant_id, notification_id, route_id) do nothing
    returning tenant_id, notification_id, route_id, user_id, status
  )
  select count(*), jsonb_agg(jsonb_build_object(
      'event', 'notification.skipped', 'tenant_id', n.tenant_id, 'notification_id', n.notification_id, 'route_id', n.route_id
    )) filter (where n.status = 'skipped' and exists (
      select from carillon.endpoints_for(n.tenant_id, 'notification.skipped', array[n.user_id])))
  into created, skipped from new_routes n;
  perform carillon.emit_events(skipped);
  return created;
end
$$;
