-- Counts one try of a key, unless the key has used all it is allowed. The window starts with the first try. `known` and
-- `known_ms` are what the caller was last told, as in count_requests(). `at` is for tests.
create or replace function carillon.count_tries(
  tenant uuid, hash text, allowed integer, window_ms float8, known integer, known_ms float8,
  at timestamptz default clock_timestamp()
) returns table (granted integer, used integer, reset_ms float8) language plpgsql as $$
#variable_conflict use_variable
declare
  fresh_until timestamptz := at + make_interval(secs => case when known_ms > 0 then known_ms else window_ms end / 1000);
  ends_at timestamptz;
begin
  insert into carillon.limit_counters as c (tenant_id, key_hash, tries, expires_at) values (tenant, hash, 0, fresh_until)
  on conflict (tenant_id, key_hash) do update set
    tries = case when c.expires_at <= at then 0 else c.tries end,
    expires_at = case when c.expires_at <= at then fresh_until else c.expires_at end
  returning c.tries, c.expires_at into used, ends_at;
  if known_ms > 0 then
    used := greatest(used, known);
  end if;
  granted := case when used < allowed then 1 else 0 end;
  used := used + granted;
  reset_ms := extract(epoch from ends_at - at) * 1000;
  update carillon.limit_counters c set tries = used where c.tenant_id = tenant and c.key_hash = hash;
  return next;
end
$$;
