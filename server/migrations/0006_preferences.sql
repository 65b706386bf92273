-- Up Migration

-- What a person wants on a channel. No row, and every null in a row, leaves it to default_preferences. Categories and
-- reasons stand in the channel's row, name → wanted: a route has one person and one channel, so one look-up finds
-- everything its gates ask for.
create table notification_preferences (
  tenant_id uuid not null,
  user_id text not null,
  channel text not null check (channel in ('in_app', 'email', 'sms', 'push', 'chat', 'webhook')),
  enabled boolean,
  frequency_cap integer check (frequency_cap >= 0),
  quiet_hours_start time(0),
  quiet_hours_end time(0),
  -- null = the user's own
  timezone text check (length(timezone) between 1 and 50),
  categories jsonb not null default '{}' check (jsonb_typeof(categories) = 'object'),
  reasons jsonb not null default '{}' check (jsonb_typeof(reasons) = 'object'),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, user_id, channel),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade,
  constraint notification_preferences_quiet_hours_whole check ((quiet_hours_start is null) = (quiet_hours_end is null))
);
-- who switched a channel off
create index notification_preferences_enabled on notification_preferences (tenant_id, channel, user_id) where not enabled;

-- What holds for people who have not chosen.
create table default_preferences (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  channel text not null check (channel in ('in_app', 'email', 'sms', 'push', 'chat', 'webhook')),
  enabled boolean,
  frequency_cap integer check (frequency_cap >= 0),
  quiet_hours_start time(0),
  quiet_hours_end time(0),
  categories jsonb not null default '{}' check (jsonb_typeof(categories) = 'object'),
  reasons jsonb not null default '{}' check (jsonb_typeof(reasons) = 'object'),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, channel),
  constraint default_preferences_quiet_hours_whole check ((quiet_hours_start is null) = (quiet_hours_end is null))
);

-- What counts towards a daily cap: messages sent or being sent to a person on a channel on one of their local days. The
-- triggers in functions/daily-caps/cascade_to_daily_sends.sql delete rows with their user: a foreign key would lock the
-- user while routes are locked, and a deletion locks them the other way round.
create table daily_sends (
  tenant_id uuid not null,
  user_id text not null,
  channel text not null,
  day date not null,
  used integer not null check (used >= 0),
  -- of the last ask: the cap it met and how many places it got, which is how the asking statement learns of it
  cap integer not null,
  granted integer not null,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, user_id, channel, day)
)
-- taking a place touches no index when the row finds room on its page
with (fillfactor = 70);
-- past days are of no use
create index daily_sends_day on daily_sends (day);

-- The day whose cap counts the route. A worker that dies leaves the place with the route, and whoever takes it over
-- does not take a second one.
alter table routes add column counted_on date;

-- Why these people, such as mention or assignment; people may switch reasons off.
alter table records add column reason text not null default '' check (length(reason) <= 32);

-- Down Migration

alter table records drop column reason;
alter table routes drop column counted_on;
drop table daily_sends;
drop table default_preferences;
drop table notification_preferences;
