-- Turns recipients into routes: one per recipient × channel, with the address and locale they have now, and the template
-- that was in force when the intent was accepted: one audience reads one text, however long making its routes takes.
-- Explicit audiences stand on the record; the expander passes `chunk`, the next user ids of a large one.
-- route_id follows from channel and recipient, so doing it twice adds nothing. Routes that are skipped from the start are
-- told to webhooks like those that are skipped later.
create or replace function carillon.create_routes(tenants uuid[], notifications uuid[], chunk text[] default null)
returns integer language plpgsql
-- Nested loops over indexes whatever the estimates: a hash or merge join would read whole tables, slower with every row.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan as $$
declare
  created integer;
  skipped jsonb;
begin
  with made as (
    insert into carillon.routes (
      tenant_id, notification_id, route_id, channel, recipient_ref, user_id, resolved_address, resolved_locale,
      template_version_id, status, reason, skipped_at, max_attempts, next_attempt_at, created_at, updated_at
    )
    select
      r.tenant_id, r.notification_id, c.channel || ':' || p.ref, c.channel, p.ref, p.user_id,
      coalesce(a.address, ''),
      l.locale,
      -- exact locale, else language, else en
      case when a.address is not null and w.versions is not null then coalesce(
        w.versions ->> lower(replace(l.locale, '_', '-')), w.versions ->> lower(substring(l.locale from '^[^-_]+')),
        w.versions ->> 'en'
      )::uuid end,
      case when a.address is null then 'skipped' else 'pending' end,
      case when a.address is null then 'no_address' else '' end,
      case when a.address is null then now() end,
      coalesce((y.max_attempts ->> c.channel)::integer, (t.max_attempts ->> c.channel)::integer, 5),
      case when a.address is not null then coalesce(r.send_at, now()) end,
      now(), now()
    from unnest(tenants, notifications) as wanted (tenant_id, notification_id)
    join carillon.records r on r.tenant_id = wanted.tenant_id and r.notification_id = wanted.notification_id
    join carillon.tenants t on t.id = r.tenant_id
    left join carillon.notification_types y on y.tenant_id = r.tenant_id and y.name = r.notification_type
    cross join lateral unnest(r.channels) as c (channel)
    -- once per record and channel, locale → version: looked up per route it tripled the time of a large audience
    cross join lateral (
      select jsonb_object_agg(lower(n.locale), published.id) as versions
      from carillon.notification_templates n
      cross join lateral (
        select v.id from carillon.template_versions v
        where v.tenant_id = n.tenant_id and v.template_id = n.id and v.published_at <= r.accepted_at
        order by v.version desc limit 1
      ) published
      where n.tenant_id = r.tenant_id and n.name = coalesce(y.templates ->> c.channel, r.notification_type)
        and n.channel = c.channel
    ) w
    cross join lateral (
      select 'user:' || u.id as ref, u.id as user_id, u.email, u.phone, u.locale, null::text as given
      from unnest(coalesce(chunk, r.recipients)) as person (id)
      join carillon.users u on u.tenant_id = r.tenant_id and u.id = person.id
      where r.audience_kind in ('users', 'topic', 'tenant')
      union all
      select 'address:' || listed, null, null, null, '', listed
      from unnest(coalesce(chunk, r.recipients)) as listed where r.audience_kind = 'addresses'
      union all
      select 'admin:' || listed, null, null, null, '', nullif(listed, '')
      -- a type without addresses still leaves a visible, skipped route
      from unnest(case when r.recipients = '{}' then array[''] else coalesce(chunk, r.recipients) end) as listed
      where r.audience_kind = 'admin_email'
    ) p
    cross join lateral (
      select case
        when p.user_id is null then p.given
        when c.channel = 'email' then p.email
        when c.channel = 'sms' then p.phone
        else '' -- the provider addresses the person
      end as address
    ) a
    cross join lateral (
      select case when p.locale <> '' and (t.locales is null or p.locale = any (t.locales)) then p.locale else 'en' end as locale
    ) l
    on conflict (tenant_id, notification_id, route_id) do nothing
    returning tenant_id, notification_id, route_id, status
  )
  select count(*), jsonb_agg(jsonb_build_object(
      'event', 'notification.skipped', 'tenant_id', m.tenant_id, 'notification_id', m.notification_id, 'route_id', m.route_id
    )) filter (where m.status = 'skipped' and exists (
      select from carillon.notification_webhooks w
      where w.tenant_id = m.tenant_id and w.is_active and 'notification.skipped' = any (w.events)))
  into created, skipped from made m;
  perform carillon.emit_events(skipped);
  return created;
end
$$;
