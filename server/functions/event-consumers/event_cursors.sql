-- Whoever reads the log of a tenant's events, each with a cursor of its own.
create or replace function carillon.event_consumers() returns text[] language sql immutable as $$
  select array['notify_fanout', 'webhooks', 'triggers']
$$;

-- A new tenant's cursors, at the beginning of its empty log.
create or replace function carillon.create_event_cursors() returns trigger language plpgsql as $$
begin
  -- missing when migrations are undone
  if to_regclass('carillon.domain_events_processed') is not null then
    insert into carillon.domain_events_processed (tenant_id, consumer)
    select new.id, c.consumer from unnest(carillon.event_consumers()) as c (consumer)
    on conflict do nothing;
  end if;
  return null;
end
$$;
create or replace trigger tenants_event_cursors after insert on carillon.tenants
  for each row execute function carillon.create_event_cursors();

-- The end of a tenant's log, and that of its cursors moved to there. Only the orderer calls them, under its lock.
create or replace function carillon.event_log_head(tenant uuid) returns bigint language sql stable as $$
  select coalesce(max(p.head_id), 0) from carillon.domain_events_processed p where p.tenant_id = tenant
$$;
create or replace function carillon.move_event_head(tenant uuid, head bigint) returns void language sql as $$
  update carillon.domain_events_processed p
  set head_id = head, updated_at = now(), moved_at = case when p.last_event_id = p.head_id then now() else p.moved_at end
  where p.tenant_id = tenant
$$;
