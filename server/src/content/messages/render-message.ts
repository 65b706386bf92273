/** Turns a route into the message that a provider sends. */
import { cut } from '../../platform/text/cut.ts'
import type { ContentFailure, ContentResult, FillTemplate } from './content-result.ts'
import { digestFromTemplate, type PlainList, plainDigest } from './digest-content.ts'
import type { MailLinks } from './mail-links.ts'
import type { Message, MessageContent, SendOptions } from './message.ts'
import { messageId } from './message-id.ts'
import { type DigestPayload, isDigest, type MessageRoute, type Payload } from './message-route.ts'
import { type PlainContent, plainContent } from './plain-content.ts'
import { mailText } from './plain-text.ts'
import { startOf, withPreheader } from './preheader.ts'

export interface RenderParts {
  fillTemplate: FillTemplate
  /** The HTML of a mail without a template. */
  layOut: (route: MessageRoute, content: PlainContent, links: MailLinks | null) => Promise<string | null>
  /** The options of a route as they are sent: with contents, and without addresses that get nothing more. */
  completeOptions: (route: MessageRoute) => Promise<SendOptions | undefined>
  /** Links to unsubscribe and to the preference page; null where they make no sense. */
  links: (route: MessageRoute) => MailLinks | null | Promise<MailLinks | null>
  /** Where a reply to a mail about a thread goes; without it, nowhere in particular. */
  replyAddress?: (route: MessageRoute) => string | null
}

/** A line of a mail's header may have 998 bytes (RFC 5322), and a single long word cannot be folded. */
const MAX_SUBJECT_LENGTH = 900

export type RenderedMessage = { kind: 'message'; message: Message } | ContentFailure

export async function renderMessage(route: MessageRoute, parts: RenderParts): Promise<RenderedMessage> {
  try {
    const payload = JSON.parse(route.payload_json) as Payload
    const links = await parts.links(route)
    const result = await renderContent(route, payload, links, parts)
    if (result.kind !== 'content') return result
    const reply_to = parts.replyAddress?.(route) ?? null
    const message = { ...toMessage(route, payload, links, result.content), reply_to }
    const options = await parts.completeOptions(route)
    return { kind: 'message', message: options === undefined ? message : { ...message, options } }
  } catch (error) {
    // Mistakes in a template come as a value: this is a database that does not answer.
    return { kind: 'retry', message: `The template could not be read: ${(error as Error).message}` }
  }
}

async function renderContent(
  route: MessageRoute,
  payload: Payload,
  links: MailLinks | null,
  parts: RenderParts,
): Promise<ContentResult> {
  const fromTemplate =
    route.template_version_id === null
      ? undefined
      : await contentFromTemplate(route, payload, links, parts.fillTemplate)
  if (fromTemplate !== undefined && fromTemplate.kind !== 'plain') return fromTemplate
  const plain =
    fromTemplate?.content ??
    (isDigest(route) ? plainDigest(route, payload as DigestPayload) : plainContent(route, payload))
  return { kind: 'content', content: await plainMessage(route, plain, links, parts) }
}

async function plainMessage(
  route: MessageRoute,
  content: PlainContent,
  links: MailLinks | null,
  { layOut }: RenderParts,
): Promise<MessageContent> {
  const { subject, text } = content
  if (route.channel !== 'email') return { subject, text, html: null }
  const html = await layOut(route, content, links)
  // Otherwise the brand's name and the subject once more are all that a list of mails has room for.
  const preheader = route.options?.preheader === undefined && text !== subject ? startOf(text) : undefined
  return {
    subject,
    text: mailText(content, links),
    html: html === null ? null : withPreheader(html, preheader),
  }
}

/** A single message is a digest of one, so that one template serves both. */
function contentFromTemplate(
  route: MessageRoute,
  payload: Payload,
  links: MailLinks | null,
  fillTemplate: FillTemplate,
): Promise<ContentResult | PlainList | undefined> {
  return isDigest(route)
    ? digestFromTemplate(route, payload as DigestPayload, links, fillTemplate)
    : fillTemplate(route, { items: [payload], count: 1, ...payload }, links)
}

function toMessage(
  route: MessageRoute,
  payload: Payload,
  links: MailLinks | null,
  { subject, text, html: given }: MessageContent,
): Omit<Message, 'reply_to'> {
  const html = given === null ? null : withPreheader(given, route.options?.preheader)
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
    subject: route.channel === 'email' ? cut(subject, MAX_SUBJECT_LENGTH, 'utf16', '…') : subject,
    text,
    html,
    payload,
    reason: route.intent_reason ?? '',
    thread: route.about?.thread ?? null,
    topic: route.about?.topic ?? null,
    devices: route.devices ?? [],
    expires_at: typeof route.ms_to_deadline === 'number' ? inMs(route.ms_to_deadline) : null,
    unsubscribe_url: links?.unsubscribe ?? null,
    request_id: route.request_id,
    traceparent: route.traceparent,
  }
}

function inMs(ms: number): string {
  return new Date(Date.now() + ms).toISOString()
}
