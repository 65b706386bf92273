/** The link from a page that confirms something to the person's preferences. */
import { type PersonClaim, preferencePageLink } from '../../content/signed-links/signed-links.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'

/** How long it can be opened. */
const VALID_MS = 60 * 60 * 1000

/** `base` is the way from the page to the root: a proxy may serve it under another path. */
export function followUpLink(keyring: Keyring, base: string, { tenant_id, user_id }: PersonClaim): string {
  return preferencePageLink(keyring, base, { tenant_id, user_id }, new Date(Date.now() + VALID_MS))
}
