/** Other sessions of the database that hold what Carillon needs: a maintenance job, a forgotten transaction. */
import { untilPassed } from '../../kill-rounds/victim.ts'
import type { FaultKind } from '../kind.ts'
import { untilItWorks, untilSent, untilWaiting } from '../progress.ts'
import type { Stage } from '../stage.ts'

export const lockedRoutes: FaultKind = {
  name: 'locked-routes',
  what: 'another session locks the table of routes for 20 s',
  async inject(stage) {
    const session = await stage.database.session()
    const rounds = stage.isLong ? 3 : 1
    for (let round = 0; round < rounds; round++) {
      await untilItWorks(stage)
      await session.query('begin; lock table carillon.routes in access exclusive mode')
      if (stage.isLong) await untilPassed(20_000)
      else await untilWaiting(stage, 60)
      await session.query('commit')
      await untilItWorks(stage)
    }
    return rounds
  },
}

export const openTransaction: FaultKind = {
  name: 'open-transaction',
  what: 'an application leaves a transaction open after notify(), for minutes, and its key is sent over HTTP too',
  async inject(stage) {
    const session = await stage.database.session()
    await session.query('begin')
    const id = await notifyInside(stage, session)
    // Everybody else goes on, also while somebody waits for the key that is not yet decided.
    const repeated = stage.producer.repeat(stage.producer.sendings.find(({ ids }) => ids.has(id))!)
    if (stage.isLong) await untilPassed(180_000)
    await untilItWorks(stage)
    await untilSent(stage, 100)
    await session.query('commit')
    await repeated
    return 1
  },
}

/** The intent counts as acknowledged, since the transaction will be committed. */
async function notifyInside(
  { planner, producer }: Stage,
  session: Awaited<ReturnType<Stage['database']['session']>>,
): Promise<string> {
  const next = planner.next()
  // The same producer both ways, or the keys would be different ones.
  const plan = { ...next, intent: { ...next.intent, producer: 'application' } }
  const intent = { ...plan.intent, idempotency_key: plan.key }
  const { rows } = await session.query('select carillon.notify($1::jsonb) as id', [intent])
  producer.sendings.push({
    plan,
    answers: [],
    unanswered: 0,
    ids: new Set([rows[0].id]),
    startedAt: Date.now(),
  })
  return rows[0].id
}
