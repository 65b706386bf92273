/** What the dashboard asks for, with filters that match much, little and nothing. */
import type { Pool } from '../../../server/dist/platform/database/pool.js'
import { ANNOUNCEMENT, BUSIEST, DAYS, FLAWLESS } from './months-of-records.ts'

/** Asked many times, each time about something else where there is something to vary. */
export type Question = [what: string, pathOf: (turn: number) => string]

export interface Sample {
  notification_id: string
  idempotency_key: string
  event_id: string
}

/** Records from all times. */
export async function selectSamples(pool: Pool, records: number, count: number): Promise<Sample[]> {
  const keys = Array.from(
    { length: count },
    (_, i) => `key-${20 * (1 + Math.floor((i * records) / 20 / count))}`,
  )
  const { rows } = await pool.query<Sample>(
    `select notification_id, idempotency_key, event_id from records where idempotency_key = any ($1)
     union all
     select notification_id, idempotency_key, event_id from records_archive where idempotency_key = any ($1)`,
    [keys],
  )
  return rows
}

export async function selectAnnouncement(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ notification_id: string }>(
    'select notification_id from records where idempotency_key = $1',
    [ANNOUNCEMENT.key],
  )
  return rows[0]!.notification_id
}

const NOWHERE = '01900000-0000-7000-8000-000000000000'
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
const someDay = (turn: number, [from, to] = ['accepted_after', 'accepted_before']) =>
  `${from}=${daysAgo(1 + (turn % DAYS))}&${to}=${daysAgo(turn % DAYS)}`
const aPerson = (turn: number) => `person-${(turn * 7919) % 50_000}`
const aType = (turn: number) => `type-${turn % 40}`

const list = (path: string, questions: Record<string, (turn: number) => string>): Question[] =>
  Object.entries(questions).map(([what, filter]) => [
    `${path.slice(4)}: ${what}`,
    turn => `${path}?limit=50&${filter(turn)}`,
  ])

export function questionsAbout(samples: Sample[], announcement: string): Question[] {
  const sample = (turn: number) => samples[turn % samples.length]!
  return [
    ...list('/v1/records', recordFilters(sample)),
    ['record page: record', turn => `/v1/records/${sample(turn).notification_id}`],
    ['record page: routes', turn => `/v1/records/${sample(turn).notification_id}/routes`],
    ['record page: explain', turn => `/v1/records/${sample(turn).notification_id}/explain`],
    [`announcement to ${ANNOUNCEMENT.people}: record`, () => `/v1/records/${announcement}`],
    [`announcement to ${ANNOUNCEMENT.people}: routes`, () => `/v1/records/${announcement}/routes`],
    [`announcement to ${ANNOUNCEMENT.people}: explain`, () => `/v1/records/${announcement}/explain`],
    ...list('/v1/routes', ROUTE_FILTERS),
    ['dead letters: count', () => '/v1/dead-letters/count'],
    ['dead letters: groups', () => '/v1/dead-letters/groups'],
    ...list('/v1/dead-letters', { 'first page': () => '', type: turn => `notification_type=${aType(turn)}` }),
    ['search: id', turn => `/v1/search?q=${sample(turn).notification_id}`],
    ['search: key', turn => `/v1/search?q=${sample(turn).idempotency_key}`],
    ['search: beginning of a person', turn => `/v1/search?q=${aPerson(turn).slice(0, 9)}`],
    ['search: nothing', turn => `/v1/search?q=nothing-${turn}`],
    ...SERIES,
    ['overview', () => '/v1/metrics/overview'],
  ]
}

const recordFilters = (sample: (turn: number) => Sample): Record<string, (turn: number) => string> => ({
  'first page': () => '',
  type: turn => `notification_type=${aType(turn)}`,
  'unknown type': () => 'notification_type=unknown',
  producer: turn => `producer=producer-${turn % 6}`,
  'unknown producer': () => 'producer=unknown',
  'type of another producer': () => `notification_type=${BUSIEST.type}&producer=producer-1`,
  person: turn => `user_id=${aPerson(turn)}`,
  'busiest person': () => `user_id=${BUSIEST.person}`,
  'unknown person': () => 'user_id=unknown',
  dead: () => 'status=dead',
  sent: () => 'status=sent',
  pending: () => 'status=pending',
  retrying: () => 'status=retrying',
  'cancelled (none)': () => 'status=cancelled',
  key: turn => `idempotency_key=${sample(turn).idempotency_key}`,
  'unknown key': () => 'idempotency_key=unknown',
  event: turn => `event_id=${sample(turn).event_id}`,
  'unknown event': () => `event_id=${NOWHERE}`,
  'one day': turn => someDay(turn),
  'a day before everything': () => `accepted_before=${daysAgo(DAYS + 1)}`,
  'type + one day': turn => `notification_type=${aType(turn)}&${someDay(turn)}`,
  'unknown type + one day': turn => `notification_type=unknown&${someDay(turn)}`,
  'type + dead': turn => `notification_type=${aType(turn)}&status=dead`,
  'flawless type + dead': () => `notification_type=${FLAWLESS}&status=dead`,
  'unknown type + dead': () => 'notification_type=unknown&status=dead',
  'producer + dead': turn => `producer=producer-${turn % 6}&status=dead`,
  'unknown producer + dead': () => 'producer=unknown&status=dead',
  'dead + one day': turn => `status=dead&${someDay(turn)}`,
  'type + sent': turn => `notification_type=${aType(turn)}&status=sent`,
  'unknown type + sent': () => 'notification_type=unknown&status=sent',
  'type + pending': turn => `notification_type=${aType(turn)}&status=pending`,
  'unknown type + pending': () => 'notification_type=unknown&status=pending',
  'person + type': turn => `user_id=${aPerson(turn)}&notification_type=${aType(turn)}`,
  'busiest person + type': turn => `user_id=${BUSIEST.person}&notification_type=${aType(turn)}`,
  'busiest person + type they never get': () => `user_id=${BUSIEST.person}&notification_type=${FLAWLESS}`,
  'busiest person + unknown type': () => `user_id=${BUSIEST.person}&notification_type=unknown`,
  'busiest person + dead': () => `user_id=${BUSIEST.person}&status=dead`,
  'unknown person + type': turn => `user_id=unknown&notification_type=${aType(turn)}`,
})

const ROUTE_FILTERS: Record<string, (turn: number) => string> = {
  'first page': () => '',
  dead: () => 'status=dead',
  sent: () => 'status=sent',
  pending: () => 'status=pending',
  channel: () => 'channel=in_app',
  'channel without any': () => 'channel=sms',
  provider: () => 'provider=smtp',
  'unknown provider': () => 'provider=unknown',
  person: turn => `user_id=${aPerson(turn)}`,
  'busiest person': () => `user_id=${BUSIEST.person}`,
  'unknown person': () => 'user_id=unknown',
  type: turn => `notification_type=${aType(turn)}`,
  'unknown type': () => 'notification_type=unknown',
  'type + dead': turn => `notification_type=${aType(turn)}&status=dead`,
  'flawless type + dead': () => `notification_type=${FLAWLESS}&status=dead`,
  'person + type': turn => `user_id=${aPerson(turn)}&notification_type=${aType(turn)}`,
  'one day': turn => someDay(turn, ['created_after', 'created_before']),
}

/** The dashboard's days are those of whoever looks, which are made of hours. */
const SERIES: Question[] = (
  [
    ['24 hours', 1, 'step=hour'],
    ['30 days', 30, 'step=day&zone=Europe/Berlin'],
    ['90 days', 90, 'step=day&zone=Europe/Berlin'],
    ['90 days of UTC', 90, 'step=day'],
    ['90 days of a type', 90, `step=day&zone=Europe/Berlin&notification_type=${BUSIEST.type}`],
  ] as const
).map(([what, days, query]) => [
  `series: ${what}`,
  () => `/v1/metrics/series?from=${daysAgo(days)}&to=${daysAgo(0)}&${query}`,
])
