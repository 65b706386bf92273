/** Opens connections for the HTTP client, but only to addresses the guard allows. */
import { lookup as resolve } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { type AddressGuard, refusalOfName } from './address-guard.ts'

/** The guard refused the address: no connection was made. */
export class RefusedAddress extends Error {
  readonly code = 'CARILLON_REFUSED_ADDRESS'
}

export type Resolve = typeof resolve

/** Makes the function that opens connections; it resolves names only with the given look-up. */
export type BuildConnect = (options: {
  lookup: LookupFunction
  timeout: number
  ca?: string | Buffer
}) => buildConnector.connector

export interface ConnectorOptions {
  guard: AddressGuard
  timeoutMs: number
  /** Tests resolve names themselves and watch what would be connected. */
  resolve?: Resolve
  connect?: BuildConnect
  tls?: { ca?: string | Buffer }
}

/**
 * Literal addresses are checked here because they never reach the resolver. Names are checked in the same look-up whose
 * answer is connected to, so that a name cannot resolve to something else in between (DNS rebinding).
 */
export function createConnector(options: ConnectorOptions): buildConnector.connector {
  const { guard } = options
  const build: BuildConnect = options.connect ?? buildConnector
  const connect = build({
    timeout: options.timeoutMs,
    lookup: guardedLookup(guard, options.resolve ?? resolve),
    ...options.tls,
  })
  return (target, callback) => {
    const objection = guard.objectsTo(new URL(`${target.protocol}//${asUrlHost(target.hostname)}`))
    if (objection !== undefined) return callback(new RefusedAddress(objection), null)
    return connect(target, callback)
  }
}

/** One refused address is enough to refuse the name: a mix of public and private answers is a sign of rebinding. */
export function guardedLookup(guard: AddressGuard, resolveName: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0)
      if (addresses.some(({ address }) => !guard.allows(address)))
        return callback(new RefusedAddress(refusalOfName(hostname)), '', 0)
      const [first] = addresses
      if (first === undefined) return callback(new Error(`${hostname} resolves to no address`), '', 0)
      if (options.all) return callback(null, addresses)
      return callback(null, first.address, first.family)
    })
  }
}

function asUrlHost(hostname: string): string {
  return hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname
}
