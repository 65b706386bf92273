/** Audit logs: who changed what, when and from where. */
import { z } from 'zod'
import { PageQuery, Timestamp } from './common.ts'

const Values = z.record(z.string(), z.unknown()).nullable()

export const AuditLog = z.object({
  id: z.uuid(),
  user_id: z.string().nullable().describe('The user of the key; null if it has none or the user was deleted'),
  api_key_id: z.uuid().nullable().describe('null if Carillon itself or an account made the change'),
  account_id: z.uuid().nullable().describe('The account whose session made the change'),
  account_email: z.string().nullable().describe('Its email at that time'),
  action: z.string(),
  resource_type: z.string(),
  resource_id: z.string().nullable(),
  ip_address: z.string().nullable(),
  user_agent: z.string().nullable(),
  request_id: z.string().nullable(),
  old_values: Values.describe('Values before the change; for an update, only of fields that changed'),
  new_values: Values.describe('Values after the change, likewise; never contains secrets'),
  created_at: Timestamp,
})
export type AuditLog = z.infer<typeof AuditLog>

/** Selects rows, for the list and the export alike. */
export const AuditLogFilter = z.strictObject({
  user_id: z.string().max(200).optional(),
  api_key_id: z.uuid().optional(),
  account_id: z.uuid().optional(),
  action: z.string().max(100).optional(),
  resource_type: z.string().max(50).optional(),
  resource_id: z.string().max(520).optional(),
  created_after: Timestamp.optional(),
  created_before: Timestamp.optional(),
})
export type AuditLogFilter = z.infer<typeof AuditLogFilter>

export const AuditLogQuery = PageQuery.extend(AuditLogFilter.shape)
export type AuditLogQuery = z.infer<typeof AuditLogQuery>

export const EXPORT_FORMATS = ['csv', 'ndjson'] as const
export const AuditLogExportQuery = AuditLogFilter.extend({
  format: z.enum(EXPORT_FORMATS).default('ndjson'),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000_000)
    .optional()
    .describe('The newest of them, as many as this; without it, all'),
})
export type AuditLogExportQuery = z.infer<typeof AuditLogExportQuery>
