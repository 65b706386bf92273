-- Up Migration

-- What readers get whose own language a tenant does not write in; after it comes English.
alter table tenants add column fallback_locale text not null default 'en' check (length(fallback_locale) between 2 and 35);

-- Down Migration

alter table tenants drop column fallback_locale;
