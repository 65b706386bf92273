/** The message of a claimed route, in the person's own time zone. Delivery and simulation share it. */
import type { MessageRoute } from '../../content/messages/message-route.ts'
import {
  type RenderedMessage,
  type RenderParts,
  renderMessage,
} from '../../content/messages/render-message.ts'
import { zoneOf } from '../../people/preferences/choices.ts'
import type { ClaimedRoute } from '../routes/claim.ts'

/** The payload is a separate argument because a digest has one only once it is closed. */
export function renderRoute(
  route: ClaimedRoute,
  payload_json: string,
  parts: RenderParts,
): Promise<RenderedMessage> {
  return renderMessage(toMessageRoute(route, payload_json), parts)
}

/** Field by field: spreading the whole route into a new object made attempts twice as expensive. */
function toMessageRoute(route: ClaimedRoute, payload_json: string): MessageRoute {
  return {
    tenant_id: route.tenant_id,
    notification_id: route.notification_id,
    route_id: route.route_id,
    channel: route.channel,
    notification_type: route.notification_type,
    category: route.category,
    required: route.required,
    critical: route.critical,
    recipient_ref: route.recipient_ref,
    user_id: route.user_id,
    resolved_address: route.resolved_address,
    resolved_locale: route.resolved_locale,
    timezone: zoneOf(route),
    template_version_id: route.template_version_id,
    payload_json,
    options: route.options,
    intent_reason: route.intent_reason,
    about: route.about,
    digest_id: route.digest_id,
    devices: route.devices,
    ms_to_deadline: route.ms_to_deadline,
    request_id: route.request_id,
    traceparent: route.traceparent,
  }
}
