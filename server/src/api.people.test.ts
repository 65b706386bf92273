/** Every operation, tried with user tokens: people reach what is theirs, and nothing else. */
import { beforeAll, describe, expect, it } from 'vitest'
import { changingCalls } from '../test/calls/calls.ts'
import { type Answer, problemOf, type RequestOptions, useCarillon } from '../test/carillon.ts'
import { type Inhabited, inhabit, MARK } from '../test/inhabited.ts'
import { operationsOf } from '../test/operations.ts'
import { tokenFor } from '../test/user-tokens.ts'

const carillon = useCarillon()
const CALLS = changingCalls(carillon)
/** Has something of everything; see inhabited.ts. */
const OWNER = `${MARK}-1`
/** They prove their caller in another way. */
const WITHOUT_KEY = [
  'POST /v1/callbacks/{id}',
  'POST /v1/session',
  'POST /v1/invitations/read',
  'POST /v1/invitations/accept',
]
/** Of the same tenant, with nothing. */
const OTHER = 'somebody-else'
let inhabited: Inhabited
/** Somebody with the same id in another tenant. */
let namesake: string

beforeAll(async () => {
  inhabited = await inhabit(carillon)
  await carillon.putUser(OTHER)
  const { key } = await carillon.createTenant('namesakes')
  await carillon.request('PUT', `/v1/users/${OWNER}`, { key, body: {} })
  await carillon.request('PATCH', '/v1/tenant', { key, body: { user_requests_per_minute: 1_000_000 } })
  await carillon.request('PATCH', '/v1/tenant', { body: { user_requests_per_minute: 1_000_000 } })
  namesake = await tokenFor(carillon, OWNER, { key })
})

const operations = () => operationsOf(carillon.api).filter(({ path }) => path.startsWith('/v1/'))
const forPeople = (isRead: boolean) =>
  operations().filter(({ isForPeople, method }) => isForPeople && (method === 'GET') === isRead)

/** A call as its person makes it: who that is, is known from the token. */
function unnamed(path: string, { body, ...options }: RequestOptions): [string, RequestOptions] {
  const [plain = '', query = ''] = path.split('?')
  const search = new URLSearchParams(query)
  search.delete('user_id')
  const { user_id: _, ...rest } = (body ?? {}) as { user_id?: string }
  const bare = search.size === 0 ? plain : `${plain}?${search}`
  return [bare, { ...options, ...(body !== undefined && { body: rest }) }]
}

/** Whom a call is about. */
function namedIn(path: string, body: unknown): string | undefined {
  const inPath = /^\/v1\/users\/([^/?]+)/.exec(path)?.[1] ?? /\/people\/([^/?]+)/.exec(path)?.[1]
  const inQuery = new URLSearchParams(path.split('?')[1]).get('user_id')
  return (inPath && decodeURIComponent(inPath)) || inQuery || (body as { user_id?: string })?.user_id
}

/** The version of an inbox says what else has happened in the database; a stream names it twice, and a random wait. */
function withoutVersion({ body }: Answer): unknown {
  if (typeof body === 'string') return body.replace(/\d+:\d+:[\d,]*|retry: \d+/g, '')
  const { version: _, ...rest } = body
  return rest
}

const isRefused = ({ status }: Answer) => status === 403 || status === 404
const isSuccess = (status: number) => status >= 200 && status < 300

describe('a user token', () => {
  it('reaches no operation that is not for people', async () => {
    const key = await tokenFor(carillon, OWNER)
    const before = await everything()
    for (const { name, method, path, isForPeople, isForSessions } of operations()) {
      if (isForPeople || WITHOUT_KEY.includes(name)) continue
      const filled = path.replace(/\{[^}]+\}/g, OWNER)
      const problem = problemOf(await carillon.request(method, filled, { key }))
      const refused = isForSessions ? [401, 'unauthenticated'] : [403, 'forbidden']
      expect([name, problem.status, problem.code]).toEqual([name, ...refused])
    }
    expect(await everything()).toEqual(before)
  })

  it('reads what is its person’s without saying whose, and nothing of anybody else', {
    tags: 'S004-7',
  }, async () => {
    const [own, other] = [await tokenFor(carillon, OWNER), await tokenFor(carillon, OTHER)]
    for (const { name } of forPeople(true)) {
      const path = inhabited.ask(name)
      expect([name, namedIn(path, undefined)]).toEqual([name, OWNER])
      const [bare] = unnamed(path, {})
      const [byKey, byToken] = [
        await carillon.request('GET', path),
        await carillon.request('GET', bare, { key: own }),
      ]
      expect([name, byToken.status, withoutVersion(byToken)]).toEqual([name, 200, withoutVersion(byKey)])
      expect([name, await carillon.request('GET', path, { key: other })]).toEqual([
        name,
        expect.toSatisfy(isRefused),
      ])
      const others = await carillon.request('GET', bare, { key: other })
      const shows = !bare.includes(OWNER) && JSON.stringify(others.body).includes(OWNER)
      expect([name, others.status < 500, shows]).toEqual([name, true, false])
      const foreign = await carillon.request('GET', bare, { key: namesake })
      // Their own id is the same, and they may be told it.
      const text = JSON.stringify(foreign.body).replaceAll(`"id":"${OWNER}"`, '')
      const allowed = bare.includes(OWNER)
      const seen = inhabited.ids.some(id => text.includes(id)) || (text.includes(MARK) && !allowed)
      expect([name, foreign.status < 500, seen]).toEqual([name, true, false])
    }
  })

  it('changes what is its person’s without saying whose, and nothing of anybody else', {
    tags: 'S004-7',
  }, async () => {
    for (const { name, method } of forPeople(false)) {
      const { path, options = {} } = await CALLS[name]!()
      const person = namedIn(path, options.body)
      expect([name, typeof person]).toEqual([name, 'string'])
      const [bare, plain] = unnamed(path, options)
      const call = (key: string, to = path, how = options) =>
        carillon.request(method, to, { ...(method === 'POST' && { body: {} }), ...how, key })
      const other = await tokenFor(carillon, OTHER)
      const before = await everything()
      expect([name, await call(other)]).toEqual([name, expect.toSatisfy(isRefused)])
      expect([name, await everything()]).toEqual([name, before])
      // What is meant without a name is the caller's own, in the caller's own tenant.
      const of = await everythingOf(person!)
      for (const key of [other, namesake])
        expect([name, (await call(key, bare, plain)).status < 500]).toEqual([name, true])
      expect([name, await everythingOf(person!)]).toEqual([name, of])
      const own = await call(await tokenFor(carillon, person!), bare, plain)
      expect([name, own.status, own.body]).toEqual([name, expect.toSatisfy(isSuccess), own.body])
    }
  })
})

/** All rows of the first tenant, except for what counts requests. */
async function everything(where = ''): Promise<unknown[]> {
  const { rows: tables } = await carillon.pool.query<{ name: string }>(
    `select table_name as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'carillon' and column_name = '${where === '' ? 'tenant_id' : 'user_id'}'
       and table_type = 'BASE TABLE' and table_name not in ('rate_limits', 'audit_logs') order by 1`,
  )
  const rows = tables.map(
    ({ name }) => `select '${name}' as name, jsonb_agg(to_jsonb(t) - 'last_used_at' order by t::text) as rows
       from ${name} t where tenant_id = $1 ${where}`,
  )
  return (await carillon.pool.query(`${rows.join(' union all ')} order by 1`, [carillon.tenantId])).rows
}

const everythingOf = (userId: string) => everything(`and user_id = '${userId}'`)
