/** What fan-out decides about people, without doing it: for explanations and simulations, by the same functions. */
import type { AppliedRule } from '@carillon/contract'
import type { Client, Executor } from '../../platform/database/pool.ts'
import {
  type FannedOut,
  fanOut,
  type PersonRow,
  type ScopeRow,
  selectAppliedRules,
  selectDecisions,
  selectScope,
} from './queries.ts'

export type { PersonRow, ScopeRow }

/** The rules for a kind of events, those that decide first before the others. */
export function rulesFor(db: Executor, tenantId: string, kind: string): Promise<AppliedRule[]> {
  return selectAppliedRules(db, tenantId, kind)
}

export function scopeOf(db: Executor, tenantId: string, eventId: string): Promise<ScopeRow> {
  return selectScope(db, tenantId, eventId)
}

/** The next people in any relation to the event. `visible`: those who may see it, if the tenant's own server was asked. */
export function decisionsAbout(
  db: Executor,
  tenantId: string,
  eventId: string,
  page: { after: string; most: number; visible?: string[] | null },
): Promise<PersonRow[]> {
  return selectDecisions(db, tenantId, eventId, { visible: null, ...page, until: null })
}

/** undefined if the person stands in no relation to the event. */
export async function decisionAbout(
  db: Executor,
  tenantId: string,
  eventId: string,
  userId: string,
): Promise<PersonRow | undefined> {
  const page = { after: userId, until: userId, most: 1, visible: null }
  return (await selectDecisions(db, tenantId, eventId, page))[0]
}

/** Tells everybody up to a person, or all of them, in a transaction that will be rolled back. */
export function fanOutForSimulation(
  tx: Client,
  tenantId: string,
  eventId: string,
  portion: { most: number; until: string | null; visible: string[] | null },
): Promise<FannedOut> {
  return fanOut(tx, tenantId, eventId, { ...portion, after: '', isRepeat: null })
}
