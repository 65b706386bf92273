/** A message's content, or why there is none. */
import type { MailLinks } from './mail-links.ts'
import type { MessageContent } from './message.ts'
import type { MessageRoute, Payload } from './message-route.ts'

export type ContentResult =
  | { kind: 'content'; content: MessageContent; declaredFields?: string[] }
  | ContentFailure

export interface ContentFailure {
  /** permanent: somebody has to correct something. retry: trying again may work. */
  kind: 'permanent' | 'retry'
  message: string
  /** What an operator can do about it. */
  hint?: string
  /** The payload fields that the template declares; absent if no template was found. */
  declaredFields?: string[]
}

/** Fills in the route's template with a payload; undefined if the route has no template. */
export type FillTemplate = (
  route: MessageRoute,
  payload: Payload,
  links: MailLinks | null,
) => Promise<ContentResult | undefined>
