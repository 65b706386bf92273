/** A connector that records what it would connect to and never dials. */
import { isIP } from 'node:net'
import type { BuildConnect, Resolve } from './connector.ts'

export interface Observed {
  connect: BuildConnect
  /** The addresses in the order they would have been connected to. */
  dialled: string[]
}

export function observeConnect(): Observed {
  const dialled: string[] = []
  return {
    dialled,
    // As sockets do: addresses are taken as they are, names go through the look-up given in the options.
    connect:
      ({ lookup }) =>
      ({ hostname }, callback) => {
        if (isIP(hostname)) {
          dialled.push(hostname)
          return callback(new Error('not dialled'), null)
        }
        lookup(hostname, { all: true }, (error, addresses) => {
          if (error) return callback(error, null)
          dialled.push(...(addresses as { address: string }[]).map(({ address }) => address))
          callback(new Error('not dialled'), null)
        })
      },
  }
}

/** Resolves names from a table of answers: each look-up takes the next set, and the last one stays. */
export function resolveFrom(table: Record<string, string[][]>): Resolve & { asked: string[] } {
  const asked: string[] = []
  const resolve = (
    name: string,
    _options: unknown,
    callback: (error: Error | null, addresses: { address: string; family: number }[]) => void,
  ) => {
    asked.push(name)
    const answers = table[name]
    if (answers === undefined) return callback(new Error(`${name} does not exist`), [])
    const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? []
    callback(
      null,
      addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
  return Object.assign(resolve as unknown as Resolve, { asked })
}
