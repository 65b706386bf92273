import type { Suppression } from '@carillon/contract'

export const REASON_WORDS: Record<Suppression['reason'], string> = {
  hard_bounce: 'It bounced for good',
  complaint: 'Reported as spam',
  unsubscribed: 'Unsubscribed',
  invalid: 'Not a valid address',
  manual: 'Added by hand',
}
