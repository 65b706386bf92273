-- Closes a digest and stores its payload, once: a retry or a replay sends the same. The lock waits for routes that are
-- joining; those that come later open the next digest. The payload has the fields of the first item, `items` (the first
-- ones, up to max_items and half a megabyte) and `count` (the number of all). Left out are items that were cancelled,
-- those that have expired, and escalations that were read; the routes of the last two are finished here.
create or replace function carillon.close_digest(tenant uuid, digest uuid)
returns table (payload_json text, item_count integer) language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  closing carillon.digests;
  counted integer;
  items jsonb[];
  deepest integer;
begin
  select * into closing from carillon.digests d
  where d.tenant_id = tenant and d.id = digest and d.closed_at is null for no key update;
  if found then
    -- a separate statement, so that it sees what was committed while waiting for the lock
    with gathered as (
      select rec.payload_json, rec.notification_id, rec.trigger_depth, min(rec.accepted_at) over (
        partition by rec.producer, coalesce(nullif(rec.request_id, ''), rec.notification_id::text)
      ) as began_at
      from carillon.routes r
      join carillon.records rec on rec.tenant_id = r.tenant_id and rec.notification_id = r.notification_id
      where r.tenant_id = tenant and r.digest_id = digest and r.notification_id <> digest
        and r.notification_id is distinct from closing.first_notification_id
        and r.status not in ('cancelled', 'expired') and rec.cancelled_at is null
        and (rec.expires_at is null or rec.expires_at > now())
        and (r.unless_read is not true or not carillon.was_read(r.tenant_id, r.notification_id, r.recipient_ref))
    ),
    item as (
      select g.payload_json, g.trigger_depth, row_number() over by_age as n,
        sum(octet_length(g.payload_json)) over by_age as bytes
      from gathered g
      -- Intents of one batch keep its order: they are accepted by several statements at a time, but get their ids in turn.
      window by_age as (order by g.began_at, g.notification_id)
    )
    select count(*), array_agg(i.payload_json::jsonb order by i.n) filter (where i.n = 1 or (i.bytes <= 524288 and i.n <= (
      select coalesce((y.digest ->> 'max_items')::integer, 100) from carillon.notification_types y
      where y.tenant_id = tenant and y.name = closing.notification_type
    ))), max(i.trigger_depth)
    into counted, items, deepest from item i;

    perform carillon.finish_left_out_routes(tenant, digest);
    update carillon.digests d set closed_at = now(), item_count = counted where d.tenant_id = tenant and d.id = digest;
    perform carillon.write_digest_payload(
      tenant, digest, coalesce(items[1] || jsonb_build_object('items', to_jsonb(items), 'count', counted), '{}')::text);
    perform carillon.continue_chain(tenant, digest, deepest);
  end if;
  return query
    select r.payload_json, d.item_count from carillon.records r
    left join carillon.digests d on d.tenant_id = r.tenant_id and d.id = r.notification_id
    where r.tenant_id = tenant and r.notification_id = digest;
end
$$;
