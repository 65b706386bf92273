-- Up Migration

-- The devices that have this push already, while others of the person still have to get it; null on most routes.
alter table routes add column reached_devices jsonb check (jsonb_typeof(reached_devices) = 'array');

-- Down Migration

alter table routes drop column reached_devices;
