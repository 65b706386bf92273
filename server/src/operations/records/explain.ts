/** Explains why a notification arrived or did not: every decision in order, per person, in words. */
import type { Explanation } from '@carillon/contract'
import { findRun } from '../../automation/runs/runs.ts'
import { findTrigger } from '../../automation/triggers/triggers.ts'
import { listDeviceRefusals } from '../../delivery/callbacks/callbacks.ts'
import { findDigest } from '../../delivery/digests/digests.ts'
import { selectAttempts } from '../../delivery/routes/attempts.ts'
import { countRoutes, selectDigestOutcomes, selectRecordRoutes } from '../../delivery/routes/list.ts'
import { notFound } from '../../platform/calls/refusal.ts'
import type { Executor } from '../../platform/database/pool.ts'
import { listLettersOfRoutes } from '../../reactions/dead-letters/dead-letters.ts'
import { listDeliveriesOfRecord } from '../../reactions/webhook-deliveries/deliveries.ts'
import { explainEventOfRecord } from './explain-event.ts'
import { explainPeople } from './explain-people.ts'
import {
  catalogDecisions,
  digestDecisions,
  recordDecisions,
  runDecisions,
  summarize,
  webhookDecision,
} from './explain-record.ts'
import { selectRecord, selectTypeCreation } from './queries.ts'

export interface ExplainPage {
  after: (string | number)[] | undefined
  limit: number
  user_id?: string | undefined
}

/** The caller makes next_cursor from `lastRouteId`, which is undefined on the last page. */
export async function explainRecord(db: Executor, tenantId: string, id: string, page: ExplainPage) {
  const record = await selectRecord(db, tenantId, id)
  if (record === undefined) throw notFound(`record ${id}`)
  const routes = await selectRecordRoutes(db, tenantId, id, { ...page, limit: page.limit + 1 })
  const shown = routes.slice(0, page.limit)
  const routeIds = shown.map(route => route.route_id)
  const attempts = await selectAttempts(db, tenantId, id, routeIds)
  const refusals = await listDeviceRefusals(db, tenantId, id, routeIds)
  const letters = await listLettersOfRoutes(db, tenantId, id, routeIds)
  const counts = await countRoutes(db, tenantId, id)
  const digestIds = shown.flatMap(({ digest_id }) =>
    digest_id === null || digest_id === id ? [] : [digest_id],
  )
  const digests = digestIds.length === 0 ? [] : await selectDigestOutcomes(db, tenantId, digestIds)
  const digest = record.source === 'digest' ? await findDigest(db, tenantId, id) : undefined
  const deliveries = await listDeliveriesOfRecord(db, tenantId, id, MAX_WEBHOOK_DELIVERIES)
  const run = record.run_id === null ? undefined : await findRun(db, tenantId, record.run_id)
  const trigger = run?.trigger_id ? await findTrigger(db, tenantId, run.trigger_id) : undefined
  const caused = await explainEventOfRecord(db, tenantId, record, shown, page.user_id)
  const [accepted, ...decisions] = recordDecisions(record, counts)
  const explanation: Omit<Explanation, 'next_cursor'> = {
    notification_id: id,
    summary: summarize(record, counts),
    decisions: [
      accepted,
      ...caused.decisions,
      ...runDecisions(record, run, trigger?.name),
      ...catalogDecisions(record, await selectTypeCreation(db, tenantId, record.notification_type)),
      ...decisions,
      ...digestDecisions(digest),
      ...deliveries.map(webhookDecision),
    ],
    people: explainPeople(shown, attempts, letters, digests, refusals, caused.inboxRows),
  }
  return { explanation, lastRouteId: routes.length > page.limit ? routeIds.at(-1) : undefined }
}

/** A large audience may have thousands of webhook deliveries; /v1/webhook-deliveries lists them all. */
const MAX_WEBHOOK_DELIVERIES = 50
