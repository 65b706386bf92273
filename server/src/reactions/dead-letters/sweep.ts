/**
 * What retention does to dead letters: their age decides, whether they are resolved or not. $1 is the maximum number of
 * rows. Open ones are deleted a day or more after operators were told.
 */

/** Of the letter x of the tenant t. Letters about routes also go with their record. */
const LIFETIME = `make_interval(days => least(t.dead_letter_retention_days,
  case x.source_kind when 'route' then t.record_retention_days end))`

/**
 * From here on it is worth telling. Who was told before was told of another end: the tenant's setting has been raised
 * since then.
 */
const LAST_DAYS = `x.created_at + ${LIFETIME} - interval '3 days'`
const IS_TOLD = `x.expiry_warned_at >= ${LAST_DAYS}`

export const SWEEP_DEAD_LETTERS = `delete from dead_letters where ctid = any (array(
  select d.ctid from tenant_retention t
  cross join lateral (
    select x.ctid from dead_letters x
    where x.tenant_id = t.tenant_id and x.created_at < now() - make_interval(days => t.dead_letter_retention_days)
      and (x.resolved_at is not null or (${IS_TOLD} and x.expiry_warned_at < now() - interval '1 day'))
    order by x.created_at limit $1 for update skip locked
  ) d limit $1))`

/** Marks open letters that are about to go. Returns how many of each tenant. */
export const MARK_EXPIRING = `with marked as (
  update dead_letters set expiry_warned_at = now() where ctid = any (array(
    select d.ctid from tenant_retention t
    cross join lateral (
      select x.ctid from dead_letters x
      where x.tenant_id = t.tenant_id and x.resolved_at is null
        -- what the index can find, with a look at each of them for the rest
        and x.created_at < now() + interval '3 days'
          - make_interval(days => least(t.dead_letter_retention_days, t.record_retention_days))
        and now() > ${LAST_DAYS} and (${IS_TOLD}) is not true
      order by x.created_at limit $1 for update skip locked
    ) d limit $1))
  returning tenant_id
)
select tenant_id, count(*)::integer as marked from marked group by tenant_id order by tenant_id`

/** What a tenant ($1) is told about all that are marked. */
export const EXPIRING = `select count(*)::integer as letters, min(x.created_at) as oldest_at,
    min(greatest(x.created_at + ${LIFETIME}, x.expiry_warned_at + interval '1 day')) as deleted_from,
    min(t.dead_letter_retention_days) as retention_days
  from tenant_retention t join dead_letters x on x.tenant_id = t.tenant_id
  where t.tenant_id = $1 and x.resolved_at is null and ${IS_TOLD}
    and x.created_at < now() + interval '3 days'
      - make_interval(days => least(t.dead_letter_retention_days, t.record_retention_days))`
