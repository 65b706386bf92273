/** The version that a caller expects an entry to have, stated by a header or in the body. */
import type { KvWriteHeaders } from '@carillon/contract'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { ExpectedVersion } from './kv.ts'

/** undefined if any will do. */
export function expectedVersion(
  { 'if-match': ifMatch, 'if-none-match': ifNoneMatch }: KvWriteHeaders,
  inBody?: number,
): ExpectedVersion | undefined {
  const stated: ExpectedVersion[] = []
  if (ifMatch !== undefined) stated.push(ifMatch === '*' ? '*' : Number(ifMatch.slice(1, -1)))
  if (ifNoneMatch !== undefined) stated.push(0)
  if (inBody !== undefined) stated.push(inBody)
  if (new Set(stated).size <= 1) return stated[0]
  const message = 'If-Match, If-None-Match and version contradict each other; send one of them.'
  throw new Refusal('invalid_request', message, [{ field: 'version', message }])
}
