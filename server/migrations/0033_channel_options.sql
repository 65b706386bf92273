-- Up Migration

-- What the intent says about its messages on one channel, by channel; null for most. Of attachments only name, type and
-- size: every claim reads this column.
alter table records add column options jsonb;

-- Apart from their record, and read only when a mail is sent. They are deleted with it.
create table attachments (
  tenant_id uuid not null references tenants (id) on delete cascade on update cascade,
  notification_id uuid not null,
  position smallint not null,
  filename text not null,
  content_type text not null,
  content bytea not null,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, notification_id, position),
  foreign key (tenant_id, notification_id) references records (tenant_id, notification_id) on delete cascade on update cascade
);
-- mostly compressed already
alter table attachments alter column content set storage external;

-- where chat messages for the person go
alter table users add column chat_address text;
alter table users add constraint users_chat_address_check check (length(chat_address) between 1 and 500);

alter table captured_messages add column options jsonb;

-- Down Migration

alter table captured_messages drop column options;
alter table users drop column chat_address;
drop table attachments;
alter table records drop column options;
