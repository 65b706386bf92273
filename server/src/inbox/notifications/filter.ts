/** What a filter means: which rows of an inbox it shows, as conditions on the row `i`. */
import { Refusal } from '../../platform/calls/refusal.ts'
import { IS_AWAKE } from './item.ts'
import {
  FilterError,
  type FilterKey,
  type FilterState,
  type FilterTerm,
  parseFilter,
} from './parse-filter.ts'

export interface FilterCondition {
  /** All of them must hold; made of the constants below, with values as parameters. */
  sql: string
  values: unknown[]
}

/** Parses what a person typed; refuses it by field, with the position of the mistake. */
export function readFilter(field: string, query: string | undefined): FilterTerm[] {
  try {
    return parseFilter(query ?? '')
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    const { message, position } = error
    throw new Refusal('invalid_request', `${field}: ${message} (at character ${position})`, [
      { field, message, line: 1, column: position },
    ])
  }
}

const STATES: Record<FilterState, string> = {
  unread: 'not i.is_read',
  read: 'i.is_read',
  done: 'i.done_at is not null',
  saved: 'i.saved_at is not null',
  snoozed: 'i.snoozed_until > now()',
  all: 'true',
}
const OPPOSITES: Record<FilterState, string> = {
  unread: 'i.is_read',
  read: 'not i.is_read',
  done: 'i.done_at is null',
  saved: 'i.saved_at is null',
  snoozed: IS_AWAKE,
  all: 'false',
}
const COLUMNS: Record<Exclude<FilterKey, 'date'>, string> = {
  reason: 'i.reason',
  topic: "coalesce(i.topic, '')",
  kind: 'i.kind',
  type: 'i.type',
  from: "coalesce(i.last_actor_id, '')",
  thread: "coalesce(i.thread_kind || '/' || i.thread_id, '')",
}

/** Of the person $2 of the tenant $1. */
const ZONE = "coalesce((select u.timezone from users u where u.tenant_id = $1 and u.id = $2), 'UTC')"
/** A day of the person; the times are compared with as they are, so that an index can find them. */
const onDay = (day: string): string =>
  `i.last_event_at >= local_time(${day}::date::text, ${ZONE}) and i.last_event_at < local_time((${day}::date + 1)::text, ${ZONE})`

/** For rows of the person $2 of the tenant $1; `firstParameter` is the number of the first one that is free. */
export function conditionOf(terms: FilterTerm[], firstParameter: number): FilterCondition {
  const values: unknown[] = []
  const parameter = (value: unknown) => `$${firstParameter - 1 + values.push(value)}`
  const conditions = statesOf(terms)
  for (const [key, column] of Object.entries(COLUMNS)) {
    const wanted = valuesOf(terms, key, false)
    const unwanted = valuesOf(terms, key, true)
    if (wanted.length > 0) conditions.push(`${column} = any (${parameter(wanted)}::text[])`)
    if (unwanted.length > 0) conditions.push(`${column} <> all (${parameter(unwanted)}::text[])`)
  }
  const days = (negated: boolean) => valuesOf(terms, 'date', negated).map(day => `(${onDay(parameter(day))})`)
  const wantedDays = days(false)
  if (wantedDays.length > 0) conditions.push(`(${wantedDays.join(' or ')})`)
  for (const day of days(true)) conditions.push(`not ${day}`)
  for (const { key, value, negated } of terms) {
    if (key !== 'text') continue
    const found = `i.title || E'\\n' || i.message ilike ${parameter(`%${value.replace(/[\\%_]/g, '\\$&')}%`)}`
    conditions.push(negated ? `not (${found})` : `(${found})`)
  }
  return { sql: conditions.join(' and '), values }
}

/** What is done or snoozed is out of sight until somebody asks for it; what is saved is always found again. */
function statesOf(terms: FilterTerm[]): string[] {
  const asked = terms.filter(term => term.key === 'is')
  const lifts = (state: FilterState) =>
    asked.some(
      ({ value, negated }) => value === state || (!negated && (value === 'saved' || value === 'all')),
    )
  const conditions = asked.map(({ value, negated }) => (negated ? OPPOSITES : STATES)[value as FilterState])
  if (!lifts('done')) conditions.push(OPPOSITES.done)
  if (!lifts('snoozed')) conditions.push(OPPOSITES.snoozed)
  return conditions
}

function valuesOf(terms: FilterTerm[], key: string, negated: boolean): string[] {
  return terms.filter(term => term.key === key && term.negated === negated).map(({ value }) => value)
}
