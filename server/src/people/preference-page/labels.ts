/** The words of the pages that depend on data: names of categories, channels, days and times. */
import { type Channel, WEEKDAYS, type Weekday } from '@carillon/contract'
import { knownLocale } from '../../content/translations/locale.ts'
import type { PageTexts } from '../../content/translations/page-texts.ts'
import { knownZone } from '../../platform/time/local-time.ts'
import { categoryName } from '../categories/categories.ts'

/** What people read: the tenant's translation, else the name in the category's entry, else the category itself. */
export function categoryLabel({ own }: PageTexts, row: { category: string; name: string }): string {
  return own(`page.category.${row.category}`) ?? categoryName(row)
}

export function categoryDescription(
  { own }: PageTexts,
  { category, description }: { category: string; description: string },
): string {
  return own(`page.category.${category}.description`) ?? description
}

export function channelName({ text }: PageTexts, channel: Channel): string {
  return text(`page.channel.${channel}`)
}

/** From Monday on. */
export function weekdaysOf({ locale }: PageTexts): { day: Weekday; name: string; short: string }[] {
  const [long, short] = (['long', 'short'] as const).map(
    weekday => new Intl.DateTimeFormat(knownLocale(locale), { weekday, timeZone: 'UTC' }),
  )
  return [...WEEKDAYS.slice(1), WEEKDAYS[0]].map(day => {
    const at = A_SUNDAY + WEEKDAYS.indexOf(day) * DAY_MS
    return { day, name: long!.format(at), short: short!.format(at) }
  })
}

export function momentIn({ locale }: PageTexts, at: Date, timezone: string): string {
  return new Intl.DateTimeFormat(knownLocale(locale), {
    dateStyle: 'full',
    timeStyle: 'short',
    timeZone: knownZone(timezone),
  }).format(at)
}

/** 08:00 as people there write it. */
export function clockTime({ locale }: PageTexts, time: string): string {
  const format = new Intl.DateTimeFormat(knownLocale(locale), {
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  return format.format(Date.parse(`1970-01-01T${time}:00Z`))
}

export function listOf({ locale }: PageTexts, names: string[]): string {
  return new Intl.ListFormat(knownLocale(locale), { type: 'conjunction' }).format(names)
}

const A_SUNDAY = Date.UTC(2026, 0, 4)
const DAY_MS = 24 * 60 * 60 * 1000
