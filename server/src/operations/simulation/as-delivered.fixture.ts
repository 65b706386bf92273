import type { SimulatedRoute, Simulation } from '@carillon/contract'
import { expect } from 'vitest'
import type { Answer, TestCarillon } from '../../../test/carillon.ts'
import { clockOf, moveClock, passTime } from '../../../test/moved-clock.ts'
import type { Message } from '../../content/messages/message.ts'
import { expandChunk } from '../../planning/expansions/expander.ts'
import {
  type Configuration,
  drawConfigurations,
  drawDefaults,
  type IntentDraw,
} from './configurations.fixture.ts'

/** Of so many people, each with a type of their own. */
export const CONFIGURATIONS = 304
export const TENANTS = 8
const SEED = 20261116
/** The night in which clocks change in Europe; in New York they changed two weeks before. */
const START = new Date('2027-03-27T21:17:00Z')
/** When intents are sent, in minutes after the start: soon enough for caps, throttles and digests to matter. */
const ROUNDS = [0, 50, 1500]

type Person = Configuration & { name: string; key: string; taken: number }

async function inParallel<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items]
  const hands = Array.from({ length: 8 }, async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  })
  await Promise.all(hands)
}

function intentOf({ name, type, taken }: Person, drawn: IntentDraw, now: Date): object {
  const { order, reason, thread, sendInSeconds, sendAtLocal, expiresInSeconds } = drawn
  const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString()
  const audiences = {
    person: { kind: 'users', user_ids: [name] },
    topic: { kind: 'topic', topic: name },
    address: { kind: 'addresses', channel: 'email', addresses: [`${name}@example.com`] },
    admins: { kind: 'admin_email' },
  }
  const isPlain = drawn.audience === 'person' || drawn.audience === 'topic'
  const tomorrow = new Date(now.getTime() + 86_400_000).toISOString().slice(0, 10)
  return {
    notification_type: name,
    idempotency_key: `${name} ${taken}`,
    audience: audiences[drawn.audience],
    payload: { title: `${name} ${taken}`, order },
    ...(isPlain && drawn.firstChannelOnly && { channels: type.channels.slice(0, 1) }),
    ...(reason !== undefined && { reason }),
    ...(thread !== undefined && { thread: { kind: 'issue', id: `${name}-${thread}` } }),
    ...(sendInSeconds !== undefined && { send_at: inSeconds(sendInSeconds) }),
    ...(sendInSeconds === undefined && sendAtLocal && { send_at_local: `${tomorrow}T${sendAtLocal}` }),
    ...(expiresInSeconds !== undefined && {
      expires_at: inSeconds((sendInSeconds ?? 0) + expiresInSeconds + 30),
    }),
  }
}

/** The decisions on the way of a route, how it ended, and when. */
export interface Story {
  status: string
  reason: string
  at: string
  said: string[]
  subject: string | undefined
}
/** Removes what differs between two digests. */
const withoutId = (text: string) => text.replace(/the digest [0-9a-f-]{36}/, 'the digest')

const GOES_OUT = /(the digest, which goes out at) (\S+?Z)/

/**
 * A digest may go out in the moment in which a message that would join it has waited long enough. Whether the message
 * becomes part of that digest or of the next one depends on which of the two comes first.
 */
const isTie = ({ at, said }: Story): boolean => said.some(text => GOES_OUT.exec(text)?.[2] === at)

function leaveTiesOpen(some: Record<string, Story>, others: Record<string, Story>): void {
  for (const id of Object.keys(some)) {
    const both = [some[id]!, others[id]].filter(story => story !== undefined)
    if (both.some(isTie))
      for (const story of both) story.said = story.said.map(text => text.replace(GOES_OUT, '$1 …'))
  }
}

function toStory({ decisions, status, reason, at, message }: SimulatedRoute): Story {
  const said = decisions.filter(({ decision }) => decision !== 'sent').map(({ text }) => text)
  return {
    status,
    reason,
    at,
    said: reason === 'no_address' ? [] : said.map(withoutId),
    subject: message?.subject,
  }
}

/** How many of them have a decision with such a text. */
export const countOf = (stories: Story[], pattern: RegExp) =>
  stories.filter(({ said }) => said.some(text => pattern.test(text))).length

/** Simulates what the chosen ones of the drawn people are sent, sends it, and compares. Returns how it ended. */
export async function expectDelivered(
  carillon: TestCarillon,
  takes: (index: number) => boolean,
): Promise<Story[]> {
  const people: Person[] = []
  const foretold: Record<string, Story> = {}
  const refusals = new Set<string>()
  const handedOver = new Map<string, Message>()

  await moveClock(carillon.pool, START)
  const keys: string[] = []
  for (const [i, body] of drawDefaults(TENANTS, SEED).entries()) {
    const { key } = await carillon.createTenant(`tenant ${i}`)
    await put(key, '/v1/preferences', i === 0 ? {} : body)
    // Long enough for a second mail about a thread to be too many.
    const settings = { mails_per_thread_window_seconds: 7200 }
    await carillon.request('PATCH', '/v1/tenant', { key, body: settings })
    keys.push(key)
  }
  for (const [i, drawn] of drawConfigurations(CONFIGURATIONS, SEED).entries())
    if (takes(i)) people.push({ ...drawn, name: `p${i}`, key: keys[i % TENANTS]!, taken: 0 })
  await inParallel(people, prepare)
  // Only now, after the preferences: a required category ignores that people had left it.
  for (const key of keys) await put(key, '/v1/categories/vital', { required: true })

  for (const minutes of ROUNDS) {
    await passTimeUntil(new Date(START.getTime() + minutes * 60_000))
    await sendRound()
  }
  await passTimeUntil(new Date(START.getTime() + 60 * 86_400_000))
  const stories = await happened()
  leaveTiesOpen(foretold, stories)
  expect(foretold).toEqual(stories)

  expect([...refusals]).toEqual(['invalid_audience'])
  const ended = Object.values(stories)
  expect([...new Set(ended.map(({ status, reason }) => `${status} ${reason}`.trim()))].sort()).toEqual([
    'expired deadline',
    'sent',
    'skipped category_off',
    'skipped channel_disabled',
    'skipped digested',
    'skipped frequency_cap',
    'skipped no_address',
    'skipped reason_off',
    'skipped storm',
    'skipped suppressed',
    'skipped thread_unsubscribed',
    'skipped throttled',
  ])
  return ended

  async function prepare({ name, key, type, person }: Person): Promise<void> {
    const { timezone, locale, hasEmail, hasPhone, watches, preferences } = person
    await put(key, `/v1/notification-types/${name}`, type)
    const email = hasEmail ? `${name}@example.com` : null
    await put(key, `/v1/users/${name}`, {
      timezone,
      locale,
      email,
      phone: hasPhone ? '+4915112345678' : null,
    })
    await put(key, `/v1/users/${name}/preferences`, preferences)
    await put(key, `/v1/topics/${name}/watch`, { user_id: name, level: watches })
    await put(key, `/v1/threads/issue/${name}-left`, {})
    await put(key, `/v1/threads/issue/${name}-left/subscription`, { user_id: name, subscribed: false })
    if (!person.isSuppressed) return
    const body = { channel: 'email', address: `${name}@example.com` }
    expect((await carillon.request('POST', '/v1/suppressions', { key, body })).status).toBe(201)
  }

  async function put(key: string, path: string, body: object): Promise<void> {
    const answer = await carillon.request('PUT', path, { key, body })
    expect([path, answer.status, answer.body]).toEqual([path, 200, answer.body])
  }

  /** Simulates and then sends the next intent of each person for whom nothing but a digest is waiting. */
  async function sendRound(): Promise<void> {
    const now = await clockOf(carillon.pool)
    const { rows } = await carillon.pool.query<{ name: string }>(
      `select rec.notification_type as name from routes r join records rec using (tenant_id, notification_id)
       where r.next_attempt_at is not null and r.notification_id is distinct from r.digest_id`,
    )
    const busy = new Set(rows.map(row => row.name))
    const idle = people.filter(({ name }) => !busy.has(name))
    const simulations: { key: string; intent: object; answer: Answer }[] = []
    await inParallel(idle, async person => {
      const { key } = person
      const intent = intentOf(person, person.intents[person.taken++]!, now)
      const answer = await carillon.request('POST', '/v1/intents/simulate', { key, body: intent })
      simulations.push({ key, intent, answer })
    })
    for (const tenant of new Set(idle.map(({ key }) => key)))
      await sendAll(
        tenant,
        simulations.filter(({ key }) => key === tenant),
      )
    while (await expandChunk({ pool: carillon.pool, onExpanded: () => {} })) {}
  }

  async function sendAll(key: string, simulations: { intent: object; answer: Answer }[]): Promise<void> {
    const body = { intents: simulations.map(({ intent }) => intent) }
    const sent = await carillon.request('POST', '/v1/intents/batch', { key, body })
    for (const [i, { answer }] of simulations.entries()) {
      const { status, code, notification_id } = sent.body.items[i]
      if (status === 'failed') {
        expect(answer.body).toMatchObject({ code })
        refusals.add(code)
        continue
      }
      for (const { routes } of (answer.body as Simulation).people)
        for (const route of routes) foretold[`${notification_id} ${route.route_id}`] = toStory(route)
    }
  }

  function passTimeUntil(until: Date): Promise<void> {
    return passTime(carillon, until, message => {
      handedOver.set(`${message.notification_id} ${message.route_id}`, message)
    })
  }

  async function happened(): Promise<Record<string, Story>> {
    const { rows } = await carillon.pool.query<Story & { id: string }>(
      `select r.notification_id || ' ' || r.route_id as id, r.status, r.reason,
         iso(coalesce(r.sent_at, r.skipped_at, r.expired_at)) as at,
         array(
           select a.message from route_attempts a where a.tenant_id = r.tenant_id and a.notification_id = r.notification_id
             and a.route_id = r.route_id and a.message <> '' order by a.attempt_no) as said
       from routes r where r.notification_id is distinct from r.digest_id`,
    )
    const stories = rows.map(({ id, said, ...row }) => {
      return [id, { ...row, said: said.map(withoutId), subject: handedOver.get(id)?.subject }]
    })
    return Object.fromEntries(stories)
  }
}
