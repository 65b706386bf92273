/** Every reason of the contract happens: each is produced here and read over the API. */

import {
  FINISH_REASONS,
  type NotificationTypeInput,
  POSTPONE_REASONS,
  type RouteReason,
  SKIP_REASONS,
} from '@carillon/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { createInboxWriter } from '../../inbox/notifications/notifications.ts'
import { transaction } from '../../platform/database/pool.ts'
import type { Candidate } from '../attempts/candidate.ts'
import type { DeliveryOptions } from '../attempts/worker.ts'
import { discardDueRoutes } from '../routes/discard.ts'

const carillon = useCarillon()
const HOUR = 3600
const NIGHT = new Date('2031-01-01T02:00:00Z')
let person = ''
let type = ''
let unique = 0

beforeAll(async () => {
  await carillon.pool.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$`,
  )
})
afterAll(() => carillon.pool.query('drop function refuse'))

/** Each case has its own person and type, so that no case affects another. */
async function prepare(settings: Partial<NotificationTypeInput> = {}): Promise<void> {
  person = `person-${++unique}`
  type = `type-${unique}`
  await carillon.putUser(person, { email: `${person}@example.com` })
  await carillon.putType(type, { channels: ['email'], category: 'news', ...settings })
}

async function put(path: string, body: object): Promise<void> {
  expect((await carillon.request('PUT', path, { body })).status).toBe(200)
}

async function choose(preferences: object): Promise<void> {
  await prepare()
  await put(`/v1/users/${person}/preferences`, preferences)
}

const tell = (more: object = {}) =>
  carillon.send({ notification_type: type, audience: { kind: 'users', user_ids: [person] }, ...more })
const cancel = (id: string) => carillon.request('POST', `/v1/records/${id}/cancel`, { body: {} })

async function untilReason(id: string, reason: RouteReason) {
  const found = async () => (await carillon.routesOf(id)).find(route => route.reason === reason)
  return waitFor(found, { what: `a route of ${id} with the reason ${reason}` })
}

/** Runs a worker for as long as the given work takes. */
async function delivering<T>(until: () => Promise<T>, options: Partial<DeliveryOptions> = {}): Promise<T> {
  const writeInbox = createInboxWriter(carillon.pool)
  const worker = carillon.deliver(async message => {
    if (message.channel === 'in_app') await writeInbox(message)
    return { kind: 'sent' }
  }, options)
  try {
    return await until()
  } finally {
    await worker.stop()
  }
}

async function deliver(reason: RouteReason, id: string, options?: Partial<DeliveryOptions>): Promise<string> {
  await delivering(() => untilReason(id, reason), options)
  return id
}

async function deliverOne(options?: Partial<DeliveryOptions>): Promise<void> {
  const id = await tell()
  await delivering(() => carillon.settled(id, 'sent'), options)
}

/** Refuses inserts into the table for as long as the given work takes. */
async function refusing<T>(table: string, work: () => Promise<T>): Promise<T> {
  const { pool } = carillon
  await pool.query(`create trigger refuse before insert on ${table} for each row execute function refuse()`)
  try {
    return await work()
  } finally {
    await pool.query(`drop trigger refuse on ${table}`)
  }
}

function through(more: Partial<Candidate>): Partial<DeliveryOptions> {
  const provider = { send: async () => ({ kind: 'sent' as const }) }
  const candidate: Candidate = {
    name: 'test',
    provider,
    reportsBack: false,
    uncertainPolicy: 'resend',
    ...more,
  }
  return { candidates: async () => [candidate] }
}

async function gathered(): Promise<{ id: string; digestId: string }> {
  await prepare({ digest: { window: HOUR } })
  const id = await tell()
  return { id, digestId: (await delivering(() => untilReason(id, 'digested'))).digest_id! }
}

/** By reason: makes a notification with such a route and answers its id. */
const CASES: Record<RouteReason, () => Promise<string>> = {
  async no_address() {
    await prepare()
    await carillon.putUser(person)
    return tell()
  },
  async escalation() {
    await prepare({ channels: ['in_app'], escalate: [{ channel: 'email', after: HOUR, unless: 'read' }] })
    return tell()
  },
  async delay() {
    await prepare({ delay: HOUR })
    return tell()
  },
  async local_time() {
    await prepare()
    return tell({ send_at_local: '2037-01-31T09:00' })
  },
  digest: async () => (await gathered()).digestId,
  async cancelled() {
    await prepare({ delay: HOUR })
    const id = await tell()
    await cancel(id)
    return id
  },
  async restored() {
    await prepare()
    const id = await tell()
    await discardDueRoutes(carillon.pool, new Date(Date.now() + 1000))
    return id
  },
  async deadline() {
    await prepare()
    const id = await tell()
    await carillon.passDeadline(id)
    return deliver('deadline', id)
  },
  async tenant_suspended() {
    await prepare()
    const id = await tell()
    await carillon.suspend()
    await delivering(async () => {
      // Not over the API, which refuses the keys of a suspended tenant.
      const waits = "select from routes where notification_id = $1 and reason = 'tenant_suspended'"
      await waitFor(async () => (await carillon.pool.query(waits, [id])).rowCount === 1, {
        what: 'the route to wait',
      })
    })
    await carillon.resume()
    return id
  },
  async recipient_gone() {
    await prepare()
    const id = await tell()
    // Without the triggers, which would delete the routes too.
    await transaction(carillon.pool, async tx => {
      await tx.query('set local session_replication_role = replica')
      await tx.query('delete from users where id = $1', [person])
    })
    return deliver('recipient_gone', id)
  },
  async not_visible() {
    await prepare()
    const topic = `topic-${person}`
    await put(`/v1/topics/${topic}`, { visibility: 'private' })
    await put(`/v1/threads/issue/${person}`, { topic })
    return deliver('not_visible', await tell({ thread: { kind: 'issue', id: person } }))
  },
  async thread_unsubscribed() {
    await prepare()
    await put(`/v1/threads/issue/${person}`, {})
    await put(`/v1/threads/issue/${person}/subscription`, { user_id: person, subscribed: false })
    return deliver('thread_unsubscribed', await tell({ thread: { kind: 'issue', id: person } }))
  },
  async storm() {
    await prepare()
    const thread = { kind: 'issue', id: person }
    const id = await tell({ thread })
    await delivering(() => carillon.settled(id, 'sent'))
    return deliver('storm', await tell({ thread, payload: { n: 2 } }))
  },
  async suppressed() {
    await prepare()
    const body = { channel: 'email', address: `${person}@example.com` }
    await carillon.request('POST', '/v1/suppressions', { body })
    return deliver('suppressed', await tell())
  },
  async read() {
    await prepare({ channels: ['in_app'], escalate: [{ channel: 'email', after: HOUR, unless: 'read' }] })
    const id = await tell()
    const readAll = () => carillon.request('POST', `/v1/inbox/read-all?user_id=${person}`, { body: {} })
    await delivering(() => waitFor(async () => (await readAll()).body.read === 1, { what: 'the inbox row' }))
    await carillon.skipWaiting()
    return deliver('read', id)
  },
  async reason_off() {
    await choose({ reasons: { mention: { email: false } } })
    return deliver('reason_off', await tell({ reason: 'mention' }))
  },
  async category_off() {
    await choose({ categories: { news: { email: false } } })
    return deliver('category_off', await tell())
  },
  async channel_disabled() {
    await choose({ channels: { email: { enabled: false } } })
    return deliver('channel_disabled', await tell())
  },
  async paused() {
    await choose({ channels: { email: { paused_until: '2099-01-01T00:00:00Z' } } })
    return deliver('paused', await tell())
  },
  async quiet_hours() {
    await choose({ channels: { email: { quiet_hours: { start: '22:00', end: '08:00' } } } })
    return deliver('quiet_hours', await tell(), { now: () => NIGHT })
  },
  async visibility_unknown() {
    await prepare()
    await put('/v1/visibility-check', { url: 'https://x.example' })
    const askVisibility = async () => {
      throw new Error('not now')
    }
    const id = await tell({ thread: { kind: 'issue', id: person } })
    await deliver('visibility_unknown', id, { askVisibility })
    await carillon.request('DELETE', '/v1/visibility-check')
    return id
  },
  async frequency_cap() {
    await choose({ channels: { email: { frequency_cap: 1 } } })
    await deliverOne()
    return deliver('frequency_cap', await tell())
  },
  async throttled() {
    await prepare({ throttle: { per: HOUR, max: 1 } })
    await deliverOne()
    return deliver('throttled', await tell())
  },
  async database() {
    await prepare({ throttle: { per: HOUR, max: 1 } })
    const id = await tell()
    return refusing('throttles', () => deliver('database', id))
  },
  digested: async () => (await gathered()).id,
  async digest_empty() {
    const { id, digestId } = await gathered()
    await cancel(id)
    await carillon.skipWaiting()
    return deliver('digest_empty', digestId)
  },
  async cap_reached() {
    await choose({ channels: { email: { caps: [{ per: 'hour', max: 1, over: 'digest' }] } } })
    const nextHour = { now: () => new Date(NIGHT.getTime() + HOUR * 1000) }
    await deliverOne({ now: () => NIGHT })
    const gatheredId = await tell()
    const { digest_id } = await delivering(() => untilReason(gatheredId, 'digested'), { now: () => NIGHT })
    await deliverOne(nextHour)
    await carillon.skipWaiting()
    return deliver('cap_reached', digest_id!, nextHour)
  },
  async cap_unknown() {
    await choose({ channels: { email: { frequency_cap: 1 } } })
    const id = await tell()
    return refusing('daily_sends', () => deliver('cap_unknown', id))
  },
  async no_provider() {
    await prepare()
    const candidates = async () => {
      throw new Error('not now')
    }
    return deliver('no_provider', await tell(), { candidates })
  },
  async no_device() {
    await prepare({ channels: ['push'] })
    return deliver('no_device', await tell(), through({ devices: 'fcm' }))
  },
  async provider_down() {
    await prepare()
    const breaker = { admit: async () => undefined, waitMs: () => 60_000 }
    return deliver('provider_down', await tell(), through({ breaker }))
  },
  async provider_rate() {
    await prepare()
    return deliver('provider_rate', await tell(), through({ reserve: async () => 60_000 }))
  },
}

describe.each([
  ['skip', SKIP_REASONS, ['skipped']],
  ['postpone', POSTPONE_REASONS, ['pending', 'retrying']],
  ['finish', FINISH_REASONS, ['cancelled', 'expired']],
])('reasons to %s', (_kind, reasons, statuses) => {
  it.each([...reasons])('the reason %s happens, and explain shows it', async reason => {
    const id = await CASES[reason]()
    const route = await untilReason(id, reason)
    expect(statuses).toContain(route.status)
    const { people } = (await carillon.request('GET', `/v1/records/${id}/explain`)).body
    const explained = people[0].routes.find(
      ({ route_id }: { route_id: string }) => route_id === route.route_id,
    )
    expect(explained.reason).toBe(reason)
  })
})
