/** The preference page's form: what it shows, and what submitting it changes. Pure. */
import {
  CHANNELS,
  type Channel,
  type ChannelPreference,
  type Preferences,
  TimeZone,
} from '@carillon/contract'
import type { CatalogCategory } from '../categories/categories.ts'
import { categoryWanted, channelWanted } from '../preferences/choices.ts'
import { setOwnProperty, toDocument, toRows } from '../preferences/preferences.ts'
import {
  applyDigests,
  type DigestTime,
  digestTimeOf,
  type FrequencyField,
  frequencyFields,
} from './form-digests.ts'
import { applyPause, type PauseField, pauseField } from './form-pause.ts'
import { addQuietHours, changedQuietHours, type QuietField, quietFields } from './form-quiet.ts'
import { InvalidForm } from './invalid-form.ts'
import { choicesOf, interrupts, type PreferenceState } from './preference-state.ts'

export interface Checkbox {
  /** The form field's name. */
  name: string
  channel: Channel
  isWanted: boolean
}

export interface CategoryField extends Omit<CatalogCategory, 'channels'> {
  checkboxes: Checkbox[]
}

export interface FormView {
  channels: Checkbox[]
  categories: CategoryField[]
  frequencies: FrequencyField[]
  digestTime: DigestTime
  quiet: QuietField[]
  timezone: string
  pause: PauseField
}

/** What an unknown notification type uses: shown to tenants without a catalog. */
const FALLBACK_CHANNELS: Channel[] = ['in_app', 'email']

/** Shows everything that the catalog or an earlier choice mentions. */
export function viewOf(state: PreferenceState, now: number): FormView {
  const channels = shownChannels(state)
  const timezone = state.own.find(row => row.timezone !== null)?.timezone ?? state.timezone
  return {
    channels: channels.map(channel => ({
      name: `channel ${channel}`,
      channel,
      isWanted: channelWanted(choicesOf(state, channel))?.value ?? true,
    })),
    categories: state.categories.map(({ channels: offered, ...row }) => ({
      ...row,
      checkboxes: channels
        .filter(channel => offered.includes(channel))
        .map(channel => ({
          name: `category ${channel} ${row.category}`,
          channel,
          isWanted: row.required || (categoryWanted(choicesOf(state, channel, row.category))?.value ?? true),
        })),
    })),
    frequencies: frequencyFields(state),
    digestTime: digestTimeOf(state),
    quiet: quietFields(state, channels),
    timezone,
    pause: pauseField(state, timezone, now),
  }
}

/** The form as a browser would submit it unchanged. The page carries it along, see applyForm(). */
export function formOf(view: FormView): URLSearchParams {
  const form = new URLSearchParams()
  // Browsers do not submit what is locked.
  const changeable = view.categories.filter(({ required }) => !required)
  const checkboxes = [...view.channels, ...changeable.flatMap(category => category.checkboxes)]
  for (const { name, isWanted } of checkboxes) if (isWanted) form.set(name, 'on')
  for (const { name, every } of view.frequencies) form.set(name, every)
  form.set('digest_at', view.digestTime.at)
  form.set('digest_on', view.digestTime.on)
  form.set('timezone', view.timezone)
  form.set('pause', view.pause.chosen)
  form.set('pause_until', view.pause.until)
  addQuietHours(form, view.quiet)
  return form
}

/**
 * The document after the form was submitted. Only what differs from what the page showed becomes a choice: anything
 * left to the defaults still follows them, and what changed while the page was open (an unsubscribe by mail, a new
 * category) stays as it is now.
 */
export function applyForm(state: PreferenceState, form: URLSearchParams, now: number): Preferences {
  const view = viewOf(state, now)
  const shown = shownBy(form)
  // Not submitted by any page: taken for one, it would switch off all that it does not mention.
  if (shown === undefined) throw new InvalidForm('timezone')
  const document = toDocument(state.own)
  const choiceOn = (channel: Channel): ChannelPreference =>
    (document.channels[channel] ??= {
      enabled: null,
      frequency_cap: null,
      caps: null,
      quiet_hours: null,
      timezone: null,
      paused_until: null,
    })
  for (const { name, channel } of view.channels) {
    if (form.has(name) !== shown.has(name)) choiceOn(channel).enabled = form.has(name)
  }
  for (const { category, required, checkboxes } of view.categories) {
    if (required) continue
    for (const { name, channel } of checkboxes) {
      if (form.has(name) === shown.has(name)) continue
      setOwnProperty(document.categories, category, {
        ...document.categories[category],
        [channel]: form.has(name),
      })
    }
  }
  applyDigests(state, shown, form, document)
  const quiet = changedQuietHours(shown, form)
  const [timezone, shownTimezone] = [form.get('timezone'), shown.get('timezone')]
  const interrupting = view.channels.map(({ channel }) => channel).filter(interrupts)
  for (const channel of interrupting) {
    // No windows means no quiet hours, which overrides a default.
    if (quiet !== undefined) choiceOn(channel).quiet_hours = quiet
    if (timezone !== null && timezone !== shownTimezone) choiceOn(channel).timezone = timezone
  }
  // Of another zone, there is nothing to save: the whole document is going to be refused.
  const zone = TimeZone.safeParse(timezone).data ?? view.timezone
  applyPause(shown, form, zone, now, choiceOn)
  return toDocument(toRows(document))
}

/** What the page showed when it was opened. */
export function shownBy(form: URLSearchParams): URLSearchParams | undefined {
  const shown = form.get('shown')
  return shown === null ? undefined : new URLSearchParams(shown)
}

function shownChannels({ own, defaults, channels }: PreferenceState): Channel[] {
  const known = new Set<Channel>([
    ...channels,
    ...[...own.filter(row => !isOnlyPaused(row)), ...defaults].map(({ channel }) => channel),
  ])
  return CHANNELS.filter(
    channel => known.has(channel) || (known.size === 0 && FALLBACK_CHANNELS.includes(channel)),
  )
}

/** A pause is for all channels that interrupt, also for those that this tenant does not use. */
function isOnlyPaused({ channel, paused_until, ...row }: PreferenceState['own'][number]): boolean {
  return paused_until !== null && Object.values(row).every(value => value === null || isEmpty(value))
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && Object.keys(value ?? {}).length === 0
