-- Up Migration

-- `resubscribed` lifts a suppression; `ignored` only uses up the id of an event, so that it cannot be used for another.
alter table provider_callbacks drop constraint provider_callbacks_kind_check;
alter table provider_callbacks add constraint provider_callbacks_kind_check check (
  kind in ('delivered', 'bounced', 'complained', 'opened', 'failed', 'unsubscribed', 'resubscribed', 'ignored')
);
-- For the retention sweep.
create index provider_callbacks_ignored on provider_callbacks (received_at) where kind = 'ignored';

-- Down Migration

drop index provider_callbacks_ignored;
delete from provider_callbacks where kind in ('resubscribed', 'ignored');
alter table provider_callbacks drop constraint provider_callbacks_kind_check;
alter table provider_callbacks add constraint provider_callbacks_kind_check check (
  kind in ('delivered', 'bounced', 'complained', 'opened', 'failed', 'unsubscribed')
);
