/** From sending an intent to the provider being called, at a steady, easy rate: the whole server, every role. */
import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { startChild } from '../child.ts'
import { atMost, type Benchmark } from '../result.ts'
import { percentile } from '../rounds.ts'
import { TYPE } from '../tenant.ts'

const PER_SECOND = 50
const WARM_UP_SECONDS = 2
const SECONDS = 10
const WAIT_MS = 5000

export const benchmarkLatency: Benchmark = async ({ scratch, tell }) => {
  const { url: databaseUrl } = await scratch.createDatabase('latency')
  const provider = await startReceiver()
  const input = { databaseUrl, providerUrl: provider.url, dataDir: scratch.folder }
  const server = await startChild(new URL('./server-process.js', import.meta.url), input)
  const { url, key } = await server.ask<{ url: string; key: string }>('address')
  const send = createSender(url, key)

  try {
    tell(`${PER_SECOND} intents per second for ${SECONDS} s`)
    const sentAt: number[] = []
    const total = PER_SECOND * (WARM_UP_SECONDS + SECONDS)
    const start = performance.now()
    for (let sequence = 0; sequence < total; sequence++) {
      // By the clock, not after the last answer: a slow answer must not reduce the load that follows it.
      await delay(Math.max(0, start + (sequence * 1000) / PER_SECOND - performance.now()))
      sentAt[sequence] = performance.now()
      void send(sequence)
    }
    for (let waitedMs = 0; provider.calledAt.size < total && waitedMs < WAIT_MS; waitedMs += 50)
      await delay(50)
    const measured = sentAt.map((at, sequence) => (provider.calledAt.get(sequence) ?? Number.NaN) - at)
    const counted = measured.slice(PER_SECOND * WARM_UP_SECONDS)
    if (counted.some(Number.isNaN)) throw new Error('some intents never reached the provider')
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map(share => percentile(counted, share)) as [
      number,
      number,
      number,
    ]
    tell(`p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`)
    const what = `intent → provider call at ${PER_SECOND}/s`
    return [
      atMost('latency', `${what}, p50`, p50, 5),
      atMost('latency', `${what}, p95`, p95),
      atMost('latency', `${what}, p99`, p99, 25),
    ]
  } finally {
    await server.stop()
    provider.close()
  }
}

/** The receiver of the http provider: records when each message arrives. */
async function startReceiver() {
  const calledAt = new Map<number, number>()
  const server = createServer((incoming, answer) => {
    const arrived = performance.now()
    let body = ''
    incoming.on('data', chunk => {
      body += chunk
    })
    incoming.on('end', () => {
      calledAt.set((JSON.parse(body) as { payload: { sequence: number } }).payload.sequence, arrived)
      answer.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}/`, calledAt, close }
}

function createSender(url: string, key: string) {
  const agent = new Agent({ keepAlive: true })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return async (sequence: number): Promise<void> => {
    const outgoing = request(`${url}/v1/intents`, { method: 'POST', agent, headers })
    const audience = { kind: 'addresses', channel: 'email', addresses: [`user-${sequence}@example.com`] }
    outgoing.end(JSON.stringify({ notification_type: TYPE, audience, payload: { sequence } }))
    const [answer] = await once(outgoing, 'response')
    answer.resume()
    if (answer.statusCode !== 202) throw new Error(`the server answered ${answer.statusCode}`)
  }
}
