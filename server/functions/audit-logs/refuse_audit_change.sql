-- Keeps audit_logs append-only for everybody, the table's owner included, with two exceptions: a foreign key that follows
-- a changed user id (only then does this trigger run inside another one), and deleting what is past the tenant's own
-- retention or goes with its tenant. Without a row that says how long, it is kept.
create or replace function carillon.refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and pg_trigger_depth() > 1
    and to_jsonb(new) - 'user_id' = to_jsonb(old) - 'user_id' then
    return new;
  end if;
  if tg_op = 'DELETE' and not exists (
    select from carillon.tenants t left join carillon.tenant_retention k on k.tenant_id = t.id
    where t.id = old.tenant_id and t.deleting_since is null and (k.audit_retention_days is null
      or old.created_at >= now() - make_interval(days => k.audit_retention_days))
  ) then
    return old;
  end if;
  raise exception 'audit_logs is append-only' using errcode = 'insufficient_privilege';
end
$$;
create or replace trigger audit_logs_append_only before update or delete on carillon.audit_logs
  for each row execute function carillon.refuse_audit_change();
create or replace trigger audit_logs_no_truncate before truncate on carillon.audit_logs
  for each statement execute function carillon.refuse_audit_change();
-- also for sessions that switch triggers off, as replication and restores do
alter table carillon.audit_logs enable always trigger audit_logs_append_only;
alter table carillon.audit_logs enable always trigger audit_logs_no_truncate;
