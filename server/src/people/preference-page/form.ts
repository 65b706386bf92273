/** The preference page's form: what it shows, and what sending it changes. Pure. */
import { CHANNELS, type Channel, type Preferences, type QuietHours } from '@carillon/contract'
import { type Choices, categoryWanted, channelWanted, quietHours } from '../preferences/choices.ts'
import { setOwn, toDocument, toRows } from '../preferences/preferences.ts'
import { applyDigests, type Rhythm, rhythmsOf, type Timing, timingOf } from './form-digests.ts'
import { choicesOf, type FormSource, isLoud } from './form-source.ts'

export interface Cell {
  /** Name of the field. */
  name: string
  channel: Channel
  isWanted: boolean
}

export interface FormView {
  channels: Cell[]
  categories: { category: string; cells: Cell[] }[]
  rhythms: Rhythm[]
  timing: Timing
  quiet: QuietHours | null
  timezone: string
}

const UNKNOWN: Channel[] = ['in_app', 'email']

/** Everything the catalog or an earlier choice mentions. */
export function viewOf(source: FormSource): FormView {
  const channels = shownChannels(source)
  const loud = channels.find(
    channel => quietHours(choicesOf(source, channel)) !== undefined && isLoud(channel),
  )
  return {
    channels: channels.map(channel => ({
      name: `channel ${channel}`,
      channel,
      isWanted: channelWanted(choicesOf(source, channel))?.value ?? true,
    })),
    categories: source.categories.map(({ category, channels: offered }) => ({
      category,
      cells: channels
        .filter(channel => offered.includes(channel))
        .map(channel => ({
          name: `category ${channel} ${category}`,
          channel,
          isWanted: categoryWanted(choicesOf(source, channel, category))?.value ?? true,
        })),
    })),
    rhythms: rhythmsOf(source),
    timing: timingOf(source),
    quiet: loud === undefined ? null : quietOf(choicesOf(source, loud)),
    timezone: source.own.find(row => row.timezone !== null)?.timezone ?? source.timezone,
  }
}

/**
 * The document after the form was sent. Only what differs from what the page showed becomes a choice, so what was left
 * to the defaults stays with them, and what the page does not show stays as it is.
 */
export function applyForm(source: FormSource, form: URLSearchParams): Preferences {
  const view = viewOf(source)
  const document = toDocument(source.own)
  const channelOf = (channel: Channel) =>
    (document.channels[channel] ??= { enabled: null, frequency_cap: null, quiet_hours: null, timezone: null })
  for (const { name, channel, isWanted } of view.channels) {
    if (form.has(name) !== isWanted) channelOf(channel).enabled = form.has(name)
  }
  for (const { category, cells } of view.categories) {
    for (const { name, channel, isWanted } of cells) {
      if (form.has(name) === isWanted) continue
      setOwn(document.categories, category, { ...document.categories[category], [channel]: form.has(name) })
    }
  }
  applyDigests(source, form, document)
  const quiet = quietIn(form)
  const timezone = form.get('timezone') ?? view.timezone
  const loud = view.channels.map(({ channel }) => channel).filter(isLoud)
  for (const channel of loud) {
    // Start = end is how one says none over a default that has some.
    if (!isSame(quiet, view.quiet)) channelOf(channel).quiet_hours = quiet ?? { start: '00:00', end: '00:00' }
    if (timezone !== view.timezone) channelOf(channel).timezone = timezone
  }
  return toDocument(toRows(document))
}

function quietIn(form: URLSearchParams): QuietHours | null {
  const [start, end] = [form.get('quiet_start') ?? '', form.get('quiet_end') ?? '']
  if (!form.has('quiet') || start === '' || end === '' || start === end) return null
  return { start: start.slice(0, 5), end: end.slice(0, 5) }
}

function quietOf(choices: Choices): QuietHours | null {
  const range = quietHours(choices)?.value
  if (range === undefined || range.start === range.end) return null
  const text = (ms: number) => new Date(ms).toISOString().slice(11, 16)
  return { start: text(range.start), end: text(range.end) }
}

function shownChannels({ own, defaults, categories }: FormSource): Channel[] {
  const known = new Set<Channel>([
    ...categories.flatMap(({ channels }) => channels),
    ...[...own, ...defaults].map(({ channel }) => channel),
  ])
  // What an unknown type uses, for tenants without a catalog.
  return CHANNELS.filter(channel => known.has(channel) || (known.size === 0 && UNKNOWN.includes(channel)))
}

const isSame = (a: QuietHours | null, b: QuietHours | null): boolean =>
  a?.start === b?.start && a?.end === b?.end
