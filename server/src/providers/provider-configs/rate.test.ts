import { describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { createProviderParts } from '../../../test/provider-parts.ts'
import { PROVIDER_KINDS } from '../services/kinds.ts'

const carillon = useCarillon()

const START = Date.parse('2026-03-01T12:00:00Z')

describe('the rate of a provider', () => {
  it('60 per minute, 4 workers, 500 due routes: none lost, no attempt used, never more than 60 a minute', {
    tags: 'S002-22',
  }, async () => {
    let now = START
    const sends: number[] = []
    PROVIDER_KINDS.push({
      name: 'counting',
      title: 'Counting',
      channels: ['sms'],
      config: (await import('zod')).z.object({}),
      secrets: (await import('zod')).z.object({}),
      create: ({ name }) => ({
        name,
        async send() {
          sends.push(now)
          return { kind: 'sent' }
        },
        close: async () => {},
      }),
    })
    await carillon.request('POST', '/v1/providers', {
      body: { name: 'counted', kind: 'counting', rate_limit: 60 },
    })
    const addresses = Array.from({ length: 500 }, (_, i) => `+491510${1000 + i}`)
    const ids = await Promise.all(
      [0, 1, 2, 3, 4].map(i =>
        carillon.send({
          audience: { kind: 'addresses', channel: 'sms', addresses: addresses.slice(i * 100, i * 100 + 100) },
        }),
      ),
    )
    const { keyring } = carillon.providers
    const parts = [1, 2, 3, 4].map(() =>
      createProviderParts(carillon.pool, { keyring, rateClock: () => new Date(now) }),
    )
    const workers = parts.map(part =>
      carillon.deliver(() => ({ kind: 'sent' }), { candidates: part.directory.candidates }),
    )
    const waiting = async () =>
      Number(
        (
          await carillon.pool.query(
            `select count(*) from routes where channel = 'sms' and next_attempt_at <= now()`,
          )
        ).rows[0].count,
      )
    while (sends.length < 500 && now < START + 60 * 60_000) {
      await expect.poll(waiting, { timeout: 15_000 }).toBe(0)
      now += 20_000
      await carillon.skipWaiting()
    }
    for (const worker of workers) await worker.stop()
    for (const part of parts) await part.close()
    expect(sends).toHaveLength(500)
    const busiest = Math.max(
      ...sends.map(start => sends.filter(time => time >= start && time < start + 60_000).length),
    )
    expect(busiest).toBeLessThanOrEqual(60)
    for (const id of ids) {
      const { rows } = await carillon.pool.query(
        `select count(*) filter (where status = 'sent' and attempt_count = 1)::integer as good, count(*)::integer as all
         from routes where notification_id = $1`,
        [id],
      )
      expect(rows[0]).toEqual({ good: 100, all: 100 })
    }
  })
})
