/** What a service reports back about messages: verified by the service's own signature, applied once. */
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import type { ProviderConfigs } from '../../providers/provider-configs/directory.ts'
import { type CallbackAnswer, type CallbackRequest, ForgedCallback } from '../../providers/services/kind.ts'
import { applyFeedback } from './queries.ts'

export {
  type DeviceRefusalRow,
  selectDeviceRefusals as listDeviceRefusals,
  storeDeviceRefusals,
} from './queries.ts'

export interface ReceivedCallback {
  events: number
  applied: number
  /** What the service wants to be answered instead. */
  answer: CallbackAnswer | undefined
}

export async function receiveCallback(
  pool: Pool,
  configs: ProviderConfigs,
  providerId: string,
  request: CallbackRequest,
): Promise<ReceivedCallback> {
  const provider = await configs.callbackOf(providerId)
  if (provider === undefined) throw notFound(`callback ${providerId}`)
  try {
    const feedback = await provider.read(request)
    const { answer } = provider
    if (feedback.length === 0) return { events: 0, applied: 0, answer }
    const applied = await applyFeedback(pool, provider.tenantId, providerId, provider.channel, feedback)
    return { events: feedback.length, applied, answer }
  } catch (error) {
    if (error instanceof ForgedCallback) {
      throw new Refusal('unauthenticated', `The callback is not signed by the service: ${error.message}.`)
    }
    throw error
  }
}
