-- Up Migration

-- The layout `default` as it was last published, and the mail without a template that was compiled with it: those mails
-- change with a publication, as all others do, and not with every save.
alter table template_parts add column published_source text;
alter table template_parts add column plain_mail jsonb;
alter table template_parts add column published_at timestamptz(3);

-- Down Migration

alter table template_parts drop column published_at;
alter table template_parts drop column plain_mail;
alter table template_parts drop column published_source;
