/** Schedules: what is sent repeatedly, and when. */
import type { Audience, NewSchedule, Schedule, ScheduleChanges } from '@carillon/contract'
import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import { normalAddresses } from '../../people/addresses/addresses.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import type { Client, Executor } from '../../platform/database/pool.ts'
import { memberText } from '../../platform/text/json-spans.ts'
import { refuseDeepPayload } from '../intents/depth.ts'
import { type CheckedIntent, checkIntent, foreignProducer } from '../intents/intent.ts'
import { checkCron, nextRun } from './next-runs.ts'
import {
  insertSchedule,
  type ScheduleRow,
  type ScheduleSettings,
  selectNow,
  selectSchedule,
  updateSchedule,
} from './queries.ts'

/** `intentText` is the intent's JSON text, as received. */
export async function createSchedule(
  tx: Client,
  owner: { tenant_id: string; producer: string },
  input: z.output<typeof NewSchedule>,
  intentText: string,
): Promise<Schedule> {
  const { name, cron, timezone, is_active } = input
  await checkScheduled(tx, owner, input.intent.audience, intentText)
  const now = await selectNow(tx)
  checkCron(cron, timezone, now)
  const settings = { ...owner, id: uuidv7(), name, cron, timezone, intent: intentText, is_active }
  return toSchedule(await insertSchedule(tx, withNextRun(settings, now)))
}

/** A changed schedule continues from now: runs that it missed while it was switched off are not made up for. */
export async function changeSchedule(
  tx: Client,
  tenantId: string,
  id: string,
  changes: z.output<typeof ScheduleChanges>,
  intentText: string | undefined,
  allowsProducer: (producer: string) => boolean,
): Promise<Schedule> {
  const row = await selectSchedule(tx, tenantId, id, 'for update')
  if (row === undefined) throw notFound(`schedule ${id}`)
  if (changes.intent !== undefined) {
    const producer = changes.intent.producer ?? row.producer
    if (!allowsProducer(producer)) throw foreignProducer('intent.producer', producer)
    await checkScheduled(tx, row, changes.intent.audience, intentText!)
  }
  const now = await selectNow(tx)
  const changed = {
    ...row,
    name: changes.name ?? row.name,
    cron: changes.cron ?? row.cron,
    timezone: changes.timezone ?? row.timezone,
    is_active: changes.is_active ?? row.is_active,
    intent: intentText ?? row.intent,
  }
  checkCron(changed.cron, changed.timezone, now)
  const hasNewTimes =
    changed.cron !== row.cron || changed.timezone !== row.timezone || changed.is_active !== row.is_active
  return toSchedule(await updateSchedule(tx, hasNewTimes ? withNextRun(changed, now) : changed))
}

export async function getSchedule(db: Executor, tenantId: string, id: string): Promise<Schedule> {
  const row = await selectSchedule(db, tenantId, id)
  if (row === undefined) throw notFound(`schedule ${id}`)
  return toSchedule(row)
}

export function toSchedule(row: ScheduleRow): Schedule {
  const { tenant_id: _, ...shown } = row
  return {
    ...shown,
    intent: JSON.parse(row.intent),
    next_run_at: row.next_run_at?.toISOString() ?? null,
    last_run_at: row.last_run_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** The intent of one run. */
export function intentOfRun(
  { tenant_id, producer }: { tenant_id: string; producer: string },
  text: string,
  idempotencyKey?: string,
): CheckedIntent {
  return checkIntent(
    { value: JSON.parse(text), text, payloadText: memberText(text, 'payload') },
    { tenant_id, source: 'schedule', defaultProducer: producer, idempotencyKey },
  )
}

/** Now and not at the first run, when nobody is there to read the refusal. */
async function checkScheduled(
  db: Executor,
  owner: { tenant_id: string; producer: string },
  audience: Audience,
  text: string,
): Promise<void> {
  try {
    await refuseDeepPayload(db, intentOfRun(owner, text))
  } catch (error) {
    throw error instanceof Refusal ? aboutMember('intent', error) : error
  }
  if (audience.kind !== 'addresses') return
  const field = (index: number) => `intent.audience.addresses.${index}`
  await normalAddresses(db, audience.channel, audience.addresses, field)
}

function withNextRun(settings: Omit<ScheduleSettings, 'next_run_at'>, now: Date): ScheduleSettings {
  const next = settings.is_active ? nextRun(settings.cron, settings.timezone, now) : undefined
  return { ...settings, next_run_at: next ?? null }
}

/** The refusal of a member, told about the whole body. */
function aboutMember(name: string, { code, message, errors }: Refusal): Refusal {
  return new Refusal(
    code,
    `${name}.${message}`,
    errors?.map(error => ({ ...error, field: `${name}.${error.field}` })),
  )
}
