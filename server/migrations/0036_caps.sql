-- Up Migration

-- Caps per hour, day and week, such as [{"per": "hour", "max": 3, "over": "digest"}]; beside frequency_cap, which is per day.
alter table notification_preferences add column caps jsonb check (jsonb_typeof(caps) = 'array');
alter table default_preferences add column caps jsonb check (jsonb_typeof(caps) = 'array');

-- What counts towards those caps, as daily_sends does for days as a whole: messages sent or being sent to a person on a
-- channel, of a category or of all ('').
create table capped_sends (
  tenant_id uuid not null,
  user_id text not null,
  channel text not null,
  category text not null,
  per text not null check (per in ('hour', 'day', 'week')),
  -- the local day, the Monday of the local week, or the end of the hour in UTC
  period text not null,
  used integer not null check (used >= 0),
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, user_id, channel, category, per, period)
)
with (fillfactor = 70);
-- past periods are of no use
create index capped_sends_created_at on capped_sends (created_at);

-- The periods that count the route, besides the day in counted_on.
alter table routes add column counted_in jsonb;

-- for ask_gates_again(), like routes_waiting
create index routes_over_cap on routes (tenant_id, user_id) where reason = 'cap_reached' and next_attempt_at is not null;

-- Down Migration

drop index routes_over_cap;
alter table routes drop column counted_in;
drop table capped_sends;
alter table default_preferences drop column caps;
alter table notification_preferences drop column caps;
