/** A person's choices over a tenant's defaults. Pure: every question says what holds and who decided it. */
import type { DigestSchedule } from '@carillon/contract'
import { parseLocalTime, type QuietRange } from '../../platform/time/local-time.ts'

/** What somebody chose for one message: its channel, its category there, its reason there. null leaves it open. */
export interface Choice {
  enabled: boolean | null
  frequency_cap: number | null
  quiet_hours_start: string | null
  quiet_hours_end: string | null
  timezone: string | null
  category: boolean | null
  reason: boolean | null
  /** Of its category: when what came in the meantime is wanted as one. */
  digest: DigestSchedule | null
}

export const UNDECIDED: Choice = {
  enabled: null,
  frequency_cap: null,
  quiet_hours_start: null,
  quiet_hours_end: null,
  timezone: null,
  category: null,
  reason: null,
  digest: null,
}

/** Both layers; most people have chosen nothing. */
export interface Choices {
  own: Choice
  defaults: Choice
}

export interface Decided<T> {
  value: T
  by: 'person' | 'default'
}

/** For the end of a sentence that says what holds. */
export function byDefault({ by }: Decided<unknown>): string {
  return by === 'person' ? '' : ' by default'
}

/** The person's word, else the tenant's, else undefined. */
function decide<T>({ own, defaults }: Choices, read: (choice: Choice) => T | null): Decided<T> | undefined {
  const chosen = read(own)
  if (chosen !== null) return { value: chosen, by: 'person' }
  const given = read(defaults)
  return given === null ? undefined : { value: given, by: 'default' }
}

export const channelWanted = (choices: Choices) => decide(choices, choice => choice.enabled)

export const categoryWanted = (choices: Choices) => decide(choices, choice => choice.category)

export const reasonWanted = (choices: Choices) => decide(choices, choice => choice.reason)

export const digestSchedule = (choices: Choices) => decide(choices, choice => choice.digest)

export const dailyCap = (choices: Choices) => decide(choices, choice => choice.frequency_cap)

/** The person asked for each message on its own, whatever the type would gather. */
export const wantsEach = ({ own }: Choices): boolean => own.digest?.every === 'message'

interface Zoned {
  own: Pick<Choice, 'timezone'>
  user_timezone: string | null
}

/** Whose clock holds: the one chosen for the channel, else the user's own. */
export function zoneOf({ own, user_timezone }: Zoned): string {
  return own.timezone ?? user_timezone ?? 'UTC'
}

/** Start = end is a choice too: none, whatever the default. */
export const quietHours = (choices: Choices) =>
  decide(choices, (choice): QuietRange | null =>
    choice.quiet_hours_start === null || choice.quiet_hours_end === null
      ? null
      : { start: parseLocalTime(choice.quiet_hours_start), end: parseLocalTime(choice.quiet_hours_end) },
  )
