-- Of texts by locale in small letters, the one in the exact locale, else in its language, else in English. The same rule
-- is localeChain() of src/content/translations/locale.ts; a table of cases runs through both.
-- One expression, immutable and free of settings, so that the planner puts it in place of the call.
create or replace function carillon.pick_locale(by_locale jsonb, locale text) returns text language sql immutable as $$
select coalesce(
  by_locale ->> lower(replace(locale, '_', '-')), by_locale ->> lower(substring(locale from '^[^-_]+')),
  by_locale ->> 'en'
)
$$;
