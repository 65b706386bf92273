-- Up Migration

-- Relations that the tenant adds to the built-in ones, or changes: the one with the smallest priority that has a rule
-- decides, and gives the reason.
create table relations (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  name text not null check (name ~ '^[a-z][a-z0-9_]{0,31}$'),
  priority integer not null check (priority between 0 and 1000),
  reason text not null check (length(reason) between 1 and 32),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, name)
);

-- What people in a relation get when something of a kind happens; one without channels takes a built-in rule away.
create table fanout_rules (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  event_kind text not null check (length(event_kind) between 1 and 64),
  relation text not null check (length(relation) between 1 and 32),
  channels text[] not null,
  -- reaches people who ignore the topic or left the thread
  passes_mute boolean not null default false,
  -- null = the kind of the event
  notification_type text check (length(notification_type) between 1 and 100),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, event_kind, relation),
  constraint fanout_rules_channels check (channels <@ array['in_app', 'email', 'sms', 'push', 'chat'])
);

-- A notification that an event caused: which one, about which thread, and whether it reaches people who muted it.
alter table records
  add column event_id uuid,
  add column thread_kind text,
  add column thread_id text,
  add column actor_id text,
  add column passes_mute boolean not null default false,
  -- in which relation these people stood to the event
  add column relation text;
alter table records drop constraint records_audience_kind_check;
alter table records add constraint records_audience_kind_check
  check (audience_kind in ('users', 'topic', 'tenant', 'addresses', 'admin_email', 'event')) not valid;
alter table records drop constraint records_topic_for_topics;
alter table records add constraint records_topic_for_topics
  check (audience_kind = 'event' or (topic is not null) = (audience_kind = 'topic')) not valid;
alter table records validate constraint records_audience_kind_check;
alter table records validate constraint records_topic_for_topics;
create index records_event on records (tenant_id, event_id) where event_id is not null;

-- Down Migration

delete from records where audience_kind = 'event';
drop index records_event;
alter table records drop constraint records_topic_for_topics;
alter table records add constraint records_topic_for_topics check ((topic is not null) = (audience_kind = 'topic'));
alter table records drop constraint records_audience_kind_check;
alter table records add constraint records_audience_kind_check
  check (audience_kind in ('users', 'topic', 'tenant', 'addresses', 'admin_email'));
alter table records
  drop column relation, drop column passes_mute, drop column actor_id, drop column thread_id, drop column thread_kind, drop column event_id;
drop table fanout_rules;
drop table relations;
