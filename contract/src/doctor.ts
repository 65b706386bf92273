/** The doctor: how the instance is, check by check, with advice where something should be done. */
import { z } from 'zod'
import { Timestamp } from './common.ts'

export const HEALTH_STATES = ['ok', 'warn', 'bad'] as const
export const HealthState = z.enum(HEALTH_STATES)
export type HealthState = z.infer<typeof HealthState>

export const Finding = z.object({
  check: z.string().describe('What was looked at'),
  status: HealthState.describe('warn: look at it soon; bad: something is lost, stuck or about to stop'),
  summary: z.string(),
  advice: z.string().nullable().describe('What to do about it; null if all is well'),
})
export type Finding = z.infer<typeof Finding>

export const Examination = z.object({
  status: HealthState.describe('The worst of all findings'),
  examined_at: Timestamp,
  findings: z.array(Finding),
})
export type Examination = z.infer<typeof Examination>
