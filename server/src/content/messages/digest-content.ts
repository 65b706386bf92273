/**
 * What a digest says. A template written for digests is filled in once. One written for single messages is filled in
 * for each of them, and their titles are listed, so nobody has to write a second template because somebody wants a
 * digest. Without a template, the payloads' own titles are listed.
 */
import type { ContentResult, FillTemplate } from './content-result.ts'
import type { MailLinks } from './mail-links.ts'
import type { MessageContent } from './message.ts'
import type { DigestPayload, MessageRoute, Payload } from './message-route.ts'
import { humanize, type PlainContent, type PlainRoute, plainContent, titleOf } from './plain-content.ts'

/** As much as a person can take in. */
const MAX_LINES = 20

/** Made by a template for single messages, so it is no message of the template itself. */
export interface PlainList {
  kind: 'plain'
  content: PlainContent
}

export async function digestFromTemplate(
  route: MessageRoute,
  payload: DigestPayload,
  links: MailLinks | null,
  fillTemplate: FillTemplate,
): Promise<ContentResult | PlainList | undefined> {
  const { items, count } = payload
  const whole = await fillTemplate(route, payload, links)
  // Without the declared fields there is nothing to decide by: the template is gone or switched off.
  if (whole?.declaredFields === undefined || isWrittenForDigests(whole.declaredFields, items)) return whole
  if (count === 1) return fillTemplate(route, items[0]!, links)
  return listFromTemplate(route, payload, links, fillTemplate)
}

export function plainDigest(route: PlainRoute, { items, count }: DigestPayload): PlainContent {
  if (count === 1) return plainContent(route, items[0]!)
  const titles = items.map(item => titleOf(item, route))
  return listContent(route, titles, count)
}

/** A declared `items` counts only if no payload has a field of that name, such as the lines of an order. */
function isWrittenForDigests(declaredFields: string[], items: Payload[]): boolean {
  return ['items', 'count'].some(
    name => declaredFields.includes(name) && !items.some(item => Object.hasOwn(item, name)),
  )
}

async function listFromTemplate(
  route: MessageRoute,
  { items, count }: DigestPayload,
  links: MailLinks | null,
  fillTemplate: FillTemplate,
): Promise<ContentResult | PlainList> {
  const titles: string[] = []
  for (const item of items.slice(0, MAX_LINES)) {
    const result = await fillTemplate(route, item, links)
    if (result?.kind === 'retry') return result
    // If one cannot be filled in, its payload gives the title: it must not make the whole digest fail.
    const title = result?.kind === 'content' ? firstLine(result.content) : ''
    titles.push(title || titleOf(item, route))
  }
  return { kind: 'plain', content: listContent(route, titles, count) }
}

function firstLine({ subject, text }: MessageContent): string | undefined {
  return subject || text.split('\n', 1)[0]
}

/** How many, and what each is about. */
function listContent(route: PlainRoute, titles: string[], count: number): PlainContent {
  const lines = titles.slice(0, MAX_LINES).map(title => `• ${title}`)
  if (count > lines.length) lines.push(`… and ${count - lines.length} more`)
  const subject = `${count} × ${humanize(route.notification_type)}`
  return { subject, text: lines.join('\n'), button: null }
}
