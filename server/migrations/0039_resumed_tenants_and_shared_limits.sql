-- Up Migration

-- what waits because its tenant is suspended, oldest first: made due when the tenant is resumed
create index routes_suspended on routes (tenant_id, notification_id)
  where reason = 'tenant_suspended' and next_attempt_at is not null;

-- The key whose limits this one uses: that of its creator, if the creator could not change the limits. Otherwise whoever
-- may create keys could have as many limits as keys.
alter table api_keys add column limited_as uuid references api_keys on update cascade on delete set null;
create index api_keys_limited_as on api_keys (limited_as) where limited_as is not null;

-- Down Migration

drop index api_keys_limited_as;
alter table api_keys drop column limited_as;
drop index routes_suspended;
