-- Up Migration

-- Sending a delivery again keeps the order it was sent in at first. null: it had none.
alter table webhook_deliveries add column ordering_key text;
-- Open dead letters know it of those that failed before there was a column for it.
update webhook_deliveries d set ordering_key = l.dispatch ->> 'ordering_key'
from dead_letters l
where l.tenant_id = d.tenant_id and l.original_event_id = d.id and l.resolved_at is null
  and l.dispatch ->> 'ordering_key' is not null;

-- Down Migration

alter table webhook_deliveries drop column ordering_key;
