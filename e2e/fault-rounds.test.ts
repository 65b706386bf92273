import { expect, inject, test } from 'vitest'
import { inOneRound } from './fault-rounds/kind.ts'
import { cutAfterCommit, cutMidQuery } from './fault-rounds/kinds/cut-connections.ts'
import { httpTooLate } from './fault-rounds/kinds/receivers.ts'
import { readOnly, terminatedBackends } from './fault-rounds/kinds/refusing-database.ts'
import { runFaultRound } from './fault-rounds.ts'

/** Those that need no patience, each for a moment; `npm run prove -- faults` runs all of them in earnest. */
const KINDS = [cutMidQuery, cutAfterCommit, terminatedBackends, readOnly, httpTooLate]

test('a database that is cut off or refuses, and a receiver that answers too late, make nothing lost, stuck, or duplicated without the same id', {
  timeout: 240_000,
}, async () => {
  const seed = Date.now() % 1_000_000
  const log: string[] = []
  const report = await runFaultRound(inOneRound(KINDS), {
    adminUrl: inject('postgresUrl'),
    parentDir: inject('scratchDir'),
    seed,
    isLong: false,
    log: line => log.push(line),
  }).catch(error => {
    throw new Error(`${error.message}\n${log.join('\n')}`, { cause: error })
  })
  const { lost, stuck, duplicated, wrong } = report
  const evidence = `seed ${seed}\n${log.join('\n')}`
  expect({ lost, stuck, duplicated, wrong }, evidence).toEqual({
    lost: [],
    stuck: [],
    duplicated: [],
    wrong: [],
  })
  expect(report.injected).toBeGreaterThan(0)
})
