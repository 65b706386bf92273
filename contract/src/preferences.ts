/** Preferences: what people want per channel, category and reason. A tenant's defaults have the same shape. */
import { z } from 'zod'
import { Caps } from './caps.ts'
import { ChangesOf } from './changes.ts'
import { Channel, Name, PageQuery, Timestamp } from './common.ts'
import { LocalTime, QuietHours, QuietWindow, Weekday } from './quiet-hours.ts'
import { TimeZone } from './time-zone.ts'

export const ChannelPreference = z.strictObject({
  enabled: z
    .boolean()
    .nullable()
    .default(null)
    .describe('false = nothing on this channel; null = the default'),
  frequency_cap: z
    .number()
    .int()
    .min(0)
    .max(1_000_000)
    .nullable()
    .default(null)
    .describe('Maximum messages per local day, 0 = none; null = the default'),
  caps: Caps.nullable()
    .default(null)
    .describe('Further caps, per hour, day or week; all of them apply; empty = none, null = the default'),
  quiet_hours: z
    .array(QuietWindow)
    .nullable()
    .default(null)
    .describe('During these, messages wait until they are over; empty = none, null = the default'),
  timezone: TimeZone.nullable()
    .default(null)
    .describe('Time zone of the day and the quiet hours; null = the user’s own'),
  paused_until: Timestamp.nullable()
    .default(null)
    .describe('Until then, messages on this channel wait; null = no pause'),
})
export type ChannelPreference = z.infer<typeof ChannelPreference>

const ChannelPreferenceInput = ChannelPreference.extend({
  quiet_hours: QuietHours.nullable()
    .default(null)
    .describe('One window or several, during which messages wait; empty = none, null = the default'),
})

const Toggles = z.partialRecord(Channel, z.boolean())

/** When a person gets the messages of a category: each on its own, or collected and sent at a local time. */
export const DigestSchedule = z
  .discriminatedUnion('every', [
    z.strictObject({ every: z.literal('message') }),
    z.strictObject({ every: z.literal('hour') }),
    z.strictObject({ every: z.literal('day'), at: LocalTime }),
    z.strictObject({ every: z.literal('week'), on: Weekday, at: LocalTime }),
  ])
  .describe('message = each on its own; if a person chooses this, even where the type makes digests')
export type DigestSchedule = z.infer<typeof DigestSchedule>

/** Read as a whole. For what it does not mention, the defaults apply. */
export const PreferencesInput = z.strictObject({
  channels: z.partialRecord(Channel, ChannelPreferenceInput).default({}),
  categories: z
    .record(Name(50), Toggles)
    .default({})
    .describe('Category of the type → channel → whether it is wanted'),
  reasons: z
    .record(Name(32), Toggles)
    .default({})
    .describe('Reason of the intent, such as mention → channel → whether it is wanted'),
  digests: z
    .record(Name(50), z.partialRecord(Channel, DigestSchedule))
    .default({})
    .describe('Category of the type → channel → when the messages since the last time are sent as one'),
})
export type PreferencesInput = z.input<typeof PreferencesInput>

export const Preferences = PreferencesInput.extend({
  channels: z.partialRecord(Channel, ChannelPreference).default({}),
})
export type Preferences = z.infer<typeof Preferences>

/** Defaults have no time zone, as each user's own applies, and nobody is paused by default. */
const OF_A_PERSON = { timezone: true, paused_until: true } as const

export const DefaultPreferencesInput = PreferencesInput.extend({
  channels: z.partialRecord(Channel, ChannelPreferenceInput.omit(OF_A_PERSON)).default({}),
})
export type DefaultPreferencesInput = z.input<typeof DefaultPreferencesInput>

export const DefaultPreferences = Preferences.extend({
  channels: z.partialRecord(Channel, ChannelPreference.omit(OF_A_PERSON)).default({}),
})
export type DefaultPreferences = z.infer<typeof DefaultPreferences>

const ToggleChanges = z.partialRecord(Channel, z.boolean().nullable()).nullable()

/** Only what is mentioned changes, down to one setting of one channel; null takes a choice back. */
export const PreferencesChanges = z.strictObject({
  channels: z
    .partialRecord(Channel, ChangesOf(ChannelPreferenceInput).nullable())
    .optional()
    .describe('null = the defaults for the whole channel'),
  categories: z.record(Name(50), ToggleChanges).optional(),
  reasons: z.record(Name(32), ToggleChanges).optional(),
  digests: z.record(Name(50), z.partialRecord(Channel, DigestSchedule.nullable()).nullable()).optional(),
})
export type PreferencesChanges = z.infer<typeof PreferencesChanges>

export const DefaultPreferencesChanges = PreferencesChanges.extend({
  channels: z
    .partialRecord(Channel, ChangesOf(ChannelPreferenceInput.omit(OF_A_PERSON)).nullable())
    .optional(),
})
export type DefaultPreferencesChanges = z.infer<typeof DefaultPreferencesChanges>

export const PreferenceLinkInput = z.strictObject({
  expires_in_seconds: z
    .number()
    .int()
    .min(60)
    .max(31_536_000)
    .default(86_400)
    .describe('How long the page can be opened'),
})
export type PreferenceLinkInput = z.input<typeof PreferenceLinkInput>

export const PreferenceLink = z.object({
  url: z.string().describe('The user’s preference page; whoever has this link can change the preferences'),
  expires_at: Timestamp,
})
export type PreferenceLink = z.infer<typeof PreferenceLink>

export const OptOut = z.object({ user_id: z.string(), channel: Channel, updated_at: Timestamp })
export type OptOut = z.infer<typeof OptOut>

export const OptOutQuery = PageQuery.extend({ channel: Channel })
export type OptOutQuery = z.infer<typeof OptOutQuery>
