-- Up Migration

-- Sending a delivery again keeps the order it was sent in at first. null: it had none.
alter table webhook_deliveries add column ordering_key text;

-- Down Migration

alter table webhook_deliveries drop column ordering_key;
