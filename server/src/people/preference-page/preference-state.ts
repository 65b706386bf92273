/** The stored preferences that the page's form shows: a person's choices on top of the tenant's defaults. Pure. */
import type { Channel } from '@carillon/contract'
import type { CatalogCategory } from '../categories/categories.ts'
import { type Choice, type ChoiceLayers, UNDECIDED } from '../preferences/choices.ts'
import type { ChoiceRow } from '../preferences/preferences.ts'

export interface PreferenceState {
  own: ChoiceRow[]
  defaults: ChoiceRow[]
  categories: CatalogCategory[]
  /** What the catalog sends on. */
  channels: Channel[]
  timezone: string
}

/** They wait silently until somebody looks. Quiet hours and digests are for channels that interrupt people. */
const SILENT_CHANNELS: Channel[] = ['in_app', 'webhook']

export const interrupts = (channel: Channel): boolean => !SILENT_CHANNELS.includes(channel)

export function choicesOf({ own, defaults }: PreferenceState, channel: Channel, category = ''): ChoiceLayers {
  const of = (rows: ChoiceRow[]) =>
    choiceOf(
      rows.find(row => row.channel === channel),
      category,
    )
  return { own: of(own), defaults: of(defaults) }
}

function choiceOf(row: ChoiceRow | undefined, category: string): Choice {
  const named = <T>(names: Record<string, T> | undefined): T | null =>
    names !== undefined && Object.hasOwn(names, category) ? names[category]! : null
  return {
    ...UNDECIDED,
    ...row,
    category: named(row?.categories),
    digest: named(row?.digests),
    reason: null,
  }
}
