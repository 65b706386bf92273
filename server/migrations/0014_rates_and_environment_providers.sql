-- Up Migration

-- Providers and webhooks share one way to keep to a rate. There is no foreign key: a row is worthless after a minute,
-- and the retention sweep takes those whose owner is gone.
alter table provider_sends drop constraint provider_sends_provider_id_fkey;
alter table provider_sends rename column provider_id to subject_id;
alter table provider_sends rename to recent_sends;
alter index provider_sends_pkey rename to recent_sends_pkey;
-- The webhooks' former count stays for now: a dispatcher of the version before that still runs would use up attempts
-- without it. A later migration drops it.
comment on column notification_webhooks.rate_used_until is 'unused since 0014; read by older processes during an upgrade';

-- A row without a tenant is a provider from the environment, for all tenants that have none of their own. What it needs to
-- be called stays in the environment of the processes that have it.
alter table provider_configs alter column tenant_id drop not null;
alter table provider_configs alter column secrets drop not null;
alter table provider_configs add constraint provider_configs_secrets_of_tenant check ((tenant_id is null) = (secrets is null));
create unique index provider_configs_environment on provider_configs (channel, name) where tenant_id is null;

-- Down Migration

delete from provider_configs where tenant_id is null;
drop index provider_configs_environment;
alter table provider_configs drop constraint provider_configs_secrets_of_tenant;
alter table provider_configs alter column secrets set not null;
alter table provider_configs alter column tenant_id set not null;

comment on column notification_webhooks.rate_used_until is null;
alter index recent_sends_pkey rename to provider_sends_pkey;
alter table recent_sends rename to provider_sends;
alter table provider_sends rename column subject_id to provider_id;
delete from provider_sends where provider_id not in (select id from provider_configs);
alter table provider_sends add foreign key (provider_id)
  references provider_configs (id) on update cascade on delete cascade;
