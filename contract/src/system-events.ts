/** System events: what operators should know. */
import { z } from 'zod'
import { PageQuery, Timestamp } from './common.ts'

export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const
export const Severity = z.enum(SEVERITIES)
export type Severity = z.infer<typeof Severity>

export const SystemEvent = z.object({
  id: z.number().int(),
  tenant_id: z.uuid().nullable(),
  event_type: z.string(),
  subject: z.string().describe('What it is about, such as a provider’s name'),
  severity: Severity,
  description: z.string(),
  details: z.record(z.string(), z.unknown()),
  is_resolved: z.boolean(),
  resolved_at: Timestamp.nullable(),
  resolved_by: z.string().nullable(),
  created_at: Timestamp,
})
export type SystemEvent = z.infer<typeof SystemEvent>

export const SystemEventQuery = PageQuery.extend({
  severity: Severity.optional(),
  event_type: z.string().max(50).optional(),
  state: z.enum(['open', 'resolved', 'all']).default('all'),
})
export type SystemEventQuery = z.infer<typeof SystemEventQuery>

export const ResolveSystemEvent = z.strictObject({ resolved_by: z.string().min(1).max(200).optional() })
export type ResolveSystemEvent = z.infer<typeof ResolveSystemEvent>
