/** Running a script on request, and results that came after their caller had left. */
import { z } from 'zod'
import { PageQuery, Timestamp } from './common.ts'

export const InvokeScript = z.strictObject({
  input: z
    .unknown()
    .optional()
    .describe('What the script sees as event.data: any JSON of up to 256 KiB; null if it is left out'),
  mode: z
    .enum(['sync', 'async'])
    .default('sync')
    .describe(
      'sync waits for the result and tries once; async answers at once, retries, and may end as a dead letter',
    ),
})
export type InvokeScript = z.input<typeof InvokeScript>

export const InvocationResult = z.object({
  execution_id: z.uuid().describe('The event_id of its run'),
  result: z.unknown().describe('What the script’s default export gave back'),
})
export type InvocationResult = z.infer<typeof InvocationResult>

export const InvocationAccepted = z.object({
  execution_id: z.uuid().describe('The event_id of its runs'),
  accepted_at: Timestamp,
})
export type InvocationAccepted = z.infer<typeof InvocationAccepted>

export const AbandonedExecution = z.object({
  id: z.uuid(),
  execution_id: z.uuid().describe('The event_id of its run'),
  script_id: z.uuid().nullable(),
  inbox_id: z.uuid().describe('Where the caller waited'),
  status_code: z.number().int().describe('What the caller would have got'),
  summary: z.string().describe('The start of the result or error'),
  created_at: Timestamp,
})
export type AbandonedExecution = z.infer<typeof AbandonedExecution>

export const AbandonedExecutionQuery = PageQuery
export type AbandonedExecutionQuery = z.infer<typeof AbandonedExecutionQuery>
