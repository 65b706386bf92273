/** Random tenants, types, people and intents that use every feature which decides whether and when a message goes out. */
import {
  CHANNELS,
  type DigestSchedule,
  type NotificationTypeInput,
  type PreferencesInput,
  type QuietWindow,
} from '@carillon/contract'
import fc from 'fast-check'

const channel = fc.constantFrom(...CHANNELS)
const channels = fc.uniqueArray(channel, { minLength: 1, maxLength: 4 })
const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia')
const time = fc.constantFrom('00:00', '02:30', '08:00', '12:00', '22:00', '23:59')
const category = fc.constantFrom('', 'news', 'vital')
const reason = fc.constantFrom('mention', 'author')
const seconds = fc.constantFrom(60, 600, 3600, 6 * 3600, 86_400)
/** Other than those above, so that nothing joins a digest in the very moment in which it goes out. */
const windowSeconds = seconds.map(time => time + 77)
/** The payload has `order`, of two values, so that keys make groups of some. */
const key = fc.constantFrom('', 'order')

const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })

const quietWindow = fc
  .constantFrom('22:00-08:00', '21:00-02:30', '08:00-22:00', '00:00-23:59', '12:00-12:00')
  .map(text => ({ start: text.slice(0, 5), end: text.slice(6) }))
/** The comparison begins on a Saturday. */
const quietHours = fc.oneof(
  quietWindow,
  fc.constantFrom<QuietWindow[]>(
    [{ start: '00:00', end: '24:00', days: ['saturday', 'sunday'] }],
    [
      { start: '22:00', end: '08:00', days: ['friday', 'saturday'] },
      { start: '12:00', end: '24:00', days: ['sunday'] },
      { start: '07:00', end: '09:00' },
    ],
  ),
)
const schedule = fc.constantFrom<DigestSchedule>(
  { every: 'message' },
  { every: 'hour' },
  { every: 'day', at: '02:30' },
  { every: 'week', on: 'sunday', at: '08:00' },
)
const cap = fc.record({
  per: fc.constantFrom('hour' as const, 'day' as const, 'week' as const),
  max: fc.constantFrom(1, 1, 2),
  category: fc.constantFrom(undefined, undefined, 'news'),
  over: fc.constantFrom('skip' as const, 'digest' as const, 'digest' as const),
})
const caps = fc.uniqueArray(cap, {
  selector: ({ per, category }) => `${per} ${category}`,
  minLength: 1,
  maxLength: 2,
})
const choice = fc.record({
  enabled: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(null, true) },
    { weight: 1, arbitrary: fc.constant(false) },
  ),
  frequency_cap: rarely(fc.integer({ min: 0, max: 3 })),
  caps: fc.option(caps, { freq: 4 }),
  quiet_hours: fc.option(quietHours, { freq: 2 }),
})
const toggles = fc.dictionary(channel, fc.boolean(), { maxKeys: 2 })

const defaults = fc.record({
  channels: fc.dictionary(channel, choice, { maxKeys: 2 }),
  categories: fc.record({ news: toggles, vital: toggles }),
  digests: fc.record({ news: fc.dictionary(channel, schedule, { maxKeys: 1 }) }),
})

const sometimes = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 2, nil: undefined })

/** In the nights of the comparison. */
const pause = fc.constantFrom('2027-03-28T05:00:00Z', '2027-03-29T23:30:00Z')

const person = fc.record({
  timezone: zone,
  locale: fc.constantFrom('', 'de', 'pt-BR'),
  hasEmail: fc.boolean(),
  hasPhone: fc.boolean(),
  isSuppressed: fc.integer({ min: 0, max: 9 }).map(n => n === 0),
  watches: fc.constantFrom('all', 'participating', 'ignore'),
  preferences: fc.oneof(
    fc.constant<PreferencesInput>({}),
    fc.record({
      channels: fc.dictionary(channel, fc.tuple(choice, fc.option(zone), rarely(pause)).map(withZone), {
        minKeys: 2,
        maxKeys: 4,
      }),
      categories: fc.record({ news: toggles, vital: toggles }),
      reasons: fc.record({ mention: toggles }),
      digests: fc.record({
        news: fc.dictionary(channel, schedule, { maxKeys: 2 }),
        vital: fc.dictionary(channel, schedule, { maxKeys: 1 }),
      }),
    }),
  ),
})

function withZone([chosen, timezone, paused_until]: [object, string | null, string | undefined]): object {
  return { ...chosen, timezone, ...(paused_until !== undefined && { paused_until }) }
}

const escalation = fc.record({ channel, after: seconds, unless: fc.constantFrom('read' as const, null) })
const type = fc
  .record({
    channels,
    category,
    critical: fc.integer({ min: 0, max: 4 }).map(n => n === 0),
    delay: fc.oneof(fc.constant(0), seconds),
    throttle: sometimes(fc.record({ per: seconds, max: fc.integer({ min: 1, max: 2 }), key })),
    digest: sometimes(fc.record({ window: windowSeconds, key, first_at_once: fc.boolean() })),
    escalate: fc.uniqueArray(escalation, { selector: each => each.channel, maxLength: 2 }),
    admin_emails: fc.constantFrom<string[]>([], ['ops@example.com']),
  })
  .map((drawn): NotificationTypeInput => {
    const readable = drawn.channels.includes('in_app')
    const escalate = drawn.escalate
      .filter(each => !drawn.channels.includes(each.channel))
      .map(each => ({ ...each, unless: readable ? each.unless : null }))
    return { ...drawn, throttle: drawn.throttle ?? null, digest: drawn.digest ?? null, escalate }
  })

const intent = fc.record({
  audience: fc.oneof(
    { weight: 6, arbitrary: fc.constant('person' as const) },
    { weight: 1, arbitrary: fc.constantFrom('topic' as const, 'address' as const, 'admins' as const) },
  ),
  order: fc.constantFrom('A-1', 'A-2'),
  reason: sometimes(reason),
  firstChannelOnly: fc.boolean(),
  sendInSeconds: rarely(seconds),
  sendAtLocal: rarely(time),
  expiresInSeconds: rarely(seconds),
  /** One that the person has left, or not. */
  thread: fc.constantFrom(undefined, undefined, 'busy' as const, 'busy' as const, 'left' as const),
})
export type IntentDraw = Drawn<typeof intent>

const configuration = fc.record({ type, person, intents: fc.array(intent, { minLength: 3, maxLength: 3 }) })
export type Configuration = Drawn<typeof configuration>

type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never

export function drawConfigurations(count: number, seed: number): Configuration[] {
  return fc.sample(configuration, { numRuns: count, seed })
}

export function drawDefaults(count: number, seed: number): Drawn<typeof defaults>[] {
  return fc.sample(defaults, { numRuns: count, seed })
}
