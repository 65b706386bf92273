/** What a caller may read of simulated routes. */
import type { SimulatedRoute } from '@carillon/contract'
import { isPermitted, type Principal } from '../../platform/calls/principal.ts'

/** Who may send need not know where people are reached, or what messages say to them. */
export function routesReadableBy(principal: Principal, routes: SimulatedRoute[]): SimulatedRoute[] {
  const mayReadAddresses = isPermitted(principal, 'users:read')
  const mayReadMessages = isPermitted(principal, 'captured_messages:read')
  if (mayReadAddresses && mayReadMessages) return routes
  return routes.map(route => ({
    ...route,
    address: mayReadAddresses ? route.address : '',
    message: mayReadMessages ? route.message : null,
  }))
}
