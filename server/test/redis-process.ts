/** A Redis for a test, which may kill it. */
import { Redis } from 'ioredis'
import { freePort } from './free-port.ts'
import { createServerProcess, type ServerProcess } from './server-process.ts'
import { waitFor } from './wait-for.ts'

export interface RedisProcess extends Omit<ServerProcess, 'start'> {
  readonly url: string
  /** Starts it again, on the same port: with its data if it is durable, else empty. */
  restart(): Promise<void>
}

/** With `isDurable` every write is on disk before it is answered, so that a crash loses nothing. */
export async function startRedis(folder: string, isDurable: boolean): Promise<RedisProcess> {
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  const durability = isDurable ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no']
  const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder]
  const server = createServerProcess('redis-server', [...place, '--save', '', ...durability])

  async function ping(): Promise<boolean> {
    const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null })
    client.on('error', () => {})
    try {
      await client.connect()
      return (await client.ping()) === 'PONG'
    } finally {
      client.disconnect()
    }
  }

  async function restart(): Promise<void> {
    server.start()
    await waitFor(ping, { what: 'redis-server to answer' })
  }
  await restart()
  return { ...server, url, restart }
}
