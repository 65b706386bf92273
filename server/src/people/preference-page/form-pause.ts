/** The "Pause" part of the form: one pause for all channels that interrupt people. The API has it per channel. */
import { CHANNELS, type Channel, type ChannelPreference } from '@carillon/contract'
import { instantAt, offsetAt, parseLocalTime } from '../../platform/time/local-time.ts'
import { InvalidForm } from './invalid-form.ts'
import { interrupts, type PreferenceState } from './preference-state.ts'

export const PAUSES = ['none', 'hour', 'tomorrow', 'week', 'until'] as const
export type Pause = (typeof PAUSES)[number]

export interface PauseField {
  chosen: Pause
  /** On the clock of the person's zone, such as 2026-03-01T08:00; '' without a pause. */
  until: string
  /** Which channels are paused until when; the API can pause one longer than another. */
  active: { until: Date; channels: Channel[] }[]
  /** Nothing that interrupts the person comes through. */
  isOnAll: boolean
}

/** When the day begins for people who want to hear nothing until tomorrow. */
export const MORNING = '08:00'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export const PAUSED_CHANNELS = CHANNELS.filter(interrupts)

export function pauseField({ own }: PreferenceState, timezone: string, now: number): PauseField {
  const active: PauseField['active'] = []
  for (const { channel, paused_until: until } of own) {
    if (!interrupts(channel) || until === null || until.getTime() <= now) continue
    const same = active.find(pause => pause.until.getTime() === until.getTime())
    if (same === undefined) active.push({ until, channels: [channel] })
    else same.channels.push(channel)
  }
  active.sort((a, b) => b.until.getTime() - a.until.getTime())
  const [longest] = active
  return {
    chosen: longest === undefined ? 'none' : 'until',
    until: longest === undefined ? '' : onClock(longest.until.getTime(), timezone),
    active,
    isOnAll: longest?.channels.length === PAUSED_CHANNELS.length,
  }
}

/** Sets or ends the pause if it was touched. A new end is a pause, even if nobody chose so in the list above it. */
export function applyPause(
  shown: URLSearchParams,
  form: URLSearchParams,
  timezone: string,
  now: number,
  choiceOn: (channel: Channel) => ChannelPreference,
): void {
  const isSame = (name: string) => (form.get(name) ?? shown.get(name)) === shown.get(name)
  if (isSame('pause') && isSame('pause_until')) return
  const pause = isSame('pause') ? 'until' : form.get('pause')
  const ends = pause === 'none' ? null : endOf(pause, timezone, now, form.get('pause_until') ?? '')
  for (const channel of PAUSED_CHANNELS)
    choiceOn(channel).paused_until = ends === null ? null : new Date(ends).toISOString()
}

function endOf(pause: string | null, timezone: string, now: number, until = ''): number {
  const wall = now + offsetAt(timezone, now)
  const today = Math.floor(wall / DAY) * DAY
  if (pause === 'hour') return now + HOUR
  if (pause === 'tomorrow') return instantAt(timezone, today + DAY + parseLocalTime(MORNING))
  if (pause === 'week') return instantAt(timezone, wall + 7 * DAY)
  const chosen = pause === 'until' ? readMoment(until) : undefined
  if (chosen === undefined) throw new InvalidForm('pause_until')
  const ends = instantAt(timezone, chosen)
  if (ends <= now) throw new InvalidForm('pause_until')
  return ends
}

/** What a field of type datetime-local submits, to which some browsers add seconds. 31 February is refused. */
function readMoment(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(text)) return undefined
  const minute = text.slice(0, 16)
  const at = Date.parse(`${minute}Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(minute) ? at : undefined
}

function onClock(at: number, timezone: string): string {
  return new Date(at + offsetAt(timezone, at)).toISOString().slice(0, 16)
}
