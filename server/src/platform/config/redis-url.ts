/** What may be said of the address of a Redis, which may have a password and is therefore never shown. */
export const REDIS_URL_EXPECTED =
  'Expected an address starting with redis:// or rediss://, with a % of its password written as %25.'

/** The client decodes user and password, and would refuse to start. */
export function isRedisUrl(value: string): boolean {
  try {
    const { protocol, username, password } = new URL(value)
    decodeURIComponent(username + password)
    return ['redis:', 'rediss:'].includes(protocol)
  } catch {
    return false
  }
}
