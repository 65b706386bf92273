/**
 * What a digest says. A template that was written for digests is asked once. One that knows single messages only is
 * asked for each of them, and their titles are listed: nobody has to write a second template because somebody wants a
 * summary. Without a template, the payloads' own titles are listed.
 */
import type { ContentResult, FillTemplate } from './content-result.ts'
import type { MailLinks } from './mail-links.ts'
import type { MessageContent } from './message.ts'
import type { DigestPayload, MessageRoute, Payload } from './message-route.ts'
import { humanize, layOut, type PlainRoute, plainContent, titleOf } from './plain-content.ts'

/** In lines that a person can take in. */
const MOST_LINES = 20

export async function digestByTemplate(
  route: MessageRoute,
  payload: DigestPayload,
  links: MailLinks | null,
  fillTemplate: FillTemplate,
): Promise<ContentResult | undefined> {
  const { items, count } = payload
  const whole = await fillTemplate(route, payload, links)
  // Without knowing what it reads there is no better way: it is gone or switched off.
  if (whole?.reads === undefined || isForDigests(whole.reads, items)) return whole
  if (count === 1) return fillTemplate(route, items[0]!, links)
  return listByTemplate(route, payload, links, fillTemplate)
}

export function plainDigest(
  route: PlainRoute,
  { items, count }: DigestPayload,
  links: MailLinks | null,
): MessageContent {
  if (count === 1) return plainContent(route, items[0]!, links)
  const titles = items.map(item => titleOf(item, route))
  return listContent(route, titles, count, links)
}

/** Messages may have `items` of their own, such as the lines of an order. */
function isForDigests(reads: string[], items: Payload[]): boolean {
  return ['items', 'count'].some(
    name => reads.includes(name) && !items.some(item => Object.hasOwn(item, name)),
  )
}

async function listByTemplate(
  route: MessageRoute,
  { items, count }: DigestPayload,
  links: MailLinks | null,
  fillTemplate: FillTemplate,
): Promise<ContentResult> {
  const titles: string[] = []
  for (const item of items.slice(0, MOST_LINES)) {
    const result = await fillTemplate(route, item, links)
    if (result?.kind === 'retry') return result
    // One that cannot be filled in is told by its payload: it must not take the others with it.
    const title = result?.kind === 'content' ? firstLine(result.content) : ''
    titles.push(title || titleOf(item, route))
  }
  return { kind: 'content', content: listContent(route, titles, count, links) }
}

function firstLine({ subject, text }: MessageContent): string | undefined {
  return subject || text.split('\n', 1)[0]
}

/** How many, and what each is about. */
function listContent(
  route: PlainRoute,
  titles: string[],
  count: number,
  links: MailLinks | null,
): MessageContent {
  const lines = titles.slice(0, MOST_LINES).map(title => `• ${title}`)
  if (count > lines.length) lines.push(`… and ${count - lines.length} more`)
  return layOut(route, `${count} × ${humanize(route.notification_type)}`, lines.join('\n'), links)
}
