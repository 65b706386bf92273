/**
 * The "How often" part of the form: a frequency per category for all channels that interrupt people, and one digest
 * time for all of them. The API has it per channel; people think in categories.
 */
import type { Channel, DigestSchedule, Preferences, Weekday } from '@carillon/contract'
import { digestSchedule } from '../preferences/choices.ts'
import { setOwnProperty } from '../preferences/preferences.ts'
import { choicesOf, interrupts, type PreferenceState } from './preference-state.ts'

export type Frequency = DigestSchedule['every']

export interface FrequencyField {
  category: string
  /** The form field's name. */
  name: string
  every: Frequency
  channels: Channel[]
}

/** When daily and weekly digests are sent. */
export interface DigestTime {
  at: string
  on: Weekday
}

const DEFAULT_DIGEST_TIME: DigestTime = { at: '08:00', on: 'monday' }

/** Categories whose channels never interrupt anybody have none. */
export function frequencyFields(state: PreferenceState): FrequencyField[] {
  return state.categories
    .map(({ category, channels }) => ({
      category,
      name: `digest ${category}`,
      every: schedulesOf(state, category, channels)[0]?.every ?? 'message',
      channels: channels.filter(interrupts),
    }))
    .filter(({ channels }) => channels.length > 0)
}

/** The first one chosen in any category: the form has one for all. */
export function digestTimeOf(state: PreferenceState): DigestTime {
  const chosen = state.categories.flatMap(({ category, channels }) => schedulesOf(state, category, channels))
  const daily = chosen.find(schedule => 'at' in schedule)
  const weekly = chosen.find(schedule => 'on' in schedule)
  return { at: daily?.at ?? DEFAULT_DIGEST_TIME.at, on: weekly?.on ?? DEFAULT_DIGEST_TIME.on }
}

/** Writes the frequencies that differ from what the page showed into the document. */
export function applyDigests(
  state: PreferenceState,
  shown: URLSearchParams,
  form: URLSearchParams,
  document: Preferences,
): void {
  const before = submittedTime(shown, digestTimeOf(state))
  const after = submittedTime(form, before)
  for (const { category, name, every, channels } of frequencyFields(state)) {
    const everyShown = shown.get(name) ?? every
    const chosen = scheduleOf(form.get(name) ?? everyShown, after)
    if (JSON.stringify(chosen) === JSON.stringify(scheduleOf(everyShown, before))) continue
    const byChannel = { ...document.digests[category] }
    for (const channel of channels) byChannel[channel] = chosen
    setOwnProperty(document.digests, category, byChannel)
  }
}

function submittedTime(
  form: URLSearchParams,
  otherwise: { at: string; on: string },
): { at: string; on: string } {
  return {
    at: form.get('digest_at')?.slice(0, 5) ?? otherwise.at,
    on: form.get('digest_on') ?? otherwise.on,
  }
}

/** Unchecked: whether such a frequency exists is validated with the whole document. */
function scheduleOf(every: string, { at, on }: { at: string; on: string }): DigestSchedule {
  const digestTime = every === 'week' ? { on, at } : every === 'day' ? { at } : {}
  return { every, ...digestTime } as DigestSchedule
}

function schedulesOf(state: PreferenceState, category: string, channels: Channel[]): DigestSchedule[] {
  return channels.filter(interrupts).flatMap(channel => {
    const chosen = digestSchedule(choicesOf(state, channel, category))
    return chosen === undefined ? [] : [chosen.value]
  })
}
