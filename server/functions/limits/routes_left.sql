-- How many routes the tenant may still create today (UTC) under its operator's quota; null without one, 0 while it is
-- suspended. Locks the count until the transaction ends, so that it never exceeds the quota, however many create at once.
create or replace function carillon.routes_left(tenant uuid) returns integer language plpgsql as $$
declare
  quota integer;
  is_suspended boolean;
  today constant timestamptz := date_trunc('day', now(), 'UTC');
  used integer;
begin
  select t.quota_routes_per_day, t.suspended_at is not null into quota, is_suspended
  from carillon.tenants t where t.id = tenant;
  if is_suspended then
    return 0;
  elsif quota is null then
    return null;
  end if;
  insert into carillon.rate_limits (tenant_id, limit_type, window_start, request_count) values (tenant, 'route', today, 0)
  on conflict do nothing;
  select l.request_count into used from carillon.rate_limits l
  where l.tenant_id = tenant and l.user_id is null and l.api_key_id is null and l.window_start = today
    and l.limit_type = 'route' for update;
  return greatest(0, quota - used);
end
$$;

-- Counts created routes towards the quota; nothing where there is none.
create or replace function carillon.count_routes(tenant uuid, created integer) returns void language sql as $$
  update carillon.rate_limits l set request_count = l.request_count + created, updated_at = now()
  from carillon.tenants t
  where l.tenant_id = tenant and l.user_id is null and l.api_key_id is null
    and l.window_start = date_trunc('day', now(), 'UTC') and l.limit_type = 'route'
    and t.id = tenant and t.quota_routes_per_day is not null
$$;

-- Whether it may create any at all, without locking.
create or replace function carillon.may_create_routes(tenant uuid) returns boolean language sql stable as $$
  select t.suspended_at is null and (t.quota_routes_per_day is null or t.quota_routes_per_day > coalesce((
    select l.request_count from carillon.rate_limits l
    where l.tenant_id = tenant and l.user_id is null and l.api_key_id is null
      and l.window_start = date_trunc('day', now(), 'UTC') and l.limit_type = 'route'
  ), 0))
  from carillon.tenants t where t.id = tenant
$$;
