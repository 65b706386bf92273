/** A NATS with JetStream for a test: one server, or a cluster of several, of which the test may kill some. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { freePort } from './free-port.ts'
import { createServerProcess, type ServerProcess } from './server-process.ts'
import { waitFor } from './wait-for.ts'

export interface NatsProcess {
  /** Of all servers. */
  readonly urls: string
  readonly servers: ServerProcess[]
  /** Resolves when JetStream answers: in a cluster, when a leader is elected. */
  ready(): Promise<void>
  stop(): Promise<void>
}

export async function startNats(folder: string, size: number): Promise<NatsProcess> {
  const nodes: Node[] = []
  for (let i = 0; i < size; i++)
    nodes.push({ name: `n${i}`, port: await freePort(), clusterPort: await freePort() })
  const servers = nodes.map(node =>
    createServerProcess('nats-server', ['--config', writeConfiguration(folder, node, nodes)]),
  )
  for (const server of servers) server.start()
  const urls = nodes.map(({ port }) => `nats://127.0.0.1:${port}`).join(',')

  async function answers(): Promise<boolean> {
    const connection = await connect({ servers: urls.split(','), reconnect: false, timeout: 2000 })
    try {
      await (await jetstreamManager(connection, { timeout: 1000 })).getAccountInfo()
      return true
    } finally {
      await connection.close()
    }
  }

  const nats: NatsProcess = {
    urls,
    servers,
    ready: async () => void (await waitFor(answers, { what: 'JetStream to answer', everyMs: 100 })),
    stop: async () => void (await Promise.all(servers.map(server => server.kill()))),
  }
  await nats.ready()
  return nats
}

interface Node {
  name: string
  port: number
  clusterPort: number
}

function writeConfiguration(folder: string, { name, port, clusterPort }: Node, nodes: Node[]): string {
  const store = join(folder, name)
  mkdirSync(store, { recursive: true })
  const routes = nodes.map(node => `nats://127.0.0.1:${node.clusterPort}`)
  const cluster = `cluster { name: test, listen: "127.0.0.1:${clusterPort}", routes: ${JSON.stringify(routes)} }`
  const file = join(folder, `${name}.conf`)
  writeFileSync(
    file,
    `server_name: ${name}
listen: "127.0.0.1:${port}"
jetstream { store_dir: ${JSON.stringify(store)}, max_mem: 64MB, max_file: 1GB }
${nodes.length > 1 ? cluster : ''}
`,
  )
  return file
}
