/** Where a provider sends its secrets. Whoever changes that must know them, or they could have them sent to themselves. */
import { isDeepStrictEqual } from 'node:util'
import { Refusal } from '../../platform/calls/refusal.ts'

/** Of all kinds; the test of this file goes through their settings. */
export const DESTINATION_FIELDS = ['url', 'base_url', 'api_url', 'host', 'port', 'tls', 'region']

type Config = Record<string, unknown>

/** A kind may fill in an empty list or record for secrets that were not given. */
export const holdsSomething = (secret: unknown): boolean => !isDeepStrictEqual(secret, {})

export function refuseRedirect(before: Config, after: Config, keptSecrets: object): void {
  if (!Object.values(keptSecrets).some(holdsSomething)) return
  const field = DESTINATION_FIELDS.find(name => !isDeepStrictEqual(before[name], after[name]))
  if (field === undefined) return
  const message = `Give the secrets again: with another config.${field} they would go somewhere else.`
  throw new Refusal('invalid_request', `secrets: ${message}`, [{ field: 'secrets', message }])
}

/** The scheme and the whole authority, before anything that a template fills in. */
const FIXED_DESTINATION = /^https?:\/\/[^{/?#\\]+[/?#]/i

/** Whoever may send messages fills in the template; if that decided where to connect, they would get the headers. */
export function refuseOpenDestination({ url }: Config, secrets: object): void {
  const { headers } = secrets as { headers?: object }
  if (typeof url !== 'string' || !url.includes('{') || FIXED_DESTINATION.test(url)) return
  if (Object.keys(headers ?? {}).length === 0) return
  const message = 'With secret headers, only the path and the query may come from the message.'
  throw new Refusal('invalid_request', `config.url: ${message}`, [{ field: 'config.url', message }])
}
