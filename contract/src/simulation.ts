/** Simulation: what would become of an intent. */
import { z } from 'zod'
import { MessageOptions } from './channel-options.ts'
import { Channel, Timestamp } from './common.ts'
import { IntentWarnings } from './intents.ts'
import { FINISH_REASONS, PROVIDER_REASONS, SKIP_REASONS } from './reasons.ts'
import { Decision } from './records.ts'

const SimulatedReason = z.enum([
  '',
  ...SKIP_REASONS,
  'visibility_unknown',
  ...PROVIDER_REASONS,
  ...FINISH_REASONS,
  'permanent_failure',
])

export const SimulatedRoute = z.object({
  route_id: z.string(),
  channel: Channel,
  address: z.string().describe('Empty on channels without addresses, and for keys without users:read'),
  locale: z.string(),
  status: z
    .enum(['sent', 'pending', 'skipped', 'expired', 'dead'])
    .describe(
      'The result, if nothing changes until then; pending: no provider takes it now, or nobody says who may see it, so it would wait',
    ),
  reason: SimulatedReason.describe('Why not; empty if it would be sent'),
  at: Timestamp.describe('When; of a pending route, when it would be tried again'),
  provider: z.string().describe('The provider that would be tried first; empty if none would be'),
  decisions: z.array(Decision).describe('Every postponement on the way, and the final decision'),
  message: z
    .object({
      subject: z.string(),
      text: z.string(),
      html: z.string().nullable(),
      options: MessageOptions.nullable(),
    })
    .nullable()
    .describe('As the person would see it; null for keys without captured_messages:read'),
})
export type SimulatedRoute = z.infer<typeof SimulatedRoute>

export const Simulation = z.object({
  duplicate_of: z
    .uuid()
    .nullable()
    .describe('The notification that was accepted with this key before; nobody would get it again'),
  summary: z.string(),
  people: z.array(z.object({ recipient_ref: z.string(), routes: z.array(SimulatedRoute) })),
  warnings: IntentWarnings,
  is_complete: z.boolean().describe('false if the audience has more people than are shown'),
})
export type Simulation = z.infer<typeof Simulation>
