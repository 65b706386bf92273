/** Quiet hours and caps as one would say them, and what holds where a person has not chosen. */
import type {
  Category,
  Channel,
  ChannelPreference,
  DefaultPreferences,
  Preferences,
  QuietWindow,
} from '@carillon/contract'

export type Part = 'categories' | 'reasons'

export interface Wish {
  /** What holds. */
  isOn: boolean
  /** Whether the person said so, and not the defaults. */
  isOwn: boolean
  /** What holds without the person's choice. */
  isOnByDefault: boolean
}

const wishOf = (own: boolean | null | undefined, byDefault: boolean | null | undefined): Wish => {
  const isOnByDefault = byDefault ?? true
  return { isOn: own ?? isOnByDefault, isOwn: own !== null && own !== undefined, isOnByDefault }
}

export const channelWish = (theirs: Preferences, defaults: DefaultPreferences, channel: Channel): Wish =>
  wishOf(theirs.channels[channel]?.enabled, defaults.channels[channel]?.enabled)

export const partWish = (
  theirs: Preferences,
  defaults: DefaultPreferences,
  part: Part,
  name: string,
  channel: Channel,
): Wish => wishOf(theirs[part][name]?.[channel], defaults[part][name]?.[channel])

export interface CategoryRow {
  category: string
  name: string
  isRequired: boolean
}

/** Those with a name of their own in their order, then those that are only used somewhere. */
export function categoryRows(known: Category[], used: string[]): CategoryRow[] {
  const named = known
    .toSorted((a, b) => a.position - b.position || a.category.localeCompare(b.category))
    .map(({ category, name, required }) => ({
      category,
      name: name || sayName(category),
      isRequired: required,
    }))
  const others = [...new Set(used)].filter(each => each && !known.some(({ category }) => category === each))
  return [
    ...named,
    ...others.sort().map(category => ({ category, name: sayName(category), isRequired: false })),
  ]
}

export function sayName(name: string): string {
  const text = name.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const SHORT = {
  monday: 'Mon',
  tuesday: 'Tue',
  wednesday: 'Wed',
  thursday: 'Thu',
  friday: 'Fri',
  saturday: 'Sat',
  sunday: 'Sun',
}
export const WEEK = Object.keys(SHORT) as (keyof typeof SHORT)[]
export const shortDay = (day: keyof typeof SHORT): string => SHORT[day]

/** Monday to Friday is a range, other days a list. */
export function sayWindow({ start, end, days }: QuietWindow): string {
  const hours = `${start}–${end}`
  if (days === undefined || days.length === WEEK.length) return hours
  const places = days.map(day => WEEK.indexOf(day)).sort((a, b) => a - b)
  const isRange = places.length > 2 && places.at(-1)! - places[0]! === places.length - 1
  const names = places.map(place => SHORT[WEEK[place]!])
  return `${hours} ${isRange ? `${names[0]}–${names.at(-1)}` : names.join(', ')}`
}

export function sayQuietHours(windows: QuietWindow[] | null | undefined): string | undefined {
  if (!windows) return undefined
  return windows.length === 0 ? 'never' : windows.map(sayWindow).join('; ')
}

export function sayDaily(cap: number | null | undefined): string | undefined {
  if (cap === null || cap === undefined) return undefined
  return cap === 0 ? 'none at all' : `${cap} a day`
}

const PERIODS = { hour: 'an hour', day: 'a day', week: 'a week' } as const

export function sayCaps(caps: ChannelPreference['caps'] | undefined): string | undefined {
  if (!caps) return undefined
  if (caps.length === 0) return 'none'
  return caps
    .map(({ per, max, category, over }) =>
      [`${max} ${PERIODS[per]}`, category && ` of ${category}`, over === 'digest' && ', the rest collected']
        .filter(Boolean)
        .join(''),
    )
    .join('; ')
}
