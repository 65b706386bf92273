/** Simulations beside others who lock the same rows, and at moments at which everything changes. */
import pg from 'pg'
import { expect, it } from 'vitest'
import { AN_INTENT, useCarillon } from '../../../test/carillon.ts'
import { untilBlocked } from '../../../test/open-transaction.ts'

const carillon = useCarillon()
const NIGHTS = { start: '22:00', end: '08:00' }

async function aPerson(id: string, email: object): Promise<void> {
  await carillon.putUser(id, { email: `${id}@example.com` })
  const body = { channels: { email } }
  expect((await carillon.request('PUT', `/v1/users/${id}/preferences`, { body })).status).toBe(200)
}

function simulate(send_at: string, ...user_ids: string[]) {
  const audience = { kind: 'users', user_ids }
  const body = { ...AN_INTENT, audience, channels: ['email'], send_at }
  return carillon.request('POST', '/v1/intents/simulate', { body })
}

it('a simulation starts over after a deadlock', async () => {
  await aPerson('ada', { frequency_cap: 5 })
  // Her message waits, so that it is counted by a later statement.
  await aPerson('eve', { frequency_cap: 5, quiet_hours: NIGHTS })
  const other = new pg.Client(carillon.url)
  await other.connect()
  try {
    const count = (user: string, day: string) =>
      other.query(
        'insert into carillon.daily_sends (tenant_id, user_id, channel, day, used, cap, granted) values ($1, $2, $3, $4, 1, 5, 1)',
        [carillon.tenantId, user, 'email', day],
      )
    // So that the simulation is the one that PostgreSQL ends.
    await other.query("set deadlock_timeout = '5min'; begin")
    await count('eve', '2031-01-02')
    const simulated = simulate('2031-01-01T23:00:00Z', 'ada', 'eve')
    await untilBlocked(carillon.pool, 1, 'the simulation to wait')
    await count('ada', '2031-01-01')
    await other.query('rollback')
    const { status, body } = await simulated
    expect([status, body.summary]).toEqual([200, 'Routes: 2 sent.'])
  } finally {
    await other.end()
  }
})

it('a simulation begins exactly at send_at', async () => {
  await aPerson('kim', { quiet_hours: NIGHTS })
  const sentAt = async (send_at: string) => (await simulate(send_at, 'kim')).body.people[0].routes[0].at
  // Clocks of databases have microseconds; a few tries see most of what rounding may do.
  for (let i = 0; i < 20; i++) {
    expect(await sentAt('2031-01-01T21:59:59.999Z')).toBe('2031-01-01T21:59:59.999Z')
    expect(await sentAt('2031-01-01T22:00:00Z')).toBe('2031-01-02T08:00:00.000Z')
    expect(await sentAt('2031-01-02T08:00:00Z')).toBe('2031-01-02T08:00:00.000Z')
  }
})
