/** How much of a type a person gets per time. The database counts, so that all workers together keep to it. */
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

interface Asked {
  route: ThrottledRoute
  policy: ThrottlePolicy
  key: string
}

export interface Throttle {
  /** Whether it may go out; asking again for the same notification gives the same answer. */
  admits(route: ThrottledRoute, policy: ThrottlePolicy, key: string): Promise<boolean>
}

/** What was claimed together asks together. */
export function createThrottle(pool: Pool | Client): Throttle {
  const batcher = createBatcher<Asked, boolean>({
    maxBatch: 500,
    flush: async asked => {
      const passed = new Set(await passThrottles(pool, asked))
      return asked.map((_, ord) => passed.has(ord))
    },
  })
  return { admits: (route, policy, key) => batcher.add({ route, policy, key }) }
}

async function passThrottles(pool: Pool | Client, asked: Asked[]): Promise<number[]> {
  const { rows } = await pool.query<{ ord: number }>({
    name: 'pass_throttles',
    text: 'select ord from pass_throttles($1::jsonb) as ord',
    values: [JSON.stringify(asked.map(toRow))],
  })
  return rows.map(row => row.ord)
}

function toRow({ route, policy, key }: Asked, ord: number) {
  return {
    ord,
    tenant_id: route.tenant_id,
    notification_id: route.notification_id,
    notification_type: route.notification_type,
    recipient_ref: route.recipient_ref,
    user_id: route.user_id,
    key,
    per: policy.per,
    most: policy.max,
  }
}
