-- The intents of a batch, by `ord`, that do not fit into what their tenants may still create today. An intent needs a route
-- per recipient and channel; of a large audience, only the expander knows, so here it needs just any room at all.
create or replace function carillon.over_route_quota(intents jsonb) returns integer[] language plpgsql as $$
declare
  over integer[] := '{}';
  tenant uuid;
  remaining integer;
  intent record;
  is_over boolean := false;
begin
  -- Most instances have no quotas; for them this one lookup is the whole cost.
  if not exists (select from carillon.tenants t where t.quota_routes_per_day is not null) then
    return over;
  end if;
  for tenant in
    select t.id from carillon.tenants t
    where t.quota_routes_per_day is not null and t.suspended_at is null
      and t.id in (select (i ->> 'tenant_id')::uuid from jsonb_array_elements(intents) i)
    -- always in the same order: two batches that share tenants wait for each other instead of deadlocking
    order by t.id
  loop
    remaining := carillon.routes_left(tenant);
    for intent in
      select i.ord, case when people.number > 100 then 0 else people.number * coalesce(
          cardinality(i.channels), case when i.audience ->> 'kind' in ('addresses', 'admin_email') then 1 end,
          cardinality(y.channels), 2) end as needed
      from jsonb_to_recordset(intents) as i (
        ord integer, tenant_id uuid, notification_type text, audience jsonb, channels text[]
      )
      left join carillon.notification_types y on y.tenant_id = i.tenant_id and y.name = i.notification_type
      cross join lateral (
        select case i.audience ->> 'kind'
          when 'users' then jsonb_array_length(i.audience -> 'user_ids')
          when 'addresses' then jsonb_array_length(i.audience -> 'addresses')
          when 'admin_email' then coalesce(cardinality(y.admin_emails), 0)
          else 0
        end as number
      ) people
      where i.tenant_id = tenant
      order by i.ord
    loop
      if remaining > 0 and intent.needed <= remaining then
        remaining := remaining - intent.needed;
      else
        over := over || intent.ord;
        is_over := true;
      end if;
    end loop;
    if is_over then
      perform carillon.raise_quota_event(tenant, 'routes_per_day', 'The messages of the day are used up; intents are refused.');
      is_over := false;
    end if;
  end loop;
  return over;
end
$$;
