-- What digests do to routes. Only join_digests() and close_digest() call these, and they hold the digest's lock.

-- Makes a route an item of a digest: digest_id is the membership.
create or replace function carillon.set_route_digest(tenant uuid, notification uuid, route text, digest uuid) returns void
language plpgsql as $$
begin
  update carillon.routes r set digest_id = digest, updated_at = now()
  where r.tenant_id = tenant and r.notification_id = notification and r.route_id = route;
end
$$;

-- Creates the route that sends a digest: to where its first item would have gone, when the window closes.
create or replace function carillon.create_digest_route(
  tenant uuid, digest uuid, item uuid, item_route text, due timestamptz
) returns void language plpgsql as $$
begin
  insert into carillon.routes (
    tenant_id, notification_id, route_id, channel, recipient_ref, user_id, resolved_address, resolved_locale,
    template_version_id, status, reason, max_attempts, next_attempt_at, digest_id, priority, created_at, updated_at
  )
  select r.tenant_id, digest, r.route_id, r.channel, r.recipient_ref, r.user_id, r.resolved_address,
    r.resolved_locale, r.template_version_id, 'pending', 'digest' as reason, r.max_attempts, due, digest,
    r.priority, now(), now()
  from carillon.routes r where r.tenant_id = tenant and r.notification_id = item and r.route_id = item_route;
end
$$;

create or replace function carillon.bring_routes_forward(tenant uuid, notification uuid, due timestamptz) returns void
language plpgsql as $$
begin
  update carillon.routes r set next_attempt_at = due, updated_at = now()
  where r.tenant_id = tenant and r.notification_id = notification and r.next_attempt_at > due;
end
$$;

-- Finishes the items that a closing digest leaves out: those that have expired, and escalations that were read. Skips
-- routes that are being cancelled at this moment: they wait for the digest's lock, so waiting for them would deadlock.
create or replace function carillon.finish_left_out_routes(tenant uuid, digest uuid) returns void language sql as $$
  with left_out as (
    select r.notification_id, r.route_id, rec.expires_at <= now() as is_expired
    from carillon.routes r
    join carillon.records rec on rec.tenant_id = r.tenant_id and rec.notification_id = r.notification_id
    where r.tenant_id = tenant and r.digest_id = digest and r.notification_id <> digest
      -- including routes that have joined but whose worker has not stored the outcome yet: its completion is refused then
      and (r.reason = 'digested' or r.next_attempt_at is not null)
      and (rec.expires_at <= now()
        or r.unless_read and carillon.was_read(r.tenant_id, r.notification_id, r.recipient_ref))
    for update of r skip locked
  ),
  finished as (
    update carillon.routes r set
      status = case when l.is_expired then 'expired' else 'skipped' end,
      reason = case when l.is_expired then 'deadline' else 'read' end,
      expired_at = case when l.is_expired then now() end,
      skipped_at = case when l.is_expired then null else coalesce(r.skipped_at, now()) end,
      next_attempt_at = null, lease_owner = null, lease_until = null, updated_at = now()
    from left_out l
    where r.tenant_id = tenant and r.notification_id = l.notification_id and r.route_id = l.route_id
    returning r.notification_id, r.route_id, r.status
  )
  select carillon.emit_events(jsonb_agg(jsonb_build_object(
    'event', 'notification.failed', 'tenant_id', tenant, 'notification_id', f.notification_id, 'route_id', f.route_id)))
  from finished f where f.status = 'expired'
$$;
