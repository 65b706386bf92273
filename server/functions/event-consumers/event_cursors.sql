-- Whoever reads the log of a tenant's events, each with a cursor of its own.
create or replace function carillon.event_consumers() returns text[] language sql immutable as $$
  select array['notify_fanout', 'webhooks', 'triggers']
$$;

-- The cursors that a tenant lacks, at the end of its log: a new tenant's log is empty, and one that came from elsewhere
-- has been read there by all that were known there.
create or replace function carillon.add_event_cursors(tenant uuid) returns void language sql as $$
  insert into carillon.domain_events_processed (tenant_id, consumer, last_event_id, head_id)
  select tenant, c.consumer, e.head, e.head
  from unnest(carillon.event_consumers()) as c (consumer), carillon.event_log_head(tenant) as e (head)
  on conflict do nothing
$$;
create or replace function carillon.create_event_cursors() returns trigger language plpgsql as $$
begin
  -- one that comes from elsewhere brings its own cursors
  if not carillon.is_importing() then
    perform carillon.add_event_cursors(new.id);
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
