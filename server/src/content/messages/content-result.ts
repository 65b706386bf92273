/** What comes of asking for a message's content: the content, or why there is none. */
import type { MailLinks } from './mail-links.ts'
import type { MessageContent } from './message.ts'
import type { MessageRoute, Payload } from './message-route.ts'

export type ContentResult = { kind: 'content'; content: MessageContent; reads?: string[] } | ContentFailure

export interface ContentFailure {
  /** permanent: somebody has to correct something. retry: it may work in a moment. */
  kind: 'permanent' | 'retry'
  message: string
  /** What the operator can do about it. */
  hint?: string
  /** The fields of the payload that the template declares; absent where no template was found. */
  reads?: string[]
}

/** What the route's template makes of a payload; undefined when it has none. */
export type FillTemplate = (
  route: MessageRoute,
  payload: Payload,
  links: MailLinks | null,
) => Promise<ContentResult | undefined>
