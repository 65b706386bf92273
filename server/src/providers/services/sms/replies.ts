/** What people reply to an SMS: some words are a wish to get no more of them, or to get them again. */
import { cut } from '../../../platform/text/cut.ts'
import type { Feedback } from '../kind.ts'

/** The words that Twilio treats as an opt-out, which other services and carriers share. */
const STOP_WORDS = ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT']

/** The words that Twilio treats as an opt-in. */
const START_WORDS = ['START', 'YES', 'UNSTOP']

export interface Reply {
  /** The number that it came from. */
  from: string
  text: string
  event_id: string
  at: Date
  /** What the service takes it for, if it says so; otherwise the words decide. */
  wish?: string | undefined
}

/** A reply does not refer to one of our messages: it is about the number. */
export function feedbackOfReply({ from, text, event_id, at, wish }: Reply): Feedback | undefined {
  const reply = { message_id: '', event_id, detail: `replied ${cut(text.trim(), 100)}`, at }
  switch (wish ?? wishIn(text)) {
    case 'STOP':
      return { ...reply, kind: 'unsubscribed', suppress: { address: from, reason: 'unsubscribed' } }
    case 'START':
      return { ...reply, kind: 'resubscribed', lift: { address: from } }
  }
}

function wishIn(text: string): string | undefined {
  // Some phones and carriers add control characters.
  const word = text
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .toUpperCase()
  if (STOP_WORDS.includes(word)) return 'STOP'
  return START_WORDS.includes(word) ? 'START' : undefined
}
