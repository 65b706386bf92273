/** Sends messages through a provider, or plain requests like the provider's own, always with the same concurrency. */
import { performance } from 'node:perf_hooks'
import { Agent, request } from 'undici'
import type { Message } from '../../../server/dist/content/messages/message.js'
import { createAddressGuard } from '../../../server/dist/platform/outgoing/address-guard.js'
import {
  createHttpClient,
  type HttpClient,
  type HttpRequest,
} from '../../../server/dist/platform/outgoing/http-client.js'
import { kindNamed } from '../../../server/dist/providers/services/kinds.js'
import type { Provider } from '../../../server/dist/providers/services/provider.js'
import { createHttp2Client } from '../../../server/dist/providers/services/push/http2-client.js'
import { serveParent } from '../child.ts'
import { localhostPem } from './localhost.ts'
import { orderMessage } from './message.ts'
import { serviceOf } from './services.ts'

export type Order = { kind: string; origin: string } | { variant: 'provider' | 'plain'; count: number }

export interface Sent {
  seconds: number
  cpu_seconds: number
}

const CONCURRENCY = 50
const TIMEOUT_MS = 10_000

await serveParent(async () => {
  const tls = { ca: localhostPem }
  const guard = createAddressGuard(['127.0.0.0/8'])
  const clients = { http: createHttpClient({ guard, tls }), http2: createHttp2Client({ guard, tls }) }
  const agent = new Agent({ connections: CONCURRENCY, connect: tls })
  const { signal } = new AbortController()
  let send: Record<'provider' | 'plain', (at: number) => Promise<void>>

  /** Sends one message right away, to see what the plain requests have to look like. */
  async function prepare(kind: string, origin: string): Promise<void> {
    const message = orderMessage(serviceOf(kind).message(origin))
    const provider = createProvider(kind, origin, clients)
    const seen: HttpRequest[] = []
    await sendMessage(
      createProvider(kind, origin, {
        http: recording(clients.http, seen),
        http2: recording(clients.http2, seen),
      }),
      message,
      signal,
    )
    const { url, headers = {}, body = '' } = seen.at(-1)!
    send = {
      provider: at => sendMessage(provider, { ...message, message_id: `${message.message_id}${at}` }, signal),
      async plain() {
        const answer = await request(url, { method: 'POST', headers, body, dispatcher: agent })
        await answer.body.text()
        if (answer.statusCode >= 300) throw new Error(`${kind} was answered ${answer.statusCode}`)
      },
    }
  }

  return {
    async answer(order: Order): Promise<Sent | undefined> {
      if ('kind' in order) return void (await prepare(order.kind, order.origin))
      return time(() => repeat(order.count, send[order.variant]))
    },
    async stop() {
      await Promise.all([clients.http.close(), clients.http2.close(), agent.destroy()])
    },
  }
})

type Clients = Record<'http' | 'http2', HttpClient>

function createProvider(name: string, origin: string, clients: Clients): Provider {
  const kind = kindNamed(name)!
  const service = serviceOf(name)
  return kind.create({
    name,
    config: kind.config.parse(service.config(origin)),
    secrets: kind.secrets.parse(service.secrets(origin)),
    timeoutMs: TIMEOUT_MS,
    ...clients,
    callbackUrl: 'https://bells.example/v1/callbacks/p-1',
    now: Date.now,
  })
}

function recording(client: HttpClient, seen: HttpRequest[]): HttpClient {
  return {
    ...client,
    send(request, options) {
      seen.push(request)
      return client.send(request, options)
    },
  }
}

async function sendMessage(provider: Provider, message: Message, signal: AbortSignal): Promise<void> {
  const outcome = await provider.send(message, signal)
  if (outcome.kind !== 'sent') throw new Error(`${provider.name}: ${outcome.kind}, ${outcome.message}`)
}

async function repeat(count: number, send: (at: number) => Promise<void>): Promise<void> {
  let next = 0
  const sendOneByOne = async () => {
    while (next < count) await send(next++)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, sendOneByOne))
}

async function time(work: () => Promise<void>): Promise<Sent> {
  const before = process.cpuUsage()
  const start = performance.now()
  await work()
  const { user, system } = process.cpuUsage(before)
  return { seconds: (performance.now() - start) / 1000, cpu_seconds: (user + system) / 1e6 }
}
