-- Stores what services report about messages as times on their routes, and tells webhooks what is new. The routes are
-- locked first, so that of two reports that come at once only the first is new. Returns how many routes were changed.
create or replace function carillon.apply_reports(tenant uuid, reports jsonb) returns integer language plpgsql strict
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  reported integer;
  events jsonb;
begin
  with reported_routes as materialized (
    select r.*, n.delivered_at, n.opened_at, n.bounced_at
    from (
      select i.notification_id, i.route_id, min(i.at) filter (where i.kind = 'delivered') as delivered_at,
        min(i.at) filter (where i.kind = 'opened') as opened_at,
        min(i.at) filter (where i.kind in ('bounced', 'failed')) as bounced_at
      from jsonb_to_recordset(reports) as i (notification_id uuid, route_id text, kind text, at timestamptz)
      group by i.notification_id, i.route_id
    ) n
    -- `limit` keeps it one lookup per route, however wrong the statistics are
    cross join lateral (
      select x.ctid as row_ctid, x.notification_id, x.route_id, x.user_id, x.delivered_at as was_delivered,
        x.bounced_at as was_bounced
      from carillon.routes x
      where x.tenant_id = tenant and x.notification_id = n.notification_id and x.route_id = n.route_id
      limit 1 for update
    ) r
  ),
  updated as (
    update carillon.routes r set
      delivered_at = coalesce(r.delivered_at, n.delivered_at), opened_at = coalesce(r.opened_at, n.opened_at),
      bounced_at = coalesce(r.bounced_at, n.bounced_at), updated_at = now()
    from reported_routes n where r.ctid = n.row_ctid
    returning n.*
  )
  select count(distinct (u.notification_id, u.route_id)), jsonb_agg(jsonb_build_object(
      'event', e.event, 'tenant_id', tenant, 'notification_id', u.notification_id, 'route_id', u.route_id
    )) filter (where e.event is not null and exists (
      select from carillon.endpoints_for(tenant, e.event, array[u.user_id])))
  into reported, events
  from updated u left join lateral (
    select 'notification.delivered' as event where u.delivered_at is not null and u.was_delivered is null
    union all
    select 'notification.failed' where u.bounced_at is not null and u.was_bounced is null
  ) e on true;
  perform carillon.emit_events(events);
  return reported;
end
$$;
