/** GET /v1/routes/message */
import { RouteMessage, RouteMessageQuery } from '@carillon/contract'
import { isPermitted } from '../../platform/calls/principal.ts'
import type { App } from '../../platform/http/server.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { withoutSignedLinks } from '../../providers/captured-messages/captured-messages.ts'
import { getRouteMessage, type RouteMessageParts } from './route-message.ts'

export function routeMessageRoutes(
  app: App,
  { keyring, ...parts }: Omit<RouteMessageParts, 'show'> & { keyring: Keyring },
): void {
  app.get(
    '/v1/routes/message',
    {
      config: { scope: 'captured_messages:read' },
      schema: {
        tags: ['routes'],
        summary: 'What a route says, as it was sent or would be',
        description:
          'Exactly what was captured, if it was; otherwise it is rendered now, and the note tells what may differ.',
        querystring: RouteMessageQuery,
        response: { 200: RouteMessage },
      },
    },
    async request => {
      const { principal, query } = request
      const mayAct = isPermitted(principal, 'preferences:write')
      const show: RouteMessageParts['show'] = row => (mayAct ? row : withoutSignedLinks(keyring, row))
      const { tenant_id } = principal
      return getRouteMessage({ ...parts, show }, tenant_id, query.notification_id, query.route_id)
    },
  )
}
