/** Explanations and simulations of domain events: who hears of one, by which rule, or why not. */
import { z } from 'zod'
import { PageQuery } from './common.ts'
import { FanoutRule } from './fanout-rules.ts'
import { Decision, InboxTrace } from './records.ts'
import { SimulatedRoute } from './simulation.ts'

/** What an event means for a person. All but the first: they hear nothing of it. */
export const FANOUT_OUTCOMES = [
  'told',
  'in_app_off',
  'no_channel',
  'not_member',
  'not_visible',
  'unsubscribed',
  'ignores_topic',
  'actor',
  'no_rule',
  'unknown_user',
  'no_relation',
] as const
export const FanoutOutcome = z.enum(FANOUT_OUTCOMES)
export type FanoutOutcome = z.infer<typeof FanoutOutcome>

export const AppliedRule = FanoutRule.omit({ updated_at: true }).extend({
  reason: z.string().describe('What people told by it read as the reason'),
  notification_type: z.string(),
})
export type AppliedRule = z.infer<typeof AppliedRule>

const PersonDecision = z.object({
  user_id: z.string(),
  relations: z
    .array(z.string())
    .describe('All in which the person stands to the event, those with a rule first'),
  relation: z.string().nullable().describe('The one whose rule decided; null if none did'),
  reason: z
    .string()
    .nullable()
    .describe('What the person reads as the reason; null without a deciding relation'),
  outcome: FanoutOutcome,
  text: z.string().describe('The same in words'),
})

export const EventExplanation = z.object({
  event_id: z.uuid(),
  summary: z.string(),
  status: z
    .enum(['unordered', 'waiting', 'in_progress', 'retrying', 'dead_letter', 'done'])
    .describe('How far telling people of it is'),
  decisions: z.array(Decision).describe('About the event as a whole, in order'),
  rules: z
    .array(AppliedRule)
    .describe('The rules for its kind as they are now, those that decide first before the others'),
  notification_ids: z.array(z.uuid()).describe('The records that came of it'),
  people: z.array(
    PersonDecision.extend({
      is_recorded: z
        .boolean()
        .describe(
          'true: a route or the inbox row shows that they were told; false: computed from rules, relations and choices as they are now',
        ),
      notification_ids: z.array(z.uuid()).describe('Those of the records that the person was told by'),
      inbox: InboxTrace.nullable(),
    }),
  ),
  next_cursor: z.string().nullable().describe('Set if there are more people than fit on one page'),
})
export type EventExplanation = z.infer<typeof EventExplanation>

export const EventExplainQuery = PageQuery.extend({
  user_id: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Only this person, also if they stand in no relation to it'),
})
export type EventExplainQuery = z.infer<typeof EventExplainQuery>

export const EventSimulation = z.object({
  duplicate_of: z
    .uuid()
    .nullable()
    .describe('The event that was accepted with this key before; nobody would hear of it again'),
  summary: z.string(),
  rules: z.array(AppliedRule),
  people: z.array(
    PersonDecision.extend({
      inbox: z
        .enum(['none', 'new', 'updated'])
        .describe('Whether a row would be written, or that of the thread updated'),
      routes: z.array(SimulatedRoute),
    }),
  ),
  is_complete: z.boolean().describe('false if there are more people than are shown'),
})
export type EventSimulation = z.infer<typeof EventSimulation>
