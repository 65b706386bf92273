-- Whether a payload is nested more deeply than templates and receivers can be expected to follow.
create or replace function carillon.is_too_deep(payload jsonb) returns boolean language sql immutable as $$
  select jsonb_path_exists(payload, 'strict $.**{101}')
$$;
