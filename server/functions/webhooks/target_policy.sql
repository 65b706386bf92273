-- The current retry policy of a target of the outbox. No row for targets that are gone and for kinds without such settings.
create or replace function carillon.target_policy(tenant uuid, source_kind text, target uuid)
returns table (max_attempts integer, backoff text, base_ms integer, cap_ms integer) language sql stable as $$
  select w.retry_count + 1, w.backoff, w.retry_base_ms, w.retry_cap_ms from carillon.notification_webhooks w
  where source_kind = 'webhook' and w.tenant_id = tenant and w.id = target
  union all
  -- rows for a trigger have its kind
  select t.max_attempts, t.backoff, t.base_ms, null from carillon.triggers t
  where t.tenant_id = tenant and t.id = target and t.kind = source_kind
$$;
