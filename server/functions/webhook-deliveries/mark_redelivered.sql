-- Notes that a delivery was put into the outbox again, so that a recovery leaves it out. Changes nothing for outbox rows
-- that are not webhook deliveries.
create or replace function carillon.mark_redelivered(tenant uuid, delivery uuid) returns void language plpgsql as $$
begin
  update carillon.webhook_deliveries d set redelivered_at = now() where d.tenant_id = tenant and d.id = delivery;
end
$$;
