-- Notes on letters, each given with tenant_id and id, that a handler failed at them. They stay open: somebody has to look,
-- and may replay or ignore them. A letter that is resolved by now stays as it is. Returns how many were changed.
create or replace function carillon.handler_failed(letters jsonb) returns integer language plpgsql strict
set enable_seqscan = off as $$
declare
  marked integer;
begin
  -- one after the other by id, so that two who mark the same letters cannot wait for each other
  with open_letters as materialized (
    select l.tenant_id, l.id
    from (select * from jsonb_to_recordset(letters) as g (tenant_id uuid, id uuid) order by g.id) l
    cross join lateral (
      select from carillon.dead_letters x where x.tenant_id = l.tenant_id and x.id = l.id and x.resolved_at is null
      for update
    ) d
  )
  update carillon.dead_letters d set resolution = 'handler_failed'
  from open_letters o where d.tenant_id = o.tenant_id and d.id = o.id;
  get diagnostics marked = row_count;
  return marked;
end
$$;
