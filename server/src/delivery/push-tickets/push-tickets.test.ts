/** Expo accepts a push with a ticket; only the receipt, some time later, says whether Apple or Google took it. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { type Answer, type HttpReceiver, startHttpReceiver } from '../../../test/receivers/http-receiver.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { createWake } from '../../platform/queue/wake.ts'
import { createReceiptFetcher, fetchReceipts } from './push-tickets.ts'

const carillon = useCarillon()
const PATH = '/--/api/v2/push/getReceipts'
const TOKEN = 'expo-access-token'
let receiver: HttpReceiver
let answer: (ids: string[]) => Answer | Promise<Answer>
let providerId: string
let people = 0

beforeAll(async () => {
  receiver = await startHttpReceiver()
  receiver.answerWith(({ path, body }) => {
    const sent = JSON.parse(body.toString())
    if (path === PATH) return answer(sent.ids)
    const data = sent[0].to.map((token: string) => ({ status: 'ok', id: `ticket-${token}` }))
    return { body: JSON.stringify({ data }) }
  })
  providerId = await addExpo()
})
afterAll(() => receiver?.stop())
beforeEach(async () => {
  await carillon.pool.query('delete from push_tickets')
  receiver.requests.length = 0
  answer = () => receipts({})
})

async function addExpo(key?: string): Promise<string> {
  const body = {
    name: 'expo',
    kind: 'expo',
    config: { api_url: new URL(receiver.url).origin },
    secrets: { access_token: TOKEN },
  }
  return (await carillon.request('POST', '/v1/providers', { body, ...(key && { key }) })).body.id
}

const receipts = (data: object): Answer => ({ body: JSON.stringify({ data }) })
const ok = { status: 'ok' }
const error = (code: string, message = 'no') => ({ status: 'error', message, details: { error: code } })

/** Sends a push to a new person with so many devices; the tokens are unique. */
async function push(devices = 1): Promise<{ id: string; user: string; tokens: string[] }> {
  const user = `person-${++people}`
  const tokens = Array.from({ length: devices }, (_, at) => `ExponentPushToken[${user}-${at}]`)
  await carillon.putUser(user)
  for (const token of tokens)
    await carillon.request('POST', `/v1/users/${user}/devices`, { body: { kind: 'expo', token } })
  const worker = carillon.deliver(() => ({ kind: 'sent' }), {
    candidates: carillon.providers.directory.candidates,
  })
  const id = await carillon.send({ audience: { kind: 'users', user_ids: [user] }, channels: ['push'] })
  await carillon.settled(id, 'sent')
  await worker.stop()
  return { id, user, tokens }
}

const fetchDue = () =>
  fetchReceipts({
    pool: carillon.pool,
    directory: carillon.providers.directory,
    signal: new AbortController().signal,
  })
const tickets = async () =>
  (
    await carillon.pool.query(
      `select ticket, claim_count, provider_id, round(extract(epoch from next_attempt_at - now()) / 60)::integer as minutes
       from push_tickets order by ticket`,
    )
  ).rows
const makeDue = () =>
  carillon.pool.query("update push_tickets set next_attempt_at = now() - interval '1 second'")
const asked = () =>
  receiver.requests.filter(({ path }) => path === PATH).map(({ body }) => JSON.parse(body.toString()).ids)
const statesOf = async (user: string) =>
  (await carillon.request('GET', `/v1/users/${user}/devices`)).body.data.map(
    ({ state }: { state: string }) => state,
  )
const explained = async (id: string) =>
  JSON.stringify((await carillon.request('GET', `/v1/records/${id}/explain`)).body)
const events = async () =>
  (await carillon.request('GET', '/v1/system-events?event_type=push_credentials_refused&state=open')).body
    .data

it('a push ticket is kept for every device and asked about after a quarter of an hour', async () => {
  const { tokens } = await push(2)
  expect(await tickets()).toEqual(
    tokens.map(token => ({
      ticket: `ticket-${token}`,
      claim_count: 0,
      provider_id: providerId,
      minutes: 15,
    })),
  )
  expect(await fetchDue()).toBe(0)
  expect(asked()).toEqual([])
})

it('a receipt settles a push ticket, and the request is as documented', async () => {
  const { tokens, user, id } = await push()
  answer = ids => receipts(Object.fromEntries(ids.map(ticket => [ticket, ok])))
  await makeDue()
  expect(await fetchDue()).toBe(1)
  const request = receiver.requests.at(-1)!
  expect(request).toMatchObject({
    method: 'POST',
    path: PATH,
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      authorization: `Bearer ${TOKEN}`,
    },
  })
  expect(JSON.parse(request.body.toString())).toEqual({ ids: [`ticket-${tokens[0]}`] })
  expect(await tickets()).toEqual([])
  expect(await statesOf(user)).toEqual(['active'])
  expect(await explained(id)).not.toContain('device_refused')
})

it('a push ticket without a receipt is asked about again, later each time', async () => {
  await push()
  for (const minutes of [15, 30, 60]) {
    await makeDue()
    await fetchDue()
    expect(await tickets()).toMatchObject([{ minutes }])
  }
})

it.each<[string, Answer]>([
  ['is overloaded', { status: 429 }],
  ['fails', { status: 503 }],
  ['answers nonsense', { body: '<html>' }],
  ['does not answer', 'reset'],
])('a push ticket is kept while Expo %s', async (_title, failure) => {
  await push()
  answer = () => failure
  await makeDue()
  await fetchDue()
  expect(await tickets()).toMatchObject([{ minutes: 1 }])
})

it('a push ticket waits while its provider is switched off', async () => {
  await push()
  await makeDue()
  const change = (is_active: boolean) =>
    carillon.request('PATCH', `/v1/providers/${providerId}`, { body: { is_active } })
  await change(false)
  await fetchDue()
  await change(true)
  expect(asked()).toEqual([])
  expect(await tickets()).toMatchObject([{ minutes: 30 }])
})

it('a receipt of DeviceNotRegistered sets the device aside, and explain tells', async () => {
  const { id, user, tokens } = await push(2)
  answer = () =>
    receipts({
      [`ticket-${tokens[0]}`]: error('DeviceNotRegistered', `"${tokens[0]}" is not registered (${TOKEN})`),
      [`ticket-${tokens[1]}`]: ok,
    })
  await makeDue()
  await fetchDue()
  expect((await statesOf(user)).sort()).toEqual(['active', 'gone'])
  const told = await explained(id)
  expect(told).toContain('expo reports that a device did not get it: DeviceNotRegistered')
  expect(told).not.toContain(tokens[0])
  expect(told).not.toContain(TOKEN)
  expect((await carillon.routesOf(id))[0]).toMatchObject({ status: 'sent', bounced_at: null })
})

it.each([null, { status: 5 }, { status: 'error', details: [] }])(
  'an unreadable receipt does not keep the others from being read: %j',
  async unreadable => {
    const { user, tokens } = await push(2)
    answer = () =>
      receipts({
        [`ticket-${tokens[0]}`]: unreadable,
        [`ticket-${tokens[1]}`]: error('DeviceNotRegistered'),
      })
    await makeDue()
    await fetchDue()
    expect((await statesOf(user)).sort()).toEqual(['active', 'gone'])
  },
)

it('a receipt of DeviceNotRegistered spares a device that was registered again since', async () => {
  const { user, tokens } = await push()
  await carillon.pool.query("update push_tickets set created_at = now() - interval '1 hour'")
  await carillon.request('POST', `/v1/users/${user}/devices`, { body: { kind: 'expo', token: tokens[0] } })
  answer = ids => receipts({ [ids[0]!]: error('DeviceNotRegistered') })
  await makeDue()
  await fetchDue()
  expect(await statesOf(user)).toEqual(['active'])
})

it.each(['MessageTooBig', 'MessageRateExceeded', 'ExpoError'])(
  'a receipt of %s is told by explain and changes nothing else',
  async code => {
    const { id, user } = await push()
    answer = ids => receipts({ [ids[0]!]: error(code, 'too much') })
    await makeDue()
    await fetchDue()
    expect(await explained(id)).toContain(`a device did not get it: ${code}: too much`)
    expect(await statesOf(user)).toEqual(['active'])
    expect(await events()).toEqual([])
  },
)

it.each(['InvalidCredentials', 'MismatchSenderId'])(
  'a receipt of %s tells operators until a push succeeds',
  async code => {
    await push()
    answer = ids => receipts({ [ids[0]!]: error(code, 'check your key') })
    await makeDue()
    await fetchDue()
    expect(await events()).toMatchObject([
      { severity: 'high', details: { provider_id: providerId, last_error: `${code}: check your key` } },
    ])
    await push()
    answer = ids => receipts({ [ids[0]!]: ok })
    await makeDue()
    await fetchDue()
    expect(await events()).toEqual([])
  },
)

it('two processes never ask about the same push ticket at once', async () => {
  await push(3)
  await makeDue()
  const held: (() => void)[] = []
  answer = async ids => {
    await new Promise<void>(resolve => held.push(resolve))
    return receipts(Object.fromEntries(ids.map(ticket => [ticket, ok])))
  }
  const first = fetchDue()
  await waitFor(async () => held.length === 1, { what: 'the first request' })
  expect(await fetchDue()).toBe(0)
  held[0]!()
  expect(await first).toBe(3)
  expect(asked()).toHaveLength(1)
})

it('a process that comes back late changes nothing about a ticket that another has taken over', async () => {
  const { user } = await push()
  await makeDue()
  let release = () => {}
  answer = ids =>
    new Promise(resolve => {
      release = () => resolve(receipts({ [ids[0]!]: error('DeviceNotRegistered') }))
    })
  const late = fetchDue()
  await waitFor(async () => asked().length === 1, { what: 'the first request' })
  // The first process is taken for dead, and another one asks.
  await makeDue()
  const releaseLate = release
  answer = () => receipts({})
  await fetchDue()
  releaseLate()
  await late
  expect(await tickets()).toMatchObject([{ claim_count: 2 }])
  expect(await statesOf(user)).toEqual(['active'])
})

it('push tickets of each tenant are asked about separately, however many one tenant has', async () => {
  const { key, id } = await carillon.createTenant('another')
  const other = await addExpo(key)
  await push()
  const many = (tenant: string, provider: string, count: number) =>
    carillon.pool.query(
      `insert into push_tickets (tenant_id, provider_id, ticket, notification_id, route_id, device_id, next_attempt_at)
       select $1, $2, 'many-' || n, gen_random_uuid(), 'r', gen_random_uuid(), now() - interval '1 hour'
       from generate_series(1, $3) n`,
      [tenant, provider, count],
    )
  await many(carillon.tenantId, providerId, 1500)
  await many(id, other, 2)
  answer = ids => receipts(Object.fromEntries(ids.map(ticket => [ticket, ok])))
  await fetchDue()
  const sizes = asked().map(ids => ids.length)
  expect(sizes.sort((a, b) => a - b)).toEqual([2, 500])
})

it('the receipt fetcher asks about due tickets until it is stopped', async () => {
  await push()
  await makeDue()
  answer = ids => receipts({ [ids[0]!]: ok })
  const fetcher = createReceiptFetcher({
    pool: carillon.pool,
    directory: carillon.providers.directory,
    wake: createWake(),
    onError: () => {},
  })
  await fetcher.start()
  await waitFor(async () => (await tickets()).length === 0, { what: 'the receipt' })
  await fetcher.stop()
})
