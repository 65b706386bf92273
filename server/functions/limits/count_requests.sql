-- Grants each caller what its window still allows and counts it, in one transaction: never more than `allowed`, however
-- many processes ask. `known` is the count that the process was last told for the window that ends in `known_ms`. When it
-- is higher than the stored one (it was kept in another store, which is gone), counting goes on from there. `at` is for
-- tests.
create or replace function carillon.count_requests(asks jsonb, at timestamptz default clock_timestamp())
returns table (ord integer, granted integer, used integer, reset_ms float8) language plpgsql as $$
#variable_conflict use_column
declare
  ask record;
  start timestamptz;
  row_ctid tid;
begin
  for ask in
    select * from jsonb_to_recordset(asks) as a (
      ord integer, tenant_id uuid, user_id text, api_key_id uuid, limit_type text, window_seconds float8, allowed integer,
      wanted integer, known integer, known_ms float8
    )
    -- always in the same order: two batches that share callers wait for each other instead of deadlocking
    order by a.tenant_id, a.user_id, a.api_key_id, a.limit_type
  loop
    start := to_timestamp(floor(extract(epoch from at) / ask.window_seconds) * ask.window_seconds);
    ord := ask.ord;
    reset_ms := extract(epoch from start - at) * 1000 + ask.window_seconds * 1000;
    for attempt in 1..2 loop
      -- a statement for each kind, because "is not distinct from" cannot use the index
      if ask.user_id is null and ask.api_key_id is null then
        select r.ctid, r.request_count into row_ctid, used from carillon.rate_limits r
        where r.tenant_id = ask.tenant_id and r.user_id is null and r.api_key_id is null
          and r.window_start = start and r.limit_type = ask.limit_type for update;
      elsif ask.user_id is not null then
        select r.ctid, r.request_count into row_ctid, used from carillon.rate_limits r
        where r.tenant_id = ask.tenant_id and r.user_id = ask.user_id and r.api_key_id is null
          and r.window_start = start and r.limit_type = ask.limit_type for update;
      else
        select r.ctid, r.request_count into row_ctid, used from carillon.rate_limits r
        where r.tenant_id = ask.tenant_id and r.user_id is null and r.api_key_id = ask.api_key_id
          and r.window_start = start and r.limit_type = ask.limit_type for update;
      end if;
      exit when row_ctid is not null or attempt = 2;
      -- the caller may have been deleted a moment ago: then nothing is inserted
      insert into carillon.rate_limits (tenant_id, user_id, api_key_id, limit_type, window_start, request_count)
      select ask.tenant_id, ask.user_id, ask.api_key_id, ask.limit_type, start, 0
      where exists (select from carillon.users u where u.tenant_id = ask.tenant_id and u.id = ask.user_id for key share)
        or exists (select from carillon.api_keys k where k.tenant_id = ask.tenant_id and k.id = ask.api_key_id for key share)
        or ask.user_id is null and ask.api_key_id is null
          and exists (select from carillon.tenants t where t.id = ask.tenant_id for key share)
      on conflict do nothing;
    end loop;
    if row_ctid is null then
      used := ask.allowed;
    elsif ask.known_ms > 0 and reset_ms - ask.known_ms < ask.window_seconds * 500 then
      used := greatest(used, ask.known);
    end if;
    granted := greatest(0, least(ask.wanted, ask.allowed - used));
    used := used + granted;
    update carillon.rate_limits r set request_count = used, updated_at = at where r.ctid = row_ctid;
    return next;
  end loop;
end
$$;
