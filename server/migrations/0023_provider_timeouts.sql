-- Up Migration

-- A provider that hangs holds the places of its channel for as long as it may take to answer.
update provider_configs set timeout_seconds = 60 where timeout_seconds > 60;
alter table provider_configs drop constraint provider_configs_timeout_seconds_check;
alter table provider_configs add constraint provider_configs_timeout_seconds_check
  check (timeout_seconds between 1 and 60);

-- Down Migration

alter table provider_configs drop constraint provider_configs_timeout_seconds_check;
alter table provider_configs add constraint provider_configs_timeout_seconds_check
  check (timeout_seconds between 1 and 600);
