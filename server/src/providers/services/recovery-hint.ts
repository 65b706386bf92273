/** What a failure is called in stored attempts, and what the operator can do about it. */
import type { Channel } from '@carillon/contract'
import type { Outcome } from './provider.ts'

export type Classification = 'transient' | 'rate_limited' | 'permanent' | 'config' | 'uncertain'

export type Failure = Exclude<Outcome, { kind: 'sent' }>

/** Names the failure as it is stored and counted. */
export function classify(outcome: Failure): Classification {
  return outcome.kind === 'retry' ? 'transient' : outcome.kind
}

/** Short advice for the operator who finds the dead letter. */
export function recoveryHint(classification: Classification, channel: Channel): string {
  switch (classification) {
    case 'transient':
      return `The ${channel} provider kept failing. Check that it is reachable and healthy, then replay.`
    case 'rate_limited':
      return `The ${channel} provider is throttling. Lower the sending rate or raise its quota, then replay.`
    case 'permanent':
      return `${PERMANENT_ADVICE[channel]} A replay without a change will fail again.`
    case 'config':
      return `Correct the ${channel} provider's address, credentials or certificate, then replay.`
    case 'uncertain':
      return 'The message may have arrived. Look for its message id at the receiver before replaying.'
  }
}

const PERMANENT_ADVICE: Record<Channel, string> = {
  in_app: 'The inbox refused the message. Check the recipient and the payload.',
  email: 'The mail server refused the message. Check the address and the content.',
  sms: 'The SMS provider refused the message. Check the phone number and the text.',
  push: 'The push provider refused the message. Check that the user still has a registered device.',
  chat: 'The chat service refused the message. Check the chat address and the content.',
  webhook: 'The receiver refused the request. Check the URL and what the receiver expects.',
}
