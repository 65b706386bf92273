-- Up Migration

-- until then, what comes on the channel waits
alter table notification_preferences add column paused_until timestamptz(3);

-- Down Migration

alter table notification_preferences drop column paused_until;
