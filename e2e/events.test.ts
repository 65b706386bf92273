import { test, vi } from 'vitest'
import { waitFor } from '../server/test/wait-for.ts'
import { useProcesses } from './processes.fixture.ts'

// Whole processes start in every test, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 })

const processes = useProcesses(() => ({ CARILLON_ALLOWED_NETWORKS: '127.0.0.0/8' }))
const { start, connect } = processes

const query = async (text: string) => (await processes.database.pool.query(text)).rows
test('an event by SQL is found by polling, and one over HTTP through a hint', {
  tags: 'S001-15',
}, async () => {
  await start('api')
  // Only a hint through the database can be this early.
  await start('fanout', { CARILLON_POLL_MS: '60000' })
  const waiting = async () =>
    (await connect().events.list({ limit: 100 })).data.filter(event => event.id === null).length
  await connect().events.emit({ kind: 'by http' })
  await waitFor(async () => (await waiting()) === 0, { what: 'the event over HTTP' })
  await start('fanout', { CARILLON_POLL_MS: '50' })
  await query(`select carillon.emit_event('{"kind": "by sql"}')`)
  await waitFor(async () => (await waiting()) === 0, { what: 'the event by SQL' })
})
