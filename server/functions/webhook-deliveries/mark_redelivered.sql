-- A delivery was put into the outbox again, so a recovery leaves it out. Rows of the outbox that are no deliveries have
-- nothing to mark.
create or replace function carillon.mark_redelivered(tenant uuid, delivery uuid) returns void language plpgsql as $$
begin
  update carillon.webhook_deliveries d set redelivered_at = now() where d.tenant_id = tenant and d.id = delivery;
end
$$;
