/**
 * The load: keep-alive connections, each with one request at a time, every request a different intent. Written on plain
 * sockets, because on two cores whatever the load costs is taken from the server it measures.
 */
import { randomBytes } from 'node:crypto'
import { createConnection, type Socket } from 'node:net'
import { serveParent } from '../child.ts'
import { PAYLOAD, TYPE, USERS } from '../tenant.ts'

export interface Load {
  accepted: number
  elapsedSeconds: number
  latencyMs: { p50: number; p99: number }
  cpu_ms: number
}

interface Order {
  url: string
  seconds: number
}

await serveParent(async ({ key, connections }: { key: string; connections: number }) => ({
  async answer({ url, seconds }: Order): Promise<Load> {
    const { host, hostname, port } = new URL(url)
    const nextRequest = intentRequests(host, key)
    const sockets = await Promise.all(
      Array.from({ length: connections }, () => connect({ host: hostname, port: Number(port) })),
    )
    const cpu = process.cpuUsage()
    const startMs = performance.now()
    const deadlineMs = startMs + seconds * 1000
    const latencies = (
      await Promise.all(sockets.map(socket => drive(socket, nextRequest, deadlineMs)))
    ).flat()
    const elapsedSeconds = (performance.now() - startMs) / 1000
    const { user, system } = process.cpuUsage(cpu)
    latencies.sort((a, b) => a - b)
    const at = (share: number) => Math.round(latencies[Math.floor(latencies.length * share)] ?? 0)
    return {
      accepted: latencies.length,
      elapsedSeconds,
      latencyMs: { p50: at(0.5), p99: at(0.99) },
      cpu_ms: (user + system) / 1000,
    }
  },
  stop: async () => {},
}))

function connect(address: { host: string; port: number }): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ ...address, noDelay: true }, () => resolve(socket))
    socket.once('error', reject)
  })
}

/** Sends one request after another until the deadline; returns how many milliseconds each took. */
function drive(socket: Socket, nextRequest: () => string, deadlineMs: number): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const latencies: number[] = []
    let sentMs = performance.now()
    let received = ''
    socket.setEncoding('latin1')
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('The server closed a connection under load')))
    socket.on('data', (chunk: string) => {
      received += chunk
      if (!isComplete(received)) return
      if (!received.startsWith('HTTP/1.1 202 ')) return reject(new Error(`Not accepted: ${received}`))
      const nowMs = performance.now()
      latencies.push(nowMs - sentMs)
      received = ''
      if (nowMs < deadlineMs) {
        sentMs = nowMs
        socket.write(nextRequest(), 'latin1')
        return
      }
      socket.removeAllListeners('close')
      socket.end()
      resolve(latencies)
    })
    socket.write(nextRequest(), 'latin1')
  })
}

function isComplete(response: string): boolean {
  const head = response.indexOf('\r\n\r\n')
  if (head < 0) return false
  const length = /content-length: (\d+)/i.exec(response)?.[1]
  return response.length >= head + 4 + Number(length)
}

/** Requests that differ only in key and recipient, assembled from text. */
function intentRequests(host: string, key: string): () => string {
  const run = randomBytes(6).toString('hex')
  const payload = JSON.stringify(PAYLOAD)
  const head =
    `POST /v1/intents HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\n` +
    'content-type: application/json\r\ncontent-length: '
  let sent = 0
  return () => {
    sent++
    const body =
      `{"notification_type":"${TYPE}","idempotency_key":"${run}-${sent}",` +
      `"audience":{"kind":"users","user_ids":["user-${sent % USERS}"]},"payload":${payload}}`
    return `${head}${body.length}\r\n\r\n${body}`
  }
}
