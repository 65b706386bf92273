-- What digests do to routes. Their callers hold the digest's lock, and are few: see join_digests() and close_digest().

-- The pointer on the route is its membership in the digest.
create or replace function carillon.gather_route(tenant uuid, notification uuid, route text, digest uuid) returns void
language plpgsql as $$
begin
  update carillon.routes r set digest_id = digest, updated_at = now()
  where r.tenant_id = tenant and r.notification_id = notification and r.route_id = route;
end
$$;

-- The route that sends a digest goes where its first item would have gone, when the window closes.
create or replace function carillon.create_digest_route(
  tenant uuid, digest uuid, item uuid, item_route text, due timestamptz
) returns void language plpgsql as $$
begin
  insert into carillon.routes (
    tenant_id, notification_id, route_id, channel, recipient_ref, user_id, resolved_address, resolved_locale,
    template_version_id, status, reason, max_attempts, next_attempt_at, digest_id, created_at, updated_at
  )
  select r.tenant_id, digest, r.route_id, r.channel, r.recipient_ref, r.user_id, r.resolved_address,
    r.resolved_locale, r.template_version_id, 'pending', 'digest' as reason, r.max_attempts, due, digest,
    now(), now()
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

-- Routes that were gathered and are not told after all say why. One that is being cancelled right now is passed over:
-- waiting for it here, while it waits for the digest, would be a deadlock.
create or replace function carillon.say_left_out(tenant uuid, digest uuid) returns void language sql as $$
  with late as (
    select r.notification_id, r.route_id, rec.expires_at <= now() as is_expired
    from carillon.routes r
    join carillon.records rec on rec.tenant_id = r.tenant_id and rec.notification_id = r.notification_id
    where r.tenant_id = tenant and r.digest_id = digest and r.notification_id <> digest
      -- also one whose worker has not written it down yet: it comes too late
      and (r.reason = 'digested' or r.next_attempt_at is not null)
      and (rec.expires_at <= now()
        or r.unless_read and carillon.was_read(r.tenant_id, r.notification_id, r.recipient_ref))
    for update of r skip locked
  ),
  said as (
    update carillon.routes r set
      status = case when l.is_expired then 'expired' else 'skipped' end,
      reason = case when l.is_expired then 'deadline' else 'read' end,
      expired_at = case when l.is_expired then now() end,
      skipped_at = case when l.is_expired then null else coalesce(r.skipped_at, now()) end,
      next_attempt_at = null, lease_owner = null, lease_until = null, updated_at = now()
    from late l
    where r.tenant_id = tenant and r.notification_id = l.notification_id and r.route_id = l.route_id
    returning r.notification_id, r.route_id, r.status
  )
  select carillon.emit_events(jsonb_agg(jsonb_build_object(
    'event', 'notification.failed', 'tenant_id', tenant, 'notification_id', s.notification_id, 'route_id', s.route_id)))
  from said s where s.status = 'expired'
$$;
