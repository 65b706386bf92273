/** A cap set at noon applies from midnight, so what was sent earlier that day, uncounted, is counted now. */
import type { Channel, Preferences } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'
import { instantAt, localDay } from '../../platform/time/local-time.ts'
import { findUser } from '../users/users.ts'

interface LocalDay {
  channel: Channel
  day: string
  midnight: Date
}

export async function countEarlierSends(
  db: Executor,
  tenantId: string,
  userId: string,
  channels: Preferences['channels'],
): Promise<void> {
  const person = await findUser(db, tenantId, userId)
  const days = Object.entries(channels).flatMap(([channel, { frequency_cap, timezone }]): LocalDay[] => {
    if (frequency_cap === null || person === undefined) return []
    const zone = timezone ?? person.timezone
    const day = localDay(zone, Date.now())
    return [{ channel: channel as Channel, day, midnight: new Date(instantAt(zone, Date.parse(day))) }]
  })
  if (days.length > 0) await upsertEarlierSends(db, tenantId, userId, days)
}

/** Critical messages do not count. A day that already has a count never gets a lower one. */
export async function upsertEarlierSends(
  db: Executor,
  tenantId: string,
  userId: string,
  days: LocalDay[],
): Promise<void> {
  await db.query(
    `insert into daily_sends as s (tenant_id, user_id, channel, day, used, cap, granted)
     select $1, $2, d.channel, d.day, count(*), 0, 0
     from unnest($3::text[], $4::date[], $5::timestamptz[]) as d (channel, day, midnight)
     join routes r on r.tenant_id = $1 and r.user_id = $2 and r.channel = d.channel and r.sent_at >= d.midnight
     join records rec on rec.tenant_id = r.tenant_id and rec.notification_id = r.notification_id
     left join notification_types y on y.tenant_id = rec.tenant_id and y.name = rec.notification_type
     where y.critical is not true
     group by d.channel, d.day order by d.channel
     on conflict (tenant_id, user_id, channel, day) do update set used = greatest(s.used, excluded.used)`,
    [
      tenantId,
      userId,
      days.map(({ channel }) => channel),
      days.map(({ day }) => day),
      days.map(({ midnight }) => midnight),
    ],
  )
}
