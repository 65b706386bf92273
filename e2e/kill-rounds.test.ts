import { expect, inject, test } from 'vitest'
import { runKillRounds } from './kill-rounds.ts'

// Kills two of the four ways, whichever the seed begins with; `npm run prove -- kills` kills 80 times.
test('kill -9 loses no record or route, leaves no lease behind, and repeats keep their id', {
  tags: ['S000-4', 'S000-20', 'S000-26'],
  timeout: 240_000,
}, async () => {
  const seed = Date.now() % 1_000_000
  const log: string[] = []
  const report = await runKillRounds({
    rounds: 2,
    seed,
    users: 5_200,
    perSecond: 150,
    parentDir: inject('scratchDir'),
    log: line => log.push(line),
  })
  expect(
    report.violations,
    `seed ${seed}\n${log.join('\n')}\n${JSON.stringify(report.counts, null, 2)}`,
  ).toEqual([])
  expect(report.counts['routes in flight when killed']).toBeGreaterThan(0)
})
