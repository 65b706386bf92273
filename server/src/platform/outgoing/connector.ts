/** Opens connections for the HTTP client, only to addresses the guard allows. */
import { lookup as resolve } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { type AddressGuard, refusal } from './address-guard.ts'

/** The guard's no: nothing was connected. */
export class RefusedAddress extends Error {
  readonly code = 'CARILLON_REFUSED_ADDRESS'
}

export type Resolve = typeof resolve

/** Makes what opens connections; names are resolved with the given look-up only. */
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
 * Literals are checked here because they never reach the resolver; names are checked in the very look-up whose answer
 * is connected to, so that a name cannot change its mind in between (DNS rebinding).
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

/** One refused address refuses the name: public and private answers together are how rebinding begins. */
export function guardedLookup(guard: AddressGuard, resolveName: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0)
      const refused = addresses.find(({ address }) => !guard.allows(address))
      if (refused !== undefined)
        return callback(new RefusedAddress(`${hostname}: ${refusal(refused.address)}`), '', 0)
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
