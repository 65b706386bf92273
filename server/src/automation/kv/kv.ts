/** KV entries: reading, and changes that fire triggers in the transaction of the change. */
import {
  KvCollectionName,
  type KvEntry,
  type KvEntrySummary,
  KvKey,
  MAX_KV_VALUE_BYTES,
} from '@carillon/contract'
import { z } from 'zod'
import { storageFull } from '../../oversight/limits/limiter.ts'
import { refuseUnusableJson } from '../../platform/calls/json-field.ts'
import { parseOrRefuse } from '../../platform/calls/parse-or-refuse.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Client, Executor } from '../../platform/database/pool.ts'
import {
  type Cause,
  type EntryKey,
  type EntryRow,
  isStorageFull,
  lockKeys,
  removeEntry,
  selectEntry,
  selectVersions,
  type Written,
  writeEntry,
} from './queries.ts'

export type { Cause, EntryKey, EntryRow, Written }

/** The version that an entry must have: 0 = there must be none, '*' = there must be one. */
export type ExpectedVersion = number | '*'

export interface EntryChange extends EntryKey {
  /** JSON text. */
  value_json: string
  /** null = it never expires. */
  ttl_seconds: number | null
  expected?: ExpectedVersion | undefined
}

const Address = z.object({ collection: KvCollectionName, key: KvKey })

export function getEntry(
  db: Executor,
  tenantId: string,
  collection: string,
  key: string,
): Promise<EntryRow | undefined> {
  return selectEntry(db, tenantId, { collection, key })
}

/**
 * Nobody else changes these keys until the transaction ends. Gives their versions in the same order; 0 = no entry. Whoever
 * changes several keys locks them all first, with one call: one after the other, two transactions may wait for each other.
 */
export async function lockEntries(tx: Client, tenantId: string, keys: EntryKey[]): Promise<number[]> {
  await lockKeys(tx, tenantId, keys)
  return selectVersions(tx, tenantId, keys)
}

/** Creates or replaces an entry. Its triggers fire also if the value is the same as before. */
export async function setEntry(
  tx: Client,
  tenantId: string,
  change: EntryChange,
  cause: Cause,
): Promise<Written> {
  parseOrRefuse(Address, change)
  refuseUnusableJson('value', change.value_json, MAX_KV_VALUE_BYTES)
  // Scripts write too, and for them nobody has asked yet.
  if (await isStorageFull(tx, tenantId)) throw storageFull()
  const [version] = await lockEntries(tx, tenantId, [change])
  refuseOtherVersion(version!, change.expected)
  return writeEntry(tx, tenantId, change, cause)
}

/** Gives what was deleted; undefined if there is no entry, and then nothing fires. */
export async function deleteEntry(
  tx: Client,
  tenantId: string,
  { expected, ...key }: EntryKey & { expected?: ExpectedVersion | undefined },
  cause: Cause,
): Promise<Written | undefined> {
  parseOrRefuse(Address, key)
  const [version] = await lockEntries(tx, tenantId, [key])
  if (version === 0) return undefined
  refuseOtherVersion(version!, expected)
  return removeEntry(tx, tenantId, key, cause)
}

export function toSummary(row: Omit<EntryRow, 'value_json'>): KvEntrySummary {
  return {
    collection: row.collection,
    key: row.key,
    version: row.version,
    bytes: row.bytes,
    expires_at: row.expires_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

export function toEntry(row: EntryRow): KvEntry {
  return { ...toSummary(row), value: JSON.parse(row.value_json) }
}

function refuseOtherVersion(version: number, expected: ExpectedVersion | undefined): void {
  if (expected === undefined || expected === version || (expected === '*' && version > 0)) return
  const current = version === 0 ? 'There is no such entry.' : `The entry has version ${version}.`
  throw new Refusal('version_conflict', current, [{ field: 'version', message: current }])
}
