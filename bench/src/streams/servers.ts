/** Redis and NATS of their own, from the PATH, and streams filled with intents. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { Redis } from 'ioredis'
import { PAYLOAD, TYPE, USERS } from '../tenant.ts'

export interface StreamServers {
  /** The setting of a new stream with this many entries. */
  fill(kind: 'redis' | 'nats', count: number): Promise<object>
  stop(): Promise<void>
}

const AT_ONCE = 500

/** Both keep what they have on disk, as somebody who relies on them would set them up. */
export async function startServers(folder: string): Promise<StreamServers> {
  const [redisPort, natsPort] = [await freePort(), await freePort()]
  const dir = mkdtempSync(join(folder, 'streams-'))
  const redisOptions = ['--port', `${redisPort}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'yes']
  const children = [
    spawn('redis-server', [...redisOptions, '--dir', dir], { stdio: 'ignore' }),
    spawn('nats-server', ['-a', '127.0.0.1', '-p', `${natsPort}`, '-js', '-sd', dir], { stdio: 'ignore' }),
  ]
  const redisUrl = `redis://127.0.0.1:${redisPort}`
  const natsUrl = `nats://127.0.0.1:${natsPort}`
  const redis = new Redis(redisUrl)
  redis.on('error', () => {})
  await redis.ping()
  const nats = await untilConnected(natsUrl)
  let filled = 0
  return {
    async fill(kind, count) {
      const name = `${kind}-${++filled}`
      const entries = Array.from({ length: count }, flatIntents())
      if (kind === 'redis') {
        for (let i = 0; i < count; i += AT_ONCE) {
          const pipeline = redis.pipeline()
          for (const fields of entries.slice(i, i + AT_ONCE))
            pipeline.xadd(name, '*', ...Object.entries(fields).flat())
          await pipeline.exec()
        }
        return { name, url: redisUrl, key: name }
      }
      const manager = await jetstreamManager(nats)
      await manager.streams.add({ name, subjects: [name] })
      for (let i = 0; i < count; i += AT_ONCE)
        await Promise.all(
          entries.slice(i, i + AT_ONCE).map(fields => jetstream(nats).publish(name, JSON.stringify(fields))),
        )
      return { name, url: natsUrl, stream: name }
    },
    async stop() {
      redis.disconnect()
      await nats.close()
      await Promise.all(children.map(end))
    },
  }
}

function flatIntents(): () => Record<string, string> {
  const run = randomBytes(6).toString('hex')
  const payload_json = JSON.stringify(PAYLOAD)
  let made = 0
  return () => {
    made++
    return {
      notification_type: TYPE,
      producer: 'bench',
      audience_kind: 'user',
      recipient_user_ids_json: `["user-${made % USERS}"]`,
      idempotency_key: `${run}-${made}`,
      occurred_at_ms: '1767225600000',
      payload_json,
    }
  }
}

async function untilConnected(url: string): Promise<NatsConnection> {
  for (let tries = 0; ; tries++) {
    try {
      return await connect({ servers: url })
    } catch (error) {
      if (tries === 50) throw error
      await delay(100)
    }
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
