/** Scripts: code that a tenant brings along, kept in versions and run in a sandbox. */
import { z } from 'zod'
import { Scope } from './api-keys.ts'
import { bytesOf, Name, PageQuery, Timestamp } from './common.ts'
import { RunLogLine, ScriptEffect } from './script-effects.ts'

export const MAX_SCRIPT_BYTES = 256 * 1024
/** The sample event of a test, and what a script may get to see of an event at all. */
export const MAX_EVENT_BYTES = 256 * 1024
/** Older ones are deleted when another is saved. */
export const MAX_SCRIPT_VERSIONS = 100

export const ScriptName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9_-]{0,99}$/,
    'Expected lower-case letters, digits, - and _, at most 100, not beginning with - or _.',
  )

const Source = z
  .string()
  .min(1)
  .refine(text => bytesOf(text) <= MAX_SCRIPT_BYTES, `The source has more than ${MAX_SCRIPT_BYTES} bytes.`)
  .describe('The text of an ES module; at most 256 KiB')

const description = z.string().max(500)
const timeout_ms = z.number().int().min(100).max(60_000).describe('Longest run by the clock')
const cpu_ms = z.number().int().min(10).max(10_000).describe('Most processor time of a run')
const memory_mb = z.number().int().min(4).max(128).describe('Most memory of a run, in MiB')

export const NewScript = z.strictObject({
  name: ScriptName,
  description: description.default(''),
  source: Source,
  timeout_ms: timeout_ms.default(10_000),
  cpu_ms: cpu_ms.default(1000),
  memory_mb: memory_mb.default(32),
})
export type NewScript = z.input<typeof NewScript>

export const ScriptChanges = z.strictObject({
  name: ScriptName.optional(),
  description: description.optional(),
  source: Source.optional().describe('Makes a new version, unless it is the same'),
  timeout_ms: timeout_ms.optional(),
  cpu_ms: cpu_ms.optional(),
  memory_mb: memory_mb.optional(),
})
export type ScriptChanges = z.infer<typeof ScriptChanges>

export const ScriptSummary = z.object({
  id: z.uuid(),
  name: z.string(),
  description: z.string(),
  version: z.number().int().describe('The one that runs: the newest'),
  timeout_ms: z.number().int(),
  cpu_ms: z.number().int(),
  memory_mb: z.number().int(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type ScriptSummary = z.infer<typeof ScriptSummary>

export const Script = ScriptSummary.extend({
  source: z.string(),
  author: z.string().describe('Who saved this version: user: or api_key:, and the id'),
  author_scopes: z.array(Scope).describe('A run may do only what its author could do when saving'),
})
export type Script = z.infer<typeof Script>

export const ScriptQuery = PageQuery.extend({ name: Name(100).optional() })
export type ScriptQuery = z.infer<typeof ScriptQuery>

export const ScriptVersion = z.object({
  script_id: z.uuid(),
  version: z.number().int(),
  is_current: z.boolean().describe('Whether it is the one that runs'),
  restored_from: z.number().int().nullable().describe('The version that a rollback brought back'),
  source_bytes: z.number().int(),
  author: z.string(),
  author_scopes: z.array(Scope),
  created_at: Timestamp,
})
export type ScriptVersion = z.infer<typeof ScriptVersion>

export const ScriptVersionDetail = ScriptVersion.extend({ source: z.string() })
export type ScriptVersionDetail = z.infer<typeof ScriptVersionDetail>

export const RollBackScript = z.strictObject({
  version: z.number().int().min(1).max(1_000_000_000).describe('The version whose source runs again'),
})
export type RollBackScript = z.infer<typeof RollBackScript>

export const SCRIPT_EVENT_KINDS = [
  'kv',
  'cron',
  'event',
  'queue',
  'email',
  'http',
  'dead_letter',
  'invoke',
] as const
export const ScriptEventKind = z.enum(SCRIPT_EVENT_KINDS)
export type ScriptEventKind = z.infer<typeof ScriptEventKind>

/** What a script finds in `event`. */
export const ScriptEvent = z.object({
  id: z.uuid(),
  kind: ScriptEventKind,
  op: z.string(),
  at: Timestamp,
  depth: z.number().int().describe('How many runs led to this one'),
  trigger: z.object({ id: z.uuid(), name: z.string() }).nullable(),
  data: z.unknown(),
})
export type ScriptEvent = z.infer<typeof ScriptEvent>

const SampleEvent = z
  .strictObject({
    id: z.uuid().optional(),
    kind: ScriptEventKind.default('invoke'),
    op: z.string().max(100).default(''),
    at: Timestamp.optional().describe('Defaults to now'),
    depth: z.number().int().min(0).max(8).default(0),
    trigger: z
      .strictObject({ id: z.uuid(), name: z.string().max(100) })
      .nullable()
      .default(null),
    data: z.unknown().optional(),
  })
  .refine(event => bytesOf(JSON.stringify(event)) <= MAX_EVENT_BYTES, 'The event is larger than 256 KiB.')

/** What http.fetch answers in a test, where nothing is fetched. */
export const SampleResponse = z.strictObject({
  status: z.number().int().min(100).max(599).default(200),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().max(MAX_EVENT_BYTES).optional(),
  json: z.unknown().optional().describe('Instead of a body'),
})
export type SampleResponse = z.infer<typeof SampleResponse>

const sample = {
  event: SampleEvent.optional().describe('What the script sees; without it, an invocation without input'),
  responses: z
    .record(z.string(), SampleResponse)
    .default({})
    .describe('What http.fetch answers, by URL; nothing is fetched in a test'),
  kv: z
    .record(z.string(), z.record(z.string(), z.unknown()))
    .optional()
    .describe('What kv.get finds, by collection and key; without it, what is stored'),
}

/** A run of a saved script that changes nothing. */
export const TestScript = z.strictObject({
  source: Source.optional().describe('Instead of the saved one'),
  ...sample,
})
export type TestScript = z.input<typeof TestScript>

/** A run of a script that is not saved. */
export const TestSource = z.strictObject({
  name: ScriptName.default('script'),
  source: Source,
  timeout_ms: timeout_ms.default(10_000),
  cpu_ms: cpu_ms.default(1000),
  memory_mb: memory_mb.default(32),
  ...sample,
})
export type TestSource = z.input<typeof TestSource>

export const RUN_FAILURES = [
  'exception',
  'syntax',
  'cpu_limit',
  'memory_limit',
  'timeout',
  'output_limit',
  'effect_refused',
  'effects_limit',
  'forbidden',
  'target_missing',
  'crashed',
  'lost',
] as const
export const RunFailure = z.enum(RUN_FAILURES)
export type RunFailure = z.infer<typeof RunFailure>

export const ScriptTest = z.object({
  status: z.enum(['succeeded', 'failed']),
  failure_kind: RunFailure.nullable(),
  error: z.string().describe('Why it failed; empty if it did not'),
  result: z.unknown().describe('What the default export gave; null if nothing'),
  logs: z.array(RunLogLine),
  effects: z.array(ScriptEffect).describe('What a run would do; none of it was done'),
  duration_ms: z.number().int(),
  cpu_ms: z.number().int(),
})
export type ScriptTest = z.infer<typeof ScriptTest>
