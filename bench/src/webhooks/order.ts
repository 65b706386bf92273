/** How old events are on arrival at one endpoint that wants them in order, beside the same one without. */
import { setTimeout as delay } from 'node:timers/promises'
import { atMost, type Result } from '../result.ts'
import { median, percentile } from '../rounds.ts'
import { addDueRoutes } from '../tenant.ts'
import { asRatio, type Ordering, prepare, type Setup } from './setup.ts'

/** Events per second, and how many at each rate. */
const RATES = { 5: 50, 50: 250, 500: 2000 }

export async function measureOrder(setup: Setup): Promise<Result[]> {
  const { pool, tenantId, receiver, sender, tell } = setup
  const endpoints = {
    none: await setup.addEndpoint('/unordered'),
    endpoint: await setup.addEndpoint('/ordered', 'endpoint'),
  }
  const p99 = async (ordering: Ordering, perSecond: number, events: number): Promise<number> => {
    await pool.query('update notification_webhooks set is_active = (id = $1)', [endpoints[ordering]])
    await prepare(pool, tenantId, 0)
    await sender.ask('start')
    await receiver.ask('reset')
    const start = Date.now()
    for (let i = 0; i < events; i++) {
      await delay(Math.max(0, start + (i * 1000) / perSecond - Date.now()))
      void addDueRoutes(pool, tenantId, 1)
    }
    await receiver.ask({ await: events })
    const latencies = await receiver.ask<number[]>('latencies')
    await sender.ask('stop')
    return percentile(latencies, 0.99)
  }
  const results: Result[] = []
  for (const [perSecond, events] of Object.entries(RATES)) {
    const rounds: Record<Ordering, number>[] = []
    for (let round = 0; round < setup.rounds; round++) {
      rounds.push({
        none: await p99('none', Number(perSecond), events),
        endpoint: await p99('endpoint', Number(perSecond), events),
      })
    }
    const ratio = median(rounds.map(({ none, endpoint }) => endpoint / none))
    const shown = (ordering: Ordering) => `${median(rounds.map(values => values[ordering])).toFixed(0)} ms`
    tell(`${perSecond} events per second: p99 ${shown('none')} without order, ${shown('endpoint')} in order`)
    results.push({
      ...atMost('order', `p99 in order : without, at ${perSecond}/s`, 0),
      ...asRatio(ratio),
      anchor: shown('none'),
      data: rounds,
    })
  }
  return results
}
