/** Server-sent events as text. */
import type { InboxStreamEvent } from '@carillon/contract'

/** Proxies that gather an answer before passing it on mostly do so up to 2 KB. */
const PADDING = `:${' '.repeat(2048)}\n\n`
export const HEARTBEAT = ':\n\n'

/** Why a stream ends: its token is over, or we stop and the client should come back. */
export type Ending = 'expired' | 'revoked' | 'closing'

/** Everybody comes back at another time, or a restart would be answered by all at once. */
export function opening(random: () => number): string {
  return `retry: ${1000 + Math.floor(random() * 4000)}\n${PADDING}`
}

export function inboxEvent(event: InboxStreamEvent): string {
  return `id: ${event.version}\nevent: inbox\ndata: ${JSON.stringify(event)}\n\n`
}

/** Without an id, so that the next connection continues where this one was. */
export function endingEvent(ending: Ending): string {
  return `event: ${ending}\ndata: {}\n\n`
}
