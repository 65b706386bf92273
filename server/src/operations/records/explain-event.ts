/** What an event has to do with a record: what happened, which relation and rule made the record, and the inbox rows. */
import type { AppliedRule, Decision } from '@carillon/contract'
import type { RouteRow } from '../../delivery/routes/list.ts'
import { type DomainEventRow, findEvent } from '../../events/domain-events/domain-events.ts'
import { rulesFor } from '../../events/fanout/decisions.ts'
import { eventText, ruleText } from '../../events/fanout/words.ts'
import { type EventInboxRow, rowsOfEvent } from '../../inbox/notifications/event-rows.ts'
import type { Executor } from '../../platform/database/pool.ts'
import { decision } from './decision.ts'
import { type RecordRow, selectPassesMute } from './queries.ts'

export interface EventOfRecord {
  decisions: Decision[]
  inboxRows: EventInboxRow[]
}

/** `userId`: somebody whom the caller asks about, who may have an inbox row and no route. */
export async function explainEventOfRecord(
  db: Executor,
  tenantId: string,
  record: RecordRow,
  routes: RouteRow[],
  userId: string | undefined,
): Promise<EventOfRecord> {
  if (record.event_id === null) return { decisions: [], inboxRows: [] }
  const event = await findEvent(db, tenantId, record.event_id)
  if (event === undefined) {
    const text = `Caused by the event ${record.event_id}, which is past its retention.`
    return { decisions: [decision(record.accepted_at, 'event', text)], inboxRows: [] }
  }
  const rule = (await rulesFor(db, tenantId, event.kind)).find(({ relation }) => relation === record.relation)
  const passesMute = await selectPassesMute(db, tenantId, record.notification_id)
  const people = routes.flatMap(({ user_id }) => (user_id === null ? [] : [user_id]))
  if (userId !== undefined) people.push(userId)
  const inboxRows = record.channels.includes('in_app') ? await rowsOf(db, event, people) : []
  return {
    decisions: [
      ...eventDecisions(record, event),
      ruleDecision(record, rule, passesMute),
      ...inboxDecision(record),
    ],
    // Of somebody who has no route, only the row of this very record shows that it was theirs.
    inboxRows: inboxRows.filter(
      row =>
        routes.some(({ user_id }) => user_id === row.user_id) ||
        (row.is_latest && row.relation === record.relation),
    ),
  }
}

function rowsOf(db: Executor, event: DomainEventRow, people: string[]): Promise<EventInboxRow[]> {
  const { tenant_id, id, thread_kind, thread_id } = event
  return rowsOfEvent(db, tenant_id, { id: String(id), thread_kind, thread_id }, [...new Set(people)])
}

function eventDecisions(record: RecordRow, event: DomainEventRow): Decision[] {
  const text = `Caused by the event ${event.event_id}: ${eventText(event, record)}.`
  return [decision(record.accepted_at, 'event', text)]
}

/** Rules are not kept, but the record shows what the rule said. */
function ruleDecision(record: RecordRow, rule: AppliedRule | undefined, passesMute: boolean): Decision {
  const isAsThen = rule !== undefined && rule.passes_mute === passesMute && rule.reason === record.reason
  const now = rule === undefined ? 'there is no such rule any more' : `by now it is ${ruleText(rule)}`
  const mute = passesMute ? 'reaches' : 'does not reach'
  const text = isAsThen
    ? `The relation "${record.relation}" decided, by ${ruleText(rule)}.`
    : `The relation "${record.relation}" decided, by a rule that ${mute} people who muted it; ${now}.`
  return decision(record.accepted_at, 'rule', text)
}

function inboxDecision(record: RecordRow): Decision[] {
  if (!record.channels.includes('in_app')) return []
  const text = `Inbox rows were written with it, without routes; /v1/events/${record.event_id}/explain tells of everybody.`
  return [decision(record.accepted_at, 'inbox', text)]
}
