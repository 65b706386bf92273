/**
 * Explains what became of an event: how far fan-out is with it, and person by person who was told by which rule, or why not.
 * Nothing is stored about those who were not told, so what is said about them is computed from rules, relations and choices
 * as they are now, by the functions that fan-out uses.
 */
import type { AppliedRule, Decision, EventExplanation } from '@carillon/contract'
import { selectPeopleOfRecords } from '../../delivery/routes/list.ts'
import { type DomainEventRow, findEvent } from '../../events/domain-events/domain-events.ts'
import { getCursor } from '../../events/event-consumers/cursors.ts'
import { letterKeyOf } from '../../events/event-consumers/failure.ts'
import {
  decisionAbout,
  decisionsAbout,
  type PersonRow,
  rulesFor,
  type ScopeRow,
  scopeOf,
} from '../../events/fanout/decisions.ts'
import { NO_RELATION, personText } from '../../events/fanout/words.ts'
import { type EventInboxRow, rowsOfEvent, toInboxTrace } from '../../inbox/notifications/event-rows.ts'
import { notFound } from '../../platform/calls/refusal.ts'
import type { Executor } from '../../platform/database/pool.ts'
import { listLettersOfEvent } from '../../reactions/dead-letters/dead-letters.ts'
import { decision } from '../records/decision.ts'
import { listRecordsOfEvent, type RecordOfEventRow } from '../records/records.ts'
import { progressDecisions, statusOf, summaryOf } from './progress.ts'

const CONSUMER = 'notify_fanout'

export interface EventExplainPage {
  after: string
  limit: number
  user_id?: string | undefined
  /** The tenant's own server decides who may see what. */
  isAsked: boolean
}

/** The caller makes next_cursor from `lastUserId`, which is undefined on the last page. */
export async function explainEvent(db: Executor, tenantId: string, eventId: string, page: EventExplainPage) {
  const event = await findEvent(db, tenantId, eventId)
  if (event === undefined) throw notFound(`event ${eventId}`)
  const rules = await rulesFor(db, tenantId, event.kind)
  const scope = await scopeOf(db, tenantId, eventId)
  // First: once it has passed the event, the records that came of it are there too.
  const cursor = await getCursor(db, tenantId, CONSUMER)
  const records = await listRecordsOfEvent(db, tenantId, eventId)
  const letters = await listLettersOfEvent(db, tenantId, await letterKeyOf(db, CONSUMER, eventId))
  const progress = { event, scope, cursor, letters, records, ruleCount: rules.length }
  // Before it has a place, its topic and thread need not exist.
  const found = event.id === null ? [] : await findPeople(db, tenantId, eventId, page)
  const shown = found.slice(0, page.limit)
  const userIds = page.user_id === undefined ? shown.map(({ user_id }) => user_id) : [page.user_id]
  const traces = await findTraces(db, event, records, userIds)
  const context = { event, scope, rules, records, traces }
  const explanation: Omit<EventExplanation, 'next_cursor'> = {
    event_id: eventId,
    summary: summaryOf(progress),
    status: statusOf(progress),
    decisions: [...progressDecisions(progress), ...caveats(event, page)],
    rules,
    notification_ids: records.map(({ notification_id }) => notification_id),
    people: event.id === null ? [] : userIds.map(id => explainPerson(id, shown, context)),
  }
  return { explanation, lastUserId: found.length > page.limit ? userIds.at(-1) : undefined }
}

async function findPeople(
  db: Executor,
  tenantId: string,
  eventId: string,
  { after, limit, user_id }: EventExplainPage,
): Promise<PersonRow[]> {
  if (user_id === undefined) return decisionsAbout(db, tenantId, eventId, { after, most: limit + 1 })
  const one = await decisionAbout(db, tenantId, eventId, user_id)
  return one === undefined ? [] : [one]
}

interface Traces {
  inbox: Map<string, EventInboxRow>
  /** The records by which each person was told. */
  records: Map<string, string[]>
}

/** What shows that people were told: routes, and inbox rows that no later event has updated. */
async function findTraces(
  db: Executor,
  event: DomainEventRow,
  records: RecordOfEventRow[],
  userIds: string[],
): Promise<Traces> {
  const { tenant_id, id, thread_kind, thread_id } = event
  const traces: Traces = { inbox: new Map(), records: new Map() }
  if (id === null || userIds.length === 0 || records.length === 0) return traces
  const ids = records.map(({ notification_id }) => notification_id)
  const add = (userId: string, notificationId: string) => {
    const theirs = traces.records.get(userId) ?? []
    if (!theirs.includes(notificationId)) traces.records.set(userId, [...theirs, notificationId])
  }
  for (const { user_id, notification_id } of await selectPeopleOfRecords(db, tenant_id, ids, userIds))
    add(user_id, notification_id)
  for (const row of await rowsOfEvent(db, tenant_id, { id: String(id), thread_kind, thread_id }, userIds)) {
    traces.inbox.set(row.user_id, row)
    const record =
      row.is_latest &&
      records.find(each => each.relation === row.relation && each.channels.includes('in_app'))
    if (record) add(row.user_id, record.notification_id)
  }
  return traces
}

interface Context {
  event: DomainEventRow
  scope: ScopeRow
  rules: AppliedRule[]
  records: RecordOfEventRow[]
  traces: Traces
}

function explainPerson(
  userId: string,
  found: PersonRow[],
  { event, scope, rules, records, traces }: Context,
): EventExplanation['people'][number] {
  const row = found.find(({ user_id }) => user_id === userId)
  const rule = rules.find(({ relation }) => relation === row?.relation)
  const now = row === undefined ? NO_RELATION : personText(row, event, scope, rule)
  const notification_ids = traces.records.get(userId) ?? []
  const inbox = traces.inbox.get(userId)
  const common = {
    user_id: userId,
    relations: row?.relations ?? [],
    notification_ids,
    inbox: inbox === undefined ? null : toInboxTrace(inbox),
  }
  const told = records.find(({ notification_id }) => notification_ids.includes(notification_id))
  if (told === undefined) {
    const outcome = row?.outcome ?? ('no_relation' as const)
    const { relation = null, reason = null } = rule ?? {}
    return { ...common, relation, reason, outcome, text: now, is_recorded: false }
  }
  const { relation, reason, channels } = told
  const isSame = row?.outcome === 'told' && row.relation === relation
  const text = isSame
    ? now
    : `Told for the reason "${reason}" as "${relation}" on ${channels.join(', ')}. Things have changed since; by now: ${now}`
  return { ...common, relation, reason, outcome: 'told', text, is_recorded: true }
}

function caveats(event: DomainEventRow, { isAsked }: EventExplainPage): Decision[] {
  const computed =
    'Whatever is not recorded is computed from rules, relations, memberships and choices as they are now.'
  const asked =
    'Fan-out asks the tenant’s own server who may see it. This explanation does not, and takes it that everybody may.'
  const at = new Date(event.created_at)
  return [decision(at, 'computed', computed), ...(isAsked ? [decision(at, 'visibility_check', asked)] : [])]
}
