/** A caller over a real connection that leaves while its request waits for a table. */
import { once } from 'node:events'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { transaction } from '../src/platform/database/pool.ts'
import type { TestCarillon } from './carillon.ts'
import { waitFor } from './wait-for.ts'

const WAITING = `select from pg_locks where not granted and relation = $1::regclass`

/** Resolves when the caller is gone and its request can go on. */
export async function callAndLeave(
  carillon: TestCarillon,
  path: string,
  { table, body, headers = {} }: { table: string; body: string; headers?: Record<string, string> },
): Promise<void> {
  const url = await carillon.listen()
  const connected = once(carillon.api.server, 'connection') as Promise<[Socket]>
  await transaction(carillon.pool, async tx => {
    await tx.query(`lock table ${table} in access exclusive mode`)
    const call = request(new URL(path, url), { method: 'POST', headers, agent: false })
    call.on('error', () => {})
    call.end(body)
    const [socket] = await connected
    await waitFor(async () => (await tx.query(WAITING, [table])).rowCount === 1, {
      what: `the request to wait for ${table}`,
    })
    call.destroy()
    if (!socket.closed) await once(socket, 'close')
  })
}
