/** Finished notifications of many kinds, as old as a test wants them, and where their rows are. */
import { expect } from 'vitest'
import type { TestCarillon } from '../../../test/carillon.ts'

export function useFinished(carillon: TestCarillon) {
  /** Makes everything that is finished so many days older, ids included: they say which month a row belongs to. */
  const age = async (days: number) => {
    await carillon.pool.query(
      `update records set notification_id = (lpad(to_hex(
           ('x' || left(replace(notification_id::text, '-', ''), 12))::bit(48)::bigint - $1::integer * 86400000::bigint), 12, '0')
           || substr(replace(notification_id::text, '-', ''), 13))::uuid,
         accepted_at = accepted_at - make_interval(days => $1), expanded_at = expanded_at - make_interval(days => $1),
         idempotency_expires_at = idempotency_expires_at - make_interval(days => $1)`,
      [days],
    )
    await carillon.pool.query(
      `update routes set updated_at = updated_at - make_interval(days => $1), created_at = created_at - make_interval(days => $1)`,
      [days],
    )
  }

  /** Makes routes older. */
  const ageRoutes = (days: number) =>
    carillon.pool.query('update routes set updated_at = updated_at - make_interval(days => $1)', [days])

  /** Makes records and routes older, and their ids not: digests and events refer to them. */
  const ageInPlace = async (days: number) => {
    await carillon.pool.query(
      `update records set accepted_at = accepted_at - make_interval(days => $1),
         expanded_at = expanded_at - make_interval(days => $1), idempotency_expires_at = accepted_at`,
      [days],
    )
    await ageRoutes(days)
  }

  const ids = async (table: string): Promise<string[]> =>
    (
      await carillon.pool.query(
        `select distinct notification_id as id from ${table} order by notification_id`,
      )
    ).rows.map(row => row.id)

  /** Everything that the API says about all records: itself, its routes, their attempts, and the explanation. */
  const told = async () => {
    const records = await carillon.readAll('/v1/records', 3)
    const routes = await carillon.readAll('/v1/routes', 3)
    const details = []
    for (const { notification_id: id } of records) {
      for (const path of ['', '/routes', '/explain', '/explain?user_id=ada'])
        details.push((await carillon.request('GET', `/v1/records/${id}${path}`)).body)
    }
    const attempts = []
    for (const { notification_id, route_id } of routes)
      attempts.push(
        (
          await carillon.request(
            'GET',
            `/v1/routes/attempts?notification_id=${notification_id}&route_id=${encodeURIComponent(route_id)}`,
          )
        ).body,
      )
    return { records, routes, details, attempts }
  }

  /** Every record has all its rows in one of the two places. */
  const expectOnePlace = async () => {
    const { rows } = await carillon.pool.query(
      `select (select count(*) from records join records_archive using (tenant_id, notification_id))::integer as records,
         (select count(*) from routes join routes_archive using (tenant_id, notification_id, route_id))::integer as routes,
         (select count(*) from routes join records_archive using (tenant_id, notification_id))::integer as left_behind,
         (select count(*) from routes_archive join records using (tenant_id, notification_id))::integer as ahead,
         (select count(*) from route_attempts a where not exists (select from routes r
           where (r.tenant_id, r.notification_id, r.route_id) = (a.tenant_id, a.notification_id, a.route_id)))::integer
         + (select count(*) from route_attempts_archive a where not exists (select from routes_archive r
           where (r.tenant_id, r.notification_id, r.route_id) = (a.tenant_id, a.notification_id, a.route_id)))::integer as alone`,
    )
    expect(rows[0]).toEqual({ records: 0, routes: 0, left_behind: 0, ahead: 0, alone: 0 })
  }

  return { age, ageRoutes, ageInPlace, ids, told, expectOnePlace }
}
