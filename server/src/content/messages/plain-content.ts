/** The content of a message without a template, from the texts in its payload. */
import type { MessageRoute, Payload } from './message-route.ts'

/** All that plain content needs to know about a route. */
export type PlainRoute = Pick<MessageRoute, 'notification_type'>

/** What a message without a template says; a mail gets a layout in addition. */
export interface PlainContent {
  subject: string
  /** Equal to the subject if that says it all. */
  text: string
  /** Where it leads to; only mails show it. */
  button: { url: string; label: string | null } | null
}

export function plainContent({ notification_type }: PlainRoute, payload: Payload): PlainContent {
  const subject = firstText(payload, 'title', 'subject') ?? humanize(notification_type)
  const text = firstText(payload, 'body', 'message', 'text') ?? listFields(payload, subject)
  return { subject, text: text || subject, button: buttonIn(payload) }
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
    // A mail whose subject is blank would be sent without one.
    if (typeof value === 'string' && !isBlank(value)) return isHeading(name) ? onOneLine(value) : value
  }
  return undefined
}

const isHeading = (name: string): boolean => name === 'title' || name === 'subject'
const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === ''
/** A line break in a subject would begin another header. */
const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Without blank ones, the one that is the subject, and `push`, which only says how a push looks. */
function listFields({ push: _, ...payload }: Payload, subject: string): string {
  return Object.entries(payload)
    .filter(([name, value]) => !isBlank(value) && !isSubject(name, value, subject))
    .map(([name, value]) => `${humanize(name)}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n')
}

function isSubject(name: string, value: unknown, subject: string): boolean {
  return isHeading(name) && typeof value === 'string' && onOneLine(value) === subject
}

/** Longer ones are cut by some mail programs. */
const MAX_URL_LENGTH = 2000
const MAX_LABEL_LENGTH = 100

/** Only pages: a payload may come from anybody, and other links could run something. */
function buttonIn({ url, action }: Payload): PlainContent['button'] {
  if (typeof url !== 'string' || url.length > MAX_URL_LENGTH || !/^https?:\/\/\S+$/i.test(url)) return null
  if (!URL.canParse(url)) return null
  const label = typeof action === 'string' ? action.replace(/\s+/g, ' ').trim() : ''
  return { url, label: label === '' || label.length > MAX_LABEL_LENGTH ? null : label }
}
