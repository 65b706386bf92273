/** A person's choices over a tenant's defaults. Pure: every question says what holds and who decided it. */
import { parseLocalTime, type QuietRange } from './local-time.ts'

/** What somebody chose for one channel, as stored; null and absent names leave it open. */
export interface ChannelChoice {
  enabled: boolean | null
  frequency_cap: number | null
  quiet_hours_start: string | null
  quiet_hours_end: string | null
  timezone: string | null
  categories: Record<string, boolean>
  reasons: Record<string, boolean>
}

/** Both layers for one person and channel; most people have neither. */
export interface Choices {
  own: ChannelChoice | null
  defaults: ChannelChoice | null
}

export interface Decided<T> {
  value: T
  by: 'person' | 'default'
}

/** The person's word, else the tenant's, else undefined. */
function decide<T>(
  { own, defaults }: Choices,
  read: (choice: ChannelChoice) => T | null | undefined,
): Decided<T> | undefined {
  const chosen = own === null ? undefined : read(own)
  if (chosen !== undefined && chosen !== null) return { value: chosen, by: 'person' }
  const given = defaults === null ? undefined : read(defaults)
  return given === undefined || given === null ? undefined : { value: given, by: 'default' }
}

export const channelWanted = (choices: Choices) => decide(choices, choice => choice.enabled)

export const categoryWanted = (choices: Choices, category: string) =>
  decide(choices, choice => ownValue(choice.categories, category))

export const reasonWanted = (choices: Choices, reason: string) =>
  decide(choices, choice => ownValue(choice.reasons, reason))

export const dailyCap = (choices: Choices) => decide(choices, choice => choice.frequency_cap)

/** Start = end is a choice too: none, whatever the default. */
export const quietHours = (choices: Choices) =>
  decide(choices, (choice): QuietRange | null =>
    choice.quiet_hours_start === null || choice.quiet_hours_end === null
      ? null
      : { start: parseLocalTime(choice.quiet_hours_start), end: parseLocalTime(choice.quiet_hours_end) },
  )

/** Names come from producers: "constructor" is a name like any other. */
function ownValue(toggles: Record<string, boolean>, name: string): boolean | undefined {
  return Object.hasOwn(toggles, name) ? toggles[name] : undefined
}
