-- Up Migration

-- How long finished work stays in the tables that delivery reads; then it is moved to the archive, until
-- record_retention_days are over. Tenants that exist keep what they have: with both at 90, nothing is archived.
alter table tenants
  add column record_hot_days integer not null default 90 check (record_hot_days > 0),
  alter column record_retention_days set default 365;

-- Finished records with their routes and attempts. The partitions are months of the time inside notification_id, so that
-- the key alone says where a row is: whoever asks by id reads one partition, and the key stays unique. Maintenance makes
-- the partitions ahead and drops them behind; ids without a plausible time are in the default partition.
-- The columns are those of the live tables, in the same order: rows are moved as they are.
create table records_archive (like records, primary key (tenant_id, notification_id)) partition by range (notification_id);
create index records_archive_listing on records_archive (tenant_id, accepted_at desc, notification_id desc);
create index records_archive_idempotency_key on records_archive (tenant_id, idempotency_key);
create index records_archive_event on records_archive (tenant_id, event_id) where event_id is not null;
create index records_archive_expanded_late on records_archive (tenant_id, expanded_at) where expanded_at > accepted_at;

create table routes_archive (like routes, primary key (tenant_id, notification_id, route_id))
  partition by range (notification_id);
create index routes_archive_status on routes_archive (tenant_id, status, notification_id desc, route_id desc)
  where status not in ('pending', 'sent');
create index routes_archive_user on routes_archive (tenant_id, user_id, notification_id desc, route_id desc)
  where user_id is not null;

create table route_attempts_archive (like route_attempts, primary key (tenant_id, notification_id, route_id, attempt_no))
  partition by range (notification_id);

create table records_archive_default partition of records_archive default;
create table routes_archive_default partition of routes_archive default;
create table route_attempts_archive_default partition of route_attempts_archive default;

-- What belongs to a route or record stays when that is moved to the archive, so triggers delete it instead of these keys.
alter table dead_letters drop constraint dead_letters_tenant_id_notification_id_route_id_fkey;
alter table provider_callbacks drop constraint provider_callbacks_tenant_id_notification_id_route_id_fkey;
alter table webhook_deliveries drop constraint webhook_deliveries_tenant_id_notification_id_fkey;

-- Autovacuum waits by default until a fifth of a table is dead. Of ten million routes that is two million, and every claim
-- steps over the dead entries at the front of its index until then.

-- Changed three times and moved once: the index of due routes is what every claim reads.
alter table routes set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 1000);
-- A queue is nearly always almost empty, so a share of its rows says nothing: a number of dead rows does.
alter table outbox set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_limit = 1000);
alter table expansions set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);
-- Written once and moved once. Vacuum after inserts keeps the lists reading the index alone.
alter table records set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.02);
alter table route_attempts set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.05);
-- People read and mark what is at the front of their inboxes, where the newest rows and the dead ones are.
alter table notifications set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
-- Each event is changed once, when it gets its place, and the index of those without one is read all the time.
alter table domain_events set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
-- Counters: few rows, each changed with every message or request.
alter table recent_sends set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
alter table rate_limits set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
alter table daily_sends set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);

-- Down Migration

-- What was archived goes back to where the version before looks for it. Its keys may belong to later records by now.
update records_archive set idempotency_released_at = idempotency_expires_at where idempotency_released_at is null;
update records_archive a set source_entry_id = null where exists (
  select from records r where r.tenant_id = a.tenant_id and r.source = a.source and r.producer = a.producer
    and r.source_entry_id = a.source_entry_id);
insert into records select * from records_archive;
insert into routes select * from routes_archive;
insert into route_attempts select * from route_attempts_archive;
drop table route_attempts_archive;
drop table routes_archive;
drop table records_archive;

alter table daily_sends reset (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold);
alter table rate_limits reset (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold);
alter table recent_sends reset (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold);
alter table domain_events reset (autovacuum_vacuum_scale_factor, autovacuum_analyze_scale_factor);
alter table notifications reset (autovacuum_vacuum_scale_factor, autovacuum_analyze_scale_factor);
alter table route_attempts reset (autovacuum_vacuum_scale_factor, autovacuum_vacuum_insert_scale_factor,
  autovacuum_analyze_scale_factor);
alter table records reset (autovacuum_vacuum_scale_factor, autovacuum_vacuum_insert_scale_factor,
  autovacuum_analyze_scale_factor);
alter table expansions reset (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold);
alter table outbox reset (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold, autovacuum_analyze_scale_factor,
  autovacuum_vacuum_cost_limit);
alter table routes reset (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold, autovacuum_analyze_scale_factor,
  autovacuum_vacuum_cost_limit);

delete from webhook_deliveries d where d.notification_id is not null and not exists (
  select from records r where r.tenant_id = d.tenant_id and r.notification_id = d.notification_id);
delete from provider_callbacks c where c.route_id is not null and not exists (
  select from routes r where r.tenant_id = c.tenant_id and r.notification_id = c.notification_id and r.route_id = c.route_id);
delete from dead_letters d where d.source_kind = 'route' and not exists (
  select from routes r where r.tenant_id = d.tenant_id and r.notification_id = d.notification_id and r.route_id = d.route_id);
alter table webhook_deliveries add foreign key (tenant_id, notification_id)
  references records (tenant_id, notification_id) on update cascade on delete cascade;
alter table provider_callbacks add foreign key (tenant_id, notification_id, route_id)
  references routes (tenant_id, notification_id, route_id) on update cascade on delete cascade;
alter table dead_letters add foreign key (tenant_id, notification_id, route_id)
  references routes (tenant_id, notification_id, route_id) on update cascade on delete cascade;

alter table tenants drop column record_hot_days, alter column record_retention_days set default 90;
