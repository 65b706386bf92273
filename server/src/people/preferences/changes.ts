/** Changes of a part of somebody's preferences, or of the defaults: what they do not mention stays. */
import {
  type DefaultPreferences,
  type DefaultPreferencesChanges,
  DefaultPreferencesInput,
  type Preferences,
  type PreferencesChanges,
  PreferencesInput,
} from '@carillon/contract'
import { parseOrRefuse } from '../../platform/calls/parse-or-refuse.ts'
import type { Client } from '../../platform/database/pool.ts'
import { getDefaults, getPreferences, lockPreferences, putDefaults, putPreferences } from './preferences.ts'

export async function changePreferences(
  tx: Client,
  tenantId: string,
  userId: string,
  changes: PreferencesChanges,
): Promise<Preferences> {
  await lockPreferences(tx, tenantId, userId)
  const changed = merged(await getPreferences(tx, tenantId, userId), changes)
  return putPreferences(tx, tenantId, userId, parseOrRefuse(PreferencesInput, changed))
}

export async function changeDefaults(
  tx: Client,
  tenantId: string,
  changes: DefaultPreferencesChanges,
): Promise<DefaultPreferences> {
  const changed = merged(await getDefaults(tx, tenantId), changes)
  return putDefaults(tx, tenantId, parseOrRefuse(DefaultPreferencesInput, changed))
}

type Named = Record<string, object>
type NamedChanges = Record<string, object | null> | undefined

function merged(document: Preferences | DefaultPreferences, changes: PreferencesChanges): object {
  return {
    // A setting of a channel may be null.
    channels: mergedByName(document.channels, changes.channels),
    categories: mergedByName(document.categories, changes.categories, withoutNulls),
    reasons: mergedByName(document.reasons, changes.reasons, withoutNulls),
    digests: mergedByName(document.digests, changes.digests, withoutNulls),
  }
}

function mergedByName(stored: Named, changes: NamedChanges, tidy = (choices: object) => choices): object {
  const changed = Object.entries(changes ?? {}).map(([name, change]) => [
    name,
    change && tidy({ ...(Object.hasOwn(stored, name) ? stored[name] : {}), ...change }),
  ])
  return withoutNulls({ ...stored, ...Object.fromEntries(changed) })
}

function withoutNulls(choices: object): object {
  return Object.fromEntries(Object.entries(choices).filter(([, choice]) => choice !== null))
}
