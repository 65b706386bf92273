/** What outlives a reload: the token of the link, and what was sent. It ends with the tab. */
import type { SentAs } from './server.ts'

const TOKEN = 'carillon playground link'
const SENT = 'carillon playground sent'
const MOST_SENT = 8

/** One thing that was sent, newest first in the list. */
export interface Sent {
  id: string
  as: SentAs
  name: string
  document: object
  at: string
}

/** Taken out of the address, so that it is neither bookmarked nor shown to whoever looks over one's shoulder. */
export function takeToken(): string {
  const given = location.hash.slice(1)
  if (given !== '') {
    sessionStorage.setItem(TOKEN, given)
    sessionStorage.removeItem(SENT)
    history.replaceState(null, '', location.pathname)
  }
  return sessionStorage.getItem(TOKEN) ?? ''
}

export function recallSent(): Sent[] {
  return JSON.parse(sessionStorage.getItem(SENT) ?? '[]') as Sent[]
}

/** The list with the new one; the oldest is forgotten. */
export function rememberSent(sent: Sent[]): Sent[] {
  const kept = sent.slice(0, MOST_SENT)
  sessionStorage.setItem(SENT, JSON.stringify(kept))
  return kept
}
