/** System events: what operators should know. */
import { z } from 'zod'
import { bytesOf, Name, PageQuery, Timestamp } from './common.ts'

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

export const SystemEventDetails = z
  .record(z.string(), z.unknown())
  .refine(details => bytesOf(JSON.stringify(details)) <= 8192, 'The details have more than 8 KiB.')

/** An event that an application raises. */
export const NewSystemEvent = z.strictObject({
  event_type: Name(50),
  severity: Severity,
  description: z.string().min(1).max(1000),
  subject: Name(100).optional().describe('What it is about; other subjects are other events'),
  details: SystemEventDetails.refine(
    details => !('trigger_depth' in details),
    'The name trigger_depth is taken: it says what led to an event of Carillon’s own.',
  ).optional(),
  cool_down_seconds: z
    .number()
    .int()
    .min(0)
    .max(86_400)
    .default(3600)
    .describe('While an open event of the type and subject is younger, it is counted instead'),
})
export type NewSystemEvent = z.input<typeof NewSystemEvent>

export const ResolveSystemEvent = z.strictObject({ resolved_by: z.string().min(1).max(200).optional() })
export type ResolveSystemEvent = z.infer<typeof ResolveSystemEvent>
