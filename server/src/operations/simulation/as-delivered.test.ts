import type { Channel, DigestSchedule } from '@carillon/contract'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { isDigest } from '../../content/messages/message-route.ts'
import type { ClaimedRoute } from '../../delivery/routes/claim.ts'
import type { Completion } from '../../delivery/routes/complete.ts'
import { checkIntent } from '../../intake/intents/intent.ts'
import { localDay } from '../../platform/time/local-time.ts'
import { simulateIntent } from './simulation.ts'

const carillon = useCarillon()
const CHANNELS: Channel[] = ['email', 'sms', 'push']
const CASES = 200

const toggle = fc.option(fc.boolean())
const time = fc.constantFrom('00:00', '02:30', '08:00', '12:00', '22:00', '23:59')
const choice = fc.record({
  enabled: fc.option(fc.boolean(), { freq: 2 }),
  frequency_cap: fc.option(fc.integer({ min: 0, max: 3 })),
  quiet_hours: fc.option(fc.record({ start: time, end: time }), { freq: 4 }),
  timezone: fc.option(fc.constantFrom('Europe/Berlin', 'Asia/Kathmandu', 'America/New_York', 'Pacific/Apia')),
})
const rhythm = fc.constantFrom<DigestSchedule>(
  { every: 'message' },
  { every: 'hour' },
  { every: 'day', at: '02:30' },
  { every: 'week', on: 'sunday', at: '08:00' },
)
const aCase = fc.record({
  channels: fc.dictionary(fc.constantFrom(...CHANNELS), choice),
  news: toggle,
  mention: toggle,
  rhythm: fc.option(rhythm),
  hasAddress: fc.boolean(),
  type: fc.constantFrom('newsletter', 'alarm', 'plain'),
  reason: fc.option(fc.constantFrom('mention', 'author'), { nil: undefined }),
  used: fc.integer({ min: 0, max: 3 }),
  expiresInHours: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
  timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/Sao_Paulo'),
  // Around the nights on which clocks change in Europe and America.
  clock: fc
    .tuple(
      fc.constantFrom('2026-03-29', '2026-10-25', '2026-11-01', '2026-06-15'),
      fc.integer({ min: -1440, max: 1440 }),
    )
    .map(([day, minutes]) => new Date(Date.parse(`${day}T00:00:00Z`) + minutes * 60_000)),
})
const cases = fc
  .sample(aCase, { numRuns: CASES, seed: 20261115 })
  .map((each, i) => ({ ...each, user: `person-${i}` }))
type Case = (typeof cases)[number]

beforeAll(async () => {
  await carillon.putType('newsletter', { channels: CHANNELS, category: 'news' })
  await carillon.putType('alarm', { channels: CHANNELS, category: 'news', critical: true })
  await carillon.putType('plain', { channels: CHANNELS })
  const defaults = {
    channels: { sms: { frequency_cap: 2 }, push: { quiet_hours: { start: '21:00', end: '07:00' } } },
    categories: { news: { email: false } },
  }
  await carillon.request('PUT', '/v1/preferences', { body: defaults })
  for (const each of cases) await prepare(each)
})

async function prepare({
  user,
  channels,
  news,
  mention,
  rhythm,
  hasAddress,
  timezone,
  used,
  clock,
}: Case): Promise<void> {
  await carillon.putUser(user, {
    timezone,
    ...(hasAddress && { email: `${user}@example.com`, phone: '+4915112345678' }),
  })
  const body = {
    channels,
    categories: news === null ? {} : { news: { email: news, sms: news } },
    reasons: mention === null ? {} : { mention: { email: mention, push: mention } },
    digests: rhythm === null ? {} : { news: { email: rhythm, sms: rhythm } },
  }
  const answer = await carillon.request('PUT', `/v1/users/${user}/preferences`, { body })
  expect(answer.status).toBe(200)
  for (const channel of CHANNELS) {
    const day = localDay(channels[channel]?.timezone ?? timezone, clock.getTime())
    await carillon.pool.query(
      `insert into daily_sends (tenant_id, user_id, channel, day, used, cap, granted) values ($1, $2, $3, $4, $5, 0, 0)`,
      [carillon.tenantId, user, channel, day, used],
    )
  }
}

function intentOf({ user, type, reason, expiresInHours }: Case) {
  const expires_at =
    expiresInHours === undefined
      ? undefined
      : new Date(Date.now() + expiresInHours * 3_600_000 + 1_800_000).toISOString()
  return {
    notification_type: type,
    audience: { kind: 'users', user_ids: [user] },
    payload: { title: `For ${user}` },
    ...(reason !== undefined && { reason }),
    ...(expires_at !== undefined && { expires_at }),
  }
}

/** Route → the decisions on the way, how it ended, and when. */
type Story = { said: string[]; status: string; reason: string; at: string }

/** What differs between two digests. */
const withoutId = (text: string) => text.replace(/the digest [0-9a-f-]{36}/, 'the digest')

async function simulated(): Promise<Map<string, Story>> {
  const stories = new Map<string, Story>()
  const candidate = { name: 'test', provider: { send: async () => ({ kind: 'sent' as const }) } }
  const directory = {
    peekCandidates: async () => [{ ...candidate, reportsBack: false, uncertainPolicy: 'resend' as const }],
  }
  for (const each of cases) {
    const value = intentOf(each)
    const submitted = { value, text: JSON.stringify(value), payloadText: JSON.stringify(value.payload) }
    const origin = { tenant_id: carillon.tenantId, source: 'test', defaultProducer: 'test' }
    const intent = checkIntent(submitted, origin)
    const { people } = await simulateIntent(
      { pool: carillon.pool, directory, fillTemplate: async () => undefined, links: () => null },
      intent,
      () => each.clock,
    )
    for (const route of people[0]!.routes) {
      const said = route.decisions.filter(({ decision }) => decision !== 'sent').map(({ text }) => text)
      const { status, reason, at } = route
      stories.set(`${each.user} ${route.channel}`, {
        said: reason === 'no_address' ? [] : said.map(withoutId),
        status,
        reason,
        at,
      })
    }
  }
  return stories
}

async function delivered(): Promise<Map<string, Story>> {
  const clocks = new Map<string, Date>()
  const said = new Map<string, string[]>()
  const waiting = new Set<string>()
  const keyOf = (route: ClaimedRoute) => `${route.user_id} ${route.channel}`
  const onAttempt = (route: ClaimedRoute, completion: Completion) => {
    // The digest's own route is left out: simulate does not show it.
    if (isDigest(route)) return
    const key = keyOf(route)
    const text = withoutId(completion.message)
    said.set(key, [...(said.get(key) ?? []), ...(text === '' ? [] : [text])])
    waiting.delete(key)
    if (completion.delay_ms !== null)
      clocks.set(key, new Date(clocks.get(key)!.getTime() + completion.delay_ms))
  }
  const ids = new Map<string, string>()
  for (const each of cases) ids.set(each.user, await carillon.send(intentOf(each)))
  const open = async () =>
    (
      await carillon.pool.query(
        `select user_id || ' ' || channel as key from routes
         where next_attempt_at is not null and notification_id is distinct from digest_id`,
      )
    ).rows as { key: string }[]
  for (const each of cases) for (const channel of CHANNELS) clocks.set(`${each.user} ${channel}`, each.clock)

  const events = { onAttempt, onDead: () => {}, onError: () => {} }
  for (let rows = await open(); rows.length > 0; rows = await open()) {
    for (const { key } of rows) waiting.add(key)
    await carillon.skipWaiting()
    const worker = carillon.deliver(() => ({ kind: 'sent' }), {
      now: route => clocks.get(keyOf(route))!,
      events,
    })
    await waitFor(async () => waiting.size === 0, { what: 'every route to be attempted' })
    await worker.stop()
  }

  const stories = new Map<string, Story>()
  for (const [user, id] of ids) {
    for (const { channel, status, reason } of await carillon.routesOf(id)) {
      const key = `${user} ${channel}`
      stories.set(key, { said: said.get(key) ?? [], status, reason, at: clocks.get(key)!.toISOString() })
    }
  }
  return stories
}

describe('what simulate says', () => {
  it(`is what delivery does: ${CASES} people, their preferences, caps, hours, zones and deadlines`, async () => {
    const foretold = await simulated()
    const happened = await delivered()
    expect(foretold.size).toBe(CASES * CHANNELS.length)
    expect(Object.fromEntries([...foretold].sort())).toEqual(Object.fromEntries([...happened].sort()))
    const outcomes = new Set([...happened.values()].map(({ status, reason }) => `${status} ${reason}`.trim()))
    expect([...outcomes].sort()).toEqual([
      'expired deadline',
      'sent',
      'skipped category_off',
      'skipped channel_disabled',
      'skipped digested',
      'skipped frequency_cap',
      'skipped no_address',
      'skipped reason_off',
    ])
    expect(
      [...happened.values()].filter(({ said, status }) => said.length > 0 && status === 'sent').length,
    ).toBeGreaterThan(10)
  })
})
