-- For triggers: whatever statement changes a row moves its updated_at.
create or replace function carillon.set_updated_at() returns trigger language plpgsql as $$
begin
  new.updated_at := now();
  return new;
end
$$;
