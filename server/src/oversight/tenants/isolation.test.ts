import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { raiseSystemEvent } from '../system-events/system-events.ts'

const carillon = useCarillon()
/** In the name of everything the first tenant has. */
const MARK = 'firsttenants'
let ids: string[]
let stranger: string

beforeAll(async () => {
  await carillon.putUser(`${MARK}-user`, { email: `${MARK}@example.com`, username: MARK })
  await carillon.putType(`${MARK}-type`, { channels: ['email'] })
  const watch = { user_id: `${MARK}-user` }
  await carillon.request('PUT', `/v1/topics/${MARK}-topic/watch`, { body: watch })
  const worker = carillon.deliver(() => ({ kind: 'permanent', message: MARK }))
  const record = await carillon.send({
    producer: MARK,
    audience: { kind: 'users', user_ids: [`${MARK}-user`] },
    channels: ['email'],
    payload: { title: MARK },
  })
  await carillon.settled(record, 'dead')
  await worker.stop()
  const malformed = { intents: [{ source_entry_id: MARK, producer: MARK }] }
  await carillon.request('POST', '/v1/intents/batch', { body: malformed })
  const key = await carillon.createKey({ name: MARK, scopes: [] })
  const event = await raiseSystemEvent(carillon.pool, {
    tenant_id: carillon.tenantId,
    event_type: MARK,
    severity: 'low',
    description: MARK,
  })
  await carillon.pool.query(
    `insert into captured_messages (tenant_id, message_id, notification_id, route_id, channel, notification_type,
       recipient_ref, address, locale, subject, text) select tenant_id, $1, notification_id, route_id, channel, $1, $1, $1, 'en', $1, $1 from routes`,
    [MARK],
  )
  const [letter] = await carillon.readAll('/v1/dead-letters')
  ids = [record, letter.id, key.id, String(event.id), `${MARK}-user`, `${MARK}-type`, `${MARK}-topic`]
  stranger = (await carillon.createTenant('stranger')).key
})

interface Operation {
  method: 'GET'
  path: string
}

/** Every operation, with each of the first tenant's ids in its place. */
function operations(wanted: (method: string) => boolean): Operation[] {
  return Object.entries(carillon.api.swagger().paths ?? {})
    .filter(([path]) => path.startsWith('/v1/') && path !== '/v1/tenants')
    .flatMap(([path, methods]) =>
      Object.keys(methods as object)
        .filter(wanted)
        .flatMap(method => {
          const paths = path.includes('{') ? ids.map(id => path.replace(/\{[^}]+\}/g, id)) : [path]
          return paths.map(filled => ({ method: method.toUpperCase() as 'GET', path: filled }))
        }),
    )
}

const read = async (key: string) => {
  const seen = new Map<string, string>()
  for (const { method, path } of operations(each => each === 'get')) {
    const query =
      path === '/v1/routes/attempts' ? `?notification_id=${ids[0]}&route_id=email:user:${MARK}-user` : ''
    const answer = await carillon.request(method, path + query, { key })
    if (answer.status === 200) seen.set(path, JSON.stringify(answer.body))
  }
  return seen
}
const showsFirst = (text: string) => text.includes(MARK) || ids.some(id => text.includes(`"${id}"`))

describe('another tenant', () => {
  it('S004-7 sees nothing of the first in any GET, also with its ids; the first sees it in every one', async () => {
    const own = await read(carillon.key)
    const foreign = await read(stranger)
    const shown = [...own].filter(([, text]) => showsFirst(text)).map(([path]) => path)
    expect(shown.length).toBeGreaterThan(15)
    for (const path of [
      '/v1/records',
      '/v1/routes',
      '/v1/routes/attempts',
      '/v1/users',
      '/v1/dead-letters',
    ]) {
      expect(shown).toContain(path)
    }
    const leaks = [...foreign].filter(([, text]) => showsFirst(text)).map(([path]) => path)
    expect(leaks).toEqual([])
  })

  it('S004-7 gets 404 for each of the first’s ids where the first gets 200', async () => {
    const own = await read(carillon.key)
    for (const [path, text] of own) {
      if (!ids.some(id => path.includes(`/${id}`)) || !showsFirst(text)) continue
      const answer = await carillon.request('GET', path, { key: stranger })
      const empty = answer.status === 200 && answer.body.data?.length === 0
      expect([path, empty ? 404 : answer.status]).toEqual([path, 404])
    }
  })

  it('S004-7 changes nothing of the first, whatever it sends to its ids', async () => {
    const everything = async () => {
      const tables = Object.keys(await carillon.rowCounts()).filter(
        table => !['tenants', 'pgmigrations'].includes(table),
      )
      const rows: unknown[] = []
      for (const table of tables) {
        const hasTenant = await carillon.pool.query(
          `select from information_schema.columns where table_schema = 'carillon' and table_name = $1 and column_name = 'tenant_id'`,
          [table],
        )
        if (hasTenant.rowCount === 0) continue
        const found = await carillon.pool.query(
          `select to_jsonb(t) - 'last_used_at' as row from ${table} t where tenant_id = $1 order by t::text`,
          [carillon.tenantId],
        )
        rows.push(...found.rows)
      }
      return rows
    }
    const before = await everything()
    for (const { method, path } of operations(each => each !== 'get')) {
      const query = path.endsWith('/watch') && method === ('DELETE' as string) ? `?user_id=${MARK}-user` : ''
      for (const body of [undefined, { user_id: `${MARK}-user` }, { filter: {} }, { channels: ['email'] }]) {
        const answer = await carillon.request(method, path + query, { key: stranger, body })
        expect([method, path, answer.status < 500]).toEqual([method, path, true])
      }
    }
    expect(await everything()).toEqual(before)
  })
})
