import { expect, test } from 'vitest'
import { startReceiver } from '../test/receiver.ts'
import { createClient } from './client.ts'

async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const row of rows) all.push(row)
  return all
}
const clientOf = (url: string) => createClient({ url, apiKey: 'k', sleep: async () => {} })

test('a version to delete is a header', async () => {
  const receiver = await startReceiver({ status: 204 })
  await clientOf(receiver.url).kv.delete('c', 'k', { version: 7 })
  await clientOf(receiver.url).kv.delete('c', 'k')
  expect(receiver.requests.map(({ headers }) => headers['if-match'])).toEqual(['"7"', undefined])
})

test('setting is repeated after a lost answer, but not with a version', async () => {
  const receiver = await startReceiver('hang up', { json: {} })
  await clientOf(receiver.url).kv.set('c', 'k', { value: 1 })
  expect(receiver.requests).toHaveLength(2)
  const other = await startReceiver('hang up', { json: {} })
  await expect(clientOf(other.url).kv.set('c', 'k', { value: 1, version: 0 })).rejects.toThrow('Cannot reach')
  expect(other.requests).toHaveLength(1)
})

test('all entries and all collections are read page by page', async () => {
  const replies = [{ json: { data: [1], next_cursor: 'x' } }, { json: { data: [2], next_cursor: null } }]
  const receiver = await startReceiver(...replies, ...replies)
  const { kv } = clientOf(receiver.url)
  expect(await collect(kv.all('c', { prefix: 'a' }))).toEqual([1, 2])
  expect(await collect(kv.allCollections())).toEqual([1, 2])
  expect(receiver.requests.map(({ url }) => url)).toEqual([
    '/v1/kv/c?limit=100&prefix=a',
    '/v1/kv/c?limit=100&cursor=x&prefix=a',
    '/v1/kv?limit=100',
    '/v1/kv?limit=100&cursor=x',
  ])
})
