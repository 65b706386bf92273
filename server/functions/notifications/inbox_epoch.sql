-- Tells the history of this database from all others, as part of the versions of inboxes: transactions are numbered alike in
-- each. Another one begins with another server or database, with a timeline, as after a failover, and with a restore.
create or replace function carillon.inbox_epoch() returns text language plpgsql stable as $$
begin
  return substr(md5(concat_ws(' ',
    (select c.system_identifier from pg_control_system() c),
    left(pg_walfile_name(pg_current_wal_lsn()), 8),
    (select d.oid from pg_database d where d.datname = current_database()),
    (select r.id from carillon.restores r order by r.created_at desc, r.id limit 1)
  )), 1, 8);
end
$$;

-- The snapshot of a version that an answer of this database had; null for any other. One without an epoch is from a time when
-- there were none.
create or replace function carillon.seen_snapshot(version text) returns pg_snapshot language plpgsql stable as $$
declare
  snapshot pg_snapshot := substring(version from '^\d+:\d+:[\d,]*')::pg_snapshot;
  epoch text := substring(version from ':([0-9a-f]{8})$');
begin
  if pg_snapshot_xmax(snapshot) > pg_snapshot_xmax(pg_current_snapshot()) or epoch <> carillon.inbox_epoch() then
    return null;
  end if;
  return snapshot;
end
$$;
