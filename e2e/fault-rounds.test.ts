import { expect, inject, test } from 'vitest'
import { type FaultKind, inOneRound } from './fault-rounds/kind.ts'
import { clockBehind } from './fault-rounds/kinds/clocks.ts'
import { cutAfterCommit, cutMidQuery } from './fault-rounds/kinds/cut-connections.ts'
import { lockedRoutes, openTransaction } from './fault-rounds/kinds/locks.ts'
import { httpTooLate, smtpDies, smtpHangs } from './fault-rounds/kinds/receivers.ts'
import { readOnly, terminatedBackends, tooManyClients } from './fault-rounds/kinds/refusing-database.ts'
import { stoppedPastLease } from './fault-rounds/kinds/signals.ts'
import { halfOpen } from './fault-rounds/kinds/slow-network.ts'
import { twoStarts } from './fault-rounds/kinds/two-starts.ts'
import { runFaultRound } from './fault-rounds.ts'

// Short, and only the kinds that need no patience; `npm run fault-rounds -w e2e` runs all of them in earnest.
test.each<[string, FaultKind[]]>([
  [
    'a database that is cut off, refuses, falls silent, or is locked by others',
    [
      cutMidQuery,
      cutAfterCommit,
      tooManyClients,
      terminatedBackends,
      readOnly,
      halfOpen,
      lockedRoutes,
      openTransaction,
    ],
  ],
  ['a worker that is stopped past its leases and continued', [stoppedPastLease]],
  ['two first starts at once, with clocks two hours behind', [twoStarts, clockBehind]],
  ['receivers that take a message and do not say so', [smtpDies, smtpHangs, httpTooLate]],
])(
  'nothing is lost, stuck, or duplicated without the same id by %s',
  { timeout: 240_000 },
  async (_, kinds) => {
    const seed = Date.now() % 1_000_000
    const log: string[] = []
    const report = await runFaultRound(inOneRound(kinds), {
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
  },
)
