/** A happening as rows, as if Carillon had written them at the time. */
import { createHash } from 'node:crypto'
import { UUID } from 'uuidv7'
import { topicOf } from './cast.ts'
import type { Chance } from './chance.ts'
import { type Delivery, deliver } from './deliveries.ts'
import { fateOf, type Happening } from './history.ts'

export type Row = Record<string, unknown>
export interface Written {
  records: Row[]
  routes: Row[]
  route_attempts: Row[]
  dead_letters: Row[]
}

const DAY = 86_400_000
const MAX_ATTEMPTS = { email: 7, push: 3 } as Record<string, number>
const time = (ms: number) => new Date(ms).toISOString()

/** With the time inside, as all ids of Carillon. */
export function idAt(ms: number, chance: Chance): string {
  return UUID.fromFieldsV7(
    ms,
    chance.between(0, 0xfff),
    chance.between(0, 2 ** 30 - 1),
    chance.between(0, 2 ** 32 - 1),
  ).toString()
}

export function rowsOf(happening: Happening, now: number, chance: Chance): Written {
  const { at, number, kind, people } = happening
  const notification_id = idAt(at, chance)
  const payload = JSON.stringify(kind.payload(number))
  const written: Written = { records: [], routes: [], route_attempts: [], dead_letters: [] }
  written.records.push({
    notification_id,
    notification_type: kind.name,
    producer: kind.producer,
    audience_kind: 'users',
    recipients: people.map(({ id }) => id),
    channels: kind.channels,
    payload_json: payload,
    idempotency_key: `${kind.producer}-${number}`,
    request_fingerprint: createHash('sha256').update(`${number} ${payload}`).digest('hex'),
    idempotency_expires_at: time(at + 7 * DAY),
    source: 'http',
    request_id: `req-${number}`,
    retry_base_ms: 10_000,
    retry_cap_ms: 3_600_000,
    accepted_at: time(at),
    expanded_at: time(at),
    updated_at: time(at),
    reason: kind.name === 'mention' ? 'mentioned' : '',
    ...(kind.producer === 'issues' && {
      thread_kind: 'issue',
      thread_id: `${topicOf(number)}/${1000 + (number % 90)}`,
    }),
  })
  for (const [place, person] of people.entries()) {
    const fate = fateOf(happening, now, place)
    for (const channel of kind.channels) {
      const delivery = deliver(channel, person, fate, chance)
      addRoute(written, { notification_id, at, channel, person, delivery, kind, now, chance })
    }
  }
  return written
}

interface Planned extends Pick<Happening, 'at' | 'kind'> {
  notification_id: string
  channel: string
  person: Happening['people'][number]
  delivery: Delivery
  now: number
  chance: Chance
}

function addRoute(written: Written, planned: Planned): void {
  const { notification_id, at, channel, person, delivery, chance } = planned
  const route_id = `${channel}:user:${person.id}`
  // What has not happened yet is not told.
  const tries = delivery.tries.filter(({ afterMs, tookMs }) => at + afterMs + tookMs < planned.now)
  const isOver = tries.length === delivery.tries.length
  const last = tries.at(-1)
  const end = last === undefined ? at + 5 : at + last.afterMs + last.tookMs
  const status = isOver ? delivery.status : tries.length > 0 ? 'retrying' : 'pending'
  const failed = last !== undefined && last.outcome !== 'sent' ? last : undefined
  const address = { email: person.email, sms: person.phone ?? '', chat: '#shop' }[channel] ?? ''
  written.routes.push({
    notification_id,
    route_id,
    channel,
    recipient_ref: `user:${person.id}`,
    user_id: person.id,
    resolved_address: address,
    resolved_locale: person.locale,
    status,
    reason: delivery.reason,
    attempt_count: tries.length,
    max_attempts: MAX_ATTEMPTS[channel] ?? 5,
    claim_count: tries.length,
    next_attempt_at: isOver ? null : time(planned.now + 60_000),
    provider: last?.provider ?? '',
    provider_message_id:
      status === 'sent' ? `${notification_id}.${chance.between(1e6, 9e6).toString(16)}` : '',
    last_error_classification: failed?.outcome ?? '',
    last_error_message: failed?.message ?? '',
    last_error_at: failed ? time(end) : null,
    created_at: time(at),
    updated_at: time(end),
    sent_at: status === 'sent' ? time(end) : null,
    dead_at: status === 'dead' ? time(end) : null,
    skipped_at: status === 'skipped' ? time(end) : null,
    delivered_at: status === 'sent' && channel === 'email' && chance.is(0.9) ? time(end + 2_400) : null,
    opened_at: status === 'sent' && channel === 'email' && chance.is(0.4) ? time(end + 600_000) : null,
  })
  for (const [i, each] of tries.entries()) {
    const next = delivery.tries[i + 1]
    written.route_attempts.push({
      notification_id,
      route_id,
      attempt_no: i + 1,
      outcome: each.outcome,
      provider: each.provider,
      message: each.message,
      worker: 'demo',
      started_at: time(at + each.afterMs),
      duration_ms: each.tookMs,
      next_attempt_at: next === undefined ? null : time(at + next.afterMs),
      calls: each.calls,
    })
  }
  if (status === 'dead' && failed) written.dead_letters.push(letterOf(planned, route_id, end, tries.length))
}

/** What is older than a few days, somebody has looked after. */
function letterOf(planned: Planned, route_id: string, at: number, count: number): Row {
  const { notification_id, channel, person, delivery, kind, now, chance } = planned
  const isOld = now - at > 4 * DAY
  const last = delivery.tries.at(-1)!
  return {
    id: idAt(at, chance),
    source_kind: 'route',
    notification_id,
    route_id,
    notification_type: kind.name,
    channel,
    recipient_ref: `user:${person.id}`,
    final_attempt_count: count,
    max_attempts: MAX_ATTEMPTS[channel] ?? 5,
    failure_reason: delivery.failure!.reason,
    failure_classification: delivery.failure!.classification,
    failure_message: last.message,
    recovery_hint: delivery.failure!.hint,
    created_at: time(at),
    resolved_at: isOld ? time(at + DAY / 2) : null,
    resolution: isOld ? 'ignored' : null,
    provider: last.provider,
    template: '',
  }
}
