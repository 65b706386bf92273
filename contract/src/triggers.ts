/** Triggers: what has to happen for a script to run. Each kind has a configuration of its own. */
import { z } from 'zod'
import { Scope } from './api-keys.ts'
import { Backoff, Name, PageQuery, Timestamp } from './common.ts'
import { Glob, GLOBS as globs } from './globs.ts'
import { CronExpression } from './schedules.ts'
import { TimeZone } from './time-zone.ts'

export const TRIGGER_KINDS = ['kv', 'cron', 'event', 'queue', 'email', 'http', 'dead_letter'] as const
export const TriggerKind = z.enum(TRIGGER_KINDS)
export type TriggerKind = z.infer<typeof TriggerKind>

export const HOOK_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Collections and queues have no other names: a trigger for one would never fire. */
const AddressGlob = Glob(100, /^[A-Za-z0-9._:-]*\*?$/)

export const KvTriggerConfig = z.strictObject({
  collection: AddressGlob.describe(`The collection: ${globs}`),
  ops: z
    .array(z.enum(['insert', 'update', 'delete']))
    .max(3)
    .default([])
    .describe('Empty = every one'),
})

export const MISFIRE_POLICIES = ['run_once', 'run_all', 'skip'] as const
export const CronTriggerConfig = z.strictObject({
  cron: CronExpression,
  timezone: TimeZone.default('UTC').describe('The IANA time zone in which the expression is read'),
  misfire_policy: z
    .enum(MISFIRE_POLICIES)
    .default('run_once')
    .describe(
      'What becomes of runs that were missed: one for all of them, each of them (at most 100), or none that is late by more than a minute',
    ),
})

export const EventTriggerConfig = z.strictObject({
  event_kind: Glob(64).describe(`The kind of the event: ${globs}`),
  topic: Name(200).nullable().default(null).describe('null = any'),
})

export const QueueTriggerConfig = z.strictObject({
  queue: AddressGlob.describe(`The queue: ${globs}`),
})

export const EmailTriggerConfig = z.strictObject({
  address: Glob(255)
    .overwrite(address => address.toLowerCase())
    .describe(`The address that a mail was sent to: ${globs}`),
})

export const HttpTriggerConfig = z.strictObject({
  methods: z
    .array(z.enum(HOOK_METHODS))
    .min(1)
    .max(HOOK_METHODS.length)
    .default(['POST'])
    .describe('The methods that its address takes'),
})

/** What becomes a dead letter: messages to recipients, webhooks, work of scripts but for that of handlers, and
 * events at which a consumer failed. */
export const LETTER_SOURCES = [
  'route',
  'webhook',
  'kv',
  'cron',
  'event',
  'queue',
  'email',
  'http',
  'invoke',
  'event_consumer',
] as const

export const DeadLetterTriggerConfig = z.strictObject({
  source: z
    .enum(LETTER_SOURCES)
    .nullable()
    .default(null)
    .describe('The kind of work that was given up; null = any'),
  trigger_id: z.uuid().nullable().default(null).describe('The trigger that was given up; null = any'),
  script_id: z.uuid().nullable().default(null).describe('The script that was given up; null = any'),
})

/** The configuration of each kind. */
export const TRIGGER_CONFIGS = {
  kv: KvTriggerConfig,
  cron: CronTriggerConfig,
  event: EventTriggerConfig,
  queue: QueueTriggerConfig,
  email: EmailTriggerConfig,
  http: HttpTriggerConfig,
  dead_letter: DeadLetterTriggerConfig,
} as const

const MaxAttempts = z.number().int().min(1).max(50)
const BaseMs = z.number().int().min(1).max(86_400_000)
export const TriggerRetry = z.object({ max_attempts: MaxAttempts, backoff: Backoff, base_ms: BaseMs })
export type TriggerRetry = z.infer<typeof TriggerRetry>

export const DispatchMode = z.enum(['async', 'sync'])
const dispatchMode = 'sync: the caller waits for the script, whose result is the answer; http triggers only'
const OnlyAsync = z.literal('async', { error: 'Only http triggers can be sync.' }).default('async')

const SomeRetry = z
  .strictObject(TriggerRetry.partial().shape)
  .describe('What is left out is copied from the tenant’s settings')

const given = {
  name: Name(100),
  script_id: z.uuid().describe('What runs: a script of the same tenant'),
  is_enabled: z.boolean().default(true),
  dispatch_mode: OnlyAsync,
  retry: SomeRetry.optional(),
}
export const NewTrigger = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('kv'), ...given, config: KvTriggerConfig }),
  z.strictObject({ kind: z.literal('cron'), ...given, config: CronTriggerConfig }),
  z.strictObject({ kind: z.literal('event'), ...given, config: EventTriggerConfig }),
  z.strictObject({ kind: z.literal('queue'), ...given, config: QueueTriggerConfig }),
  z.strictObject({ kind: z.literal('email'), ...given, config: EmailTriggerConfig }),
  z.strictObject({
    kind: z.literal('http'),
    ...given,
    config: HttpTriggerConfig.prefault({}),
    dispatch_mode: DispatchMode.default('async').describe(dispatchMode),
  }),
  z.strictObject({
    kind: z.literal('dead_letter'),
    ...given,
    config: DeadLetterTriggerConfig.prefault({}),
  }),
])
export type NewTrigger = z.input<typeof NewTrigger>

/** Whoever changes what a trigger runs, or on what, becomes the one that it runs as. */
export const TriggerChanges = z.strictObject({
  name: given.name.optional(),
  script_id: given.script_id.optional(),
  config: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Fields of the configuration of its kind; what is left out stays'),
  dispatch_mode: DispatchMode.optional().describe(dispatchMode),
  is_enabled: z.boolean().optional().describe('A cron trigger that is enabled again continues from now'),
  retry: z.strictObject(TriggerRetry.partial().shape).optional(),
})
export type TriggerChanges = z.input<typeof TriggerChanges>

/** Whom a trigger runs as. */
export const TriggerRegistrant = z.object({
  user_id: z.string().nullable(),
  api_key_id: z.uuid().nullable().describe('The key that registered it, if it belongs to no user'),
  scopes: z.array(Scope).describe('What the registrant was allowed to do; a run may do no more'),
  producers: z.array(z.string()).nullable().describe('The producers it may send as; null = its own'),
})

const shown = {
  id: z.uuid(),
  name: z.string(),
  script_id: z.uuid(),
  is_enabled: z.boolean(),
  dispatch_mode: DispatchMode,
  retry: TriggerRetry,
  registrant: TriggerRegistrant,
  created_at: Timestamp,
  updated_at: Timestamp,
}
export const KvTrigger = z.object({ kind: z.literal('kv'), config: KvTriggerConfig, ...shown })
export const CronTrigger = z.object({
  kind: z.literal('cron'),
  config: CronTriggerConfig,
  next_run_at: Timestamp.nullable().describe('null while it is disabled'),
  last_run_at: Timestamp.nullable().describe('When it was due, not when it ran'),
  ...shown,
})
export const EventTrigger = z.object({ kind: z.literal('event'), config: EventTriggerConfig, ...shown })
export const QueueTrigger = z.object({ kind: z.literal('queue'), config: QueueTriggerConfig, ...shown })
export const EmailTrigger = z.object({ kind: z.literal('email'), config: EmailTriggerConfig, ...shown })
export const HttpTrigger = z.object({
  kind: z.literal('http'),
  config: HttpTriggerConfig,
  url_hint: z.string().describe('How the secret part of its address begins'),
  ...shown,
})
export const DeadLetterTrigger = z.object({
  kind: z.literal('dead_letter'),
  config: DeadLetterTriggerConfig,
  ...shown,
})

const SILENT = [KvTrigger, CronTrigger, EventTrigger, QueueTrigger, EmailTrigger, DeadLetterTrigger] as const
export const Trigger = z.discriminatedUnion('kind', [...SILENT, HttpTrigger])
export type Trigger = z.infer<typeof Trigger>

export const CreatedHttpTrigger = HttpTrigger.extend({
  url: z
    .string()
    .describe('Where it is called. Shown only now; without CARILLON_PUBLIC_URL it is only the path'),
})
export type CreatedHttpTrigger = z.infer<typeof CreatedHttpTrigger>
export const CreatedTrigger = z.discriminatedUnion('kind', [...SILENT, CreatedHttpTrigger])
export type CreatedTrigger = z.infer<typeof CreatedTrigger>

export const TriggerQuery = PageQuery.extend({
  kind: TriggerKind.optional(),
  script_id: z.uuid().optional(),
  state: z.enum(['enabled', 'disabled', 'all']).default('all'),
})
export type TriggerQuery = z.infer<typeof TriggerQuery>

/** What an address of an http trigger answers when nobody waits for the script. */
export interface HookAccepted {
  accepted_at: string
  execution_id: string
}
