/** Intents that could not be accepted: whether one is malformed, or only came too early, and how it is kept. */
import type { ErrorCode } from '@carillon/contract'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Executor } from '../../platform/database/pool.ts'
import { memberSpans, wholeText } from '../../platform/text/json-spans.ts'
import type { SubmittedIntent } from './intent.ts'
import {
  deleteMalformedRecords,
  insertMalformedIntents,
  type NewMalformedIntent,
  selectMalformedEntries,
} from './queries.ts'

export type { NewMalformedIntent } from './queries.ts'

/** Nothing is wrong with an intent that is refused for one of these: sent again later, it may be accepted. */
const LATER: ErrorCode[] = ['unavailable', 'rate_limited', 'quota_exceeded', 'tenant_suspended']

/** Sending it again would change nothing. */
export function isMalformed(error: unknown): error is Refusal {
  return error instanceof Refusal && !LATER.includes(error.code)
}

/** Keeps each entry once, however often it is read. */
export async function storeMalformed(db: Executor, rows: NewMalformedIntent[]): Promise<void> {
  if (rows.length > 0) await insertMalformedIntents(db, rows)
}

/** The ids of those entries that were kept as malformed before: one that was is never accepted as well. */
export async function findMalformed(
  db: Executor,
  tenantId: string,
  source: string,
  entries: { id: string; producer: string }[],
): Promise<Set<string>> {
  return new Set(await selectMalformedEntries(db, tenantId, source, entries))
}

/**
 * Called after these entries were settled. Two readers may have had one of them in hand, and found it malformed and acceptable
 * at the same time: whoever comes last sees both, and the record counts.
 */
export async function forgetAccepted(
  db: Executor,
  tenantId: string,
  source: string,
  entries: { id: string; producer: string }[],
): Promise<void> {
  if (entries.length > 0) await deleteMalformedRecords(db, tenantId, source, entries)
}

/**
 * As received, except for what is attached: it is large, and none of an operator's business. It is cut out of the text,
 * since the value may be nested too deeply to be written again.
 */
export function withoutAttachments({ text, value }: Pick<SubmittedIntent, 'text' | 'value'>): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return text
  const attached = memberSpans(text, wholeText(text), 'email').flatMap(email =>
    text[email.start] === '{' ? memberSpans(text, email, 'attachments') : [],
  )
  // From the end, so that the places of the others stay what they are.
  return attached.reduceRight(
    (left, { start, end }) => left.slice(0, start) + LEFT_OUT + left.slice(end),
    text,
  )
}
const LEFT_OUT = '"(left out)"'
