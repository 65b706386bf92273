do $$
begin
  -- while migrations are undone, the table may not exist
  if to_regclass('carillon.notification_threads') is not null then
    create or replace trigger notification_threads_updated_at before update on carillon.notification_threads
      for each row execute function carillon.set_updated_at();
  end if;
end
$$;
