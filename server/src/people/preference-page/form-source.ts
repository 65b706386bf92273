/** What the form of the preference page is made of, and how it reads a person's choices over the defaults. Pure. */
import type { Channel } from '@carillon/contract'
import { type Choice, type Choices, UNDECIDED } from '../preferences/choices.ts'
import type { ChoiceRow } from '../preferences/preferences.ts'
import type { CategoryRow } from './queries.ts'

export interface FormSource {
  own: ChoiceRow[]
  defaults: ChoiceRow[]
  categories: CategoryRow[]
  timezone: string
}

/** The inbox waits silently: hours and digests are for what makes a sound. */
const SILENT: Channel[] = ['in_app', 'webhook']

export const isLoud = (channel: Channel): boolean => !SILENT.includes(channel)

export function choicesOf({ own, defaults }: FormSource, channel: Channel, category = ''): Choices {
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
