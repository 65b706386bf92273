/** What would become of an intent. */
import { z } from 'zod'
import { Channel, Timestamp } from './common.ts'
import { FINISH_REASONS, SKIP_REASONS } from './reasons.ts'
import { Decision } from './records.ts'

const SimulatedReason = z.enum(['', ...SKIP_REASONS, ...FINISH_REASONS, 'permanent_failure'])

export const SimulatedRoute = z.object({
  route_id: z.string(),
  channel: Channel,
  address: z.string().describe('Empty on channels that address the person, and for keys without users:read'),
  locale: z.string(),
  status: z
    .enum(['sent', 'skipped', 'expired', 'dead'])
    .describe('What it would come to, if nothing changes until then and providers work'),
  reason: SimulatedReason.describe('Why not; empty when it would be sent'),
  at: Timestamp.describe('When'),
  provider: z.string().describe('Which would be asked first; empty when none would'),
  decisions: z.array(Decision).describe('Every postponement on the way, and the last word'),
  message: z
    .object({ subject: z.string(), text: z.string(), html: z.string().nullable() })
    .nullable()
    .describe('As the person would see it; null for keys without captured_messages:read'),
})
export type SimulatedRoute = z.infer<typeof SimulatedRoute>

export const Simulation = z.object({
  duplicate_of: z.uuid().nullable().describe('Accepted before under this key: nobody would get it again'),
  summary: z.string(),
  people: z.array(z.object({ recipient_ref: z.string(), routes: z.array(SimulatedRoute) })),
  is_complete: z.boolean().describe('false: the audience has more people than are shown'),
})
export type Simulation = z.infer<typeof Simulation>
