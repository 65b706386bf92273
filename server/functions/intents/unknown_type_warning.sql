-- For an accepted intent: null if the catalog has its type.
create or replace function carillon.unknown_type_warning(is_known boolean, type text) returns text language sql immutable as $$
  select case when not is_known then format('The catalog has no type "%s", so nothing is known about it.', type) end
$$;
