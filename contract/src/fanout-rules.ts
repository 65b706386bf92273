/** Fan-out rules: what people in a relation to an event get when something of its kind happens. */
import { z } from 'zod'
import { ChangesOf } from './changes.ts'
import { Name, PageQuery, Timestamp } from './common.ts'

export const FANOUT_CHANNELS = ['in_app', 'email', 'sms', 'push', 'chat'] as const

/** A kind of events, or the beginning of several followed by *. */
export const EventKindGlob = Name(64).regex(/^[^*]*\*?$/, 'Only the last character may be *.')

export const RelationInput = z.strictObject({
  priority: z
    .number()
    .int()
    .min(0)
    .max(1000)
    .describe('Of several relations of a person, the one with the lowest number that has a rule decides'),
  reason: Name(32).describe('Why the person is told, as they read it and as preferences name it'),
})
export type RelationInput = z.input<typeof RelationInput>

export const Relation = RelationInput.extend({
  name: z.string(),
  is_built_in: z.boolean().describe('false: made or changed by the tenant'),
  updated_at: Timestamp.nullable().describe('null for a built-in one'),
})
export type Relation = z.infer<typeof Relation>

export const FanoutRuleInput = z.strictObject({
  channels: z
    .array(z.enum(FANOUT_CHANNELS))
    .max(FANOUT_CHANNELS.length)
    .refine(channels => new Set(channels).size === channels.length, 'Every channel once.')
    .describe('Empty: people in this relation get nothing, whatever other rules say'),
  passes_mute: z
    .boolean()
    .default(false)
    .describe('Reaches people who ignore the topic or left the thread, too'),
  notification_type: Name(100)
    .nullable()
    .default(null)
    .describe('Whose templates, category and settings are used; null = the kind of the event'),
})
export type FanoutRuleInput = z.input<typeof FanoutRuleInput>

export const FanoutRuleChanges = ChangesOf(FanoutRuleInput)
export type FanoutRuleChanges = z.input<typeof FanoutRuleChanges>

export const FanoutRule = z.object({
  event_kind: z.string().describe('A kind, or a beginning followed by *'),
  relation: z.string(),
  channels: z.array(z.enum(FANOUT_CHANNELS)),
  passes_mute: z.boolean(),
  notification_type: z.string().nullable(),
  is_built_in: z.boolean(),
  updated_at: Timestamp.nullable().describe('null for a built-in one'),
})
export type FanoutRule = z.infer<typeof FanoutRule>

export const FanoutRuleQuery = PageQuery.extend({
  event_kind: Name(64).optional().describe('Those that apply to events of this kind, the deciding ones'),
})
export type FanoutRuleQuery = z.input<typeof FanoutRuleQuery>
