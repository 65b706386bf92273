/** When an entry expires, as the field has it and as the API takes it. */
import { localTime } from '../../ui/local-time.ts'

export const expiryText = (expiresAt: string | null): string =>
  expiresAt === null ? '' : localTime(new Date(expiresAt))

/**
 * Writing without a time to live means that the entry never expires, so what was not changed is given again: to the
 * second, which the field does not show.
 */
export function ttlOf(text: string, before: string | null, now: number): { ttl_seconds?: number } {
  if (text === '') return {}
  const at = text === expiryText(before) && before !== null ? Date.parse(before) : new Date(text).getTime()
  return { ttl_seconds: Math.max(1, Math.ceil((at - now) / 1000)) }
}
