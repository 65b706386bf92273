-- Accepts a batch of intents: checks each against the catalog, reserves its key by inserting the record, and creates its
-- routes, all in the caller's transaction. One row per intent, matched by `ord`:
--   accepted    the record is new
--   duplicate   same key, same content: the first record's id
--   conflict    same key, other content
--   refused     failure_code says why; nothing was stored. An intent that was accepted before is still a duplicate: a
--               caller that repeats after a lost answer must get the first record, even if a template or user is gone
-- A failure_message without a failure_code is a warning about an intent that was accepted, now or before.
-- HTTP, schedules and carillon.notify() all call this, so an intent means the same whichever way it arrives.
create or replace function carillon.accept_intents(intents jsonb)
returns table (
  ord integer, outcome text, notification_id uuid, failure_code text, failure_field text, failure_message text
) language plpgsql
-- Plans may be cached while the tables are still empty, and a sequential scan would then stay for the connection's life.
-- Nested loops over indexes, whatever the estimates: a hash or merge join would read whole tables, slower with every row.
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_material = off set jit = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  -- larger audiences are expanded by a worker, so that accepting stays quick
  inline_limit constant integer := 100;
  item record;
  accepted_tenants uuid[] := '{}';
  accepted_ids uuid[] := '{}';
  key_in_use jsonb := '[]';
  reusable integer[];
  over_quota constant integer[] := carillon.over_route_quota(intents);
begin
  for item in
    -- `offset 0` keeps the planner from merging the steps, so each value is computed once, without materializing them.
    with input as (
      select
        i.*, i.audience ->> 'kind' as audience_kind, i.payload_json::jsonb as payload,
        t.suspended_at is not null as is_suspended, t.storage_bytes > t.quota_storage_mb * 1000000::bigint as is_full,
        s.accept_unknown_types, s.thread_kinds, k.idempotency_window_seconds, k.computed_key_window_seconds,
        coalesce(y.retry_base_ms, s.retry_base_ms) as retry_base_ms,
        greatest(coalesce(y.retry_cap_ms, s.retry_cap_ms), coalesce(y.retry_base_ms, s.retry_base_ms)) as retry_cap_ms,
        y.name is not null as is_known_type, y.producers, y.audience_kinds, y.channels as type_channels, y.required_fields,
        y.escalate,
        case i.audience ->> 'kind'
          when 'users' then array(select distinct v from jsonb_array_elements_text(i.audience -> 'user_ids') v order by v)
          -- null for what is no address
          when 'addresses' then array(
            select distinct carillon.normal_address(i.audience ->> 'channel', v)
            from jsonb_array_elements_text(i.audience -> 'addresses') v order by 1
          )
          when 'admin_email' then coalesce(y.admin_emails, '{}')
          else '{}'
        end as recipients,
        coalesce(i.channels, case
          when i.audience ->> 'kind' = 'addresses' then array[i.audience ->> 'channel']
          when i.audience ->> 'kind' = 'admin_email' then array['email']
          when y.name is not null then y.channels
          else array['in_app', 'email']
        end) as chosen_channels
      from jsonb_to_recordset(intents) as i (
        ord integer, tenant_id uuid, notification_id uuid, notification_type text, producer text, idempotency_key text,
        audience jsonb, channels text[], payload_json text, send_at timestamptz, send_at_local text,
        expires_at timestamptz, occurred_at timestamptz, request_id text, traceparent text, source text,
        source_entry_id text, reason text, template text, thread jsonb, options jsonb, run_id uuid, trigger_depth integer
      )
      join carillon.tenants t on t.id = i.tenant_id
      join carillon.tenant_settings s on s.tenant_id = i.tenant_id
      join carillon.tenant_retention k on k.tenant_id = i.tenant_id
      left join carillon.notification_types y on y.tenant_id = i.tenant_id and y.name = i.notification_type
      offset 0
    ),
    measured as (
      select i.*,
        -- jsonb's text form has sorted keys and no insignificant whitespace. An admin audience counts as empty: its
        -- addresses are configuration and may change between two sends of one intent. A template goes in beside the type,
        -- and options and thread beside the payload, so that intents without them keep the hashes they always had.
        encode(sha256(convert_to(jsonb_build_array(
          case when i.template is null then to_jsonb(i.notification_type)
            else jsonb_build_array(i.notification_type, i.template) end, i.audience_kind,
          case i.audience_kind
            when 'admin_email' then '[]'
            -- as they were sent
            when 'addresses' then to_jsonb(array(
              select distinct v from jsonb_array_elements_text(i.audience -> 'addresses') v order by v))
            else to_jsonb(i.recipients)
          end,
          i.audience ->> 'topic', extract(epoch from i.occurred_at),
          case
            when i.thread is not null then jsonb_build_array(i.payload, i.options, i.thread)
            when i.options is not null then jsonb_build_array(i.payload, i.options)
            else i.payload
          end
        )::text, 'UTF8')), 'hex') as content,
        -- Channels that come from the type are not part of an intent, because the type may change.
        -- Neither is their order, nor how often one is named.
        case when i.channels is not null or i.audience_kind = 'addresses' then
          array(select distinct c from unnest(i.chosen_channels) c order by c) end as named_channels,
        carillon.is_too_deep(i.payload) as is_too_deep,
        case when i.required_fields <> '{}' then
          (select needed from unnest(i.required_fields) needed where not i.payload ? needed limit 1)
        end as missing_field,
        case when i.audience_kind = 'addresses' and array_position(i.recipients, null) is not null then (
          select min(n) - 1 from jsonb_array_elements_text(i.audience -> 'addresses') with ordinality as given (v, n)
          where carillon.normal_address(i.audience ->> 'channel', v) is null
        ) end as bad_address,
        case when i.options is not null then carillon.bad_option_address(i.options) end as bad_option,
        case when i.audience_kind = 'users' then array(
          select person.id from unnest(i.recipients) as person (id)
          where not exists (select from carillon.users u where u.tenant_id = i.tenant_id and u.id = person.id) limit 5
        ) end as unknown_users,
        i.template is not null and not exists (
          select from carillon.notification_templates n
          where n.tenant_id = i.tenant_id and n.name = i.template and n.is_active and n.published_version_id is not null
            and (n.channel = any (i.chosen_channels) or i.audience_kind not in ('addresses', 'admin_email')
              and i.escalate @> jsonb_build_array(jsonb_build_object('channel', n.channel)))
        ) as lacks_template
      from input i
      offset 0
    ),
    checked as materialized (
      select m.*,
        case
          when m.is_suspended then 'suspended'
          when m.is_full then 'storage'
          when not m.is_known_type and not m.accept_unknown_types then 'type'
          when m.producers <> '{}' and m.producer <> all (m.producers) then 'producer'
          when m.audience_kinds <> '{}' and m.audience_kind <> all (m.audience_kinds) then 'audience'
          when not m.chosen_channels <@ m.type_channels then 'channels'
          when m.audience_kind = 'addresses' and m.chosen_channels <> array[m.audience ->> 'channel'] then 'address_channel'
          when m.audience_kind = 'admin_email' and not m.is_known_type then 'admin_type'
          when m.audience_kind = 'admin_email' and m.chosen_channels <> array['email'] then 'admin_channel'
          when m.bad_address is not null then 'address'
          when m.bad_option is not null then 'option:' || m.bad_option
          when m.is_too_deep then 'depth'
          when m.missing_field is not null then 'payload'
          when m.expires_at <= now() then 'expired'
          when m.thread ->> 'kind' <> all (m.thread_kinds) then 'thread'
          when m.lacks_template then 'template'
          when m.unknown_users <> '{}' then 'users'
          when m.ord = any (over_quota) then 'routes'
        end as problem,
        -- Whether a repeated key comes with the same intent. Without a key there is nothing to contradict.
        case when m.idempotency_key is null then m.content else encode(sha256(convert_to(jsonb_build_array(
          m.content, to_jsonb(m.named_channels), extract(epoch from m.send_at),
          m.send_at_local, extract(epoch from m.expires_at), m.reason
        )::text, 'UTF8')), 'hex') end as fingerprint,
        -- Without a key the content is the key, including channels and time: the same content at another time or on
        -- another channel is another notification. A reason or deadline does not make it one.
        coalesce(m.idempotency_key, case
          when m.computed_key_window_seconds > 0 then encode(sha256(convert_to(
            m.content || coalesce(array_to_string(m.named_channels, ','), '')
            || coalesce(extract(epoch from m.send_at)::text, '') || coalesce(m.send_at_local, ''), 'UTF8'
          )), 'hex')
          else m.notification_id::text
        end) as key,
        make_interval(secs => case
          when m.idempotency_key is null and m.computed_key_window_seconds > 0 then m.computed_key_window_seconds
          else m.idempotency_window_seconds
        end) as window,
        m.audience_kind in ('topic', 'tenant') or cardinality(m.recipients) > inline_limit as is_large
      from measured m
    ),
    inserted as (
      insert into carillon.records (
        tenant_id, notification_id, notification_type, producer, audience_kind, recipients, topic, channels, payload_json,
        idempotency_key, request_fingerprint, idempotency_expires_at, source, source_entry_id, request_id, traceparent,
        retry_base_ms, retry_cap_ms, send_at, send_at_local, expires_at, occurred_at, accepted_at, expanded_at, updated_at,
        reason, template, options, run_id, trigger_depth, thread_kind, thread_id
      )
      select
        c.tenant_id, c.notification_id, c.notification_type, c.producer, c.audience_kind, c.recipients,
        c.audience ->> 'topic', c.chosen_channels, c.payload_json, c.key, c.fingerprint, now() + c.window, c.source,
        c.source_entry_id, coalesce(c.request_id, ''), coalesce(c.traceparent, ''), c.retry_base_ms, c.retry_cap_ms,
        c.send_at, c.send_at_local, c.expires_at, c.occurred_at, now(), case when not c.is_large then now() end, now(),
        coalesce(c.reason, case c.audience_kind when 'topic' then 'watching' else '' end), c.template,
        case when c.options is not null then carillon.stored_options(c.options) end, c.run_id, coalesce(c.trigger_depth, 0),
        c.thread ->> 'kind', c.thread ->> 'id'
      from checked c
      where c.problem is null
      -- always in the same order: two batches that share keys wait for each other instead of deadlocking
      order by c.tenant_id, c.producer, c.key
      on conflict do nothing
      returning
        tenant_id, notification_id, notification_type, audience_kind, recipients, channels, send_at, send_at_local,
        template, expanded_at, options #> '{email,attachments}' is not null as has_attachments
    ),
    -- New records have no routes yet, so there can be no conflict.
    routed as (
      insert into carillon.routes (
        tenant_id, notification_id, route_id, channel, recipient_ref, user_id, resolved_address, resolved_locale,
        template_version_id, status, reason, skipped_at, max_attempts, next_attempt_at, unless_read, priority,
        created_at, updated_at
      )
      select n.tenant_id, n.notification_id, p.*, now(), now() from inserted n
      cross join lateral carillon.planned_routes(
        n.tenant_id, n.notification_type, n.audience_kind, n.recipients, n.channels, n.send_at, n.send_at_local, n.template,
        now(), false
      ) p
      where n.expanded_at is not null
    ),
    attached as (
      insert into carillon.attachments (tenant_id, notification_id, position, filename, content_type, content)
      select n.tenant_id, n.notification_id, a.position, a.file ->> 'filename', a.file ->> 'content_type',
        decode(a.file ->> 'content', 'base64')
      from inserted n
      join checked c on c.notification_id = n.notification_id
      cross join lateral jsonb_array_elements(c.options #> '{email,attachments}') with ordinality as a (file, position)
      where n.has_attachments
    ),
    left_to_expander as (
      insert into carillon.expansions (tenant_id, notification_id)
      select tenant_id, notification_id from inserted where expanded_at is null
    )
    select
      c.ord, c.tenant_id, c.notification_id, c.producer, c.key, c.fingerprint, c.source, c.source_entry_id, c.problem,
      c.notification_id in (select n.notification_id from inserted n) as is_new,
      c.notification_type, c.is_known_type, c.missing_field, c.unknown_users, c.template, c.bad_address, c.audience,
      case c.problem
        when 'producer' then c.producers when 'audience' then c.audience_kinds when 'template' then c.chosen_channels
        when 'thread' then c.thread_kinds
        else c.type_channels
      end as allowed
    from checked c
  loop
    ord := item.ord;
    notification_id := null;
    failure_code := null;
    failure_field := null;
    failure_message := null;
    if item.problem is not null then
      -- Does not wait for a transaction that is accepting the same intent: refusing is still correct, and the next repeat
      -- finds the record.
      select first.notification_id into notification_id from (
        select r.notification_id from carillon.records r
        where r.tenant_id = item.tenant_id and r.producer = item.producer and r.idempotency_key = item.key
          and r.idempotency_released_at is null and r.idempotency_expires_at > now()
          and r.request_fingerprint = item.fingerprint
        union all
        select r.notification_id from carillon.records r
        where r.tenant_id = item.tenant_id and r.source = item.source and r.producer = item.producer
          and r.source_entry_id = item.source_entry_id
        limit 1
      ) first;
      if notification_id is not null then
        outcome := 'duplicate';
        failure_message := carillon.unknown_type_warning(item.is_known_type, item.notification_type);
        return next;
        continue;
      end if;
      outcome := 'refused';
      select f.code, f.field, f.message into failure_code, failure_field, failure_message from carillon.intent_failure(
        item.problem, item.notification_type, item.missing_field, item.unknown_users, item.allowed, item.template,
        item.bad_address, item.audience ->> 'channel'
      ) f;
      return next;
    elsif item.is_new then
      outcome := 'accepted';
      notification_id := item.notification_id;
      failure_message := carillon.unknown_type_warning(item.is_known_type, item.notification_type);
      accepted_tenants := accepted_tenants || item.tenant_id;
      accepted_ids := accepted_ids || item.notification_id;
      return next;
    else
      key_in_use := key_in_use || jsonb_build_object(
        'ord', item.ord, 'tenant_id', item.tenant_id, 'producer', item.producer, 'key', item.key,
        'fingerprint', item.fingerprint, 'source', item.source, 'source_entry_id', item.source_entry_id,
        'warning', carillon.unknown_type_warning(item.is_known_type, item.notification_type)
      );
    end if;
  end loop;

  perform carillon.count_routes(t.id, (
    select count(*)::integer from unnest(accepted_tenants, accepted_ids) as a (tenant_id, notification_id)
    join carillon.routes r on r.tenant_id = a.tenant_id and r.notification_id = a.notification_id
    where a.tenant_id = t.id
  )) from carillon.tenants t where t.id = any (accepted_tenants) and t.quota_routes_per_day is not null;
  -- Most tenants have no webhook; for them this one lookup is the whole cost.
  if exists (
    select from carillon.notification_webhooks w
    where w.tenant_id = any (accepted_tenants) and (w.is_active or w.keeps_events_until > now())
  ) then
    perform carillon.emit_events((
      select jsonb_agg(jsonb_build_object(
        'event', e.event, 'tenant_id', a.tenant_id, 'notification_id', a.notification_id, 'route_id', e.route_id
      ) order by a.ord, e.route_id nulls first)
      from unnest(accepted_tenants, accepted_ids) with ordinality as a (tenant_id, notification_id, ord)
      cross join lateral (
        select 'notification.accepted' as event, null::text as route_id,
          case when r.audience_kind = 'users' then r.recipients end as people
        from carillon.records r where r.tenant_id = a.tenant_id and r.notification_id = a.notification_id
        union all
        select 'notification.skipped', r.route_id, array[r.user_id] from carillon.routes r
        where r.tenant_id = a.tenant_id and r.notification_id = a.notification_id and r.status = 'skipped'
      ) e
      where exists (select from carillon.endpoints_for(a.tenant_id, e.event, e.people))
    ));
  end if;
  if key_in_use = '[]' then
    return;
  end if;

  -- An expired key may be used again: release it here, in the accepting transaction, and try once more.
  with released as (
    update carillon.records r set idempotency_released_at = now(), updated_at = now()
    from jsonb_to_recordset(key_in_use) as k (ord integer, tenant_id uuid, producer text, key text)
    where r.tenant_id = k.tenant_id and r.producer = k.producer and r.idempotency_key = k.key
      and r.idempotency_released_at is null and r.idempotency_expires_at <= now()
    returning r.tenant_id, r.producer, r.idempotency_key
  )
  select coalesce(array_agg(k.ord), '{}') into reusable
  from jsonb_to_recordset(key_in_use) as k (ord integer, tenant_id uuid, producer text, key text)
  join released r on r.tenant_id = k.tenant_id and r.producer = k.producer and r.idempotency_key = k.key;

  for item in
    select k.*, first.notification_id as first_id, first.same
    from jsonb_to_recordset(key_in_use) as k (
      ord integer, tenant_id uuid, producer text, key text, fingerprint text, source text, source_entry_id text,
      warning text
    )
    left join lateral (
      select r.notification_id, r.request_fingerprint = k.fingerprint as same from carillon.records r
      where r.tenant_id = k.tenant_id and r.producer = k.producer and r.idempotency_key = k.key
        and r.idempotency_released_at is null
      union all
      -- the same entry of the same producer's stream, read again
      select r.notification_id, true from carillon.records r
      where r.tenant_id = k.tenant_id and r.source = k.source and r.producer = k.producer
        and r.source_entry_id = k.source_entry_id
      limit 1
    ) first on true
    where k.ord <> all (reusable)
  loop
    -- what was in the way has been archived or deleted since
    if item.first_id is null then
      reusable := reusable || item.ord;
      continue;
    end if;
    ord := item.ord;
    outcome := case when item.same then 'duplicate' else 'conflict' end;
    notification_id := item.first_id;
    failure_code := case when not item.same then 'idempotency_conflict' end;
    failure_field := case when not item.same then 'idempotency_key' end;
    failure_message := case when item.same then item.warning else format(
      'Producer "%s" already used the key "%s" for different content: notification %s.', item.producer, item.key,
      item.first_id
    ) end;
    return next;
  end loop;
  if reusable <> '{}' then
    return query select a.* from carillon.accept_intents(
      (select jsonb_agg(i) from jsonb_array_elements(intents) i where (i ->> 'ord')::integer = any (reusable))
    ) a;
  end if;
end
$$;
