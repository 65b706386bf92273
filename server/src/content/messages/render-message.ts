/** Turns a route into the message that a provider sends. */
import { createHash } from 'node:crypto'
import type { ContentFailure, ContentResult, FillTemplate } from './content-result.ts'
import { digestFromTemplate, plainDigest } from './digest-content.ts'
import type { MailLinks } from './mail-links.ts'
import type { Message, MessageContent } from './message.ts'
import { type DigestPayload, isDigest, type MessageRoute, type Payload } from './message-route.ts'
import { plainContent } from './plain-content.ts'

export interface RenderParts {
  fillTemplate: FillTemplate
  /** Links to unsubscribe and to the preference page; null where they make no sense. */
  links: (route: MessageRoute) => MailLinks | null | Promise<MailLinks | null>
}

export type RenderedMessage = { kind: 'message'; message: Message } | ContentFailure

export async function renderMessage(
  route: MessageRoute,
  { fillTemplate, links: linksOf }: RenderParts,
): Promise<RenderedMessage> {
  try {
    const payload = JSON.parse(route.payload_json) as Payload
    const links = await linksOf(route)
    const result = await renderContent(route, payload, links, fillTemplate)
    if (result.kind !== 'content') return result
    return { kind: 'message', message: toMessage(route, payload, links, result.content) }
  } catch (error) {
    // Mistakes in a template come as a value: this is a database that does not answer.
    return { kind: 'retry', message: `The template could not be read: ${(error as Error).message}` }
  }
}

async function renderContent(
  route: MessageRoute,
  payload: Payload,
  links: MailLinks | null,
  fillTemplate: FillTemplate,
): Promise<ContentResult> {
  const fromTemplate =
    route.template_version_id === null
      ? undefined
      : await contentFromTemplate(route, payload, links, fillTemplate)
  if (fromTemplate !== undefined) return fromTemplate
  const content = isDigest(route)
    ? plainDigest(route, payload as DigestPayload, links)
    : plainContent(route, payload, links)
  return { kind: 'content', content }
}

/** A single message is a digest of one, so that one template serves both. */
function contentFromTemplate(
  route: MessageRoute,
  payload: Payload,
  links: MailLinks | null,
  fillTemplate: FillTemplate,
): Promise<ContentResult | undefined> {
  return isDigest(route)
    ? digestFromTemplate(route, payload as DigestPayload, links, fillTemplate)
    : fillTemplate(route, { items: [payload], count: 1, ...payload }, links)
}

function toMessage(
  route: MessageRoute,
  payload: Payload,
  links: MailLinks | null,
  { subject, text, html }: MessageContent,
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
    subject,
    text,
    html,
    payload,
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

/** Stable across retries, crashes and replays, and valid before the @ of a Message-ID. */
function messageId(notificationId: string, routeId: string): string {
  return `${notificationId}.${createHash('sha256').update(routeId).digest('hex').slice(0, 16)}`
}
