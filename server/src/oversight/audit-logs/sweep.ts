/** What retention deletes of the audit log. $1 is the most at once. */

/** Only of tenants that set a time; the table itself refuses anything younger. A row for each that is gone. */
export const SWEEP_AUDIT_LOGS = `select from generate_series(1, delete_audit_logs(array(
  select a.ctid from tenant_retention t
  cross join lateral (
    select x.ctid from audit_logs x
    where x.tenant_id = t.tenant_id and x.created_at < now() - make_interval(days => t.audit_retention_days)
    order by x.created_at limit $1
  ) a limit $1)))`
