/** What the playground sends: events and intents that concern its own people and nobody else. Anything more is refused. */
import { MAX_EVENT_PAYLOAD_BYTES, Name } from '@carillon/contract'
import { z } from 'zod'
import { CHANNELS, EVENT_KINDS, isOfCast, RULES, THREAD_KIND, THREADS, TOPIC, TYPE } from './cast.ts'

const OneOfCast = Name(200).refine(isOfCast, 'The playground is for its own people only.')
const OwnTopic = z.literal(TOPIC)
const OwnThread = z.strictObject({ kind: z.literal(THREAD_KIND), id: z.enum(THREADS) })
const Payload = z
  .record(z.string(), z.unknown())
  .refine(
    payload => Buffer.byteLength(JSON.stringify(payload)) <= MAX_EVENT_PAYLOAD_BYTES,
    'The playground sends at most 4 KiB.',
  )

export const AllowedEvent = z.strictObject({
  kind: Name(64).refine(
    kind => kind.startsWith(EVENT_KINDS.slice(0, -1)),
    `Expected a kind like ${EVENT_KINDS}: only those have the playground’s rules.`,
  ),
  actor_id: OneOfCast.optional(),
  topic: OwnTopic,
  thread: OwnThread.extend({ title: Name(500).optional(), author_id: OneOfCast.optional() }).optional(),
  relations: z.partialRecord(z.enum(Object.keys(RULES)), z.array(OneOfCast).max(10)).optional(),
  payload: Payload.optional(),
})

export const AllowedIntent = z.strictObject({
  notification_type: z.literal(TYPE),
  audience: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('users'), user_ids: z.array(OneOfCast).min(1).max(10) }),
    z.strictObject({ kind: z.literal('topic'), topic: OwnTopic }),
  ]),
  channels: z.array(z.enum(CHANNELS)).min(1),
  payload: Payload,
  reason: Name(32).optional(),
  thread: OwnThread.optional(),
  idempotency_key: Name(255).optional(),
})
