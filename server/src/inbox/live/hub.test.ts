/** Connections without HTTP: heartbeats, clients that do not read, limits, shutdown. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { inboxOf } from '../notifications/inbox.fixture.ts'
import type { NewConnection } from './connections.ts'
import { readHint, writeHints } from './hints.ts'
import { createLiveHub, type LiveHub, type LiveOptions } from './hub.ts'

const carillon = useCarillon()
const inbox = inboxOf(carillon)
const hubs: LiveHub[] = []

beforeAll(() => carillon.putUser('ada'))
afterEach(() => {
  for (const hub of hubs.splice(0)) hub.close()
})

function createHub(options: Partial<LiveOptions> = {}): LiveHub {
  const hub = createLiveHub({
    pool: carillon.pool,
    ended: async () => new Map(),
    onError: () => {},
    pollMs: 3_600_000,
    ...options,
  })
  hubs.push(hub)
  return hub
}

function connectTo(hub: LiveHub, given: Partial<NewConnection> = {}) {
  const client = { text: '', isOver: false, reads: true }
  const connection: NewConnection = {
    tenantId: carillon.tenantId,
    userId: 'ada',
    seen: undefined,
    token: undefined,
    endsMs: Number.POSITIVE_INFINITY,
    write(text) {
      client.text += text
      return client.reads
    },
    end() {
      client.isOver = true
    },
    ...given,
  }
  hub.open(connection)
  return { client, connection }
}
const eventsIn = (text: string) => text.split('event: inbox').length - 1

it('a live connection gets heartbeats when nothing else happens', async () => {
  const { client } = connectTo(createHub({ heartbeatMs: 20 }))
  await expect.poll(() => client.text.match(/\n\n:\n\n/g)?.length).toBeGreaterThan(0)
  await expect.poll(() => eventsIn(client.text)).toBe(1)
})

it('a live connection reads at once on a hint for its person or tenant, and polls for the rest', async () => {
  const hub = createHub()
  const { client } = connectTo(hub)
  await expect.poll(() => eventsIn(client.text)).toBe(1)
  await inbox.add({})
  for (const hint of writeHints(carillon.tenantId, ['bob'])) hub.hint(hint)
  for (const hint of writeHints('0197f2a0-0000-7000-8000-000000000001', null)) hub.hint(hint)
  for (const hint of writeHints(carillon.tenantId, ['bob', 'ada'])) hub.hint(hint)
  await expect.poll(() => eventsIn(client.text)).toBe(2)
  await inbox.add({})
  for (const hint of writeHints(carillon.tenantId, null)) hub.hint(hint)
  await expect.poll(() => eventsIn(client.text)).toBe(3)
  await inbox.add({})
  hub.hint('')
  await expect.poll(() => eventsIn(client.text)).toBe(4)
  const polling = connectTo(createHub({ pollMs: 20 })).client
  await expect.poll(() => eventsIn(polling.text)).toBe(1)
  await inbox.add({})
  await expect.poll(() => eventsIn(polling.text)).toBe(2)
})

it('a live connection is closed when its client does not read', async () => {
  const hub = createHub()
  const { client } = connectTo(hub)
  await expect.poll(() => eventsIn(client.text)).toBe(1)
  client.reads = false
  await inbox.add({})
  hub.hint('')
  await expect.poll(() => client.isOver).toBe(true)
  expect(hub.count()).toBe(0)
})

it('a live connection hears of what it missed while the database was away', async () => {
  let isAway = true
  const query = (text: string, values: unknown[]) =>
    isAway ? Promise.reject(new Error('away')) : carillon.pool.query(text, values)
  const errors: unknown[] = []
  const pool = { query } as unknown as typeof carillon.pool
  const { client } = connectTo(createHub({ pool, pollMs: 20, onError: error => errors.push(error) }))
  await expect.poll(() => errors.length).toBeGreaterThan(0)
  expect([eventsIn(client.text), client.isOver]).toEqual([0, false])
  isAway = false
  await expect.poll(() => eventsIn(client.text)).toBe(1)
})

it('live connections end when the process stops, and no new one begins', async () => {
  const hub = createHub()
  const { client } = connectTo(hub)
  hub.close()
  expect(client.isOver).toBe(true)
  expect(client.text).toMatch(/event: closing\ndata: {}\n\n$/)
  expect(() => connectTo(hub)).toThrow('stopping')
  expect(hub.count()).toBe(0)
})

it('a live connection beyond what the process takes is refused', () => {
  const hub = createHub({ mostConnections: 1 })
  const { connection } = connectTo(hub)
  expect(() => connectTo(hub, { userId: 'bob' })).toThrow('as many live connections as it takes')
  hub.leave(connection)
  connectTo(hub, { userId: 'bob' })
})

describe('hints', () => {
  const tenantId = '0197f2a0-0000-7000-8000-000000000001'
  it('hints say whose inboxes have changed', () => {
    const hints = writeHints(tenantId, ['ada', 'bob "x"'])
    expect(hints.map(readHint)).toEqual([{ tenantId, userIds: ['ada', 'bob "x"'] }])
    expect(writeHints(tenantId, null).map(readHint)).toEqual([{ tenantId, userIds: undefined }])
    expect(writeHints(tenantId, [])).toEqual([])
    expect(readHint('')).toBeUndefined()
  })

  it('hints fit into a NOTIFY however long the ids are, and give no ids of a crowd', () => {
    const people = Array.from({ length: 200 }, (_, i) => `${'ü'.repeat(190)}${i}`)
    const hints = writeHints(tenantId, people)
    expect(hints.flatMap(hint => readHint(hint)!.userIds)).toEqual(people)
    for (const hint of hints) expect(Buffer.byteLength(hint)).toBeLessThan(8000)
    expect(writeHints(tenantId, [...people, 'one more']).map(readHint)).toEqual([
      { tenantId, userIds: undefined },
    ])
  })
})
