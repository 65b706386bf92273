-- Keeps the tickets of pushes that a service has accepted. Receipts exist after a quarter of an hour, as Expo says. Returns
-- how many are new.
create or replace function carillon.keep_push_tickets(tickets jsonb) returns integer language plpgsql strict as $$
declare
  kept integer;
begin
  insert into carillon.push_tickets (tenant_id, provider_id, ticket, notification_id, route_id, device_id, next_attempt_at)
  select t.tenant_id, t.provider_id, t.ticket, t.notification_id, t.route_id, t.device_id, now() + interval '15 minutes'
  from jsonb_to_recordset(tickets) as t (
    tenant_id uuid, provider_id uuid, ticket text, notification_id uuid, route_id text, device_id uuid
  )
  on conflict do nothing;
  get diagnostics kept = row_count;
  return kept;
end
$$;
