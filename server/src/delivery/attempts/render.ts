/** The message of a claimed route, in the person's own time zone. Delivery and simulation both ask here. */
import {
  type RenderedMessage,
  type RenderParts,
  renderMessage,
} from '../../content/messages/render-message.ts'
import { zoneOf } from '../../people/preferences/choices.ts'
import type { ClaimedRoute } from '../routes/claim.ts'

/** The payload is given beside the route: a digest has its own only once it is closed. */
export function renderRoute(
  route: ClaimedRoute,
  payload_json: string,
  parts: RenderParts,
): Promise<RenderedMessage> {
  return renderMessage({ ...route, payload_json, timezone: zoneOf(route) }, parts)
}
