import { describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { createProviderParts } from '../../../test/provider-parts.ts'
import { PROVIDER_KINDS } from '../services/kinds.ts'
import { reserveSends } from './queries.ts'

const carillon = useCarillon()

async function aProvider(rateLimit: number): Promise<string> {
  const { rows } = await carillon.pool.query(
    `insert into provider_configs (id, tenant_id, name, kind, channel, config, secrets, rate_limit)
     values (gen_random_uuid(), $1, 'limited-' || random(), 'none', 'sms', '{}', 'v1.x.y.z', $2) returning id`,
    [carillon.tenantId, rateLimit],
  )
  return rows[0].id
}

const START = Date.parse('2026-03-01T12:00:00Z')
const at = (seconds: number) => new Date(START + seconds * 1000)

describe('the rate limit', () => {
  it('S002-22 grants what fits, and says when the next one does', async () => {
    const id = await aProvider(60)
    expect(await reserveSends(carillon.pool, id, 50, at(0))).toMatchObject({ granted: 50 })
    expect(await reserveSends(carillon.pool, id, 50, at(0.5))).toMatchObject({ granted: 10 })
    const refused = await reserveSends(carillon.pool, id, 5, at(10))
    expect(refused).toEqual({ granted: 0, wait_ms: 51_000 })
    expect(await reserveSends(carillon.pool, id, 5, at(10 + refused.wait_ms / 1000))).toMatchObject({
      granted: 5,
    })
  })

  it('never grants more than the limit in any sixty seconds, with four workers asking at once', async () => {
    const id = await aProvider(60)
    const sends: number[] = []
    for (let second = 0; second < 400; second += 7.3) {
      const asks = [1, 7, 30, 13].map(wanted => reserveSends(carillon.pool, id, wanted, at(second)))
      for (const { granted } of await Promise.all(asks)) sends.push(...Array<number>(granted).fill(second))
    }
    const busiest = Math.max(
      ...sends.map(start => sends.filter(time => time >= start && time < start + 60).length),
    )
    expect(busiest).toBeLessThanOrEqual(60)
    expect(sends.length).toBeGreaterThan(60 * 5)
  })

  it('S002-22 60 per minute, 4 workers, 500 due routes: none lost, no attempt used, never more than 60 a minute', async () => {
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
    const addresses = Array.from({ length: 500 }, (_, i) => `+49${1000 + i}`)
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
