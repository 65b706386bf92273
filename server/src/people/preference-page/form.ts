/** The preference page's form: what it shows, and what submitting it changes. Pure. */
import { CHANNELS, type Channel, type Preferences, type QuietHours } from '@carillon/contract'
import { type ChoiceLayers, categoryWanted, channelWanted, quietHours } from '../preferences/choices.ts'
import { setOwnProperty, toDocument, toRows } from '../preferences/preferences.ts'
import {
  applyDigests,
  type DigestTime,
  digestTimeOf,
  type FrequencyField,
  frequencyFields,
} from './form-digests.ts'
import { choicesOf, interrupts, type PreferenceState } from './preference-state.ts'

export interface Checkbox {
  /** The form field's name. */
  name: string
  channel: Channel
  isWanted: boolean
}

export interface FormView {
  channels: Checkbox[]
  categories: { category: string; checkboxes: Checkbox[] }[]
  frequencies: FrequencyField[]
  digestTime: DigestTime
  quiet: QuietHours | null
  timezone: string
}

/** What an unknown notification type uses: shown to tenants without a catalog. */
const FALLBACK_CHANNELS: Channel[] = ['in_app', 'email']

/** Shows everything that the catalog or an earlier choice mentions. */
export function viewOf(state: PreferenceState): FormView {
  const channels = shownChannels(state)
  const interrupting = channels.find(
    channel => quietHours(choicesOf(state, channel)) !== undefined && interrupts(channel),
  )
  return {
    channels: channels.map(channel => ({
      name: `channel ${channel}`,
      channel,
      isWanted: channelWanted(choicesOf(state, channel))?.value ?? true,
    })),
    categories: state.categories.map(({ category, channels: offered }) => ({
      category,
      checkboxes: channels
        .filter(channel => offered.includes(channel))
        .map(channel => ({
          name: `category ${channel} ${category}`,
          channel,
          isWanted: categoryWanted(choicesOf(state, channel, category))?.value ?? true,
        })),
    })),
    frequencies: frequencyFields(state),
    digestTime: digestTimeOf(state),
    quiet: interrupting === undefined ? null : shownQuietHours(choicesOf(state, interrupting)),
    timezone: state.own.find(row => row.timezone !== null)?.timezone ?? state.timezone,
  }
}

/** The form as a browser would submit it unchanged. The page carries it along, see applyForm(). */
export function formOf(view: FormView): URLSearchParams {
  const form = new URLSearchParams()
  const checkboxes = [...view.channels, ...view.categories.flatMap(category => category.checkboxes)]
  for (const { name, isWanted } of checkboxes) if (isWanted) form.set(name, 'on')
  for (const { name, every } of view.frequencies) form.set(name, every)
  form.set('digest_at', view.digestTime.at)
  form.set('digest_on', view.digestTime.on)
  form.set('timezone', view.timezone)
  if (view.quiet !== null) {
    form.set('quiet', 'on')
    form.set('quiet_start', view.quiet.start)
    form.set('quiet_end', view.quiet.end)
  }
  return form
}

/**
 * The document after the form was submitted. Only what differs from what the page showed becomes a choice: anything
 * left to the defaults still follows them, and what changed while the page was open (an unsubscribe by mail, a new
 * category) stays as it is now.
 */
export function applyForm(state: PreferenceState, form: URLSearchParams): Preferences {
  const view = viewOf(state)
  const shown = shownBy(form) ?? formOf(view)
  const document = toDocument(state.own)
  const choiceOn = (channel: Channel) =>
    (document.channels[channel] ??= {
      enabled: null,
      frequency_cap: null,
      quiet_hours: null,
      timezone: null,
      paused_until: null,
    })
  for (const { name, channel } of view.channels) {
    if (form.has(name) !== shown.has(name)) choiceOn(channel).enabled = form.has(name)
  }
  for (const { category, checkboxes } of view.categories) {
    for (const { name, channel } of checkboxes) {
      if (form.has(name) === shown.has(name)) continue
      setOwnProperty(document.categories, category, {
        ...document.categories[category],
        [channel]: form.has(name),
      })
    }
  }
  applyDigests(state, shown, form, document)
  const quiet = submittedQuietHours(form)
  const [timezone, shownTimezone] = [form.get('timezone'), shown.get('timezone')]
  const interrupting = view.channels.map(({ channel }) => channel).filter(interrupts)
  for (const channel of interrupting) {
    // Start = end means no quiet hours, which overrides a default.
    if (!isSame(quiet, submittedQuietHours(shown)))
      choiceOn(channel).quiet_hours = quiet ?? { start: '00:00', end: '00:00' }
    if (timezone !== null && timezone !== shownTimezone) choiceOn(channel).timezone = timezone
  }
  return toDocument(toRows(document))
}

/** Pages of an earlier version do not say what they showed. */
function shownBy(form: URLSearchParams): URLSearchParams | undefined {
  const shown = form.get('shown')
  return shown === null ? undefined : new URLSearchParams(shown)
}

function submittedQuietHours(form: URLSearchParams): QuietHours | null {
  const [start, end] = [form.get('quiet_start') ?? '', form.get('quiet_end') ?? '']
  if (!form.has('quiet') || start === '' || end === '' || start === end) return null
  return { start: start.slice(0, 5), end: end.slice(0, 5) }
}

function shownQuietHours(choices: ChoiceLayers): QuietHours | null {
  const range = quietHours(choices)?.value
  if (range === undefined || range.start === range.end) return null
  const text = (ms: number) => new Date(ms).toISOString().slice(11, 16)
  return { start: text(range.start), end: text(range.end) }
}

function shownChannels({ own, defaults, categories }: PreferenceState): Channel[] {
  const known = new Set<Channel>([
    ...categories.flatMap(({ channels }) => channels),
    ...[...own, ...defaults].map(({ channel }) => channel),
  ])
  return CHANNELS.filter(
    channel => known.has(channel) || (known.size === 0 && FALLBACK_CHANNELS.includes(channel)),
  )
}

const isSame = (a: QuietHours | null, b: QuietHours | null): boolean =>
  a?.start === b?.start && a?.end === b?.end
