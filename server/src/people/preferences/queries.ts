/** The SQL of preferences: a row per channel, written as a whole document. */
import type { Channel, DigestSchedule } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'
import type { Choice } from './choices.ts'

/** The choices for one channel of a document. */
export interface ChoiceRow extends Omit<Choice, 'category' | 'reason' | 'digest'> {
  channel: Channel
  /** name → wanted */
  categories: Record<string, boolean>
  reasons: Record<string, boolean>
  /** category → when */
  digests: Record<string, DigestSchedule>
}

const CHOICE = `channel, enabled, frequency_cap, caps, quiet_hours_start::text as quiet_hours_start,
  quiet_hours_end::text as quiet_hours_end, quiet_windows, categories, reasons, digests`

export async function selectPreferences(
  db: Executor,
  tenantId: string,
  userId: string,
): Promise<ChoiceRow[]> {
  const { rows } = await db.query<ChoiceRow>(
    `select ${CHOICE}, timezone, paused_until from notification_preferences where tenant_id = $1 and user_id = $2 order by channel`,
    [tenantId, userId],
  )
  return rows
}

export async function selectDefaults(db: Executor, tenantId: string): Promise<ChoiceRow[]> {
  const { rows } = await db.query<ChoiceRow>(
    `select ${CHOICE}, null as timezone, null as paused_until from default_preferences where tenant_id = $1 order by channel`,
    [tenantId],
  )
  return rows
}

const INPUT = `jsonb_to_recordset($2::jsonb) as i (channel text, enabled boolean, frequency_cap integer, caps jsonb,
  quiet_hours_start time, quiet_hours_end time, quiet_windows jsonb, timezone text, paused_until timestamptz, categories jsonb, reasons jsonb,
  digests jsonb)`

const SET_CHOICE = `enabled = excluded.enabled, frequency_cap = excluded.frequency_cap, caps = excluded.caps,
  quiet_hours_start = excluded.quiet_hours_start, quiet_hours_end = excluded.quiet_hours_end,
  quiet_windows = excluded.quiet_windows,
  categories = excluded.categories, reasons = excluded.reasons, digests = excluded.digests, updated_at = now()`

/** Upserts, so that of two concurrent writers neither fails: the last one wins. */
export async function replacePreferences(
  db: Executor,
  tenantId: string,
  userId: string,
  rows: ChoiceRow[],
): Promise<void> {
  await db.query(
    `with removed as (
       delete from notification_preferences where tenant_id = $1 and user_id = $3
         and channel not in (select channel from ${INPUT})
     )
     insert into notification_preferences (tenant_id, user_id, channel, enabled, frequency_cap, caps, quiet_hours_start,
       quiet_hours_end, quiet_windows, timezone, paused_until, categories, reasons, digests)
     select $1, $3, channel, enabled, frequency_cap, caps, quiet_hours_start, quiet_hours_end, quiet_windows, timezone, paused_until,
       categories, reasons, digests
     from ${INPUT} order by channel
     on conflict (tenant_id, user_id, channel) do update set ${SET_CHOICE}, timezone = excluded.timezone,
       paused_until = excluded.paused_until`,
    [tenantId, JSON.stringify(rows), userId],
  )
}

export async function replaceDefaults(db: Executor, tenantId: string, rows: ChoiceRow[]): Promise<void> {
  await db.query(
    `with removed as (
       delete from default_preferences where tenant_id = $1 and channel not in (select channel from ${INPUT})
     )
     insert into default_preferences (tenant_id, channel, enabled, frequency_cap, caps, quiet_hours_start, quiet_hours_end,
       quiet_windows, categories, reasons, digests)
     select $1, channel, enabled, frequency_cap, caps, quiet_hours_start, quiet_hours_end, quiet_windows, categories, reasons, digests
     from ${INPUT} order by channel
     on conflict (tenant_id, channel) do update set ${SET_CHOICE}`,
    [tenantId, JSON.stringify(rows)],
  )
}

/** Waits for other changes of the person's preferences, not for messages that are being planned. */
export async function lockPerson(db: Executor, tenantId: string, userId: string): Promise<void> {
  await db.query('select from users where tenant_id = $1 and id = $2 for no key update', [tenantId, userId])
}

/** For what waits for quiet hours or a digest, which may be over now; null: of everybody, after a change of defaults. */
export async function askGatesAgain(db: Executor, tenantId: string, userId: string | null): Promise<void> {
  await db.query('select ask_gates_again($1, $2)', [tenantId, userId])
}

/** Switches off one category of a channel, or without a category the channel itself; leaves the rest as it is. */
export async function upsertOptOut(
  db: Executor,
  tenantId: string,
  userId: string,
  channel: Channel,
  category: string,
): Promise<void> {
  await db.query(
    `insert into notification_preferences as p (tenant_id, user_id, channel, enabled, categories)
     values ($1, $2, $3, case when $4 = '' then false end,
       case when $4 = '' then '{}' else jsonb_build_object($4::text, false) end)
     on conflict (tenant_id, user_id, channel) do update set
       enabled = coalesce(excluded.enabled, p.enabled), categories = p.categories || excluded.categories,
       updated_at = now()`,
    [tenantId, userId, channel, category],
  )
}

export interface OptOutRow {
  user_id: string
  channel: Channel
  updated_at: Date
}

export async function selectOptOuts(
  db: Executor,
  tenantId: string,
  channel: Channel,
  afterUser: string,
  limit: number,
): Promise<OptOutRow[]> {
  const { rows } = await db.query<OptOutRow>(
    `select user_id, channel, updated_at from notification_preferences
     where tenant_id = $1 and channel = $2 and not enabled and user_id > $3 order by user_id limit $4`,
    [tenantId, channel, afterUser, limit],
  )
  return rows
}
