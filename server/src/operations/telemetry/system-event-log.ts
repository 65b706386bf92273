/** The log has every system event, also those that could not be stored. */
import type { Severity } from '@carillon/contract'
import type { Logger } from 'pino'
import { hearSystemEvents } from '../../oversight/system-events/system-events.ts'

const LEVELS: Record<Severity, 'info' | 'warn' | 'error'> = {
  low: 'info',
  medium: 'warn',
  high: 'error',
  critical: 'error',
}

/** Returns how to end it. */
export function logSystemEvents(log: Logger): () => void {
  return hearSystemEvents(({ tenant_id, event_type, subject = '', severity, description, details }) =>
    log[LEVELS[severity]](
      { system_event: { event_type, subject, severity, tenant_id, details } },
      `system event: ${description}`,
    ),
  )
}
