-- Up Migration

-- What contains threads: a repository, a project, an account. Made by hand, or by the first event or watch that names it.
create table topics (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  topic text not null check (length(topic) between 1 and 200),
  title text not null default '' check (length(title) <= 500),
  url text not null default '' check (length(url) <= 500),
  -- private: only members see what happens in it
  visibility text not null default 'public' check (visibility in ('public', 'private')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, topic)
);
insert into topics (tenant_id, topic) select distinct tenant_id, topic from watches;

create table topic_members (
  tenant_id uuid not null,
  topic text not null,
  user_id text not null,
  role text not null default 'member' check (role in ('member', 'owner')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, topic, user_id),
  foreign key (tenant_id, topic) references topics (tenant_id, topic) on update cascade on delete cascade,
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade
);
create index topic_members_user on topic_members (tenant_id, user_id);
-- For fan-out: a topic has few owners, however many members.
create index topic_members_owner on topic_members (tenant_id, topic, user_id) where role = 'owner';

-- What is being discussed.
create table threads (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  kind text not null check (length(kind) between 1 and 32),
  id text not null check (length(id) between 1 and 200),
  topic text,
  title text not null default '' check (length(title) <= 500),
  url text not null default '' check (length(url) <= 500),
  author_id text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, kind, id),
  foreign key (tenant_id, topic) references topics (tenant_id, topic) on update cascade on delete cascade,
  foreign key (tenant_id, author_id) references users (tenant_id, id) on update cascade on delete set null (author_id)
);
create index threads_topic on threads (tenant_id, topic, kind, id) where topic is not null;
create index threads_author on threads (tenant_id, author_id) where author_id is not null;

-- Who stands in which lasting relation to a thread: assignee, reviewer, commenter, or one of the tenant's own.
create table thread_participants (
  tenant_id uuid not null,
  thread_kind text not null,
  thread_id text not null,
  relation text not null check (length(relation) between 1 and 32),
  user_id text not null,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, thread_kind, thread_id, relation, user_id),
  foreign key (tenant_id, thread_kind, thread_id) references threads (tenant_id, kind, id)
    on update cascade on delete cascade,
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade
);
create index thread_participants_user on thread_participants (tenant_id, user_id);

-- A person's own choice about one thread, over the watch on its topic.
create table notification_threads (
  tenant_id uuid not null,
  user_id text not null,
  thread_kind text not null,
  thread_id text not null,
  subscribed boolean not null,
  reason text not null check (reason in ('manual', 'manual_unsubscribe', 'email_one_click',
    'author', 'assigned', 'review_requested', 'mention', 'commenter')),
  -- The event that made it, if it is automatic. It counts only for later ones, so that an event which is fanned out again
  -- finds the same people.
  source_event_id bigint,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, user_id, thread_kind, thread_id),
  foreign key (tenant_id, thread_kind, thread_id) references threads (tenant_id, kind, id)
    on update cascade on delete cascade,
  foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade
);
create index notification_threads_thread on notification_threads (tenant_id, thread_kind, thread_id, user_id);

-- kinds: of events that the person wants besides what the level gives. An automatic watch is never written over a choice.
alter table watches
  add column kinds text[] not null default '{}',
  add column is_automatic boolean not null default false;
-- For fan-out: whom an event may reach because they watch. Most automatic watches reach nobody.
create index watches_reached on watches (tenant_id, topic, user_id) where level = 'all' or kinds <> '{}';
alter table tenants add column thread_kinds text[] not null default '{issue,pr}';

-- Whom the tenant asks, per recipient, who may see something: an address of its own, besides the members of topics.
create table visibility_checks (
  tenant_id uuid not null primary key references tenants (id) on update cascade on delete cascade,
  -- secrets are bound to it
  id uuid not null,
  url text not null check (length(url) between 1 and 500),
  -- encrypted
  secrets text not null,
  timeout_ms integer not null default 2000 check (timeout_ms between 100 and 10000),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

-- Down Migration

drop table visibility_checks;
alter table tenants drop column thread_kinds;
drop index watches_reached;
alter table watches drop column is_automatic, drop column kinds;
drop table notification_threads;
drop table thread_participants;
drop table threads;
drop table topic_members;
drop table topics;
