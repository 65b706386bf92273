/** Delivery to people who all have preferences, caps and quiet hours, as a ratio to delivery to people with none. */
import { type Child, startChild } from '../child.ts'
import type { Drained } from '../delivery/route-process.ts'
import { type Benchmark, compare } from '../result.ts'
import { formatRate, measureRounds } from '../rounds.ts'
import type { Database } from '../scratch.ts'
import { addDueRoutes, prepareTenant, removeRecords, TYPE, tidy } from '../tenant.ts'

const COUNT = 20_000
const WARM_UP = 5_000
const VARIANTS = ['gated', 'open'] as const
type Variant = (typeof VARIANTS)[number]

export const benchmarkGates: Benchmark = async ({ scratch, rounds, isVerbose, tell }) => {
  const start = async (variant: Variant) => {
    const database = await scratch.createDatabase(`gates_${variant}`)
    const { id } = await prepareTenant(database)
    if (variant === 'gated') await addPreferences(database, id)
    // Both sign unsubscribe links: they are on every mail, whatever its reader has chosen.
    const input = { databaseUrl: database.url, publicUrl: 'https://carillon.example.com' }
    return {
      database,
      id,
      child: await startChild(new URL('../delivery/route-process.js', import.meta.url), input),
    }
  }
  const sides: Record<Variant, { database: Database; id: string; child: Child }> = {
    gated: await start('gated'),
    open: await start('open'),
  }
  const perCpuSecond: Record<Variant, number[]> = { gated: [], open: [] }

  const run = async (variant: Variant, count: number): Promise<number> => {
    const { database, id, child } = sides[variant]
    await removeRecords(database.pool)
    await database.pool.query('truncate daily_sends')
    await addDueRoutes(database.pool, id, count)
    await tidy(database.pool)
    await scratch.checkpoint()
    const before = scratch.cpuMs()
    const drained = await child.ask<Drained>(count)
    const databaseMs = scratch.cpuMs()! - before!
    perCpuSecond[variant].push(count / (drained.cpu_seconds + databaseMs / 1000))
    if (isVerbose) tell(`${variant}: ${JSON.stringify(drained)}`)
    return count / drained.seconds
  }

  try {
    tell(
      `warming up, then ${COUNT.toLocaleString('en')} routes with all gates and as many with none per round`,
    )
    for (const variant of VARIANTS) await run(variant, WARM_UP)
    for (const variant of VARIANTS) perCpuSecond[variant].length = 0
    const rates = await measureRounds({
      rounds: rounds + 2,
      variants: VARIANTS,
      measure: variant => run(variant, COUNT),
      tell,
    })
    await expectCounted(sides.gated.database)
    const shared = { name: 'gates', show: formatRate }
    const cpu = { measured: perCpuSecond.gated, anchor: perCpuSecond.open }
    return [
      compare({
        ...shared,
        what: 'delivery with all gates : with none',
        measured: rates.gated,
        anchor: rates.open,
        aim: 0.8,
      }),
      ...(cpu.measured.some(Number.isNaN)
        ? []
        : [compare({ ...shared, what: 'the same, per second of processor time', ...cpu })]),
    ]
  } finally {
    await Promise.all(Object.values(sides).map(({ child }) => child.stop()))
  }
}

/**
 * Everybody has chosen everything, in zones all over the world, and every message passes: a message that is held back
 * costs less than one that is sent. Quiet hours lie three hours ahead of each person's own clock.
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

/** A gate that was not asked would measure nothing. */
async function expectCounted({ pool }: Database): Promise<void> {
  const { rows } = await pool.query<{ used: number }>('select sum(used)::integer as used from daily_sends')
  if (rows[0]?.used !== COUNT) throw new Error(`The caps counted ${rows[0]?.used} of ${COUNT} messages.`)
}
