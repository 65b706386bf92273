/** Connections to the database that break in the middle of a statement, before it was heard or after it was done. */
import { waitFor } from '../../../server/test/wait-for.ts'
import type { FaultKind } from '../kind.ts'
import type { Stage } from '../stage.ts'
import type { Cut } from '../tcp-proxy.ts'

/** With its end: the settings of every new connection have "read committed". */
const COMMIT = 'commit\0'

/** The statements of accepting, delivering and dispatching, and the end of a transaction, as of an expansion. */
const STATEMENTS = [
  'accept_intents',
  'claim_routes',
  'complete_routes',
  'claim_outbox',
  'complete_outbox',
  COMMIT,
]

export const cutMidQuery: FaultKind = {
  name: 'cut-mid-query',
  what: 'connections to the database break while a statement is on its way',
  inject: stage => cutEach(stage, 'request'),
}

export const cutAfterCommit: FaultKind = {
  name: 'cut-after-commit',
  what: 'connections to the database break between a commit and its answer; callers repeat with their key',
  inject: stage => cutEach(stage, 'answer'),
}

async function cutEach(stage: Stage, cut: Cut): Promise<number> {
  let injected = 0
  for (let round = 0; round < (stage.isLong ? 20 : 1); round++) {
    for (const statement of STATEMENTS) {
      let isCut = false
      void stage.proxy.cutAt(statement, cut).then(() => {
        isCut = true
      })
      // It is expanded in a transaction of its own.
      if (statement === COMMIT) void stage.producer.send(stage.planner.forEverybody())
      await waitFor(async () => isCut, {
        what: `a connection to be cut at ${statement.replace('\0', '')}`,
        deadlineMs: 60_000,
      })
      injected++
    }
  }
  return injected
}
