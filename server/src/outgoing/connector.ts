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

export interface ConnectorOptions {
  guard: AddressGuard
  timeoutMs: number
  /** Tests resolve names themselves and watch what would be connected. */
  resolve?: Resolve
  connect?: buildConnector.connector
  /** HTTP/2 where the server offers it. */
  allowH2?: boolean
  tls?: { ca?: string | Buffer }
}

/**
 * Literals are checked here because they never reach the resolver; names are checked in the very look-up whose answer
 * is connected to, so that a name cannot change its mind in between (DNS rebinding).
 */
export function createConnector(options: ConnectorOptions): buildConnector.connector {
  const { guard } = options
  const connect =
    options.connect ??
    buildConnector({
      timeout: options.timeoutMs,
      lookup: guardedLookup(guard, options.resolve ?? resolve),
      allowH2: options.allowH2 ?? false,
      ...options.tls,
    })
  return (target, callback) => {
    const objection = guard.objectsTo(new URL(`${target.protocol}//${asUrlHost(target.hostname)}`))
    if (objection !== undefined) return callback(new RefusedAddress(objection), null)
    return connect(target, callback)
  }
}

export function guardedLookup(guard: AddressGuard, resolveName: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0)
      const allowed = addresses.filter(({ address }) => guard.allows(address))
      const first = allowed[0]
      if (first === undefined) {
        const found = addresses.map(({ address }) => address).join(', ')
        return callback(new RefusedAddress(`${hostname} resolves to ${refusal(found)}`), '', 0)
      }
      if (options.all) return (callback as unknown as (e: null, all: typeof allowed) => void)(null, allowed)
      return callback(null, first.address, first.family)
    })
  }
}

function asUrlHost(hostname: string): string {
  return hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname
}
