/** A migrated database with a tenant, users and a type, and due work created as the product does it. */
import { createFirstTenant } from '../../server/dist/oversight/tenants/tenants.js'
import { migrateUp } from '../../server/dist/platform/database/migrate.js'
import type { Pool } from '../../server/dist/platform/database/pool.js'
import type { Database } from './scratch.ts'

export interface Tenant {
  id: string
  key: string
}

export const TYPE = 'order_shipped'
export const CHANNELS = ['in_app', 'email', 'push']
export const USERS = 1000

/** About what a shop sends: a title, a sentence, some ids to link with. */
export const PAYLOAD = {
  title: 'Your order is on its way',
  body: 'Order 48151 left our warehouse today and should reach you on Thursday.',
  order_id: 48151,
  tracking: { carrier: 'postal', code: 'RR123456785DE' },
}

export async function prepareTenant({ url, pool }: Database): Promise<Tenant> {
  await migrateUp(url)
  const { key } = (await createFirstTenant(pool))!
  const { rows } = await pool.query<{ id: string }>('select id from tenants')
  const { id } = rows[0]!
  await pool.query(
    `insert into users (tenant_id, id, email)
     select $1, 'user-' || n, 'user-' || n || '@example.com' from generate_series(0, $2 - 1) n`,
    [id, USERS],
  )
  await pool.query('insert into notification_types (tenant_id, name, channels) values ($1, $2, $3)', [
    id,
    TYPE,
    CHANNELS,
  ])
  return { id, key }
}

/**
 * Due email routes, one per record: the hardest mix, because no two routes share anything and all of them compete for
 * the slots of a single channel. Every user gets the same number.
 */
export async function addDueRoutes(pool: Pool, tenantId: string, count: number): Promise<void> {
  const perStatement = 500
  const statements = Array.from({ length: Math.ceil(count / perStatement) }, (_, i) =>
    pool.query(
      `select count(*) from accept_intents((
         select jsonb_agg(jsonb_build_object(
           'ord', n, 'tenant_id', $1::text, 'notification_id', uuid_v7(), 'notification_type', $2::text,
           'producer', 'bench', 'idempotency_key', gen_random_uuid(), 'source', 'bench', 'payload_json', $3::text,
           'audience', jsonb_build_object('kind', 'users', 'user_ids', jsonb_build_array('user-' || ($6::integer + n) % $4::integer)),
           'channels', jsonb_build_array('email')
         )) from generate_series(1, $5::integer) n
       ))`,
      [
        tenantId,
        TYPE,
        JSON.stringify(PAYLOAD),
        USERS,
        Math.min(perStatement, count - i * perStatement),
        i * perStatement,
      ],
    ),
  )
  await Promise.all(statements)
}

export async function removeRecords(pool: Pool): Promise<void> {
  // A trigger deletes routes with their records, but truncate does not call it.
  await pool.query('truncate records, routes, route_attempts cascade')
}

/** Does what autovacuum would have done if it had had the time. */
export async function vacuum(pool: Pool): Promise<void> {
  for (const table of ['users', 'records', 'routes', 'route_attempts'])
    await pool.query(`vacuum (analyze) ${table}`)
}
