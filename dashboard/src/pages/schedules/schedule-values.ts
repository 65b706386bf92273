/** A schedule as a form shows it, and back. */
import type { Audience, Channel, NewSchedule, Schedule } from '@carillon/contract'

export interface ScheduleValues {
  name: string
  cron: string
  timezone: string
  type: string
  audience: Audience
  channels: Channel[]
  /** JSON as it is written. */
  payload: string
}

export function valuesOf(schedule: Schedule | undefined): ScheduleValues {
  if (schedule === undefined)
    return {
      name: '',
      cron: '0 8 * * 1-5',
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      type: '',
      audience: { kind: 'tenant' },
      channels: [],
      payload: '{\n  "subject": "Good morning"\n}',
    }
  const { name, cron, timezone, intent } = schedule
  return {
    name,
    cron,
    timezone,
    type: intent.notification_type,
    audience: intent.audience,
    channels: intent.channels ?? [],
    payload: JSON.stringify(intent.payload, null, 2),
  }
}

/** What the form does not show, such as the thread or options of mails, stays as it was. */
export function toSchedule(
  { name, cron, timezone, type, audience, channels }: ScheduleValues,
  payload: Record<string, unknown>,
  before: Schedule | undefined,
): NewSchedule {
  const { channels: _channels, ...kept } = before?.intent ?? {}
  return {
    name,
    cron,
    timezone,
    intent: {
      ...kept,
      notification_type: type,
      audience,
      payload,
      ...(channels.length > 0 && { channels }),
    },
  }
}
