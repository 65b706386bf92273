/** Finds out which devices have the message already: a repeat must not ring there a second time. */
import type { Client, Pool } from '../../platform/database/pool.ts'
import { selectReachedDevices } from '../routes/reached-devices.ts'
import type { Gate } from './gate.ts'
import { postponeOnError } from './obstacle.ts'

/** Asks only about repeats of a push. */
export function createDeviceGate(db: Pool | Client): Gate {
  return ({ route }) => {
    if (route.channel !== 'push' || route.claim_count <= 1) return undefined
    return selectReachedDevices(db, route).then(
      reachedDevices => ({ kind: 'pass', reachedDevices }),
      postponeOnError,
    )
  }
}
