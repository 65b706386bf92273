/** Stands between Carillon and PostgreSQL, and breaks connections at chosen moments, without either side's consent. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** `request`: only half of it reaches the server. `answer`: the server did the work, and its answer is lost. */
export type Cut = 'request' | 'answer'

export interface TcpProxy {
  readonly port: number
  /** Connections that are open now. */
  readonly open: number
  /** Cuts the next connection that carries this text to the server. Resolves when that has happened. */
  cutAt(text: string, cut: Cut): Promise<void>
  /** From now on every packet takes this long, in each direction. */
  delayBy(ms: number): void
  /** Nothing passes any more on any connection, open or new, and nobody is told. */
  silence(): void
  /** New connections work again. Those that were silent stay so until Carillon gives them up. */
  speak(): void
  stop(): Promise<void>
}

interface Link {
  client: Socket
  server: Socket
  isSilent: boolean
  losesAnswer: boolean
  onLost: () => void
}

interface Trap {
  text: string
  cut: Cut
  spring: () => void
}

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const links = new Set<Link>()
  const traps = new Set<Trap>()
  let delayMs = 0
  let isSilent = false

  const listener = createServer(client => {
    const server = connect(target.port, target.host)
    const link: Link = { client, server, isSilent, losesAnswer: false, onLost: () => {} }
    links.add(link)
    const [toServer, toClient] = [createPipe(server, link), createPipe(client, link)]
    client.on('data', chunk => spring(link, chunk) || toServer(chunk, delayMs))
    server.on('data', chunk => {
      if (!link.losesAnswer) toClient(chunk, delayMs)
      else if (endsAnswer(chunk)) {
        sever(link)
        link.onLost()
      }
    })
    for (const [end, other] of [
      [client, server],
      [server, client],
    ] as const) {
      end.setNoDelay(true)
      end.on('error', () => {})
      end.on('close', () => {
        if (!link.isSilent) other.destroy()
        if (client.destroyed && server.destroyed) links.delete(link)
      })
    }
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')

  function spring(link: Link, chunk: Buffer): boolean {
    if (link.isSilent) return false
    const trap = [...traps].find(({ text }) => chunk.includes(text))
    if (trap === undefined) return false
    traps.delete(trap)
    if (trap.cut === 'answer') {
      link.losesAnswer = true
      link.onLost = trap.spring
      return false
    }
    link.server.write(chunk.subarray(0, chunk.length / 2), () => sever(link))
    trap.spring()
    return true
  }

  return {
    port: (listener.address() as AddressInfo).port,
    get open() {
      return links.size
    },
    cutAt: (text, cut) => new Promise(resolve => traps.add({ text, cut, spring: resolve })),
    delayBy(ms) {
      delayMs = ms
    },
    silence() {
      isSilent = true
      for (const link of links) link.isSilent = true
    },
    speak() {
      isSilent = false
    },
    async stop() {
      for (const link of links) sever(link)
      listener.close()
      await once(listener, 'close')
    },
  }
}

function sever({ client, server }: Link): void {
  client.resetAndDestroy()
  server.resetAndDestroy()
}

/** The server's ReadyForQuery: the statement is done and, outside a transaction, committed. */
function endsAnswer(chunk: Buffer): boolean {
  return chunk.subarray(-6, -1).equals(Buffer.from([0x5a, 0, 0, 0, 5]))
}

/** Packets keep their order, also when the delay becomes shorter. */
function createPipe(to: Socket, link: Link): (chunk: Buffer, delayMs: number) => void {
  const queue: { chunk: Buffer; dueMs: number }[] = []

  function pass(): void {
    while (queue.length > 0 && queue[0]!.dueMs <= performance.now()) {
      const { chunk } = queue.shift()!
      if (!link.isSilent && !to.destroyed) to.write(chunk)
    }
    if (queue.length > 0) setTimeout(pass, Math.max(1, queue[0]!.dueMs - performance.now()))
  }

  return (chunk, delayMs) => {
    const dueMs = Math.max(queue.at(-1)?.dueMs ?? 0, performance.now() + delayMs)
    queue.push({ chunk, dueMs })
    if (delayMs === 0 && queue.length === 1) pass()
    else if (queue.length === 1) setTimeout(pass, delayMs)
  }
}
