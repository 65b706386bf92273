/** How far telling people of an event is: its place in the log, the cursor of fan-out, and what went wrong. */
import type { DeadLetter, Decision, EventCursor, EventExplanation } from '@carillon/contract'
import type { DomainEventRow } from '../../events/domain-events/domain-events.ts'
import type { ScopeRow } from '../../events/fanout/decisions.ts'
import { eventText } from '../../events/fanout/words.ts'
import { decision, plural } from '../records/decision.ts'
import type { RecordOfEventRow } from '../records/records.ts'

export interface Progress {
  event: DomainEventRow
  scope: ScopeRow
  cursor: EventCursor
  /** Open and resolved, oldest first. */
  letters: DeadLetter[]
  records: RecordOfEventRow[]
  ruleCount: number
}

type Status = EventExplanation['status']

export function statusOf({ event, cursor, letters, records }: Progress): Status {
  if (event.id === null) return 'unordered'
  if (letters.some(letter => letter.resolved_at === null)) return 'dead_letter'
  if (cursor.last_event_id >= event.id) return 'done'
  if (cursor.last_event_id < event.id - 1) return 'waiting'
  if (cursor.tries > 0) return 'retrying'
  return records.some(({ expanded_at }) => expanded_at === null) ? 'in_progress' : 'waiting'
}

export function progressDecisions(progress: Progress): Decision[] {
  const { event, scope, cursor, letters, records } = progress
  const accepted = `Accepted from ${event.producer}: ${eventText(event, scope)}.`
  const decisions = [decision(event.created_at, 'accepted', accepted)]
  if (event.id === null) {
    const text = 'It has no place in the log yet; it gets one moments after its transaction has committed.'
    return [...decisions, decision(event.created_at, 'unordered', text)]
  }
  decisions.push(decision(event.created_at, 'ordered', `It is event ${event.id} of the tenant’s log.`))
  for (const letter of letters) decisions.push(...letterDecisions(letter))
  const status = statusOf(progress)
  if (status === 'retrying') {
    const text = `Fan-out has failed at it ${plural(cursor.tries, 'time')}, and tries again at ${cursor.next_attempt_at}. Last error: ${cursor.last_error}`
    decisions.push(decision(new Date(cursor.moved_at), status, text))
  }
  if (status === 'waiting') decisions.push(decision(event.created_at, status, waitingText(event.id, cursor)))
  if (scope.is_gone) {
    const text = 'Its topic or thread does not exist any more: whoever is not told yet is not told any more.'
    decisions.push(decision(event.created_at, 'gone', text))
  }
  for (const { accepted_at, notification_id, relation, reason, channels } of records) {
    const text = `People in the relation "${relation}" were told for the reason "${reason}" on ${channels.join(', ')}: notification ${notification_id}.`
    decisions.push(decision(accepted_at, 'notified', text))
  }
  if (status === 'in_progress') {
    const text = 'It is for many people, who are told in portions; more will follow.'
    decisions.push(decision(new Date(cursor.moved_at), status, text))
  }
  if (status === 'done') decisions.push(doneDecision(progress))
  return decisions
}

/** When exactly it was read is known only from what came of it, or while it is the last one. */
function doneDecision({ event, cursor, records, ruleCount }: Progress) {
  const ends = records.flatMap(({ expanded_at }) => (expanded_at === null ? [] : [expanded_at]))
  const at = ends.at(-1) ?? (cursor.last_event_id === event.id ? new Date(cursor.moved_at) : event.created_at)
  const nobody =
    ruleCount === 0
      ? `Fan-out is done: "${event.kind}" has no rule now.`
      : 'Fan-out is done: nobody was told.'
  return decision(at, 'done', records.length === 0 ? nobody : 'Fan-out is done: everybody was told.')
}

function waitingText(id: number, { last_event_id, tries, next_attempt_at, last_error }: EventCursor): string {
  const before = id - last_event_id - 1
  if (before === 0) return 'It is the next that fan-out reads.'
  const held =
    tries === 0 ? '' : ` The first of them has failed and is tried again at ${next_attempt_at}: ${last_error}`
  return `Fan-out reads ${plural(before, 'event')} before it.${held}`
}

function letterDecisions(letter: DeadLetter): Decision[] {
  const died = `Fan-out gave it up after ${plural(letter.final_attempt_count, 'attempt')} (dead letter ${letter.id}): ${letter.failure_message}`
  const decisions = [decision(new Date(letter.created_at), 'dead_lettered', died)]
  if (letter.resolution !== null && letter.resolved_at !== null) {
    const text = `The dead letter was ${letter.resolution.replaceAll('_', ' ')}.`
    decisions.push(decision(new Date(letter.resolved_at), letter.resolution, text))
  }
  return decisions
}

export function summaryOf(progress: Progress): string {
  const { event, scope, records, ruleCount } = progress
  const notifications = plural(records.length, 'notification')
  switch (statusOf(progress)) {
    case 'unordered':
      return 'Accepted; it gets its place in the log in a moment.'
    case 'waiting':
      return 'Accepted; nobody has been told yet.'
    case 'in_progress':
      return `People are being told: ${notifications} so far.`
    case 'retrying':
      return 'Fan-out failed at it and will try again.'
    case 'dead_letter':
      return `Fan-out gave it up; ${notifications} came of it.`
    case 'done':
      if (records.length > 0) return `People were told: ${notifications} came of it.`
      if (scope.is_gone) return 'Nobody was told: its topic or thread does not exist.'
      return ruleCount === 0 ? `Nobody was told: "${event.kind}" has no rule.` : 'Nobody was told.'
  }
}
