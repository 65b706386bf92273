/** The load: autocannon with keep-alive connections, every request an intent of its own. */
import { randomBytes } from 'node:crypto'
import autocannon from 'autocannon'
import { serveParent } from '../child.ts'
import { PAYLOAD, TYPE, USERS } from '../tenant.ts'

export interface Load {
  accepted: number
  /** Seconds. */
  elapsed: number
  /** Milliseconds. */
  latency: { p50: number; p99: number }
}

interface Order {
  url: string
  seconds: number
}

await serveParent(async ({ key, connections }: { key: string; connections: number }) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return {
    async answer({ url, seconds }: Order): Promise<Load> {
      const nextBody = intentBodies()
      const result = await autocannon({
        url: `${url}/v1/intents`,
        connections,
        duration: seconds,
        requests: [{ method: 'POST', headers, setupRequest: request => ({ ...request, body: nextBody() }) }],
      })
      const failed = result.non2xx + result.errors + result.timeouts
      if (failed > 0) throw new Error(`${failed} of ${result.requests.total} requests failed`)
      const { p50, p99 } = result.latency
      return { accepted: result['2xx'], elapsed: result.duration, latency: { p50, p99 } }
    },
    stop: async () => {},
  }
})

/** Bodies that differ in key and recipient only, put together from text: the load must not cost more than the server. */
function intentBodies(): () => string {
  const run = randomBytes(6).toString('hex')
  const payload = JSON.stringify(PAYLOAD)
  let sent = 0
  return () => {
    sent++
    return (
      `{"notification_type":"${TYPE}","idempotency_key":"${run}-${sent}",` +
      `"audience":{"kind":"users","user_ids":["user-${sent % USERS}"]},"payload":${payload}}`
    )
  }
}
