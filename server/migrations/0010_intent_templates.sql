-- Up Migration

-- The template that the intent asked for; null leaves it to the type.
alter table records add column template text check (length(template) between 1 and 100);

-- Down Migration

alter table records drop column template;
