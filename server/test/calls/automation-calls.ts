/** Calls that change what scripts work with. */
import type { TestCarillon } from '../carillon.ts'
import { addTrigger } from '../triggers.ts'
import { type Calls, put } from './call.ts'

export function automationCalls(carillon: TestCarillon): Calls {
  return {
    'PUT /v1/kv/{collection}/{key}': () => ({
      path: '/v1/kv/settings/theme',
      options: { body: { value: 'dark' } },
      row: () => ['create', 'kv_entry', 'settings/theme'],
    }),
    'DELETE /v1/kv/{collection}/{key}': async () => {
      await put(carillon, '/v1/kv/settings/forgotten', { value: 1 })
      return {
        path: '/v1/kv/settings/forgotten',
        row: () => ['delete', 'kv_entry', 'settings/forgotten'],
      }
    },
    'POST /v1/queues/{name}': async () => {
      await addTrigger(carillon.pool, carillon.tenantId, { queue_glob: 'orders' })
      return { path: '/v1/queues/orders', options: { body: { message: 1 } } }
    },
  }
}
