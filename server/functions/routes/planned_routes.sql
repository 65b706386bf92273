-- The routes of a set of recipients: one per recipient × channel, with the address and locale they have now, and the
-- template that was published when the intent was accepted, so that one audience reads one text, however long creating its
-- routes takes. The template that the intent names wins over the type's if it is active. The type's own is used even when
-- it is switched off: that makes a dead letter, which somebody sees and can replay.
-- A route is due at send_at, or at send_at_local in the recipient's time zone; with a delayed type not before the delay has
-- passed; an escalation later than that by its `after`.
-- route_id is made from channel and recipient, so that planning twice cannot create two.
-- Kept stable and without settings, so that the planner can inline it. Columns win over arguments of the same name, which
-- is why those arguments are qualified.
create or replace function carillon.planned_routes(
  tenant uuid, notification_type text, audience_kind text, recipients text[], channels text[], send_at timestamptz,
  send_at_local text, template text, accepted_at timestamptz, is_bulk boolean
)
returns table (
  route_id text, channel text, recipient_ref text, user_id text, resolved_address text, resolved_locale text,
  template_version_id uuid, status text, reason text, skipped_at timestamptz, max_attempts integer,
  next_attempt_at timestamptz, unless_read boolean, priority smallint
) language sql stable as $$
select
  c.channel || ':' || p.ref, c.channel, p.ref, p.user_id, coalesce(a.address, ''),
  l.locale,
  case when a.address is not null then coalesce(
    case when w.named is not null then carillon.pick_locale(w.named, l.locale, s.fallback_locale) end,
    case when w.versions is not null then carillon.pick_locale(w.versions, l.locale, s.fallback_locale) end
  )::uuid end,
  case when a.address is null then 'skipped' else 'pending' end,
  case
    when a.address is null then 'no_address'
    when e.later is not null then 'escalation'
    when y.delay > 0 then 'delay'
    when planned_routes.send_at_local is not null then 'local_time'
    else ''
  end as reason,
  case when a.address is null then now() end,
  coalesce((y.max_attempts ->> c.channel)::integer, (s.max_attempts ->> c.channel)::integer, 5),
  case
    when a.address is null then null
    when e.later is not null then d.due + make_interval(secs => (e.later ->> 'after')::integer)
    else d.due
  end,
  case when e.later is not null then coalesce(e.later ->> 'unless', '') = 'read' end,
  case when y.critical then 0 when planned_routes.is_bulk then 2 else 1 end::smallint
from carillon.tenant_settings s
left join carillon.notification_types y on y.tenant_id = s.tenant_id and y.name = planned_routes.notification_type
-- Most types do not escalate; for them this only reads one column. An address belongs to one channel: only people can be
-- reached on another. What an event puts into inboxes needs no routes: fan-out has written it.
cross join lateral unnest(array_remove(case
  when y.escalate is null or planned_routes.audience_kind in ('addresses', 'admin_email') then planned_routes.channels
  else planned_routes.channels || array(
    select e ->> 'channel' from jsonb_array_elements(y.escalate) e where e ->> 'channel' <> all (planned_routes.channels))
end, case when planned_routes.audience_kind = 'event' then 'in_app' end)) as c (channel)
cross join lateral (
  select case when y.escalate is not null and c.channel <> all (planned_routes.channels) then (
    select e from jsonb_array_elements(y.escalate) e where e ->> 'channel' = c.channel
  ) end as later
) e
-- locale → version, once per record and channel: a lookup per route tripled the time of a large audience
cross join lateral (
  select
    jsonb_object_agg(lower(n.locale), published.id)
      -- one that was switched off while the routes are being created was active when the intent was accepted, and the
      -- routes created before use it
      filter (where n.name = planned_routes.template and (n.is_active or n.updated_at > planned_routes.accepted_at))
      as named,
    jsonb_object_agg(lower(n.locale), published.id)
      filter (where n.name = coalesce(y.templates ->> c.channel, planned_routes.notification_type)) as versions
  from carillon.notification_templates n
  cross join lateral (
    select v.id from carillon.template_versions v
    where v.tenant_id = n.tenant_id and v.template_id = n.id and v.published_at <= planned_routes.accepted_at
    order by v.version desc limit 1
  ) published
  where n.tenant_id = tenant and n.channel = c.channel
    and n.name in (coalesce(y.templates ->> c.channel, planned_routes.notification_type), planned_routes.template)
) w
cross join lateral (
  select 'user:' || u.id as ref, u.id as user_id, u.email, u.phone, u.chat_address, u.locale, u.timezone, null::text as given
  from unnest(recipients) as person (id)
  -- The lock makes a deletion of the user wait until the routes exist and are deleted with it. `limit` keeps it one lookup
  -- per person: as a join it became a scan of all users while statistics were missing.
  cross join lateral (
    select id, email, phone, chat_address, locale, timezone from carillon.users where tenant_id = tenant and id = person.id
    limit 1 for key share
  ) u
  where audience_kind in ('users', 'topic', 'tenant', 'event')
  union all
  select 'address:' || listed, null, null, null, null, '', 'UTC', listed
  from unnest(recipients) as listed where audience_kind = 'addresses'
  union all
  select 'admin:' || listed, null, null, null, null, '', 'UTC', nullif(listed, '')
  -- a type without addresses still leaves a visible, skipped route
  from unnest(case when recipients = '{}' then array[''] else recipients end) as listed
  where audience_kind = 'admin_email'
) p
cross join lateral (
  select case
    when p.user_id is null then p.given
    when c.channel = 'email' then p.email
    when c.channel = 'sms' then p.phone
    when c.channel = 'chat' then coalesce(p.chat_address, '')
    else '' -- the provider addresses the person, as it may on chat
  end as address
) a
cross join lateral (
  select case
    when p.locale <> '' and (s.locales is null or p.locale = any (s.locales)) then p.locale
    when p.locale = '' then s.fallback_locale
    else coalesce(carillon.pick_locale(
      (select jsonb_object_agg(lower(offered), offered) from unnest(s.locales) offered), p.locale, s.fallback_locale
    ), s.fallback_locale)
  end as locale
) l
cross join lateral (
  select case
    when y.delay > 0 then greatest(w.due, planned_routes.accepted_at + make_interval(secs => y.delay)) else w.due
  end as due
  from (
    select case
      when planned_routes.send_at_local is not null then carillon.local_time(planned_routes.send_at_local, p.timezone)
      else coalesce(planned_routes.send_at, now())
    end as due
  ) w
) d
where s.tenant_id = tenant
$$;
