create or replace trigger notification_threads_updated_at before update on carillon.notification_threads
  for each row execute function carillon.set_updated_at();
