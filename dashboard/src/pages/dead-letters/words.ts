/** Why something was given up, as one would say it. */
import type { DeadLetter, FailureReason, Resolution } from '@carillon/contract'
import { CHANNEL_NAMES } from '../../ui/channel.tsx'
import { readRecipient } from '../../ui/recipient.tsx'

export const REASON_WORDS: Record<FailureReason, string> = {
  max_retries_exceeded: 'It kept failing',
  permanent_failure: 'It was refused for good',
  provider_rate_limit_exceeded: 'The provider kept throttling',
  provider_misconfigured: 'The provider’s settings are wrong',
  worker_lost: 'The workers that took it died',
  uncertain_delivery: 'Nobody knows whether it arrived',
  target_missing: 'What it was for does not exist any more',
}

/** The cause of a whole group, by the provider that is to blame. */
export function causeOf({
  failure_reason,
  provider,
}: Pick<DeadLetter, 'failure_reason' | 'provider'>): string {
  if (provider === '') return REASON_WORDS[failure_reason]
  switch (failure_reason) {
    case 'max_retries_exceeded':
      return `${provider} kept failing`
    case 'permanent_failure':
      return `${provider} refused it for good`
    case 'provider_rate_limit_exceeded':
      return `${provider} kept throttling`
    case 'provider_misconfigured':
      return `The settings of ${provider} are wrong`
    default:
      return REASON_WORDS[failure_reason]
  }
}

const NAMING: FailureReason[] = [
  'max_retries_exceeded',
  'permanent_failure',
  'provider_rate_limit_exceeded',
  'provider_misconfigured',
]
/** Whether the cause names the provider already. */
export const namesProvider = ({ failure_reason }: Pick<DeadLetter, 'failure_reason'>): boolean =>
  NAMING.includes(failure_reason)

export const RESOLUTION_WORDS: Record<Resolution, string> = {
  replayed: 'Sent again',
  ignored: 'Ignored',
  handled_by_script: 'Handled by a script',
  handler_failed: 'Open, its handler failed',
}

const CLASSIFICATION_WORDS: Record<string, string> = {
  transient: 'failing for now',
  rate_limited: 'throttled',
  permanent: 'refused for good',
  config: 'settings are wrong',
  uncertain: 'not known whether it arrived',
}

export const sayClassification = (classification: string): string =>
  CLASSIFICATION_WORDS[classification] ?? classification.replaceAll('_', ' ')

export const sayFailureReason = (reason: string): string =>
  (REASON_WORDS as Record<string, string>)[reason] ?? reason.replaceAll('_', ' ')

/** The status to show: one that a handler failed on is open all the same. */
export const isOpen = ({ resolved_at }: Pick<DeadLetter, 'resolved_at'>): boolean => resolved_at === null

/** What it is: the type of a message, or the work of the outbox with what it was about. */
export const nameOf = ({
  notification_type,
  source,
  op,
}: Pick<DeadLetter, 'notification_type' | 'source' | 'op'>): string =>
  source === '' ? notification_type : [source, op].filter(Boolean).join(' · ')

/** Everything in one sentence. */
export function storyOf(letter: DeadLetter): string {
  const { channel, recipient_ref, provider, final_attempt_count: count, failure_reason } = letter
  const what =
    channel === null
      ? `The work “${nameOf(letter)}”`
      : `The ${channel === 'sms' ? 'SMS' : CHANNEL_NAMES[channel].toLowerCase()} message to ${readRecipient(recipient_ref).name}`
  const attempts =
    count === 0 ? 'before the first attempt' : `after ${count} ${count === 1 ? 'attempt' : 'attempts'}`
  return `${what} was given up ${attempts}${provider && count > 0 ? ` with ${provider}` : ''}. ${ENDINGS[failure_reason] ?? ''}`.trim()
}

const ENDINGS: Record<FailureReason, string> = {
  max_retries_exceeded: 'Every one of them failed.',
  permanent_failure: 'The receiving side refused it for good.',
  provider_rate_limit_exceeded: 'The provider kept throttling.',
  provider_misconfigured: 'The provider could not be used as it is set up.',
  worker_lost: 'The processes that took it died while they sent it.',
  uncertain_delivery: 'No answer came, so nobody knows whether it arrived.',
  target_missing: 'What it was for does not exist any more.',
}
