import { Stream } from '@carillon/contract'
import { expect, test } from 'vitest'
import { page, startFakeApi } from '../fake-api.fixture.ts'
import { carillon } from '../in-process.fixture.ts'

const aStream = (fields: Partial<Stream> = {}) =>
  Stream.parse({
    name: 'orders',
    kind: 'redis',
    place: 'intents',
    group: 'carillon',
    status: 'reading',
    waiting: 7,
    oldest_at: '2026-02-02T08:00:00Z',
    last_read_at: '2026-02-02T08:00:01Z',
    last_error: '',
    paused_at: null,
    created_at: '2026-02-01T08:00:00Z',
    ...fields,
  })

test('streams shows what waits in each, and why one is not read', async () => {
  const rows = [
    aStream(),
    aStream({
      name: 'billing',
      kind: 'nats',
      place: 'INTENTS intents.>',
      status: 'failing',
      waiting: null,
      oldest_at: null,
      last_error: 'stream not found',
    }),
  ]
  const api = await startFakeApi({ 'GET /v1/streams': () => page(rows) })
  const { stdout, code } = await carillon(api.url, ['streams'])
  expect(code).toBe(0)
  expect(stdout.split('\n').map(line => line.trimEnd().split(/\s{2,}/))).toEqual([
    ['name', 'kind', 'place', 'group', 'status', 'waiting', 'oldest', 'error'],
    ['orders', 'redis', 'intents', 'carillon', 'reading', '7', '2026-02-02 08:00:00Z'],
    ['billing', 'nats', 'INTENTS intents.>', 'carillon', 'failing', '?', 'stream not found'],
    [''],
  ])
  const none = await startFakeApi({ 'GET /v1/streams': () => page([]) })
  expect((await carillon(none.url, ['streams'])).stderr).toBe(
    'No streams; CARILLON_STREAMS says which to read.\n',
  )
})

test('streams pause, resume and delete name the stream', async () => {
  const api = await startFakeApi({
    'PATCH /v1/streams/orders': () => aStream(),
    'DELETE /v1/streams/orders': () => ({ status: 204 }),
  })
  expect((await carillon(api.url, ['streams', 'pause', 'orders'])).stdout).toBe('✓ orders is paused\n')
  expect((await carillon(api.url, ['streams', 'resume', 'orders'])).stdout).toBe('✓ orders is read again\n')
  expect((await carillon(api.url, ['streams', 'delete', 'orders'])).stdout).toBe('✓ orders is forgotten\n')
  expect(api.calls).toEqual([
    ['PATCH /v1/streams/orders', { is_paused: true }],
    ['PATCH /v1/streams/orders', { is_paused: false }],
    ['DELETE /v1/streams/orders'],
  ])
})
