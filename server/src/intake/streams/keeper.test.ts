import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { createStreamKeeper, type KeptStream } from './keeper.ts'
import { reportStreams } from './queries.ts'
import type { StreamReader } from './reader.ts'
import { settingsOf } from './reading.fixture.ts'
import { createStreamReports } from './reports.ts'
import type { Lag } from './source.ts'

const carillon = useCarillon()

/** Tells whether it was last allowed to read. */
function createFakeReader(lag: () => Promise<Lag>): StreamReader & { isAllowed: boolean } {
  const reader = {
    name: 'fake',
    isAllowed: false,
    start: async () => {},
    stop: async () => {},
    allow(isAllowed: boolean) {
      reader.isAllowed = isAllowed
    },
    sinceRead: () => 0,
    trouble: () => '',
    lag,
  }
  return reader
}

it('a stream is paused and resumed while the server of another one does not answer', async () => {
  const NOTHING: Lag = { waiting: 0, oldestAt: null }
  let answer: (lag: Lag) => void = () => {}
  let asked = 0
  const readers = [
    createFakeReader(() => {
      asked++
      return new Promise(resolve => {
        answer = resolve
      })
    }),
    createFakeReader(async () => NOTHING),
  ]
  const settings = settingsOf(
    ...['hanging', 'orders'].map(name => ({ name, key: name, url: 'redis://127.0.0.1:1' })),
  )
  const streams = settings.map(
    (setting, i): KeptStream => ({ setting, tenantId: undefined, reader: readers[i]! }),
  )
  const errors: unknown[] = []
  const common = { pool: carillon.pool, streams, onError: (error: unknown) => errors.push(error) }
  const services = [createStreamKeeper({ ...common, onMissingTenant: () => {} }), createStreamReports(common)]
  for (const service of services) await service.start()
  try {
    const tenant_id = await waitFor(async () => asked > 0 && streams[1]!.tenantId, { what: 'the question' })
    const row = { kind: 'redis' as const, place: 'orders', group_name: 'carillon', last_error: '' }
    await reportStreams(carillon.pool, [
      { tenant_id, name: 'orders', ...row, read_seconds_ago: 0, waiting: 0, oldest_at: null },
    ])
    for (const isPaused of [true, false]) {
      await carillon.request('PATCH', '/v1/streams/orders', { body: { is_paused: isPaused } })
      await waitFor(async () => readers[1]!.isAllowed !== isPaused, { what: `paused: ${isPaused}` })
    }
    expect(asked).toBe(1)
    expect(errors).toEqual([])
  } finally {
    answer(NOTHING)
    for (const service of services) await service.stop()
  }
})
