/**
 * How often, on the form: a rhythm per category for all of its channels that make a sound, and one time for all of them.
 * The API can say it per channel; people think of a category.
 */
import type { Channel, DigestSchedule, Preferences, Weekday } from '@carillon/contract'
import { digestSchedule } from '../preferences/choices.ts'
import { setOwn } from '../preferences/preferences.ts'
import { choicesOf, type FormSource, isLoud } from './form-source.ts'
import type { CategoryRow } from './queries.ts'

export type Every = DigestSchedule['every']

export interface Rhythm {
  category: string
  /** Name of the field. */
  name: string
  every: Every
  channels: Channel[]
}

/** When daily and weekly digests come. */
export interface Timing {
  at: string
  on: Weekday
}

const USUAL: Timing = { at: '08:00', on: 'monday' }

/** Categories that make no sound have none. */
export function rhythmsOf(source: FormSource): Rhythm[] {
  return source.categories
    .map(({ category, channels }) => ({
      category,
      name: `digest ${category}`,
      every: schedulesOf(source, { category, channels })[0]?.every ?? 'message',
      channels: channels.filter(isLoud),
    }))
    .filter(({ channels }) => channels.length > 0)
}

/** The first that is chosen; the form has one for all. */
export function timingOf(source: FormSource): Timing {
  const chosen = source.categories.flatMap(category => schedulesOf(source, category))
  const daily = chosen.find(schedule => 'at' in schedule)
  const weekly = chosen.find(schedule => 'on' in schedule)
  return { at: daily?.at ?? USUAL.at, on: weekly?.on ?? USUAL.on }
}

/** Writes the rhythms that differ from what the form showed into the document. */
export function applyDigests(source: FormSource, form: URLSearchParams, document: Preferences): void {
  const before = timingOf(source)
  const after = {
    at: form.get('digest_at')?.slice(0, 5) ?? before.at,
    on: form.get('digest_on') ?? before.on,
  }
  for (const { category, name, every, channels } of rhythmsOf(source)) {
    const chosen = scheduleOf(form.get(name) ?? every, after)
    if (JSON.stringify(chosen) === JSON.stringify(scheduleOf(every, before))) continue
    const named = { ...document.digests[category] }
    for (const channel of channels) named[channel] = chosen
    setOwn(document.digests, category, named)
  }
}

/** As the form says it: whether there is such a rhythm is checked with the whole document. */
function scheduleOf(every: string, { at, on }: { at: string; on: string }): DigestSchedule {
  const timing = every === 'week' ? { on, at } : every === 'day' ? { at } : {}
  return { every, ...timing } as DigestSchedule
}

function schedulesOf(source: FormSource, { category, channels }: CategoryRow): DigestSchedule[] {
  return channels.filter(isLoud).flatMap(channel => {
    const chosen = digestSchedule(choicesOf(source, channel, category))
    return chosen === undefined ? [] : [chosen.value]
  })
}
