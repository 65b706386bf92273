/** Tells operators about a stream whose tenant does not exist: nobody else could see why it is not read. */
import { raiseSystemEvent } from '../../oversight/system-events/system-events.ts'
import type { StreamSetting } from '../../platform/config/stream-settings.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { UNREADABLE } from './readability.ts'

/** Once per stream and process, since it is asked for every few seconds. */
export function raiseMissingTenant(
  pool: Pool,
  onError: (error: unknown) => void,
): (setting: StreamSetting) => void {
  const raised = new Set<string>()
  return ({ name, tenant }) => {
    if (raised.has(name)) return
    raised.add(name)
    raiseSystemEvent(pool, {
      tenant_id: null,
      event_type: UNREADABLE,
      subject: name,
      severity: 'high',
      description: `The stream "${name}" is not read: CARILLON_STREAMS names the tenant "${tenant}", which does not exist.`,
    }).catch(onError)
  }
}
