/** Calls that change inboxes. */
import type { TestCarillon } from '../carillon.ts'
import { type Calls, create } from './call.ts'

const ACTIONS = ['read', 'unread', 'done', 'undone', 'save', 'unsave', 'unsnooze', 'hide'] as const

export function inboxCalls(carillon: TestCarillon): Calls {
  const item = async () => {
    await carillon.putUser('ada')
    const { rows } = await carillon.pool.query<{ id: string }>(
      `insert into notifications (id, tenant_id, user_id, type, title, message, actions)
       values (uuid_v7(), $1, 'ada', 't', 'T', 'm', '[{"id": "ok", "label": "OK", "event_kind": "agreed"}]') returning id`,
      [carillon.tenantId],
    )
    return rows[0]!.id
  }
  const on = (action: string, body: object) => async () => ({
    path: `/v1/inbox/${await item()}/${action}?user_id=ada`,
    options: { body },
  })
  const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString()
  return {
    ...Object.fromEntries(ACTIONS.map(action => [`POST /v1/inbox/{id}/${action}`, on(action, {})])),
    'POST /v1/inbox/{id}/snooze': on('snooze', { until: tomorrow() }),
    'POST /v1/inbox/{id}/answer': on('answer', { action: 'ok' }),
    'POST /v1/inbox/actions': async () => ({
      path: '/v1/inbox/actions?user_id=ada',
      options: { body: { action: 'read', ids: [await item()] } },
    }),
    'POST /v1/inbox/read-all': async () => {
      await item()
      return { path: '/v1/inbox/read-all?user_id=ada', options: { body: {} } }
    },
    'POST /v1/notifications': () => ({
      path: '/v1/notifications',
      options: { body: { type: 'maintenance', title: 'Down at noon' } },
      row: body => ['create', 'notification', body.id],
    }),
    'DELETE /v1/notifications/{id}': async () => {
      const id = await create(carillon, '/v1/notifications', { type: 'maintenance', title: 'Down' })
      return { path: `/v1/notifications/${id}`, row: () => ['delete', 'notification', id] }
    },
    'PUT /v1/saved-filters/{name}': async () => {
      await carillon.putUser('ada')
      return { path: '/v1/saved-filters/new?user_id=ada', options: { body: { query: 'is:unread' } } }
    },
    'PATCH /v1/saved-filters/{name}': async () => {
      await carillon.putUser('ada')
      const path = '/v1/saved-filters/changing?user_id=ada'
      await carillon.request('PUT', path, { body: { query: 'is:unread' } })
      return { path, options: { body: { position: 3 } } }
    },
    'DELETE /v1/saved-filters/{name}': async () => {
      await carillon.putUser('ada')
      const path = '/v1/saved-filters/old?user_id=ada'
      await carillon.request('PUT', path, { body: { query: 'is:unread' } })
      return { path }
    },
  }
}
