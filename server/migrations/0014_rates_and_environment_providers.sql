-- Up Migration

-- Providers and webhooks share one way to keep to a rate. There is no foreign key: a row is worthless after a minute,
-- and the retention sweep takes those whose owner is gone.
alter table provider_sends drop constraint provider_sends_provider_id_fkey;
alter table provider_sends rename column provider_id to subject_id;
alter table provider_sends rename to recent_sends;
alter index provider_sends_pkey rename to recent_sends_pkey;
alter table notification_webhooks drop column rate_used_until;

-- Down Migration

alter table notification_webhooks add column rate_used_until double precision not null default 0;
alter index recent_sends_pkey rename to provider_sends_pkey;
alter table recent_sends rename to provider_sends;
alter table provider_sends rename column subject_id to provider_id;
delete from provider_sends where provider_id not in (select id from provider_configs);
alter table provider_sends add foreign key (provider_id)
  references provider_configs (id) on update cascade on delete cascade;
