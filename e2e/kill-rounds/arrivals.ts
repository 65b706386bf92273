/** What really arrived at the receivers, by notification and recipient, with the id of each copy. */
import type { HttpReceiver, ReceivedRequest } from '../../server/test/receivers/http-receiver.ts'
import type { ReceivedMail } from '../../server/test/receivers/smtp-receiver.ts'
import type { RouteKey } from './database.ts'

export interface Arrivals {
  /** Everything that arrived. */
  mails: number
  requests: number
  /** Copies beyond the first of the same message: allowed, since delivery is at least once. */
  repeats: number
  /** What was sent and never arrived. */
  lost: string[]
  /** The same message under two ids, or two messages under one: never allowed. */
  duplicated: string[]
}

/** Makes a receiver fail sometimes, so that kills happen during retries. Returns the requests it refused. */
export function failSometimes(receiver: HttpReceiver, random: () => number): Set<ReceivedRequest> {
  const refused = new Set<ReceivedRequest>()
  receiver.answerWith(request => {
    if (random() >= 0.02) return {}
    refused.add(request)
    return { status: 503 }
  })
  return refused
}

/** After a restore, what was lost has arrived too: `haveStrangers` says that messages without a route are none of ours. */
export function compareArrivals(
  routes: RouteKey[],
  mails: ReceivedMail[],
  requests: ReceivedRequest[],
  { haveStrangers = false } = {},
): Arrivals {
  const idsByRoute = new Map<string, Set<string>>()
  const routeById = new Map<string, string>()
  const lost: string[] = []
  const duplicated: string[] = []
  let copies = 0

  function recordArrival(route: string, id: string): void {
    copies++
    const ids = idsByRoute.get(route) ?? new Set()
    idsByRoute.set(route, ids.add(id))
    if (ids.size > 1) duplicated.push(`${route} arrived under ${[...ids].join(' and ')}`)
    if ((routeById.get(id) ?? route) !== route) {
      duplicated.push(`${id} arrived for ${routeById.get(id)} and for ${route}`)
    }
    routeById.set(id, route)
  }

  for (const mail of mails) {
    const notification = mail.parsed.headers.find(header => header.key === 'x-carillon-notification')?.value
    for (const address of mail.to)
      recordArrival(`${notification} mail ${address}`, mail.parsed.messageId ?? '')
  }
  for (const request of requests) {
    const body = JSON.parse(request.body.toString()) as Record<string, string>
    const id = String(request.headers['idempotency-key'])
    if (body.message_id !== id) duplicated.push(`the header says ${id} and the body ${body.message_id}`)
    recordArrival(`${body.notification_id} ${body.route_id}`, id)
  }

  const expected = new Set(routes.map(arrivalOf))
  for (const route of routes) {
    const arrival = arrivalOf(route)
    if (route.status === 'sent' && !idsByRoute.has(arrival)) lost.push(`${arrival} never arrived`)
  }
  const strangers = [...idsByRoute.keys()].filter(route => !expected.has(route))
  if (!haveStrangers) duplicated.push(...strangers.map(route => `${route} has no route`))
  const repeats = copies - idsByRoute.size
  return { mails: mails.length, requests: requests.length, repeats, lost, duplicated }
}

function arrivalOf({ notification_id, route_id, channel, resolved_address }: RouteKey): string {
  return `${notification_id} ${channel === 'email' ? `mail ${resolved_address}` : route_id}`
}
