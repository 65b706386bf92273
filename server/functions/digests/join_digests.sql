-- Puts claimed routes into the open digest of their recipient, channel, type and key, opening one where there is none.
-- routes.digest_id is the membership: whatever dies afterwards, a route belongs to one digest, and asking again gives the
-- same answer. A route that the owner no longer holds the lease of gets no row.
-- A simulation says `at` when a route would join; without it, that is now.
-- The digest's own record and route are created with its first item; the queue sends it when the window closes.
create or replace function carillon.join_digests(owner text, wanted jsonb)
returns table (ord integer, digest_id uuid, is_item boolean, closes_at timestamptz) language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  asked record;
  digest carillon.digests;
  -- rounded like the stored time, so that rounding alone never looks like an earlier end
  ends timestamptz(3);
begin
  for asked in
    select w.ord, w.notification_type, w.key, w.window_seconds, w.closes_at, w.first_at_once, w.at, r.tenant_id, r.notification_id,
      r.route_id, r.channel, r.recipient_ref, r.user_id, r.digest_id
    from jsonb_to_recordset(wanted) as w (
      ord integer, tenant_id uuid, notification_id uuid, route_id text, claim_count integer, notification_type text,
      key text, window_seconds integer, closes_at timestamptz, first_at_once boolean, at timestamptz
    )
    join carillon.routes r on r.tenant_id = w.tenant_id and r.notification_id = w.notification_id
      and r.route_id = w.route_id and r.lease_owner = owner and r.claim_count = w.claim_count
    -- always in the same order: batches that share digests wait for each other instead of deadlocking
    order by r.tenant_id, w.notification_type, r.recipient_ref, r.channel, w.key, r.notification_id
    for update of r
  loop
    if asked.digest_id is not null then
      select * into digest from carillon.digests d where d.tenant_id = asked.tenant_id and d.id = asked.digest_id;
    else
      -- at the person's chosen time, or after the type's window
      ends := coalesce(asked.closes_at, coalesce(asked.at, now()) + make_interval(secs => asked.window_seconds));
      loop
        -- waits for anybody who is closing or joining it
        select * into digest from carillon.digests d
        where d.tenant_id = asked.tenant_id and d.notification_type = asked.notification_type
          and d.recipient_ref = asked.recipient_ref and d.channel = asked.channel and d.key = asked.key
          and d.closed_at is null
        for no key update;
        exit when found and carillon.accepts_items(digest.tenant_id, digest.id, digest.closes_at, asked.at);
        update carillon.digests d set closed_at = now(), item_count = 0
        where d.tenant_id = asked.tenant_id and d.id = digest.id and d.closed_at is null;
        insert into carillon.digests (
          id, tenant_id, notification_type, channel, recipient_ref, user_id, key, first_notification_id, closes_at
        )
        values (carillon.uuid_v7(), asked.tenant_id, asked.notification_type, asked.channel, asked.recipient_ref,
          asked.user_id, asked.key, case when asked.first_at_once then asked.notification_id end,
          ends)
        on conflict do nothing
        returning * into digest;
        exit when found;
      end loop;
      if ends < digest.closes_at then
        perform carillon.bring_digest_forward(digest.tenant_id, digest.id, ends);
        digest.closes_at := ends;
      end if;
      perform carillon.set_route_digest(asked.tenant_id, asked.notification_id, asked.route_id, digest.id);
      if digest.first_notification_id is distinct from asked.notification_id then
        perform carillon.start_digest(digest.id, asked.tenant_id, asked.notification_id, asked.route_id);
      end if;
      -- what something holds back, as quiet hours do, goes out later than it was to
      digest.closes_at := greatest(digest.closes_at, coalesce(asked.at, now()));
    end if;
    ord := asked.ord;
    digest_id := coalesce(asked.digest_id, digest.id);
    is_item := digest.first_notification_id is distinct from asked.notification_id;
    closes_at := digest.closes_at;
    return next;
  end loop;
end
$$;

-- A later item may have to go out sooner: the person chose another schedule, or the type got a shorter window. The caller
-- holds the digest's lock.
create or replace function carillon.bring_digest_forward(tenant uuid, digest uuid, ends timestamptz) returns void
language sql as $$
  update carillon.digests d set closes_at = ends where d.tenant_id = tenant and d.id = digest;
  select carillon.bring_record_forward(tenant, digest, ends);
  select carillon.bring_routes_forward(tenant, digest, ends);
$$;

-- Whether a digest is open for more items: while its own route is waiting, or within the window if it has no route yet. A
-- cancelled one is not. For a simulation, whether it will still be open `at` a later time.
create or replace function carillon.accepts_items(tenant uuid, digest uuid, closes_at timestamptz, at timestamptz)
returns boolean language sql stable as $$
  select coalesce(
    (select r.next_attempt_at is not null and (at is null or r.next_attempt_at > at) from carillon.routes r
      where r.tenant_id = tenant and r.notification_id = digest limit 1),
    closes_at > coalesce(at, now()))
$$;

-- Creates the digest's own record and route, once; the caller holds the digest's lock. It is sent where and how its first
-- item would have been.
create or replace function carillon.start_digest(digest_id uuid, tenant uuid, item uuid, item_route text) returns void
language plpgsql as $$
declare
  digest carillon.digests;
begin
  select * into digest from carillon.digests d where d.tenant_id = tenant and d.id = digest_id;
  if carillon.create_digest_record(tenant, digest.id, item, digest.channel, digest.recipient_ref, digest.closes_at) then
    perform carillon.create_digest_route(tenant, digest.id, item, item_route, digest.closes_at);
    perform carillon.emit_events(jsonb_build_array(jsonb_build_object(
      'event', 'notification.accepted', 'tenant_id', tenant, 'notification_id', digest.id)));
  end if;
end
$$;
