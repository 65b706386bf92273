/** What is in the database when a round is over, besides what the kill rounds look at. */
import { waitFor } from '../../server/test/wait-for.ts'
import { countOne } from '../kill-rounds/database.ts'

/** When nothing has moved for this long, the rest is stuck. A provider that failed is left alone for half a minute. */
const STUCK_MS = 90_000
const SETTLE_MS = 3_600_000

/** Apart: a route that is sent leaves an event in the outbox, so their sum stands still while all of them move. */
const OPEN = `
  select (select count(*) from routes where next_attempt_at is not null)::integer as routes,
    (select count(*) from expansions)::integer as expansions, (select count(*) from outbox)::integer as outbox`

interface Open {
  routes: number
  expansions: number
  outbox: number
}

/** Resolves when there is nothing left to do, or when what is left does not move any more. */
export async function settle(url: () => string): Promise<void> {
  let last = { open: '', since: Date.now() }
  const isSettledOrStuck = async () => {
    const { routes, expansions, outbox } = await countOne<Open>(url(), OPEN)
    const open = `${routes} ${expansions} ${outbox}`
    if (open !== last.open) last = { open, since: Date.now() }
    return routes + expansions + outbox === 0 || Date.now() - last.since > STUCK_MS
  }
  // What does not settle is reported as stuck, not as a failure to wait.
  await waitFor(isSettledOrStuck, {
    what: 'everything to settle',
    deadlineMs: SETTLE_MS,
    everyMs: 100,
  }).catch(() => {})
}

export const OUTBOX_LEFT = 'select count(*)::integer as rows, max(last_error) as last_error from outbox'

export const SENT = `select notification_id, route_id from routes where status = 'sent'`

/** Routes that two attempts claim to have sent. */
export const SENT_TWICE = `
  select count(*)::integer as routes from (
    select from route_attempts where outcome = 'sent' group by tenant_id, notification_id, route_id having count(*) > 1
  ) twice`
