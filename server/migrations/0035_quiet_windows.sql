-- Up Migration

-- Several windows, or windows on some days, such as [{"start": "00:00", "end": "24:00", "days": ["sunday"]}]. null: what
-- quiet_hours_start and quiet_hours_end say, which is one window every day, or none where they are equal. Beside a list
-- these have the window of every day that comes first in it, for processes that do not know lists.
alter table notification_preferences
  add column quiet_windows jsonb check (jsonb_typeof(quiet_windows) = 'array');
alter table default_preferences
  add column quiet_windows jsonb check (jsonb_typeof(quiet_windows) = 'array');

-- Down Migration

alter table default_preferences drop column quiet_windows;
alter table notification_preferences drop column quiet_windows;
