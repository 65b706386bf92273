/** Random topics, threads, people with their choices, rules, and events that happen there. */
import { FANOUT_CHANNELS, type FanoutRuleInput, type PreferencesInput } from '@carillon/contract'
import fc from 'fast-check'

/** Of every happening; the last is no user. */
export const PEOPLE = ['a', 'b', 'c', 'd', 'e', 'f', 'nobody']
const RELATIONS = [
  'mention',
  'assignee',
  'reviewer',
  'author',
  'commenter',
  'subscribed',
  'watching',
  'owner',
]
/** Kinds with built-in rules that differ; OWN has those of the tenant alone. */
export const OWN = 'own'
const kind = fc.constantFrom(
  ...['issue_comment_created', 'issue_created', 'issue_closed', 'review_requested', 'check_failed'],
  ...['repo_archived', 'unheard_of', OWN, OWN, OWN, OWN],
)

const rarely = <T>(value: T, otherwise: T) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(otherwise) }, { weight: 1, arbitrary: fc.constant(value) })

const person = fc.record({
  hasEmail: rarely(false, true),
  watch: fc.constantFrom(null, null, 'all', 'participating', 'ignore'),
  watchesKind: fc.boolean(),
  member: fc.constantFrom(null, 'member', 'member', 'owner'),
  subscribed: fc.constantFrom(null, null, null, true, false),
  subscriptionReason: fc.constantFrom('manual', 'commenter'),
  participant: fc.constantFrom(null, null, 'assignee', 'commenter', 'reviewer'),
  preferences: fc.oneof(
    { weight: 2, arbitrary: fc.constant<PreferencesInput>({}) },
    {
      weight: 1,
      arbitrary: fc.record({
        channels: fc.record({
          in_app: fc.record({ enabled: rarely(false, true) }),
          email: fc.record({ enabled: rarely(false, true) }),
        }),
        categories: fc.record({ news: fc.record({ in_app: fc.boolean(), email: fc.boolean() }) }),
        reasons: fc.record({
          watching: fc.record({ in_app: fc.boolean() }),
          mention: fc.record({ email: fc.boolean() }),
        }),
      }),
    },
  ),
})

const channels = fc.uniqueArray(fc.constantFrom(...FANOUT_CHANNELS.slice(0, 3)), { maxLength: 2 })
const rules = fc.dictionary(
  fc.constantFrom(...RELATIONS),
  fc.record({ channels, passes_mute: fc.boolean() }) as fc.Arbitrary<FanoutRuleInput>,
  { minKeys: 2, maxKeys: 6 },
)

const type = fc.option(
  fc.record({
    channels: fc.uniqueArray(fc.constantFrom('in_app' as const, 'email' as const), { minLength: 1 }),
    category: fc.constantFrom('', 'news'),
    escalates: fc.boolean(),
  }),
)

const event = fc.record({
  kind,
  actor: fc.constantFrom(null, 'a', 'b', 'c', 'd'),
  hasThread: rarely(false, true),
  hasTopic: fc.boolean(),
  isPublic: rarely(false, true),
  relations: fc.dictionary(
    fc.constantFrom('mention', 'mention', 'assignee', 'reviewer', 'stranger'),
    fc.uniqueArray(fc.constantFrom(...PEOPLE), { maxLength: 3 }),
    { maxKeys: 2 },
  ),
})

const happening = fc.record({
  visibility: fc.constantFrom('public', 'public', 'private'),
  author: fc.constantFrom(null, 'a', 'e'),
  people: fc.array(person, { minLength: PEOPLE.length - 1, maxLength: PEOPLE.length - 1 }),
  rules,
  type,
  events: fc.array(event, { minLength: 3, maxLength: 3 }),
})

type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never
export type Happening = Drawn<typeof happening>
export type EventDraw = Drawn<typeof event>

export function drawHappenings(count: number, seed: number): Happening[] {
  return fc.sample(happening, { numRuns: count, seed })
}
