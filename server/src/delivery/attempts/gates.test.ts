import { describe, expect, it } from 'vitest'
import type { Choice } from '../../people/preferences/choices.ts'
import type { ClaimedRoute } from '../routes/claim.ts'
import { aChoice, aRoute } from '../routes/claimed-route.fixture.ts'
import { passGates } from './gates.ts'

const NIGHT = new Date('2026-05-05T02:00:00Z')
const NOON = new Date('2026-05-05T12:00:00Z')
const QUIET = { quiet_hours_start: '22:00:00', quiet_hours_end: '08:00:00' }

type Layers = { own?: Partial<Choice>; defaults?: Partial<Choice> }

function judge(layers: Layers, route: Partial<ClaimedRoute> = {}, now = NOON) {
  const own = aChoice(layers.own)
  const defaults = aChoice(layers.defaults)
  const verdict = passGates(aRoute({ own, defaults, ...route }), now)
  return 'reason' in verdict ? `${verdict.kind} ${verdict.reason}` : verdict.kind
}

describe('preferences', () => {
  it.each<[string, Layers, Partial<ClaimedRoute>, string]>([
    ['nothing chosen', {}, {}, 'pass'],
    ['the channel off', { own: { enabled: false } }, {}, 'skip channel_disabled'],
    ['the channel on', { own: { enabled: true } }, {}, 'pass'],
    ['off by default', { defaults: { enabled: false } }, {}, 'skip channel_disabled'],
    ['on over a default', { own: { enabled: true }, defaults: { enabled: false } }, {}, 'pass'],
    [
      'another choice, off by default',
      { own: aChoice(), defaults: { enabled: false } },
      {},
      'skip channel_disabled',
    ],
    ['a category off', { own: { category: false } }, { category: 'news' }, 'skip category_off'],
    [
      'a category on over a default',
      { own: { category: true }, defaults: { category: false } },
      { category: 'news' },
      'pass',
    ],
    [
      'a category on, the channel off: both must allow',
      { own: { enabled: false, category: true } },
      { category: 'news' },
      'skip channel_disabled',
    ],
    ['a reason off', { own: { reason: false } }, { intent_reason: 'mention' }, 'skip reason_off'],
    ['a plain address has no preferences', {}, { user_id: null, user_timezone: null }, 'pass'],
    ['nobody there any more', {}, { user_timezone: null }, 'skip recipient_gone'],
  ])('S002-18 S002-19 %s', (_name, layers, route, expected) => {
    expect(judge(layers, route)).toBe(expected)
  })

  it.each([
    ['quiet hours', { own: QUIET }, 'pass'],
    ['quiet hours by default', { defaults: QUIET }, 'pass'],
    ['a cap of none', { own: { frequency_cap: 0 } }, 'pass'],
    ['the channel off', { own: { enabled: false } }, 'skip channel_disabled'],
    ['its category off', { own: { category: false } }, 'skip category_off'],
    ['its reason off', { own: { reason: false } }, 'skip reason_off'],
  ])('S002-20 a critical type and %s', (_name, layers, expected) => {
    const route = { critical: true, category: 'news', intent_reason: 'mention' }
    expect(judge(layers, route, NIGHT)).toBe(expected)
  })
})

describe('quiet hours', () => {
  it('S002-20 postpone to their end, in the zone of the preference or else the user’s', () => {
    const route = aRoute({ own: aChoice(QUIET), user_timezone: 'Europe/Berlin' })
    const verdict = passGates(route, NIGHT)
    expect(verdict).toMatchObject({ kind: 'postpone', delay_ms: 4 * 3_600_000 })
    expect(verdict).toHaveProperty('text', 'Quiet hours in Europe/Berlin until 2026-05-05T06:00:00.000Z.')
    const abroad = aRoute({ ...route, own: aChoice({ ...QUIET, timezone: 'America/New_York' }) })
    expect(passGates(abroad, NIGHT)).toMatchObject({ delay_ms: 10 * 3_600_000 })
  })

  it('S002-20 start = end of one’s own means none, whatever the default', () => {
    const none = { quiet_hours_start: '00:00:00', quiet_hours_end: '00:00:00' }
    expect(judge({ defaults: QUIET }, {}, NIGHT)).toBe('postpone quiet_hours')
    expect(judge({ own: none, defaults: QUIET }, {}, NIGHT)).toBe('pass')
  })

  it('end a route at once when its deadline lies within them', () => {
    const hour = 3_600_000
    expect(judge({ own: QUIET }, { ms_to_deadline: 6 * hour }, NIGHT)).toBe('finish deadline')
    expect(judge({ own: QUIET }, { ms_to_deadline: 6 * hour + 1 }, NIGHT)).toBe('postpone quiet_hours')
  })
})

describe('the daily cap', () => {
  it('S002-19 asks for a place of the local day; 0 is none at all', () => {
    const route = aRoute({ own: aChoice({ frequency_cap: 3 }), user_timezone: 'Pacific/Auckland' })
    expect(passGates(route, NOON)).toEqual({ kind: 'place', day: '2026-05-06', cap: 3 })
    expect(judge({ own: { frequency_cap: 0 } })).toBe('skip frequency_cap')
    expect(judge({ own: { frequency_cap: 5 }, defaults: { frequency_cap: 0 } })).toBe('place')
  })

  it('S002-19 does not count a repeat on the same day twice', () => {
    const own = aChoice({ frequency_cap: 1 })
    expect(passGates(aRoute({ own, counted_on: '2026-05-05' }), NOON).kind).toBe('pass')
    expect(passGates(aRoute({ own, counted_on: '2026-05-04' }), NOON).kind).toBe('place')
  })
})

describe('the order', () => {
  it('is cancelled, expired, gone, suppressed, reason, category, channel, quiet hours, cap', () => {
    const everything: Partial<ClaimedRoute> = {
      is_cancelled: true,
      ms_to_deadline: -1,
      user_timezone: null,
      suppression: 'hard_bounce',
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
    const seen: string[] = []
    const relieve: (() => void)[] = [
      () => Object.assign(everything, { is_cancelled: false }),
      () => Object.assign(everything, { ms_to_deadline: null }),
      () => Object.assign(everything, { user_timezone: 'UTC' }),
      () => Object.assign(everything, { suppression: null }),
      () => Object.assign(everything.own!, { reason: null }),
      () => Object.assign(everything.own!, { category: null }),
      () => Object.assign(everything.own!, { enabled: null }),
      () => Object.assign(everything.own!, { quiet_hours_start: null, quiet_hours_end: null }),
      () => Object.assign(everything.own!, { frequency_cap: null }),
    ]
    for (const next of [...relieve, () => {}]) {
      const verdict = passGates(aRoute(everything), NIGHT)
      seen.push('reason' in verdict ? verdict.reason : verdict.kind)
      next()
    }
    expect(seen).toEqual([
      'cancelled',
      'deadline',
      'recipient_gone',
      'suppressed',
      'reason_off',
      'category_off',
      'channel_disabled',
      'quiet_hours',
      'frequency_cap',
      'pass',
    ])
  })
})
