-- Keeps an event of a webhook that is not active: a delivery that has failed without an attempt, which a recovery can send
-- once the webhook is active again. Retention bounds how many there are. The context may say which id it gets. Returns it.
create or replace function carillon.keep_delivery(
  tenant uuid, webhook uuid, event text, body text, context jsonb, ordering_key text
) returns uuid language plpgsql as $$
declare
  kept constant uuid := coalesce((context ->> 'delivery_id')::uuid, carillon.uuid_v7());
begin
  insert into carillon.webhook_deliveries (
    id, tenant_id, webhook_id, notification_id, event_id, event_type, payload, content_type, traceparent, ordering_key,
    attempt_count, attempts
  ) values (
    kept, tenant, webhook, (context ->> 'notification_id')::uuid, (context ->> 'event_id')::uuid, event, body,
    context ->> 'content_type', context ->> 'traceparent', keep_delivery.ordering_key, 0, '[]'
  );
  return kept;
end
$$;
