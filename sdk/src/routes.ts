/** Routes: one record for one recipient on one channel each. */
import type { Attempt, Route, RouteMessage, RouteQuery } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { pagedList } from './pages.ts'

export function createRoutes(send: Send) {
  return {
    ...pagedList<Route, RouteQuery>(send, '/v1/routes'),

    /** Every attempt of one route, oldest first. */
    attempts(
      route: Pick<Route, 'notification_id' | 'route_id'>,
      options?: CallOptions,
    ): Promise<{ data: Attempt[] }> {
      const { notification_id, route_id } = route
      return send({
        method: 'GET',
        path: '/v1/routes/attempts',
        query: { notification_id, route_id },
        ...options,
      })
    },

    /** What the route says, as it was sent or would be. */
    message(
      route: Pick<Route, 'notification_id' | 'route_id'>,
      options?: CallOptions,
    ): Promise<RouteMessage> {
      const { notification_id, route_id } = route
      return send({
        method: 'GET',
        path: '/v1/routes/message',
        query: { notification_id, route_id },
        ...options,
      })
    },
  }
}
