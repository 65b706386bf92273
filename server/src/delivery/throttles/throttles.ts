/** Limits how many of a type a person gets in a time. The database counts, so the limit holds for all workers together. */
import type { ThrottlePolicy } from '@carillon/contract'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { createBatcher } from '../../platform/queue/batcher.ts'

/** What a throttle needs to know of a route. */
export interface ThrottledRoute {
  tenant_id: string
  notification_id: string
  notification_type: string
  recipient_ref: string
  user_id: string | null
}

interface ThrottleRequest {
  route: ThrottledRoute
  policy: ThrottlePolicy
  key: string
  at: Date | undefined
}

export interface Throttle {
  /**
   * Whether the notification may go out; asking about it again gives the same answer. `at` is for simulation: when it
   * would be asked, if not now.
   */
  admits(route: ThrottledRoute, policy: ThrottlePolicy, key: string, at?: Date): Promise<boolean>
}

/** Routes that were claimed together are asked about in one statement. */
export function createThrottle(pool: Pool | Client): Throttle {
  const batcher = createBatcher<ThrottleRequest, boolean>({
    maxBatch: 500,
    flush: async requests => {
      const passed = new Set(await passThrottles(pool, requests))
      return requests.map((_, ord) => passed.has(ord))
    },
  })
  return { admits: (route, policy, key, at) => batcher.add({ route, policy, key, at }) }
}

async function passThrottles(pool: Pool | Client, requests: ThrottleRequest[]): Promise<number[]> {
  const { rows } = await pool.query<{ ord: number }>({
    name: 'pass_throttles',
    text: 'select ord from pass_throttles($1::jsonb) as ord',
    values: [JSON.stringify(requests.map(toRow))],
  })
  return rows.map(row => row.ord)
}

function toRow({ route, policy, key, at }: ThrottleRequest, ord: number) {
  return {
    ord,
    tenant_id: route.tenant_id,
    notification_id: route.notification_id,
    notification_type: route.notification_type,
    recipient_ref: route.recipient_ref,
    user_id: route.user_id,
    key,
    per_seconds: policy.per,
    max_passes: policy.max,
    at,
  }
}
