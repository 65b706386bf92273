import { expect, test } from 'vitest'
import { startReceiver } from '../test/receiver.ts'
import { createClient } from './client.ts'

const THREE_PAGES = [
  { json: { data: [1, 2], next_cursor: 'p2' } },
  { json: { data: [], next_cursor: 'p3' } },
  { json: { data: [3], next_cursor: null } },
]

async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const row of rows) all.push(row)
  return all
}

test('an iterator goes through every page, even past an empty one, and keeps the query', async () => {
  const receiver = await startReceiver(...THREE_PAGES)
  const client = createClient({ url: receiver.url, apiKey: 'k' })
  expect(await collect(client.records.all({ producer: 'shop' }))).toEqual([1, 2, 3])
  expect(receiver.requests.map(request => request.url)).toEqual([
    '/v1/records?producer=shop&limit=100',
    '/v1/records?producer=shop&limit=100&cursor=p2',
    '/v1/records?producer=shop&limit=100&cursor=p3',
  ])
})

test('an iterator starts at the given cursor and uses the given page size', async () => {
  const receiver = await startReceiver({ json: { data: [], next_cursor: null } })
  await collect(createClient({ url: receiver.url, apiKey: 'k' }).routes.all({ limit: 7, cursor: 'here' }))
  expect(receiver.requests.map(request => request.url)).toEqual(['/v1/routes?limit=7&cursor=here'])
})

test('a loop that ends early fetches no further page', async () => {
  const receiver = await startReceiver(...THREE_PAGES)
  for await (const _ of createClient({ url: receiver.url, apiKey: 'k' }).users.all()) break
  expect(receiver.requests).toHaveLength(1)
})

test.each([
  ['records.allRoutes', '/v1/records/r1/routes?limit=100'],
  ['topics.allWatches', '/v1/topics/t1/watches?limit=100'],
])('%s goes through every page too', async (name, first) => {
  const receiver = await startReceiver(...THREE_PAGES)
  const client = createClient({ url: receiver.url, apiKey: 'k' })
  const rows = name === 'records.allRoutes' ? client.records.allRoutes('r1') : client.topics.allWatches('t1')
  expect(await collect<unknown>(rows)).toEqual([1, 2, 3])
  expect(receiver.requests.map(request => request.url)).toEqual([
    first,
    `${first}&cursor=p2`,
    `${first}&cursor=p3`,
  ])
})

test('lists without pages can be iterated too', async () => {
  const receiver = await startReceiver({ json: { data: [{ name: 'welcome' }] } })
  const client = createClient({ url: receiver.url, apiKey: 'k' })
  expect(await collect(client.notificationTypes.all())).toEqual([{ name: 'welcome' }])
  expect(await collect(client.tenants.all())).toEqual([{ name: 'welcome' }])
})
