/** Calls about triggers and what fires them. */
import type { TestCarillon } from '../carillon.ts'
import { addScript } from '../scripts.ts'
import { type Calls, create } from './call.ts'

export function triggerCalls(carillon: TestCarillon): Calls {
  const aHook = async () => ({
    name: 'called',
    kind: 'http',
    script_id: await addScript(carillon.pool, carillon.tenantId),
  })
  const aTrigger = async () => create(carillon, '/v1/triggers', await aHook())

  return {
    'POST /v1/triggers': async () => ({
      path: '/v1/triggers',
      options: { body: await aHook() },
      row: body => ['create', 'trigger', body.id],
    }),
    'PATCH /v1/triggers/{id}': async () => {
      const id = await aTrigger()
      const options = { body: { is_enabled: false } }
      return { path: `/v1/triggers/${id}`, options, row: () => ['update', 'trigger', id] }
    },
    'DELETE /v1/triggers/{id}': async () => {
      const id = await aTrigger()
      return { path: `/v1/triggers/${id}`, row: () => ['delete', 'trigger', id] }
    },
    'POST /v1/triggers/{id}/rotate-url': async () => {
      const id = await aTrigger()
      return { path: `/v1/triggers/${id}/rotate-url`, row: () => ['rotate_url', 'trigger', id] }
    },
    'POST /v1/inbound-emails': () => ({
      path: '/v1/inbound-emails',
      options: { body: { raw: 'To: a@example.com\r\n\r\nHello' } },
    }),
  }
}
