/** Route and words → the message a provider sends. Without a template, the payload's own words make a decent one. */
import { createHash } from 'node:crypto'
import { isDigest } from '../../delivery/attempts/hold.ts'
import type { ClaimedRoute } from '../../delivery/routes/claim.ts'
import { escapeHtml } from '../../platform/text/html.ts'
import type { MailLinks } from '../links/mail-links.ts'
import { htmlFooter, textFooter } from './footer.ts'
import type { Message } from './message.ts'

export interface Words {
  subject: string
  text: string
  html: string | null
}
type PlainWords = Omit<Words, 'html'>

export function renderMessage(
  route: ClaimedRoute,
  payload: Record<string, unknown>,
  links: MailLinks | null,
  words: Words = ownWords(route, payload, links),
): Message {
  return {
    tenant_id: route.tenant_id,
    notification_id: route.notification_id,
    route_id: route.route_id,
    message_id: messageId(route.notification_id, route.route_id),
    channel: route.channel,
    notification_type: route.notification_type,
    recipient_ref: route.recipient_ref,
    user_id: route.user_id,
    address: route.resolved_address,
    locale: route.resolved_locale,
    subject: words.subject,
    text: words.text,
    html: words.html,
    payload,
    devices: route.devices ?? [],
    unsubscribe_url: links?.unsubscribe ?? null,
    request_id: route.request_id,
    traceparent: route.traceparent,
  }
}

/** Stable over retries, crashes and replays, and safe as the left side of a Message-ID. */
export function messageId(notificationId: string, routeId: string): string {
  return `${notificationId}.${createHash('sha256').update(routeId).digest('hex').slice(0, 16)}`
}

function ownWords(route: ClaimedRoute, payload: Record<string, unknown>, links: MailLinks | null): Words {
  return toWords(route, plainWords(route, payload), links)
}

/** Templates place the links themselves; here they stand below. */
function toWords(route: ClaimedRoute, { subject, text }: PlainWords, links: MailLinks | null): Words {
  const html = route.channel === 'email' ? toHtml(subject, text, htmlFooter(links)) : null
  return { subject, text: text + textFooter(links), html }
}

function plainWords(route: ClaimedRoute, payload: Record<string, unknown>): PlainWords {
  const items = isDigest(route) ? (payload.items as Record<string, unknown>[]) : [payload]
  const count = isDigest(route) ? Number(payload.count) : 1
  if (count > 1)
    return listTitles(
      route,
      items.map(item => titleOf(item, route)),
      count,
    )
  const [alone] = items as [Record<string, unknown>]
  const subject = firstText(alone, 'title', 'subject') ?? humanize(route.notification_type)
  const text = firstText(alone, 'body', 'message', 'text') ?? listFields(alone)
  return { subject, text }
}

/** In lines that a person can take in. */
export const MOST_LINES = 20

/** How many, and what each is about. */
export function listWords(
  route: ClaimedRoute,
  titles: string[],
  count: number,
  links: MailLinks | null,
): Words {
  return toWords(route, listTitles(route, titles, count), links)
}

function listTitles(route: ClaimedRoute, titles: string[], count: number): PlainWords {
  const subject = `${count} × ${humanize(route.notification_type)}`
  const lines = titles.slice(0, MOST_LINES).map(title => `• ${title}`)
  if (count > lines.length) lines.push(`… and ${count - lines.length} more`)
  const text = lines.join('\n')
  return { subject, text }
}

export function titleOf(item: Record<string, unknown>, route: ClaimedRoute): string {
  const words = firstText(item, 'title', 'subject', 'body', 'message', 'text')
  return words?.split('\n', 1)[0] ?? humanize(route.notification_type)
}

function firstText(payload: Record<string, unknown>, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = payload[name]
    // A line break in a subject would be a second header.
    if (typeof value === 'string' && value !== '')
      return name === 'title' || name === 'subject' ? value.replace(/\s+/g, ' ') : value
  }
  return undefined
}

/** order_shipped or order.shipped → Order shipped */
function humanize(type: string): string {
  const words = type.replace(/[._-]+/g, ' ').trim()
  return words === '' ? type : words[0]!.toUpperCase() + words.slice(1)
}

function listFields(payload: Record<string, unknown>): string {
  return Object.entries(payload)
    .map(([name, value]) => `${humanize(name)}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n')
}

/** Plain, and pleasant to read in light and dark alike. */
const LOOK =
  "max-width:600px;margin:24px auto;padding:0 16px;font:16px/1.55 -apple-system,'Segoe UI',Roboto,Arial,sans-serif"

function toHtml(subject: string, text: string, footer: string): string {
  const paragraphs = text
    .split(/\n{2,}/)
    .map(paragraph => `<p>${escapeHtml(paragraph).replaceAll('\n', '<br>')}</p>`)
    .join('')
  return `<!doctype html><html><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head><body style="${LOOK}">${paragraphs}${footer}</body></html>`
}
