/** Signatures as described by Standard Webhooks, which several services follow. */
import { assertFresh, assertGenuine, hmacSha256, isSameSecret } from './callback-checks.ts'
import { type CallbackRequest, ForgedCallback } from './kind.ts'

/** Svix names the headers after itself. */
type HeaderPrefix = 'webhook' | 'svix'

/** Returns the id of the event, which is the same for each repeat. */
export function assertSigned(
  { headers, body }: CallbackRequest,
  secret: string,
  now: () => number,
  prefixes: HeaderPrefix[] = ['webhook'],
): string {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(name =>
    prefixes.map(prefix => headers[`${prefix}-${name}`]).find(value => value !== undefined),
  )
  if (!id || !timestamp || !signatures) throw new ForgedCallback('there is no signature')
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = `v1,${hmacSha256(key, `${id}.${timestamp}.`, body).toString('base64')}`
  // There are several while the secret is being replaced.
  assertGenuine(signatures.split(' ').some(signature => isSameSecret(signature, expected)))
  assertFresh(Number(timestamp) * 1000, now)
  return id
}
