/** Whether every entry became exactly one record or one malformed row. */
import { ask } from '../kill-rounds/database.ts'
import type { PlannedEntry } from './entries.ts'

interface Kept {
  kind: string
  id: string
  key: string
  as: 'record' | 'malformed'
}

export interface Verdict {
  counts: Record<string, number>
  violations: string[]
}

const KEPT = `
  select split_part(source, '/', 1) as kind, split_part(source_entry_id, '-', 1) as seq, source_entry_id as id,
    idempotency_key as key, 'record' as as from records where source_entry_id is not null
  union all
  select split_part(source, '/', 1), split_part(source_entry_id, '-', 1), source_entry_id, idempotency_key, 'malformed'
  from malformed_intents`

/** `entries` are those of the stream by id; of NATS only the sequence, which is the first half of ours. */
export async function judge(
  databaseUrl: string,
  kind: string,
  planned: PlannedEntry[],
  entries: Map<string, string>,
): Promise<Verdict> {
  const all = await ask<Kept & { seq: string }>(databaseUrl, KEPT)
  const kept = all.filter(row => row.kind === kind)
  const violations: string[] = []
  const byEntry = new Map<string, Kept[]>()
  const records = new Map<string, number>()
  for (const row of kept) {
    const id = kind === 'nats' ? row.seq : row.id
    byEntry.set(id, [...(byEntry.get(id) ?? []), row])
    if (row.as === 'record') records.set(row.key, (records.get(row.key) ?? 0) + 1)
    if (!entries.has(id)) violations.push(`${kind} ${row.id}: a ${row.as} of an entry that does not exist`)
  }
  let duplicates = 0
  for (const [id, key] of entries) {
    const rows = byEntry.get(id) ?? []
    if (rows.length > 1) violations.push(`${kind} ${id}: ${rows.map(row => row.as).join(' and ')}`)
    if (rows.length === 1) continue
    // An entry that its producer added twice, because it got no answer, is one notification.
    if (records.get(key) === 1) duplicates++
    else violations.push(`${kind} ${id} (${key}): neither a record nor a malformed row`)
  }
  const wanted = new Set(planned.filter(({ isGood }) => isGood).map(({ key }) => key))
  for (const key of wanted)
    if (records.get(key) !== 1) violations.push(`${kind} ${key}: ${records.get(key) ?? 0} records`)
  for (const key of records.keys())
    if (!wanted.has(key)) violations.push(`${kind} ${key}: an unwanted record`)
  const malformed = kept.filter(row => row.as === 'malformed').length
  return {
    counts: {
      [`${kind} entries`]: entries.size,
      [`${kind} records`]: kept.length - malformed,
      [`${kind} malformed rows`]: malformed,
      [`${kind} duplicates`]: duplicates,
    },
    violations,
  }
}
