/** What a service reports back about messages: verified by the service's own signature, applied once. */
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import type { ProviderConfigs } from '../../providers/provider-configs/directory.ts'
import { type CallbackRequest, ForgedCallback } from '../../providers/services/kind.ts'
import { applyFeedback } from './queries.ts'

export async function receiveCallback(
  pool: Pool,
  configs: ProviderConfigs,
  providerId: string,
  request: CallbackRequest,
): Promise<{ events: number; applied: number }> {
  const provider = await configs.callbackOf(providerId)
  if (provider === undefined) throw notFound(`callback ${providerId}`)
  try {
    const feedback = await provider.read(request)
    if (feedback.length === 0) return { events: 0, applied: 0 }
    const applied = await applyFeedback(pool, provider.tenantId, providerId, provider.channel, feedback)
    return { events: feedback.length, applied }
  } catch (error) {
    if (error instanceof ForgedCallback) {
      throw new Refusal('unauthenticated', `The callback is not signed by the service: ${error.message}.`)
    }
    throw error
  }
}
