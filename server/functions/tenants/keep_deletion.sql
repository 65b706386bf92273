-- A tenant whose deletion has begun does not come back: its audit rows may be gone already, and whoever could take the mark
-- back could empty the log of a tenant that stays.
create or replace function carillon.keep_deletion() returns trigger language plpgsql as $$
begin
  raise exception 'the deletion of a tenant cannot be taken back once it has begun' using errcode = 'insufficient_privilege';
end
$$;
create or replace trigger keep_deletion before update of deleting_since on carillon.tenants
  for each row when (old.deleting_since is not null and new.deleting_since is null)
  execute function carillon.keep_deletion();
