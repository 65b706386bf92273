/** The reasons of the API as an operator would say them. A reason that is not here is said by its own name. */
const WORDS: Record<string, string> = {
  no_address: 'no address for this channel',
  recipient_gone: 'the person does not exist any more',
  not_visible: 'the person may not see it',
  suppressed: 'the address is suppressed',
  read: 'already read in the inbox',
  thread_unsubscribed: 'the person left the thread',
  reason_off: 'the person switched this reason off',
  category_off: 'the person switched this category off',
  channel_disabled: 'the person switched this channel off',
  frequency_cap: 'the person’s cap is reached',
  throttled: 'the type’s limit per person is reached',
  digested: 'part of a digest',
  storm: 'too many at once, collected',
  digest_empty: 'nothing left for the digest',
  no_device: 'no device to push to',
  no_provider: 'no provider takes it',
  provider_down: 'the provider is down',
  provider_rate: 'the provider’s rate limit',
  escalation: 'only if it stays unread',
  delay: 'the type waits first',
  local_time: 'the time asked for',
  digest: 'collected for a digest',
  tenant_suspended: 'the tenant is suspended',
  paused: 'the person paused the channel',
  quiet_hours: 'quiet hours',
  visibility_unknown: 'not known yet who may see it',
  cap_reached: 'a cap is reached',
  deadline: 'it came too late',
}

export const sayReason = (reason: string): string => WORDS[reason] ?? reason.replaceAll('_', ' ')

/** A sentence of the API that names a reason by its code, with the words instead. */
export const sayIn = (text: string, reason: string): string =>
  reason === ''
    ? text
    : text.replace(new RegExp(`\\b${reason}\\b`), sayReason(reason)).replace(/^(\w+): \1\.$/i, '$1.')

/** Every reason that a sentence names by its code. Codes of one word are words already. */
export const sayCodes = (text: string): string =>
  text.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, code => WORDS[code] ?? code)
