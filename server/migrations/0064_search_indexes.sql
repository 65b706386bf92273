-- Up Migration
-- Outside a transaction: the indexes are built while others write.

-- What search finds by how it begins, whatever the case and the database's collation.
create index concurrently if not exists users_id_search on users (tenant_id, lower(id) text_pattern_ops);
create index concurrently if not exists users_email_search on users (tenant_id, lower(email) text_pattern_ops);
create index concurrently if not exists users_username_search on users (tenant_id, lower(username) text_pattern_ops);
create index concurrently if not exists notification_types_search on notification_types
  (tenant_id, lower(name) text_pattern_ops);
create index concurrently if not exists notification_templates_search on notification_templates
  (tenant_id, lower(name) text_pattern_ops);
create index concurrently if not exists provider_configs_search on provider_configs
  (tenant_id, lower(name) text_pattern_ops);
create index concurrently if not exists triggers_search on triggers (tenant_id, lower(name) text_pattern_ops);
create index concurrently if not exists scripts_search on scripts (tenant_id, lower(name) text_pattern_ops);
create index concurrently if not exists topics_search on topics (tenant_id, lower(topic) text_pattern_ops);

-- Down Migration

drop index if exists topics_search;
drop index if exists scripts_search;
drop index if exists triggers_search;
drop index if exists provider_configs_search;
drop index if exists notification_templates_search;
drop index if exists notification_types_search;
drop index if exists users_username_search;
drop index if exists users_email_search;
drop index if exists users_id_search;
