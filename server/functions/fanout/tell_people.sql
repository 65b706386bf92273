-- Tells people of an event by one rule: inbox rows, and a record with routes for the other channels. Those whom an event
-- involves follow its thread from then on. Only fan_out() calls it. Returns the number of new routes.
create or replace function carillon.tell_people(
  tenant uuid, event_id uuid, rule jsonb, place jsonb, users text[], expanded boolean, is_bulk boolean, is_repeat boolean
) returns integer language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_material = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  e carillon.domain_events;
  kind_of_type carillon.notification_types;
  channels text[] := array(select jsonb_array_elements_text(rule -> 'channels'));
  shown jsonb;
  told text[] := users;
  record_id uuid;
  earlier uuid[];
  created integer := 0;
begin
  select d.* into e from carillon.domain_events d where d.tenant_id = tenant and d.event_id = tell_people.event_id;
  select y.* into kind_of_type from carillon.notification_types y
  where y.tenant_id = tenant and y.name = rule ->> 'notification_type';
  -- the catalog says on which channels a type may be sent
  channels := array(select c from unnest(channels) c
    where kind_of_type.channels is null or c = any (kind_of_type.channels));
  if channels = '{}' then
    return 0;
  end if;
  if is_repeat then
    earlier := array(select r.notification_id from carillon.records r
      where r.tenant_id = tenant and r.event_id = tell_people.event_id);
  end if;
  shown := carillon.event_payload(tenant, event_id, place ->> 'title', place ->> 'url', place ->> 'topic');
  record_id := carillon.create_event_record(
    tenant, event_id, rule || jsonb_build_object('channels', channels), shown::text, place ->> 'topic', expanded);
  if 'in_app' = any (channels) then
    told := carillon.people_wanting(tenant, 'in_app', users, kind_of_type.category, rule ->> 'reason');
    perform carillon.upsert_inbox(
      tenant, told, array_fill(rule ->> 'reason', array[cardinality(told)]),
      array_fill((rule ->> 'passes_mute')::boolean, array[cardinality(told)]),
      jsonb_build_object(
        'source_event_id', e.id, 'type', rule ->> 'notification_type', 'kind', e.kind,
        'title', shown ->> 'title', 'message', coalesce(shown ->> 'body', shown ->> 'message', shown ->> 'text', ''),
        'topic', place ->> 'topic', 'thread_kind', e.thread_kind, 'thread_id', e.thread_id,
        'last_event_at', e.occurred_at, 'last_actor_id', e.actor_id,
        'summary', jsonb_strip_nulls(jsonb_build_object(
          'title', shown ->> 'title', 'url', shown ->> 'url', 'number', shown -> 'number', 'relation', rule ->> 'relation')),
        'actions', case when jsonb_typeof(shown -> 'actions') = 'array' then shown -> 'actions' end
      )
    );
  end if;
  if channels <> array['in_app'] or kind_of_type.escalate is not null then
    told := users;
    if is_repeat then
      -- somebody whose relation has changed since must not get a second mail
      told := array(select u.id from unnest(users) with ordinality as u (id, place)
        where not exists (select from carillon.routes r
          where r.tenant_id = tenant and r.user_id = u.id and r.notification_id = any (earlier))
        order by u.place);
    end if;
    perform carillon.routes_left(tenant) from carillon.tenants t where t.id = tenant and t.quota_routes_per_day is not null;
    created := carillon.create_routes(tenant, record_id, told, is_bulk);
    perform carillon.count_routes(tenant, created);
  end if;
  if not is_repeat and rule ->> 'relation' in ('mention', 'assignee', 'reviewer', 'author', 'commenter') then
    perform carillon.involve_people(tenant, event_id, place ->> 'topic', users, case rule ->> 'relation'
      when 'assignee' then 'assigned' when 'reviewer' then 'review_requested' else rule ->> 'relation' end);
  end if;
  return created;
end
$$;
