-- Up Migration

-- What a push service accepted and will say more about: one row per device, until its receipt was read.
create table push_tickets (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  -- No foreign key: the row of a provider from the environment may be missing for a moment, and a send is not to fail then.
  provider_id uuid not null,
  ticket text not null check (length(ticket) between 1 and 100),
  notification_id uuid not null,
  route_id text not null,
  device_id uuid not null,
  -- The fencing token of whoever is asking.
  claim_count integer not null default 0,
  next_attempt_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, provider_id, ticket)
);
create index push_tickets_due on push_tickets (tenant_id, provider_id, next_attempt_at);
-- For the retention sweep.
create index push_tickets_old on push_tickets (created_at);

-- `device_refused`: one device of a push did not get it, which says nothing about the others.
alter table provider_callbacks drop constraint provider_callbacks_kind_check;
alter table provider_callbacks add constraint provider_callbacks_kind_check check (
  kind in ('delivered', 'bounced', 'complained', 'opened', 'failed', 'unsubscribed', 'resubscribed', 'ignored',
    'device_refused')
);

-- Down Migration

delete from provider_callbacks where kind = 'device_refused';
alter table provider_callbacks drop constraint provider_callbacks_kind_check;
alter table provider_callbacks add constraint provider_callbacks_kind_check check (
  kind in ('delivered', 'bounced', 'complained', 'opened', 'failed', 'unsubscribed', 'resubscribed', 'ignored')
);
drop table push_tickets;
