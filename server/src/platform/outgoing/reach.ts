/** Whether a server can be connected to: opens a connection and closes it, without a word. */
import { lookup } from 'node:dns'
import { connect, isIP } from 'node:net'
import { type AddressGuard, refusalOfName } from './address-guard.ts'
import { guardedLookup } from './connector.ts'

/** Why it cannot be reached; undefined if it can. Without a guard any address may be tried: for what operators set up. */
export function whyUnreachable(options: {
  host: string
  port: number
  timeoutMs: number
  guard?: AddressGuard | undefined
}): Promise<string | undefined> {
  const { host, port, timeoutMs, guard } = options
  // A literal never reaches the look-up.
  if (guard !== undefined && isIP(host) !== 0 && !guard.allows(host))
    return Promise.resolve(refusalOfName(host))
  return new Promise(resolve => {
    const socket = connect({ host, port, ...(guard && { lookup: guardedLookup(guard, lookup) }) })
    const end = (reason: string | undefined) => {
      socket.destroy()
      resolve(reason)
    }
    socket.setTimeout(timeoutMs, () => end(`no answer within ${timeoutMs / 1000} seconds`))
    socket.once('connect', () => end(undefined))
    socket.once('error', (error: NodeJS.ErrnoException) =>
      end(error.message || (error.code ?? String(error))),
    )
  })
}
