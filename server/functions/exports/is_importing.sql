-- Whether the transaction brings in the rows of a tenant that lived elsewhere. What they tell of has happened there, and
-- whoever wanted to know was told there: triggers that tell of new rows ask this first.
create or replace function carillon.is_importing() returns boolean language sql stable as $$
  select coalesce(current_setting('carillon.importing', true), '') = 'on'
$$;
