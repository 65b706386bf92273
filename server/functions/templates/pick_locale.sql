-- From texts by locale (in lower case), the one in the reader's locale, else without its last part and so on (RFC 4647,
-- lookup), else in the fallback locale or its language, else in English.
-- localeChain() in src/content/translations/locale.ts is the same rule; one table of cases runs through both.
-- A single expression, immutable and without settings, so that the planner inlines it.
create or replace function carillon.pick_locale(by_locale jsonb, locale text, fallback text)
returns text language sql immutable as $$
select coalesce(
  by_locale ->> lower(replace(locale, '_', '-')),
  by_locale ->> lower(replace(substring(locale from '^([^-_]+([-_][^-_]+){3})[-_]'), '_', '-')),
  by_locale ->> lower(replace(substring(locale from '^([^-_]+([-_][^-_]+){2})[-_]'), '_', '-')),
  by_locale ->> lower(replace(substring(locale from '^([^-_]+[-_][^-_]+)[-_]'), '_', '-')),
  by_locale ->> lower(substring(locale from '^[^-_]+')),
  by_locale ->> lower(replace(fallback, '_', '-')), by_locale ->> lower(substring(fallback from '^[^-_]+')),
  by_locale ->> 'en'
)
$$;
