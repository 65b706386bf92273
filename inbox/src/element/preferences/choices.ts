/** What applies to a person: what they chose, else the defaults, else on. And what it will be once a change is stored. */
import type {
  Channel,
  ChannelPreference,
  DigestSchedule,
  PreferencesChanges,
  QuietWindow,
} from '@carillon/sdk/inbox'
import type { Settings } from './source.ts'

/** They wait silently until somebody looks: nobody has to be spared them. */
const SILENT: readonly Channel[] = ['in_app', 'webhook']

export const interrupts = (channel: Channel): boolean => !SILENT.includes(channel)

export function isChannelOn({ preferences, defaults }: Settings, channel: Channel): boolean {
  return preferences.channels[channel]?.enabled ?? defaults.channels[channel]?.enabled ?? true
}

export function isCategoryOn(
  { preferences, defaults }: Settings,
  category: string,
  channel: Channel,
): boolean {
  return preferences.categories[category]?.[channel] ?? defaults.categories[category]?.[channel] ?? true
}

export function quietHoursOf({ preferences, defaults }: Settings, channel: Channel): readonly QuietWindow[] {
  return preferences.channels[channel]?.quiet_hours ?? defaults.channels[channel]?.quiet_hours ?? []
}

/** How often a category interrupts: the API has it per channel, and people think in categories. */
export function digestOf(
  { preferences, defaults }: Settings,
  category: string,
  channels: readonly Channel[],
): DigestSchedule {
  const chosen = channels.map(
    channel => preferences.digests[category]?.[channel] ?? defaults.digests[category]?.[channel],
  )
  return chosen.find(schedule => schedule !== undefined) ?? { every: 'message' }
}

/** The latest end of the pauses of all channels; undefined if there is none at the moment. */
export function pausedUntil({ preferences }: Settings, now: number): Date | undefined {
  const ends = Object.values(preferences.channels).map(each => Date.parse(each?.paused_until ?? ''))
  const latest = Math.max(...ends.filter(end => end > now))
  return Number.isFinite(latest) ? new Date(latest) : undefined
}

export const PAUSES = ['hour', 'tomorrow', 'week'] as const

export function endOfPause(length: (typeof PAUSES)[number], now: Date): Date {
  const end = new Date(now)
  if (length === 'hour') end.setHours(end.getHours() + 1)
  else if (length === 'week') end.setDate(end.getDate() + 7)
  else {
    end.setDate(end.getDate() + 1)
    end.setHours(8, 0, 0, 0)
  }
  return end
}

/** As the server will store them. */
export function withChanges(
  settings: Settings,
  { channels = {}, categories = {}, digests = {} }: PreferencesChanges,
): Settings {
  const { preferences } = settings
  return {
    ...settings,
    preferences: {
      ...preferences,
      channels: merged(
        preferences.channels,
        channels as Partial<Record<Channel, Partial<ChannelPreference>>>,
      ),
      categories: merged(preferences.categories, categories),
      digests: merged(preferences.digests, digests),
    },
  }
}

function merged<T extends object>(
  before: Record<string, T>,
  changes: Record<string, object | null>,
): Record<string, T> {
  const after = Object.entries(changes).map(([name, change]) => [name, { ...before[name], ...change }])
  return { ...before, ...Object.fromEntries(after) }
}
