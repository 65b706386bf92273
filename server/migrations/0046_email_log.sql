-- Up Migration

-- What was mailed to whom about what: the storm dampener counts it, and whoever looks into abuse reads it.
create table notification_email_log (
  id bigint generated always as identity primary key,
  tenant_id uuid not null,
  user_id text not null,
  -- the record and route of the mail
  record_id uuid,
  route_id text,
  -- the inbox row it is about; the log stays when that goes, so that caps hold
  notification_id uuid references notifications (id) on update cascade on delete set null,
  thread_kind text,
  thread_id text,
  message_id text not null default '',
  -- null while the mail is on its way: it counts, and is taken back if the mail is certainly not sent
  sent_at timestamptz(3),
  reserved_at timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now(),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade
);
create index notification_email_log_thread on notification_email_log
  (tenant_id, user_id, thread_kind, thread_id, reserved_at desc);
create index notification_email_log_recipient on notification_email_log (tenant_id, user_id, reserved_at desc);
create unique index notification_email_log_route on notification_email_log (tenant_id, record_id, route_id);
create index notification_email_log_notification on notification_email_log (notification_id)
  where notification_id is not null;
-- For the retention sweep.
create index notification_email_log_old on notification_email_log (created_at);

alter table tenants
  add column mails_per_thread_window_seconds integer not null default 600 check (mails_per_thread_window_seconds >= 0),
  add column mails_per_hour integer not null default 100 check (mails_per_hour > 0),
  add column reply_domain text check (length(reply_domain) between 1 and 253);

-- Down Migration

alter table tenants drop column reply_domain, drop column mails_per_hour, drop column mails_per_thread_window_seconds;
drop table notification_email_log;
