/** What runs of scripts leave behind: what they did, and what they wrote into their log. */
import { z } from 'zod'
import { Name } from './common.ts'
import { ResolveDeadLetter } from './dead-letters.ts'
import { Intent } from './intents.ts'
import { Severity, SystemEventDetails } from './system-events.ts'

export const RunLogLine = z.object({
  level: z.enum(['info', 'warn', 'error']),
  message: z.string(),
})
export type RunLogLine = z.infer<typeof RunLogLine>

/** A system event that a script raises. */
export const ScriptSystemEvent = z.strictObject({
  event_type: Name(43).describe('Operators see it with script. before it'),
  severity: Severity,
  description: z.string().min(1).max(1000),
  subject: Name(100)
    .optional()
    .describe('What it is about; the same type and subject within an hour is counted, not repeated'),
  details: SystemEventDetails.optional(),
})
export type ScriptSystemEvent = z.infer<typeof ScriptSystemEvent>

/** One thing that a run does. All of them are written together when the script has succeeded. */
export const ScriptEffect = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('notify'),
    position: z.number().int().describe('Counts the notifications of the run, from 1'),
    intent: Intent,
  }),
  z.object({
    type: z.literal('kv_set'),
    collection: z.string(),
    key: z.string(),
    value_json: z.string(),
    ttl_seconds: z.number().int().nullable(),
  }),
  z.object({ type: z.literal('kv_delete'), collection: z.string(), key: z.string() }),
  z.object({ type: z.literal('replay_dead_letter'), id: z.uuid() }),
  z.object({
    type: z.literal('resolve_dead_letter'),
    id: z.uuid(),
    resolution: ResolveDeadLetter.shape.resolution.unwrap(),
  }),
  z.object({ type: z.literal('raise_system_event'), event: ScriptSystemEvent }),
])
export type ScriptEffect = z.infer<typeof ScriptEffect>
