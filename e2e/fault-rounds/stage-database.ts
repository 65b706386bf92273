/** A database of its own for each kind of fault, owned by an ordinary role as an operator would set it up. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'

export interface StageDatabase {
  readonly name: string
  /** For Carillon's role, without the proxy. */
  readonly url: string
  /** The same through the proxy. */
  through(port: number): string
  /** A session of the superuser in this database; it ends with the stage. */
  session(): Promise<pg.Client>
  drop(): Promise<void>
}

export async function createStageDatabase(adminUrl: string): Promise<StageDatabase> {
  const name = `faults_${randomBytes(4).toString('hex')}`
  const sessions: pg.Client[] = []

  async function open(database: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: withPath(adminUrl, database) })
    client.on('error', () => {})
    await client.connect()
    return client
  }

  async function administer(...statements: string[]): Promise<void> {
    const client = await open('postgres')
    for (const statement of statements) await client.query(statement)
    await client.end()
  }

  await administer(`create role ${name} login password '${name}'`, `create database ${name} owner ${name}`)
  const url = new URL(withPath(adminUrl, name))
  url.username = name
  url.password = name

  return {
    name,
    url: url.href,
    through: port => Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    async session() {
      const client = await open(name)
      sessions.push(client)
      return client
    },
    async drop() {
      for (const session of sessions) await session.end().catch(() => {})
      await administer(`drop database ${name} with (force)`, `drop role ${name}`)
    },
  }
}

function withPath(url: string, database: string): string {
  return Object.assign(new URL(url), { pathname: `/${database}` }).href
}
