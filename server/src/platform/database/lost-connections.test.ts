import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { useDatabase } from '../../../test/database.ts'
import { isUnavailableError } from './errors.ts'
import { createPool, type Pool, transaction } from './pool.ts'

const database = useDatabase()

const message = (type: string, body: string | Buffer) => {
  const bytes = Buffer.from(body)
  const length = Buffer.alloc(4)
  length.writeInt32BE(bytes.length + 4)
  return Buffer.concat([Buffer.from(type), length, bytes])
}
const WELCOME = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', 'I')])
const DONE = Buffer.concat([message('C', 'SELECT 0\0'), message('Z', 'I')])
const FAREWELL = message('E', 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0')

/** A server that speaks just enough to be connected to; `onQuery` says what it answers. */
async function fakeServer(onQuery: (socket: Socket) => void): Promise<string> {
  const server = createServer(socket => {
    let isWelcomed = false
    socket.on('error', () => {})
    socket.on('data', () => {
      if (isWelcomed) onQuery(socket)
      else socket.write(WELCOME)
      isWelcomed = true
    })
    onTestFinished(() => void socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `postgres://someone@127.0.0.1:${(server.address() as AddressInfo).port}/somewhere`
}

function poolOf(url: string, timeoutMs?: number): Pool {
  const pool = createPool(url, { max: 1, ...(timeoutMs !== undefined && { timeoutMs }) })
  onTestFinished(() => void pool.end())
  return pool
}

it('a session ended while its connection goes from one caller to the next fails the next, and not the process', async () => {
  const pool = poolOf(await fakeServer(socket => socket.write(Buffer.concat([DONE, FAREWELL]))))
  const first = pool.query('select')
  const second = transaction(pool, tx => tx.query('select'))
  await expect(first).resolves.toMatchObject({ rowCount: 0 })
  await expect(second).rejects.toSatisfy(isUnavailableError)
})

it('a server that never answers a statement is given up, with its connection', async () => {
  let asked = 0
  const url = await fakeServer(socket => {
    if (++asked > 1) socket.write(DONE)
  })
  const pool = poolOf(url, 100)
  await expect(pool.query('select')).rejects.toSatisfy(isUnavailableError)
  await expect(pool.query('select')).resolves.toMatchObject({ rowCount: 0 })
})

it('a transaction on a connection that fell silent ends too, and the next has a connection of its own', async () => {
  let asked = 0
  const url = await fakeServer(socket => {
    if (++asked !== 2) socket.write(DONE)
  })
  const pool = poolOf(url, 100)
  await expect(transaction(pool, tx => tx.query('select'))).rejects.toSatisfy(isUnavailableError)
  await expect(pool.query('select')).resolves.toMatchObject({ rowCount: 0 })
})

it('a statement that waits too long for a lock is ended on the server too', async () => {
  const pool = poolOf(database.url, 200)
  await transaction(database.pool, async holder => {
    await holder.query('lock table tenants in access exclusive mode')
    await expect(pool.query('select from tenants')).rejects.toSatisfy(isUnavailableError)
    const waiting = `select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())`
    expect((await holder.query(waiting)).rowCount).toBe(0)
  })
})

it('what a silent connection has locked is free again as soon', async () => {
  const pool = poolOf(database.url, 200)
  const forgotten = await pool.connect()
  await forgotten.query('begin')
  await forgotten.query('lock table tenants in access exclusive mode')
  await database.pool.query('select from tenants')
  forgotten.release(true)
})

it('after a failover no connection to the server that only reads is kept', async () => {
  const pool = poolOf(database.url)
  const pid = async () => (await pool.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid
  await pool.query('set default_transaction_read_only = on')
  const reader = await pid()
  await expect(transaction(pool, tx => tx.query('delete from tenants'))).rejects.toSatisfy(isUnavailableError)
  expect(await pid()).not.toBe(reader)
  await transaction(pool, tx => tx.query('delete from tenants'))
})
