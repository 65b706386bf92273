/** Every operation, tried by another tenant with what the first one has. */
import { beforeAll, describe, expect, it } from 'vitest'
import { changingCalls } from '../test/calls/calls.ts'
import { type Answer, useCarillon } from '../test/carillon.ts'
import { type Inhabited, inhabit, MARK } from '../test/inhabited.ts'
import { type Operation, operationsOf } from '../test/operations.ts'
import { prepareTwin } from '../test/twin.ts'

const carillon = useCarillon()
const CALLS = changingCalls(carillon)
/** Only keys of the whole instance may ask, and they see every tenant. */
const OF_THE_INSTANCE = [
  'GET /v1/tenants',
  'POST /v1/tenants',
  'GET /v1/tenants/{id}',
  'PATCH /v1/tenants/{id}',
  'DELETE /v1/tenants/{id}',
  'POST /v1/tenants/{id}/suspend',
  'POST /v1/tenants/{id}/resume',
]
/** They show numbers or times, or what is the same for everybody. */
const NAMELESS = [
  'GET /v1/dead-letters/count',
  'GET /v1/inbox/unread-count',
  'GET /v1/metrics/series',
  'GET /v1/event-consumers',
  'GET /v1/provider-kinds',
  'GET /v1/schedules/preview',
  'GET /v1/schedules/{id}/preview',
  'GET /v1/scripts/types',
]
/** They are no more than the rows that name them. */
const ONLY_NAMES = ['GET /v1/kv/{collection}']
/** Every tenant has one of the same name. */
const NAMESAKES = ['POST /v1/event-consumers/{name}/reset']
let inhabited: Inhabited
let stranger: string
let twin: string
let everything: string | undefined

beforeAll(async () => {
  inhabited = await inhabit(carillon)
  stranger = (await carillon.createTenant('stranger')).key
  twin = (await carillon.createTenant('twin')).id
})

function operations(wanted: (operation: Operation) => boolean): Operation[] {
  return operationsOf(carillon.api).filter(
    // Those about sessions ask whose cookie it is, and have tests of their own.
    ({ name, path, isForSessions, ...rest }) =>
      path.startsWith('/v1/') &&
      !isForSessions &&
      !OF_THE_INSTANCE.includes(name) &&
      wanted({ name, path, isForSessions, ...rest }),
  )
}
const isRead = ({ method }: Operation) => method === 'GET'
const read = (name: string, key: string) => carillon.request('GET', inhabited.ask(name), { key })

function showsFirst(body: unknown): boolean {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return text.includes(MARK) || inhabited.ids.some(id => text.includes(id))
}

describe('another tenant', () => {
  it('sees nothing of the first in any GET, also with its ids; the first sees itself in every one', {
    tags: 'S004-7',
  }, async () => {
    for (const { name, path } of operations(isRead)) {
      const own = await read(name, carillon.key)
      expect([name, own.status, showsFirst(own.body)]).toEqual([name, 200, !NAMELESS.includes(name)])
      const foreign = await read(name, stranger)
      if (foreign.status === 200) expect([name, showsFirst(foreign.body)]).toEqual([name, false])
      if (path.includes('{'))
        expect([name, foreign.status]).toEqual([name, ONLY_NAMES.includes(name) ? 200 : 404])
    }
    expect((await read('GET /v1/dead-letters/count', stranger)).body).toEqual({ open: 0 })
  })

  // Every operation, possibly on a machine that is busy with something else.
  it('changes nothing of the first with calls that the first makes with success, which change nothing of one that has the same ids', {
    tags: 'S004-7',
    timeout: 180_000,
  }, async () => {
    const makeTwin = await prepareTwin(carillon.pool, carillon.tenantId, twin)
    for (const { name, method, path } of operations(operation => !isRead(operation))) {
      const { path: filled, options = {} } = await CALLS[name]!()
      // a service proves itself by its signature, not by a tenant's key
      if (options.key === null) continue
      const call = (key: string) =>
        carillon.request(method, filled, { ...(method === 'POST' && { body: {} }), ...options, key })
      const before = await everythingOf(carillon.tenantId)
      const foreign = await call(stranger)
      expect([name, await everythingOf(carillon.tenantId)]).toEqual([name, before])
      // a name that the stranger puts is a new one of its own
      if (path.includes('{') && method !== 'PUT' && !NAMESAKES.includes(name))
        expect([name, foreign]).toEqual([name, expect.toSatisfy(knowsNothing)])
      expect([name, foreign.status < 500]).toEqual([name, true])
      await makeTwin()
      const twins = await everythingOf(twin)
      const own = await call(carillon.key)
      expect([name, own.status]).toEqual([name, expect.toSatisfy(isSuccess)])
      expect([name, await everythingOf(twin)]).toEqual([name, twins])
    }
  })
})

const isSuccess = (status: number) => status >= 200 && status < 300

/** Not found, a list of nothing, or a message that nobody gets. */
function knowsNothing({ status, body }: Answer): boolean {
  return (
    status === 404 || body.matched === 0 || (status === 200 && (body.data ?? body.published)?.length === 0)
  )
}

/** Every row of every table that belongs to the tenant. */
async function everythingOf(tenantId: string): Promise<unknown[]> {
  everything ??= await everyRow()
  // Planned once: it takes longer than reading the few rows there are.
  return (await carillon.pool.query({ name: 'everything', text: everything, values: [tenantId] })).rows
}

/** As one statement, and as text: that is written and compared in half the time of JSON. */
async function everyRow(): Promise<string> {
  const { rows: tables } = await carillon.pool.query<{ name: string; columns: string[] }>(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) filter (where a.attname <> 'last_used_at') as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'carillon'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     group by c.relname having bool_or(a.attname = 'tenant_id') order by 1`,
  )
  const rows = tables.map(
    ({ name, columns }) => `select '${name}' as name, string_agg(line, e'\\n' order by line) as rows
       from (select row(${columns})::text as line from ${name} where tenant_id = $1) x`,
  )
  return `${rows.join(' union all ')} order by 1`
}
