/**
 * What a route says. What was captured is shown as it is; everything else is rendered now, by the code that delivers, with
 * the template version that the route was accepted with. Nothing is stored, and no link in it acts for its recipient.
 */
import type { RouteMessage } from '@carillon/contract'
import type { RenderParts } from '../../content/messages/render-message.ts'
import { renderRoute } from '../../delivery/attempts/render.ts'
import { createOptionsLoader } from '../../delivery/attempts/send-options.ts'
import { loadRouteForMessage, type RouteToShow } from '../../delivery/routes/load-for-message.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import {
  type CapturedMessageRow,
  selectCapturedOfRoute,
} from '../../providers/captured-messages/captured-messages.ts'

export interface RouteMessageParts extends Omit<RenderParts, 'completeOptions'> {
  pool: Pool
  /** What the caller may see of a captured message. */
  show: (row: CapturedMessageRow) => CapturedMessageRow
}

export async function getRouteMessage(
  parts: RouteMessageParts,
  tenantId: string,
  notificationId: string,
  routeId: string,
): Promise<RouteMessage> {
  const route = await loadRouteForMessage(parts.pool, tenantId, notificationId, routeId)
  if (route === undefined) throw notFound(`route ${routeId} of ${notificationId}`)
  const captured = await selectCapturedOfRoute(parts.pool, tenantId, notificationId, routeId)
  return captured === undefined ? renderNow(parts, route) : asCaptured(parts, route, captured)
}

function asCaptured(
  { show }: RouteMessageParts,
  { template }: RouteToShow,
  captured: CapturedMessageRow,
): RouteMessage {
  const { channel, address, subject, text, html } = show(captured)
  const isChanged = text !== captured.text || html !== captured.html
  const note = isChanged ? 'Personal links lead nowhere here; otherwise it is as it was captured.' : ''
  return { channel, address, subject, text, html, template, is_exact: true, note }
}

async function renderNow(parts: RouteMessageParts, route: RouteToShow): Promise<RouteMessage> {
  const { channel, resolved_address: address, template } = route
  if (route.is_open_digest) {
    const note = 'The digest is still open, so it has no message yet.'
    return { channel, address, subject: '', text: '', html: null, template, is_exact: false, note }
  }
  const completeOptions = createOptionsLoader(parts.pool).preview
  const rendered = await renderRoute(route, route.payload_json, { ...parts, completeOptions })
  if (rendered.kind === 'retry') throw new Refusal('unavailable', rendered.message)
  if (rendered.kind !== 'message') throw new Refusal('render_failed', rendered.message)
  const { subject, text, html } = rendered.message
  return { channel, address, subject, text, html, template, is_exact: false, note: noteOf(route) }
}

/** What may differ from what the recipient has got, or will get. */
function noteOf({ channel, status }: RouteToShow): string {
  const when = status === 'sent' ? 'Rendered again, as it was sent' : 'Rendered now, as it would be sent'
  const links = channel === 'email' ? '; personal links, such as to unsubscribe, lead nowhere here' : ''
  return `${when}, but with today’s branding, translations and time zone of the person${links}.`
}
