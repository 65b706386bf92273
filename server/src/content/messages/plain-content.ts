/** The content of a message without a template, from the texts in its payload. */
import { escapeHtml } from '../../platform/text/html.ts'
import { htmlFooter, textFooter } from './footer.ts'
import type { MailLinks } from './mail-links.ts'
import type { MessageContent } from './message.ts'
import type { MessageRoute, Payload } from './message-route.ts'

/** All that plain content needs to know about a route. */
export type PlainRoute = Pick<MessageRoute, 'channel' | 'notification_type'>

export function plainContent(route: PlainRoute, payload: Payload, links: MailLinks | null): MessageContent {
  const subject = firstText(payload, 'title', 'subject') ?? humanize(route.notification_type)
  const text = firstText(payload, 'body', 'message', 'text') ?? listFields(payload)
  return withFooter(route, subject, text, links)
}

/** Adds the links as a footer, which templates place themselves. */
export function withFooter(
  { channel }: PlainRoute,
  subject: string,
  text: string,
  links: MailLinks | null,
): MessageContent {
  const html = channel === 'email' ? toHtml(subject, text, htmlFooter(links)) : null
  return { subject, text: text + textFooter(links), html }
}

/** One line for a payload in a list. */
export function titleOf(payload: Payload, { notification_type }: PlainRoute): string {
  const text = firstText(payload, 'title', 'subject', 'body', 'message', 'text')
  return text?.split('\n', 1)[0] ?? humanize(notification_type)
}

/** order_shipped or order.shipped → Order shipped */
export function humanize(name: string): string {
  const words = name.replace(/[._-]+/g, ' ').trim()
  return words === '' ? name : words[0]!.toUpperCase() + words.slice(1)
}

function firstText(payload: Payload, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = payload[name]
    // A line break in a subject would begin another header.
    if (typeof value === 'string' && value !== '')
      return name === 'title' || name === 'subject' ? value.replace(/\s+/g, ' ') : value
  }
  return undefined
}

function listFields(payload: Payload): string {
  return Object.entries(payload)
    .map(([name, value]) => `${humanize(name)}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n')
}

/** No colours, so that it follows the reader's light or dark mode. */
const BODY_STYLE =
  "max-width:600px;margin:24px auto;padding:0 16px;font:16px/1.55 -apple-system,'Segoe UI',Roboto,Arial,sans-serif"

function toHtml(subject: string, text: string, footer: string): string {
  const paragraphs = text
    .split(/\n{2,}/)
    .map(paragraph => `<p>${escapeHtml(paragraph).replaceAll('\n', '<br>')}</p>`)
    .join('')
  return `<!doctype html><html><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head><body style="${BODY_STYLE}">${paragraphs}${footer}</body></html>`
}
