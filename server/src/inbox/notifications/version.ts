/**
 * Versions of an inbox. A version is the snapshot that an answer was read with: it says of every transaction whether the
 * answer has seen it, so changes that commit late are neither missed nor told twice. Its last part is the epoch of the
 * database, since after a restore or in another database the same numbers mean other transactions.
 */
import { InboxVersion } from '@carillon/contract'
import { Refusal } from '../../platform/calls/refusal.ts'

/** Snapshots that PostgreSQL would not have written are refused here: it would fail to read them. */
export function isVersion(text: string): boolean {
  if (!InboxVersion.safeParse(text).success) return false
  const [xmin = '', xmax = '', between = ''] = text.split(':')
  const [from, to] = [BigInt(xmin), BigInt(xmax)]
  const open = between === '' ? [] : between.split(',').map(BigInt)
  const ordered = open.every((id, i) => id >= from && id < to && (i === 0 || id > open[i - 1]!))
  return from > 0n && from <= to && ordered
}

export function refuseWrongVersion(field: string, version: string | undefined): void {
  if (version === undefined || isVersion(version)) return
  throw new Refusal('invalid_request', `${field}: this is no version of an inbox.`, [
    { field, message: 'Expected the version of an earlier answer, unchanged.' },
  ])
}

export const VERSION = `pg_current_snapshot()::text || ':' || inbox_epoch()`

/** The snapshot of a version in a parameter, asked for once; null for one of another database. */
export const snapshotOf = (version: string): string => `(select seen_snapshot(${version}::text))`

/** Which changes a snapshot has not seen. What another database wrote, before a restore, is not counted. */
export const changedSince = (version: string, since: string): string =>
  `${version} >= pg_snapshot_xmin(${since})::text::bigint
    and ${version} < pg_snapshot_xmax(pg_current_snapshot())::text::bigint
    and not pg_visible_in_snapshot(${version}::text::xid8, ${since})`

/**
 * Whether a snapshot has seen a row as it is now, for tables that keep no version. Of the transaction that wrote it a row
 * has only the last 32 bits, so of all numbers that end with them the latest is taken: at worst something counts as new.
 */
export const hasSeenRow = (xmin: string, snapshot: string): string => {
  const current = 'pg_snapshot_xmax(pg_current_snapshot())::text::bigint'
  const written = `${current} - ((${current} - ${xmin}::text::bigint) & 4294967295)`
  return `pg_visible_in_snapshot((${written})::text::xid8, ${snapshot})`
}
