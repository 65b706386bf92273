/** Where a provider sends its secrets. Whoever changes that must know them, or they could have them sent to themselves. */
import { isDeepStrictEqual } from 'node:util'
import { Refusal } from '../../platform/calls/refusal.ts'

/** Of all kinds; the test of this file goes through their settings. */
export const DESTINATION_FIELDS = ['url', 'base_url', 'api_url', 'host', 'port', 'tls', 'region']

type Config = Record<string, unknown>

/** A kind may fill in an empty list or record for secrets that were not given. */
const holdsSomething = (secret: unknown): boolean => !isDeepStrictEqual(secret, {})

export function refuseRedirect(before: Config, after: Config, keptSecrets: object): void {
  if (!Object.values(keptSecrets).some(holdsSomething)) return
  const field = DESTINATION_FIELDS.find(name => !isDeepStrictEqual(before[name], after[name]))
  if (field === undefined) return
  const message = `Give the secrets again: with another config.${field} they would go somewhere else.`
  throw new Refusal('invalid_request', `secrets: ${message}`, [{ field: 'secrets', message }])
}
