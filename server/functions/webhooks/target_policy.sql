-- How a target of the outbox wants to be tried, as it says now. Targets that are gone, and kinds without such settings,
-- have no row.
create or replace function carillon.target_policy(tenant uuid, source_kind text, target uuid)
returns table (max_attempts integer, backoff text, base_ms integer, cap_ms integer) language sql stable as $$
  select w.retry_count + 1, w.backoff, w.retry_base_ms, w.retry_cap_ms from carillon.notification_webhooks w
  where source_kind = 'webhook' and w.tenant_id = tenant and w.id = target
$$;
