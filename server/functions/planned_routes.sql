-- The routes that recipients become: one per recipient × channel, with the address and locale they have now, and the
-- template that was in force when the intent was accepted: one audience reads one text, however long making its routes
-- takes. route_id follows from channel and recipient, so that planning twice cannot make two.
-- Kept stable and free of settings, so that the planner sees through it. Columns win over arguments of the same name:
-- those are named in full.
create or replace function carillon.planned_routes(
  tenant uuid, notification_type text, audience_kind text, recipients text[], channels text[], send_at timestamptz,
  accepted_at timestamptz
)
returns table (
  route_id text, channel text, recipient_ref text, user_id text, resolved_address text, resolved_locale text,
  template_version_id uuid, status text, reason text, skipped_at timestamptz, max_attempts integer, next_attempt_at timestamptz
) language sql stable as $$
select
  c.channel || ':' || p.ref, c.channel, p.ref, p.user_id, coalesce(a.address, ''),
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
  case when a.address is not null then coalesce(planned_routes.send_at, now()) end
from carillon.tenants t
left join carillon.notification_types y on y.tenant_id = t.id and y.name = planned_routes.notification_type
cross join lateral unnest(planned_routes.channels) as c (channel)
-- once per record and channel, locale → version: looked up per route it tripled the time of a large audience
cross join lateral (
  select jsonb_object_agg(lower(n.locale), published.id) as versions
  from carillon.notification_templates n
  cross join lateral (
    select v.id from carillon.template_versions v
    where v.tenant_id = n.tenant_id and v.template_id = n.id and v.published_at <= planned_routes.accepted_at
    order by v.version desc limit 1
  ) published
  where n.tenant_id = tenant and n.channel = c.channel
    and n.name = coalesce(y.templates ->> c.channel, planned_routes.notification_type)
) w
cross join lateral (
  select 'user:' || u.id as ref, u.id as user_id, u.email, u.phone, u.locale, null::text as given
  from unnest(recipients) as person (id)
  -- The lock holds off a deletion until the routes are there to be deleted too. `limit` keeps it a look-up per person:
  -- as a join it became a walk over all users while statistics were missing.
  cross join lateral (
    select id, email, phone, locale from carillon.users where tenant_id = tenant and id = person.id limit 1 for key share
  ) u
  where audience_kind in ('users', 'topic', 'tenant')
  union all
  select 'address:' || listed, null, null, null, '', listed
  from unnest(recipients) as listed where audience_kind = 'addresses'
  union all
  select 'admin:' || listed, null, null, null, '', nullif(listed, '')
  -- a type without addresses still leaves a visible, skipped route
  from unnest(case when recipients = '{}' then array[''] else recipients end) as listed
  where audience_kind = 'admin_email'
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
where t.id = tenant
$$;
