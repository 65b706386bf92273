/** Preferences as documents: read and written as a whole, stored as a row per channel. */
import type {
  Channel,
  DefaultPreferences,
  DefaultPreferencesInput,
  DigestSchedule,
  Preferences,
  PreferencesInput,
} from '@carillon/contract'
import type { z } from 'zod'
import { notFound } from '../../platform/calls/refusal.ts'
import { isDatabaseError } from '../../platform/database/errors.ts'
import type { Executor } from '../../platform/database/pool.ts'
import { findUser } from '../users/users.ts'
import { countEarlierSends } from './earlier-sends.ts'
import {
  askGatesAgain,
  type ChoiceRow,
  lockPerson,
  replaceDefaults,
  replacePreferences,
  selectDefaults,
  selectPreferences,
  upsertOptOut,
} from './queries.ts'

import { quietWindows, toStored } from './quiet-windows.ts'
import { refuseLeaving } from './required.ts'

export type { ChoiceRow }

/** As callers send them. */
type ParsedPreferences = z.output<typeof PreferencesInput>
type ParsedDefaults = z.output<typeof DefaultPreferencesInput>

/** The person's choices and the tenant's defaults, as stored. */
export async function loadChoices(
  db: Executor,
  tenantId: string,
  userId: string,
): Promise<{ own: ChoiceRow[]; defaults: ChoiceRow[] }> {
  const [own, defaults] = await Promise.all([
    selectPreferences(db, tenantId, userId),
    selectDefaults(db, tenantId),
  ])
  return { own, defaults }
}

/**
 * Changes of one person's preferences wait for each other until the transaction ends, so that none is lost to another
 * one that read them before.
 */
export async function lockPreferences(tx: Executor, tenantId: string, userId: string): Promise<void> {
  await lockPerson(tx, tenantId, userId)
}

export async function getPreferences(db: Executor, tenantId: string, userId: string): Promise<Preferences> {
  if ((await findUser(db, tenantId, userId)) === undefined) throw notFound(`user "${userId}"`)
  return toDocument(await selectPreferences(db, tenantId, userId))
}

export async function putPreferences(
  db: Executor,
  tenantId: string,
  userId: string,
  document: ParsedPreferences,
): Promise<Preferences> {
  try {
    await lockPreferences(db, tenantId, userId)
    const stored = toDocument(await selectPreferences(db, tenantId, userId))
    await refuseLeaving(db, tenantId, stored.categories, document.categories)
    await replacePreferences(db, tenantId, userId, toRows(document))
    await countEarlierSends(db, tenantId, userId, document.channels)
    await askGatesAgain(db, tenantId, userId)
  } catch (error) {
    if (isDatabaseError(error, 'foreign_key_violation')) throw notFound(`user "${userId}"`)
    throw error
  }
  return getPreferences(db, tenantId, userId)
}

export async function getDefaults(db: Executor, tenantId: string): Promise<DefaultPreferences> {
  return withoutZones(toDocument(await selectDefaults(db, tenantId)))
}

export async function putDefaults(
  db: Executor,
  tenantId: string,
  document: ParsedDefaults,
): Promise<DefaultPreferences> {
  const stored = await getDefaults(db, tenantId)
  await refuseLeaving(db, tenantId, stored.categories, document.categories)
  await replaceDefaults(db, tenantId, toRows(document))
  await askGatesAgain(db, tenantId, null)
  return getDefaults(db, tenantId)
}

/** One-click unsubscribe: from the category on this channel, or from the channel if the mail had no category. */
export async function optOut(
  db: Executor,
  tenantId: string,
  userId: string,
  channel: Channel,
  category: string,
): Promise<void> {
  try {
    await lockPreferences(db, tenantId, userId)
    await upsertOptOut(db, tenantId, userId, channel, category)
  } catch (error) {
    if (isDatabaseError(error, 'foreign_key_violation')) throw notFound(`user "${userId}"`)
    throw error
  }
}

/** Choices per category or reason. */
const CHOSEN_BY_NAME = ['categories', 'reasons', 'digests'] as const
type NamedChoice = boolean | DigestSchedule

/** Every channel that the document mentions anywhere becomes a row. */
export function toRows(document: ParsedPreferences | ParsedDefaults): ChoiceRow[] {
  const rows = new Map<string, ChoiceRow>()
  const rowOf = (channel: string): ChoiceRow => {
    const row = rows.get(channel) ?? emptyRow(channel as Channel)
    rows.set(channel, row)
    return row
  }
  for (const [channel, choice] of Object.entries(document.channels)) {
    Object.assign(rowOf(channel), {
      enabled: choice.enabled,
      frequency_cap: choice.frequency_cap,
      caps: choice.caps,
      ...toStored(choice.quiet_hours),
      timezone: 'timezone' in choice ? choice.timezone : null,
      paused_until: pauseOf(choice),
    })
  }
  for (const kind of CHOSEN_BY_NAME) {
    for (const [name, byChannel] of Object.entries<Partial<Record<Channel, NamedChoice>>>(document[kind])) {
      for (const [channel, chosen] of Object.entries(byChannel))
        setOwnProperty<NamedChoice>(rowOf(channel)[kind], name, chosen)
    }
  }
  return [...rows.values()]
}

function pauseOf(choice: object & { paused_until?: string | null }): Date | null {
  return typeof choice.paused_until === 'string' ? new Date(choice.paused_until) : null
}

export function toDocument(rows: ChoiceRow[]): Preferences {
  const document: Preferences = { channels: {}, categories: {}, reasons: {}, digests: {} }
  for (const row of rows) {
    const { channel, enabled, frequency_cap, caps, timezone } = row
    const quiet_hours = quietWindows(row)
    const paused_until = row.paused_until?.toISOString() ?? null
    const choice = { enabled, frequency_cap, caps, quiet_hours, timezone, paused_until }
    if (Object.values(choice).some(value => value !== null)) document.channels[channel] = choice
    for (const kind of CHOSEN_BY_NAME) {
      const names: Record<string, Partial<Record<Channel, NamedChoice>>> = document[kind]
      for (const [name, chosen] of Object.entries(row[kind])) {
        if (!Object.hasOwn(names, name)) setOwnProperty(names, name, {})
        names[name]![channel] = chosen
      }
    }
  }
  return document
}

function emptyRow(channel: Channel): ChoiceRow {
  return {
    channel,
    enabled: null,
    frequency_cap: null,
    caps: null,
    quiet_hours_start: null,
    quiet_hours_end: null,
    quiet_windows: null,
    timezone: null,
    paused_until: null,
    categories: {},
    reasons: {},
    digests: {},
  }
}

/** Callers choose the names: a plain assignment to "__proto__" would store nothing. */
export function setOwnProperty<T>(target: Record<string, T>, name: string, value: T): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
}

function withoutZones({ channels, ...document }: Preferences): DefaultPreferences {
  const entries = Object.entries(channels).map(([channel, { timezone: _, paused_until: __, ...choice }]) => [
    channel,
    choice,
  ])
  return { ...document, channels: Object.fromEntries(entries) }
}
