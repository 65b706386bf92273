/** What retention does to system events: those of the instance are kept as long as a tenant may keep its own. */
const old = (tenant: string, days: string) => `select x.ctid from admin_system_events x
      where x.tenant_id ${tenant} and x.created_at < now() - make_interval(days => ${days})
      order by x.created_at limit $1 for update skip locked`

export const SWEEP_SYSTEM_EVENTS = `delete from admin_system_events where ctid = any (
  array(select e.ctid from tenant_retention t
    cross join lateral (${old('= t.tenant_id', 't.system_event_retention_days')}) e limit $1)
  || array(${old('is null', '365')}))`
