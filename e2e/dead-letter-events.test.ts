import { expect, test, vi } from 'vitest'
import { waitFor } from '../server/test/wait-for.ts'
import { useProcesses } from './processes.fixture.ts'

// Whole processes start in every test, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 })

const processes = useProcesses(() => ({ CARILLON_ALLOWED_NETWORKS: '127.0.0.0/8' }))

// More than the process has connections, and fewer than disable an endpoint.
const LETTERS = 30

test('webhooks that die in masses are reported through one connection, so that everybody else has the others', async () => {
  await processes.start('api,dispatch')
  const { pool } = processes.database
  const carillon = processes.connect()
  processes.receiver.answerWith(() => ({ status: 302, headers: { location: '/elsewhere' } }))
  await carillon.webhooks.create({ url: processes.receiver.url, events: ['notification.accepted'] })
  const other = await carillon.tenants.create({ name: 'other' })

  // The report of a letter waits for as long as somebody else reports the same.
  const holder = await pool.connect()
  await holder.query('begin')
  await holder.query(
    `select carillon.raise_system_event(id, 'dead_letters', 'webhook', 'medium', '', '{}', 3600)
     from carillon.tenants where name = 'default'`,
  )
  try {
    const mails = Array.from({ length: LETTERS }, (_, number) => ({
      notification_type: 'code',
      audience: {
        kind: 'addresses' as const,
        channel: 'email' as const,
        addresses: [`${number}@example.com`],
      },
      payload: { number },
    }))
    await carillon.intents.sendBatch({ intents: mails })
    await waitFor(async () => (await pool.query('select from carillon.dead_letters')).rowCount === LETTERS, {
      what: 'every event to be a dead letter',
    })
    const answer = await fetch(`${processes.url}/v1/tenant`, {
      headers: { authorization: `Bearer ${other.api_key.key}` },
    })
    expect(answer.status).toBe(200)
    const { rowCount: waiting } = await pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`,
    )
    expect(waiting).toBeLessThanOrEqual(1)
  } finally {
    await holder.query('rollback')
    holder.release()
  }

  const event = await waitFor(
    async () => {
      const { data } = await carillon.systemEvents.list({ event_type: 'dead_letters' })
      return data.find(({ details }) => details.last_batch !== 1)
    },
    { what: 'the letters that died meanwhile to be reported together' },
  )
  expect(event).toMatchObject({ subject: 'webhook', details: { trigger_depth: 1 } })
})
