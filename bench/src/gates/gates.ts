/**
 * Delivery to people who all have preferences, caps and quiet hours, and to people whose caps are just large enough, as
 * ratios to delivery to people with none.
 */
import { COUNT, compareDrains, measureDrains, type Queue } from '../delivery/drains.ts'
import { openRoutes } from '../delivery/routes.ts'
import type { Benchmark } from '../result.ts'
import type { Database, Scratch } from '../scratch.ts'
import { prepareTenant, TYPE, USERS } from '../tenant.ts'

type Choose = (database: Database, tenantId: string) => Promise<void>

/** Used up exactly: when a cap has few sends left, each one is recorded on its route. */
const SMALL_CAP = COUNT / USERS

export const benchmarkGates: Benchmark = async context => {
  const { scratch } = context
  const gated = await openVariant(scratch, 'gated', addPreferences)
  const capped = await openVariant(scratch, 'capped', addSmallCaps)
  const open = await openVariant(scratch, 'open')
  const queues = { gated: gated.queue, capped: capped.queue, open: open.queue }
  const drains = await measureDrains(context, queues)
  for (const { database } of [gated, capped]) await expectCounted(database)
  const name = 'gates'
  return [
    ...compareDrains(drains, ['gated', 'open'], {
      name,
      what: 'delivery with all gates : with none',
      aim: 0.8,
    }),
    ...compareDrains(drains, ['capped', 'open'], {
      name,
      what: 'delivery up to small daily caps : without caps',
    }),
  ]
}

/** All variants sign the links of mails, since every mail has them, whatever its reader has chosen. */
async function openVariant(
  scratch: Scratch,
  variant: string,
  choose?: Choose,
): Promise<{ database: Database; queue: Queue }> {
  const database = await scratch.createDatabase(`gates_${variant}`)
  const tenant = await prepareTenant(database)
  await choose?.(database, tenant.id)
  const routes = await openRoutes(database, tenant, { publicUrl: 'https://carillon.example.com' })
  const fill = async (count: number) => {
    await database.pool.query('truncate daily_sends')
    await routes.fill(count)
  }
  return { database, queue: { ...routes, fill } }
}

async function addSmallCaps({ pool }: Database, tenantId: string): Promise<void> {
  await pool.query(
    `insert into notification_preferences (tenant_id, user_id, channel, frequency_cap)
     select tenant_id, id, 'email', $2 from users where tenant_id = $1`,
    [tenantId, SMALL_CAP],
  )
  await pool.query('vacuum (analyze) notification_preferences')
}

/**
 * Everybody has every preference, in time zones all over the world, and every message passes: a message that is held
 * back costs less than one that is sent. Quiet hours start three hours ahead on each person's own clock.
 */
async function addPreferences({ pool }: Database, tenantId: string): Promise<void> {
  const toggles = JSON.stringify({ orders: true, news: false, mentions: true })
  await pool.query(`update notification_types set category = 'orders' where tenant_id = $1 and name = $2`, [
    tenantId,
    TYPE,
  ])
  await pool.query(
    `insert into default_preferences (tenant_id, channel, enabled, frequency_cap, categories, reasons)
     values ($1, 'email', true, 1000, $2, $2)`,
    [tenantId, toggles],
  )
  await pool.query(
    `insert into notification_preferences (tenant_id, user_id, channel, enabled, frequency_cap, quiet_hours_start,
       quiet_hours_end, timezone, categories, reasons)
     select u.tenant_id, u.id, 'email', true, 1000, ((now() at time zone z.name) + interval '3 hours')::time,
       ((now() at time zone z.name) + interval '4 hours')::time, z.name, $2, $2
     from (select *, row_number() over (order by id) as n from users where tenant_id = $1) u
     join unnest(array['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Africa/Cairo',
       'America/Santiago', 'Asia/Tokyo', 'UTC']) with ordinality as z (name, place) on z.place = u.n % 8 + 1`,
    [tenantId, toggles],
  )
  await pool.query('vacuum (analyze) notification_preferences')
}

/** If the caps were not checked, the benchmark would measure nothing. */
async function expectCounted({ pool }: Database): Promise<void> {
  const { rows } = await pool.query<{ used: number; sent: number }>(
    `select (select sum(used) from daily_sends)::integer as used,
       (select count(*) from routes where status = 'sent')::integer as sent`,
  )
  const { used, sent } = rows[0]!
  if (used !== sent) throw new Error(`The caps counted ${used} of ${sent} messages.`)
}
