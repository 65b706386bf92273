-- Up Migration

-- What a notification says on one channel in one language: the draft, and whether it may be used.
create table notification_templates (
  id uuid primary key,
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  name text not null check (length(name) between 1 and 100),
  channel text not null check (channel in ('in_app', 'email', 'sms', 'push', 'chat', 'webhook')),
  -- as the standard writes it, such as pt-BR
  locale text not null check (length(locale) between 2 and 35),
  subject text check (length(subject) between 1 and 255),
  title text check (length(title) between 1 and 255),
  body text not null,
  -- the text part of a mail, when it is not made from the body
  text_body text,
  layout text,
  variables jsonb not null default '[]' check (jsonb_typeof(variables) = 'array'),
  is_active boolean not null default true,
  -- null = never published
  published_version_id uuid,
  -- null when the author is gone, or was no user
  created_by text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  foreign key (tenant_id, created_by) references users (tenant_id, id) on update cascade on delete set null (created_by),
  constraint notification_templates_subject_for_email check ((subject is not null) = (channel = 'email')),
  constraint notification_templates_title check ((title is not null) = (channel in ('push', 'in_app'))),
  constraint notification_templates_mail_only check (channel = 'email' or (text_body is null and layout is null))
);
-- one per language; also the look-up when a route is made, and the listing by name
create unique index notification_templates_key on notification_templates (tenant_id, name, channel, lower(locale));
create index notification_templates_channel on notification_templates (tenant_id, channel, name);
-- what rendering has to refuse
create index notification_templates_inactive on notification_templates (tenant_id) where not is_active;
create index notification_templates_author on notification_templates (tenant_id, created_by) where created_by is not null;

-- What was published, never changed afterwards. It outlives its template: what was accepted with it still goes out.
create table template_versions (
  id uuid primary key,
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  template_id uuid not null,
  version integer not null check (version > 0),
  name text not null,
  channel text not null,
  locale text not null,
  -- as written
  source jsonb not null check (jsonb_typeof(source) = 'object'),
  -- ready to fill in: layout and partials put together, styles on the elements, the text part made
  compiled jsonb not null check (jsonb_typeof(compiled) = 'object'),
  -- layout:name and partial:name
  parts text[] not null default '{}',
  -- the version a rollback published again
  restored_from integer,
  -- what routes accepted with this version use instead; null = this one
  replaced_by uuid,
  published_by text,
  published_at timestamptz(3) not null,
  foreign key (tenant_id, published_by) references users (tenant_id, id) on update cascade on delete set null (published_by)
);
create unique index template_versions_key on template_versions (tenant_id, template_id, version);
create index template_versions_replaced on template_versions (tenant_id) where replaced_by is not null;
create index template_versions_publisher on template_versions (tenant_id, published_by) where published_by is not null;

-- Layouts and partials of a tenant. Published templates hold copies: a change reaches them when they are published again.
create table template_parts (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  kind text not null check (kind in ('layout', 'partial')),
  name text not null check (length(name) between 1 and 50),
  source text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, kind, name)
);

-- No row = the defaults.
create table branding (
  tenant_id uuid primary key references tenants (id) on update cascade on delete cascade,
  name text check (length(name) between 1 and 100),
  logo_url text check (length(logo_url) <= 500),
  website_url text check (length(website_url) <= 500),
  primary_color text check (primary_color ~ '^#[0-9a-fA-F]{6}$'),
  footer text check (length(footer) <= 2000),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

-- All keys of a language in one row: they are read together and replaced together.
create table translations (
  tenant_id uuid not null references tenants (id) on update cascade on delete cascade,
  locale text not null check (length(locale) between 2 and 35),
  messages jsonb not null check (jsonb_typeof(messages) = 'object'),
  created_at timestamptz(3) not null default now(),
  -- never twice the same, so that it tells whether a remembered copy is current
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, locale)
);

-- channel → name of the template to use
alter table notification_types add column templates jsonb not null default '{}' check (jsonb_typeof(templates) = 'object');

-- resolved when the route is made, like address and locale; null = the payload's own words
alter table routes add column template_version_id uuid;

-- Down Migration

alter table routes drop column template_version_id;
alter table notification_types drop column templates;
drop table translations;
drop table branding;
drop table template_parts;
drop table template_versions;
drop table notification_templates;
