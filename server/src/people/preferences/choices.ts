/** A person's choices on top of the tenant's defaults. Pure: every function returns what applies and who decided it. */
import type { Cap, DigestSchedule, QuietWindow } from '@carillon/contract'
import { quietWindows } from './quiet-windows.ts'

/** What a person or tenant chose that matters to one message: for its channel, category and reason. null: no choice. */
export interface Choice {
  enabled: boolean | null
  frequency_cap: number | null
  caps: Cap[] | null
  quiet_hours_start: string | null
  quiet_hours_end: string | null
  /** What start and end cannot say; null where they say everything. */
  quiet_windows: QuietWindow[] | null
  timezone: string | null
  paused_until: Date | null
  category: boolean | null
  reason: boolean | null
  /** For its category: when to send what has been gathered as one message. */
  digest: DigestSchedule | null
}

export const UNDECIDED: Choice = {
  enabled: null,
  frequency_cap: null,
  caps: null,
  quiet_hours_start: null,
  quiet_hours_end: null,
  quiet_windows: null,
  timezone: null,
  paused_until: null,
  category: null,
  reason: null,
  digest: null,
}

/** The person's choice wins over the tenant's default. Most people have chosen nothing. */
export interface ChoiceLayers {
  own: Choice
  defaults: Choice
}

export interface Decided<T> {
  value: T
  by: 'person' | 'default'
}

/** For the end of a sentence about a decision. */
export function byDefault({ by }: Decided<unknown>): string {
  return by === 'person' ? '' : ' by default'
}

/** The person's choice, else the tenant's, else undefined. */
function decide<T>(
  { own, defaults }: ChoiceLayers,
  read: (choice: Choice) => T | null,
): Decided<T> | undefined {
  const chosen = read(own)
  if (chosen !== null) return { value: chosen, by: 'person' }
  const given = read(defaults)
  return given === null ? undefined : { value: given, by: 'default' }
}

export const channelWanted = (choices: ChoiceLayers) => decide(choices, choice => choice.enabled)

export const categoryWanted = (choices: ChoiceLayers) => decide(choices, choice => choice.category)

export const reasonWanted = (choices: ChoiceLayers) => decide(choices, choice => choice.reason)

export const digestSchedule = (choices: ChoiceLayers) => decide(choices, choice => choice.digest)

export const dailyCap = (choices: ChoiceLayers) => decide(choices, choice => choice.frequency_cap)

/** Besides the daily one. */
export const furtherCaps = (choices: ChoiceLayers) => decide(choices, choice => choice.caps)

/** The person wants every message on its own, even if its type asks for digests. */
export const wantsEachMessage = ({ own }: ChoiceLayers): boolean => own.digest?.every === 'message'

interface Zoned {
  own: Pick<Choice, 'timezone'>
  user_timezone: string | null
}

/** The zone chosen for the channel, else the user's own. */
export function zoneOf({ own, user_timezone }: Zoned): string {
  return own.timezone ?? user_timezone ?? 'UTC'
}

/** No windows are a choice too: no quiet hours, whatever the default. */
export const quietHours = (choices: ChoiceLayers) => decide(choices, quietWindows)
