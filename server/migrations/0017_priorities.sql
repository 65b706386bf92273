-- Up Migration

-- What goes first when a worker cannot do everything at once: 0 critical, 1 meant for a few people, 2 for a large audience.
alter table routes add column priority smallint not null default 1;
alter table routes add constraint routes_priority check (priority between 0 and 2);

-- Tenants take turns, so the claim looks for what is due per tenant, channel and priority.
create index routes_due_in_lane on routes (tenant_id, channel, priority, next_attempt_at) where next_attempt_at is not null;
drop index routes_due;
alter index routes_due_in_lane rename to routes_due;

-- Down Migration

create index routes_due_of_channel on routes (channel, next_attempt_at) where next_attempt_at is not null;
drop index routes_due;
alter index routes_due_of_channel rename to routes_due;
alter table routes drop column priority;
