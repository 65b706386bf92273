-- Up Migration

-- Which mails about threads and events went to whom: the storm dampener counts them, replies are recognised by them, and
-- whoever looks into abuse reads them.
create table notification_email_log (
  id bigint generated always as identity primary key,
  tenant_id uuid not null,
  user_id text not null,
  record_id uuid not null,
  route_id text not null,
  -- the inbox row it is about; the log stays when that goes, so that limits hold
  notification_id uuid references notifications (id) on update cascade on delete set null,
  thread_kind text,
  thread_id text,
  -- of the thread, as the mail was about to be sent: replies are not taken once a thread of a topic is gone
  topic text,
  -- as before the @ of the Message-ID header
  message_id text not null,
  -- null while the mail is on its way: it counts, and the row is deleted if the mail is certainly not sent
  sent_at timestamptz(3),
  -- an earlier attempt was never reported about: the row stays, whatever becomes of later ones
  may_have_arrived boolean not null default false,
  -- from when it counts: when it was sent, and before that when it was about to be
  counted_at timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now(),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade,
  constraint notification_email_log_thread_whole check ((thread_kind is null) = (thread_id is null))
);
create index notification_email_log_thread on notification_email_log
  (tenant_id, user_id, thread_kind, thread_id, counted_at desc);
create index notification_email_log_recipient on notification_email_log (tenant_id, user_id, counted_at desc, id desc);
create unique index notification_email_log_route on notification_email_log (tenant_id, record_id, route_id);
-- For replies.
create index notification_email_log_message on notification_email_log (tenant_id, message_id);
create index notification_email_log_notification on notification_email_log (notification_id)
  where notification_id is not null;
-- For the retention sweep.
create index notification_email_log_old on notification_email_log (created_at);

alter table tenants
  -- 0 = as many as there are
  add column mails_per_thread_window_seconds integer not null default 600
    check (mails_per_thread_window_seconds between 0 and 86400),
  add column mails_per_hour integer not null default 100 check (mails_per_hour > 0),
  -- where replies to mails about threads arrive; null = mails have no reply address
  add column reply_domain text check (length(reply_domain) between 1 and 253),
  -- the kind of the event that a reply becomes; null = that of the thread, with _comment_created behind it
  add column reply_event_kind text check (length(reply_event_kind) between 1 and 64);

-- Down Migration

alter table tenants drop column reply_event_kind, drop column reply_domain, drop column mails_per_hour,
  drop column mails_per_thread_window_seconds;
drop table notification_email_log;
