-- Stores on a claimed route the periods whose caps count it, as mark_counted() does with the day as a whole. Nothing if it
-- is no longer the owner's.
create or replace function carillon.mark_counted_in(
  owner text, tenant uuid, notification uuid, route text, claim integer, periods jsonb
) returns void language sql as $$
  update carillon.routes r set
    counted_on = coalesce((select (p.value ->> 'period')::date from jsonb_array_elements(periods) p
      where p.value ->> 'per' = 'day' and p.value ->> 'category' = ''), r.counted_on),
    counted_in = coalesce(r.counted_in, '[]') || coalesce((select jsonb_agg(p.value - 'max')
      from jsonb_array_elements(periods) p where p.value ->> 'per' <> 'day' or p.value ->> 'category' <> ''), '[]')
  where r.tenant_id = tenant and r.notification_id = notification and r.route_id = route and r.lease_owner = owner
    and r.claim_count = claim
$$;
