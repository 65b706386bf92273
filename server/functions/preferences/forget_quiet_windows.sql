-- A process that does not know lists of quiet hours changes only their start and end: the list it did not see is over.
-- The conditions are in the function, where a column that a `migrate down` took away is not missed.
create or replace function carillon.forget_quiet_windows() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) ->> 'quiet_windows' is null then
    return new;
  end if;
  if new.quiet_windows = old.quiet_windows
    and (new.quiet_hours_start, new.quiet_hours_end) is distinct from (old.quiet_hours_start, old.quiet_hours_end)
  then
    new.quiet_windows := null;
  end if;
  return new;
end
$$;
do $$
begin
  -- while migrations are undone, the tables may not exist
  if to_regclass('carillon.notification_preferences') is not null then
    create or replace trigger forget_quiet_windows before update on carillon.notification_preferences
      for each row execute function carillon.forget_quiet_windows();
  end if;
  if to_regclass('carillon.default_preferences') is not null then
    create or replace trigger forget_quiet_windows before update on carillon.default_preferences
      for each row execute function carillon.forget_quiet_windows();
  end if;
end
$$;
