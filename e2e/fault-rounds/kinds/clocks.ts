/** A process whose clock is two hours off the database's. */
import { waitFor } from '../../../server/test/wait-for.ts'
import type { FaultKind } from '../kind.ts'
import { DEADLINE_MS, untilAcknowledged, untilSent } from '../progress.ts'

const TWO_HOURS_MS = 2 * 3_600_000

function offBy(name: string, what: string, ms: number): FaultKind {
  return {
    name,
    what,
    settings: () => ({ NODE_OPTIONS: `--import=${clockOff(ms)}` }),
    async inject(stage) {
      await untilAcknowledged(stage, 60)
      // What a clock decides above all is how long to wait: a provider that fails is left alone for a while.
      stage.http.answerWith(request => {
        stage.refused.add(request)
        return { status: 503 }
      })
      const session = await stage.database.session()
      const open = `select from carillon.provider_health where state <> 'closed'`
      await waitFor(async () => ((await session.query(open)).rowCount ?? 0) > 0, {
        what: 'a breaker to open',
        deadlineMs: DEADLINE_MS,
      })
      stage.http.answerWith(() => ({}))
      await untilSent(stage, 60)
      return 1
    },
  }
}

export const clockAhead = offBy('clock-ahead', 'the clock of the process is two hours ahead', TWO_HOURS_MS)
export const clockBehind = offBy(
  'clock-behind',
  'the clock of the process is two hours behind',
  -TWO_HOURS_MS,
)

/** A module that moves Date, and thereby everything in the process that asks for the time. */
function clockOff(ms: number): string {
  const source = `const Real = Date
    globalThis.Date = class Date extends Real {
      constructor(...parts) { parts.length === 0 ? super(Real.now() + ${ms}) : super(...parts) }
      static now() { return Real.now() + ${ms} }
    }`
  return `data:text/javascript,${encodeURIComponent(source)}`
}
