import { FINISH_REASONS, POSTPONE_REASONS, type RouteReason, SKIP_REASONS } from '@carillon/contract'
import { describe, expect, it } from 'vitest'
import type { Choice } from '../../people/preferences/choices.ts'
import type { Pool } from '../../platform/database/pool.ts'
import type { ClaimedRoute } from '../routes/claim.ts'
import { aChoice, aRoute } from '../routes/claimed-route.fixture.ts'
import { createGates, passGates } from './gates.ts'

const NIGHT = new Date('2026-05-05T02:00:00Z')
const NOON = new Date('2026-05-05T12:00:00Z')
const QUIET = { quiet_hours_start: '22:00:00', quiet_hours_end: '08:00:00' }

type Statement = { name: string; values: unknown[] }

/** A pool that answers each statement by its name and keeps what it was asked. */
function aDatabase(rowsOf: Record<string, (statement: Statement) => object[]> = {}) {
  const asked: Statement[] = []
  const query = async (statement: Statement) => {
    asked.push(statement)
    return { rows: rowsOf[statement.name]?.(statement) ?? [] }
  }
  return { asked, pool: { query } as unknown as Pool }
}

/** Lets everything through. */
const UNDER_CAP = { count_sends: () => [{ ord: 1 }] }

function ask(route: ClaimedRoute, now: Date, { pool } = aDatabase(UNDER_CAP)) {
  return passGates(createGates(pool, 'test'), route, now)
}

type Layers = { own?: Partial<Choice>; defaults?: Partial<Choice> }

async function judge(layers: Layers, route: Partial<ClaimedRoute> = {}, now = NOON) {
  const own = aChoice(layers.own)
  const defaults = aChoice(layers.defaults)
  const answer = await ask(aRoute({ own, defaults, ...route }), now)
  return 'reason' in answer ? `${answer.kind} ${answer.reason}` : answer.kind
}

it.each<[string, string, Layers, Partial<ClaimedRoute>]>([
  ['nothing chosen', 'pass', {}, {}],
  ['the channel off', 'skip channel_disabled', { own: { enabled: false } }, {}],
  ['the channel on', 'pass', { own: { enabled: true } }, {}],
  ['the channel off by default', 'skip channel_disabled', { defaults: { enabled: false } }, {}],
  ['the channel on over a default', 'pass', { own: { enabled: true }, defaults: { enabled: false } }, {}],
  [
    'another choice and the channel off by default',
    'skip channel_disabled',
    { own: aChoice(), defaults: { enabled: false } },
    {},
  ],
  ['a category off', 'skip category_off', { own: { category: false } }, { category: 'news' }],
  [
    'a category on over a default',
    'pass',
    { own: { category: true }, defaults: { category: false } },
    { category: 'news' },
  ],
  [
    'a category on and the channel off',
    'skip channel_disabled',
    { own: { enabled: false, category: true } },
    { category: 'news' },
  ],
  ['a reason off', 'skip reason_off', { own: { reason: false } }, { intent_reason: 'mention' }],
  ['a plain address, which has no preferences', 'pass', {}, { user_id: null, user_timezone: null }],
  ['a person who is gone', 'skip recipient_gone', {}, { user_timezone: null }],
])(
  'with %s, the gates answer %s',
  { tags: ['S002-18', 'S002-19'] },
  async (_name, expected, layers, route) => {
    expect(await judge(layers, route)).toBe(expected)
  },
)

it.each([
  ['quiet hours', 'pass', { own: QUIET }],
  ['quiet hours by default', 'pass', { defaults: QUIET }],
  ['a cap of none', 'pass', { own: { frequency_cap: 0 } }],
  ['the channel off', 'skip channel_disabled', { own: { enabled: false } }],
  ['its category off', 'skip category_off', { own: { category: false } }],
  ['its reason off', 'skip reason_off', { own: { reason: false } }],
])('a critical type with %s gets the answer %s', { tags: 'S002-20' }, async (_name, expected, layers) => {
  const route = { critical: true, category: 'news', intent_reason: 'mention' }
  expect(await judge(layers, route, NIGHT)).toBe(expected)
})

it('quiet hours postpone to their end, in the time zone of the preference or else the user’s', {
  tags: 'S002-20',
}, async () => {
  const route = aRoute({ own: aChoice(QUIET), user_timezone: 'Europe/Berlin' })
  const answer = await ask(route, NIGHT)
  expect(answer).toMatchObject({ kind: 'postpone', delay_ms: 4 * 3_600_000 })
  expect(answer).toHaveProperty('text', 'Quiet hours in Europe/Berlin until 2026-05-05T06:00:00.000Z.')
  const abroad = aRoute({ ...route, own: aChoice({ ...QUIET, timezone: 'America/New_York' }) })
  expect(await ask(abroad, NIGHT)).toMatchObject({ delay_ms: 10 * 3_600_000 })
})

it('a person’s own quiet hours with start = end are none, whatever the default', {
  tags: 'S002-20',
}, async () => {
  const none = { quiet_hours_start: '00:00:00', quiet_hours_end: '00:00:00' }
  expect(await judge({ defaults: QUIET }, {}, NIGHT)).toBe('postpone quiet_hours')
  expect(await judge({ own: none, defaults: QUIET }, {}, NIGHT)).toBe('pass')
})

it('a route expires at once if its deadline lies within quiet hours', async () => {
  const hour = 3_600_000
  expect(await judge({ own: QUIET }, { ms_to_deadline: 6 * hour }, NIGHT)).toBe('finish deadline')
  expect(await judge({ own: QUIET }, { ms_to_deadline: 6 * hour + 1 }, NIGHT)).toBe('postpone quiet_hours')
})

it('the daily cap counts a message on the local day, and a cap of 0 allows none', {
  tags: 'S002-19',
}, async () => {
  const route = aRoute({ own: aChoice({ frequency_cap: 3 }), user_timezone: 'Pacific/Auckland' })
  const database = aDatabase(UNDER_CAP)
  expect(await ask(route, NOON, database)).toMatchObject({ kind: 'pass', countedDay: '2026-05-06' })
  expect(database.asked[0]!.values.slice(-2)).toEqual([['2026-05-06'], [3]])
  expect(await judge({ own: { frequency_cap: 0 } })).toBe('skip frequency_cap')
  expect(await judge({ own: { frequency_cap: 5 }, defaults: { frequency_cap: 0 } })).toBe('pass')
})

it('the daily cap counts a repeat on the same day once', { tags: 'S002-19' }, async () => {
  const own = aChoice({ frequency_cap: 1 })
  const full = aDatabase()
  expect(await ask(aRoute({ own, counted_on: '2026-05-05' }), NOON, full)).toMatchObject({ kind: 'pass' })
  const yesterday = aRoute({ own, counted_on: '2026-05-04' })
  expect(await ask(yesterday, NOON, full)).toMatchObject({ reason: 'frequency_cap' })
})

const POLICIES: Partial<ClaimedRoute> = {
  throttle: { per: 60, key: '', max: 1 },
  digest: { window: 60, key: '', first_at_once: true, max_items: 100 },
}
const ITSELF = { digest: null, digest_id: aRoute().notification_id }

it('the gates are asked in the order of the reasons in the contract', async () => {
  const everything: Partial<ClaimedRoute> = {
    ...POLICIES,
    is_cancelled: true,
    ms_to_deadline: -1,
    user_timezone: null,
    suppression: 'hard_bounce',
    was_read: true,
    intent_reason: 'mention',
    category: 'news',
    own: aChoice({
      enabled: false,
      frequency_cap: 0,
      ...QUIET,
      category: false,
      reason: false,
    }),
  }
  const refuses = { join_digests: () => [{ ord: 0, digest_id: 'd', is_item: true, closes_at: null }] }
  const relieve: (() => void)[] = [
    () => Object.assign(everything, { is_cancelled: false }),
    () => Object.assign(everything, { ms_to_deadline: null }),
    () => Object.assign(everything, { user_timezone: 'UTC' }),
    () => Object.assign(everything, { suppression: null }),
    () => Object.assign(everything, { was_read: false }),
    () => Object.assign(everything.own!, { reason: null }),
    () => Object.assign(everything.own!, { category: null }),
    () => Object.assign(everything.own!, { enabled: null }),
    () => Object.assign(everything.own!, { quiet_hours_start: null, quiet_hours_end: null }),
    () => Object.assign(everything.own!, { frequency_cap: 1 }),
    () => Object.assign(everything, { throttle: null }),
    () => Object.assign(everything, ITSELF),
    () => Object.assign(everything.own!, { frequency_cap: null }),
    () => Object.assign(everything, { digest_id: null }),
  ]
  const seen: string[] = []
  for (const next of [...relieve, () => {}]) {
    const answer = await ask(aRoute(everything), NIGHT, aDatabase(refuses))
    seen.push('reason' in answer ? answer.reason : answer.kind)
    next()
  }
  expect(seen).toEqual([
    'cancelled',
    'deadline',
    'recipient_gone',
    'suppressed',
    'read',
    'reason_off',
    'category_off',
    'channel_disabled',
    'quiet_hours',
    'frequency_cap',
    'throttled',
    'digested',
    'frequency_cap',
    'digest_empty',
    'pass',
  ])
  for (const list of [SKIP_REASONS, POSTPONE_REASONS, FINISH_REASONS] as const) {
    const known: readonly string[] = list
    const first = [...new Set(seen)].filter(reason => known.includes(reason))
    expect(first).toEqual(known.filter(reason => seen.includes(reason)))
  }
})

it('routes that come at once cost one statement per gate', async () => {
  const ords = (from: number) => Array.from({ length: 100 }, (_, i) => ({ ord: i + from }))
  const { asked, pool } = aDatabase({
    pass_throttles: () => ords(0),
    join_digests: () => ords(0).map(row => ({ ...row, digest_id: 'd', is_item: false, closes_at: null })),
    count_sends: () => ords(1),
  })
  const gates = createGates(pool, 'test')
  const capped = aRoute({ ...POLICIES, own: aChoice({ frequency_cap: 1 }) })
  // Routes with nothing to ask come in between.
  const routes = Array.from({ length: 100 }, () => [capped, aRoute()]).flat()
  const answers = await Promise.all(routes.map(route => passGates(gates, route, NOON)))
  expect(new Set(answers.map(answer => answer.kind))).toEqual(new Set(['pass']))
  expect(asked.map(({ name }) => name)).toEqual(['pass_throttles', 'join_digests', 'count_sends'])
})

it('a route without cap, throttle and digest costs no statement', async () => {
  const { asked, pool } = aDatabase()
  expect(await ask(aRoute({ payload_json: '{"a":1}' }), NOON, { asked, pool })).toEqual({
    kind: 'pass',
    payload_json: '{"a":1}',
    countedDay: null,
    countedIn: [],
    isReserved: false,
    note: '',
    reachedDevices: [],
  })
  expect(asked).toEqual([])
})

it('a gate whose statement fails postpones the route for a second', async () => {
  const reject = () => {
    throw new Error('away')
  }
  const away = aDatabase({
    pass_throttles: reject,
    join_digests: reject,
    close_digest: reject,
    count_sends: reject,
  })
  const reasonFor = async (route: Partial<ClaimedRoute>): Promise<[RouteReason, number] | undefined> => {
    const answer = await ask(aRoute(route), NOON, away)
    return answer.kind === 'postpone' ? [answer.reason, answer.delay_ms] : undefined
  }
  expect(await reasonFor(POLICIES)).toEqual(['database', 1000])
  expect(await reasonFor({ ...POLICIES, throttle: null })).toEqual(['database', 1000])
  expect(await reasonFor(ITSELF)).toEqual(['database', 1000])
  expect(await reasonFor({ own: aChoice({ frequency_cap: 1 }) })).toEqual(['cap_unknown', 1000])
})

describe('closing a digest', () => {
  const closed = { close_digest: () => [{ payload_json: '{"count":2}', item_count: 2 }] }

  it('a closed digest gives the message what was gathered', async () => {
    const answer = await ask(aRoute(ITSELF), NOON, aDatabase(closed))
    expect(answer).toMatchObject({ kind: 'pass', payload_json: '{"count":2}' })
  })

  it('a digest closes after every other gate, as more can join until then', async () => {
    const database = aDatabase(closed)
    const answer = await ask(aRoute({ ...ITSELF, own: aChoice(QUIET) }), NIGHT, database)
    expect(answer).toMatchObject({ reason: 'quiet_hours' })
    expect(database.asked).toEqual([])
  })

  it('a digest closes after the cap, and an empty one says which day has counted it', async () => {
    const own = aChoice({ frequency_cap: 1 })
    const [empty, full] = [aDatabase(UNDER_CAP), aDatabase(closed)]
    const counted = { reason: 'digest_empty', countedDay: '2026-05-05' }
    expect(await ask(aRoute({ ...ITSELF, own }), NOON, empty)).toMatchObject(counted)
    expect(await ask(aRoute({ ...ITSELF, own }), NOON, full)).toMatchObject({ reason: 'frequency_cap' })
    expect(empty.asked.map(({ name }) => name)).toEqual(['count_sends', 'close_digest'])
    expect(full.asked.map(({ name }) => name)).toEqual(['count_sends'])
  })
})
