/** Runs: one attempt of a script at an event, with what it logged, did and gave back. */
import { z } from 'zod'
import { PageQuery, Timestamp } from './common.ts'
import { Resolution } from './dead-letters.ts'
import { RunLogLine } from './script-effects.ts'
import { RunFailure, ScriptEventKind } from './scripts.ts'

export const RunStatus = z.enum(['succeeded', 'failed'])
export type RunStatus = z.infer<typeof RunStatus>

/** What a run did. All of it was stored together with the run. */
export const RunEffect = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('notify'),
    position: z.number().int().describe('Counts the notifications of the run, from 1'),
    notification_type: z.string(),
    notification_id: z.uuid(),
    duplicate: z.boolean().describe('It had been accepted before, under the same idempotency key'),
  }),
  z.object({ type: z.literal('kv_set'), collection: z.string(), key: z.string() }),
  z.object({ type: z.literal('kv_delete'), collection: z.string(), key: z.string() }),
  z.object({ type: z.literal('replay_dead_letter'), id: z.uuid() }),
  z.object({ type: z.literal('resolve_dead_letter'), id: z.uuid(), resolution: Resolution }),
  z.object({
    type: z.literal('raise_system_event'),
    id: z.number().int(),
    event_type: z.string(),
    subject: z.string(),
  }),
])
export type RunEffect = z.infer<typeof RunEffect>

export const Run = z.object({
  id: z.uuid(),
  script_id: z.uuid(),
  script_name: z.string(),
  script_version: z.number().int().describe('0 if it was not found'),
  trigger_id: z.uuid().nullable().describe('null if somebody invoked the script'),
  kind: ScriptEventKind,
  op: z.string().describe('What happened, such as insert, update or delete'),
  event_id: z.uuid().describe('The same for all attempts at one event; an invocation’s execution_id'),
  attempt: z.number().int(),
  depth: z.number().int().describe('How many runs led to this one'),
  ran_as: z.string().describe('user: or key: and an id: what the run was allowed to do'),
  origin: z.string().describe('Who or what caused the event'),
  status: RunStatus,
  failure_kind: RunFailure.nullable(),
  error: z.string(),
  duration_ms: z.number().int(),
  cpu_ms: z.number().int(),
  created_at: Timestamp,
})
export type Run = z.infer<typeof Run>

export const RunDetail = Run.extend({
  logs: z.array(RunLogLine),
  effects: z.array(RunEffect),
  result_json: z.string().nullable().describe('What the script’s default export gave back'),
})
export type RunDetail = z.infer<typeof RunDetail>

export const RunQuery = PageQuery.extend({
  script_id: z.uuid().optional(),
  trigger_id: z.uuid().optional(),
  event_id: z.uuid().optional(),
  status: RunStatus.optional(),
  kind: ScriptEventKind.optional(),
})
export type RunQuery = z.infer<typeof RunQuery>
