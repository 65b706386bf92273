-- Up Migration

-- When a process that has the settings of this provider from the environment last said so. A row that nobody marks any
-- more is deleted: its settings were removed. null for tenants' providers.
alter table provider_configs add column seen_at timestamptz(3);
update provider_configs set seen_at = now() where tenant_id is null;
-- Tells whether the settings of a provider from the environment have changed, without telling what they are.
alter table provider_configs add column settings_hash text not null default '';

-- Down Migration

alter table provider_configs drop column settings_hash;
alter table provider_configs drop column seen_at;
