-- Up Migration

-- What the operator allows a tenant, which its own keys cannot change; null = no limit. `storage_bytes` is measured by the
-- role maintenance. A suspended tenant neither accepts nor sends; one to be deleted is suspended until `delete_at`, and
-- can be resumed until its deletion has begun.
alter table tenants
  add column quota_requests_per_minute integer check (quota_requests_per_minute > 0),
  add column quota_routes_per_day integer check (quota_routes_per_day > 0),
  add column quota_storage_mb integer check (quota_storage_mb > 0),
  add column storage_bytes bigint,
  add column storage_measured_at timestamptz(3),
  add column suspended_at timestamptz(3),
  add column suspension_reason text not null default '' check (length(suspension_reason) <= 500),
  add column delete_at timestamptz(3),
  add column deleting_since timestamptz(3),
  add column rows_to_delete bigint not null default 0,
  add column rows_deleted bigint not null default 0,
  add constraint tenants_deleted_are_suspended check (delete_at is null or suspended_at is not null);
create index tenants_route_quota on tenants (id) where quota_routes_per_day is not null;

-- A window without a user and a key is the whole tenant's.
alter table rate_limits drop constraint rate_limits_one_caller, drop constraint rate_limits_limit_type_check;
alter table rate_limits
  add constraint rate_limits_one_caller check (num_nonnulls(user_id, api_key_id) <= 1),
  add constraint rate_limits_limit_type_check check (limit_type in ('api', 'notification', 'route'));

-- Down Migration

delete from rate_limits where num_nonnulls(user_id, api_key_id) = 0 or limit_type = 'route';
alter table rate_limits drop constraint rate_limits_one_caller, drop constraint rate_limits_limit_type_check;
alter table rate_limits
  add constraint rate_limits_one_caller check (num_nonnulls(user_id, api_key_id) = 1),
  add constraint rate_limits_limit_type_check check (limit_type in ('api', 'notification'));
drop index tenants_route_quota;
alter table tenants
  drop constraint tenants_deleted_are_suspended,
  drop column quota_requests_per_minute, drop column quota_routes_per_day, drop column quota_storage_mb,
  drop column storage_bytes, drop column storage_measured_at, drop column suspended_at,
  drop column suspension_reason, drop column delete_at, drop column deleting_since, drop column rows_to_delete,
  drop column rows_deleted;
