/** What arrived at the webhook: an event per route that was sent, and every copy of it under the same id. */
import type { ReceivedRequest } from '../../server/test/receivers/http-receiver.ts'

export interface EventArrivals {
  lost: string[]
  duplicated: string[]
  repeats: number
}

interface Event {
  id: string
  data: { notification_id: string; route_id: string }
}

export function compareEvents(
  sent: { notification_id: string; route_id: string }[],
  requests: ReceivedRequest[],
): EventArrivals {
  const idsByRoute = new Map<string, Set<string>>()
  for (const { headers, body } of requests) {
    const { id, data } = JSON.parse(body.toString()) as Event
    const route = `${data.notification_id} ${data.route_id}`
    idsByRoute.set(route, (idsByRoute.get(route) ?? new Set()).add(id))
    if (headers['webhook-id'] !== id) idsByRoute.get(route)!.add(String(headers['webhook-id']))
  }
  const expected = new Set(sent.map(({ notification_id, route_id }) => `${notification_id} ${route_id}`))
  const copies = [...idsByRoute].filter(([route, ids]) => ids.size > 1 || !expected.has(route))
  return {
    lost: [...expected].filter(route => !idsByRoute.has(route)).map(route => `no event for ${route}`),
    duplicated: copies.map(([route, ids]) => `events for ${route}: ${[...ids].join(' and ')}`),
    repeats: requests.length - idsByRoute.size,
  }
}
