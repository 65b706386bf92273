-- Up Migration

-- Category → when the person wants what came in the meantime as one message, such as {"every": "day", "at": "08:00"}.
alter table notification_preferences
  add column digests jsonb not null default '{}' check (jsonb_typeof(digests) = 'object');
alter table default_preferences
  add column digests jsonb not null default '{}' check (jsonb_typeof(digests) = 'object');

-- Down Migration

alter table default_preferences drop column digests;
alter table notification_preferences drop column digests;
