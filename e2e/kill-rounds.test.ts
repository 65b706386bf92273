import { expect, inject, test } from 'vitest'
import { KILLS } from './kill-rounds/victim.ts'
import { runKillRounds } from './kill-rounds.ts'

// Kills once, the server and its PostgreSQL; `npm run prove -- kills` kills 80 times, in each of the four ways, with more
// people than one chunk of an expansion has.
test('kill -9 loses no record or route, leaves no lease behind, and repeats keep their id', {
  tags: ['S000-4', 'S000-20', 'S000-26'],
  timeout: 240_000,
}, async () => {
  // The seed says which way comes first.
  const seed = KILLS.length * (Date.now() % 250_000) + KILLS.indexOf('both')
  const log: string[] = []
  const report = await runKillRounds({
    rounds: 1,
    seed,
    users: 2_000,
    perSecond: 150,
    amidDeliveries: true,
    parentDir: inject('scratchDir'),
    log: line => log.push(line),
  })
  expect(
    report.violations,
    `seed ${seed}\n${log.join('\n')}\n${JSON.stringify(report.counts, null, 2)}`,
  ).toEqual([])
  expect(report.counts['routes in flight when killed']).toBeGreaterThan(0)
})
