/** Calls that change how a tenant works: types, providers, keys, the tenant itself. */
import type { TestCarillon } from '../carillon.ts'
import { type Calls, create, put } from './call.ts'

const SMTP = { name: 'mail', kind: 'smtp', config: { host: '127.0.0.1', port: 1, from: 'a@example.com' } }
const REPORTING = {
  name: 'reporting',
  kind: 'postmark',
  config: { from: 'a@example.com' },
  secrets: { server_token: 'server-token', callback_token: 'a-long-callback-token' },
}

export function settingCalls(carillon: TestCarillon): Calls {
  const aProvider = (name: string) => create(carillon, '/v1/providers', { ...SMTP, name })

  return {
    'PUT /v1/notification-types/{name}': () => ({
      path: '/v1/notification-types/audited',
      options: { body: { channels: ['email'] } },
      row: () => ['create', 'notification_type', 'audited'],
    }),
    'PATCH /v1/notification-types/{name}': async () => {
      await carillon.putType('renewed', { channels: ['email'] })
      return {
        path: '/v1/notification-types/renewed',
        options: { body: { critical: true } },
        row: () => ['update', 'notification_type', 'renewed'],
      }
    },
    'DELETE /v1/notification-types/{name}': async () => {
      await carillon.putType('outdated', { channels: ['email'] })
      return {
        path: '/v1/notification-types/outdated',
        row: () => ['delete', 'notification_type', 'outdated'],
      }
    },
    'PUT /v1/categories/{category}': () => ({
      path: '/v1/categories/orders',
      options: { body: { name: 'Your orders' } },
      row: () => ['create', 'category', 'orders'],
    }),
    'PATCH /v1/categories/{category}': async () => {
      await put(carillon, '/v1/categories/security', {})
      return {
        path: '/v1/categories/security',
        options: { body: { required: true } },
        row: () => ['update', 'category', 'security'],
      }
    },
    'DELETE /v1/categories/{category}': async () => {
      await put(carillon, '/v1/categories/past', {})
      return { path: '/v1/categories/past', row: () => ['delete', 'category', 'past'] }
    },
    'PATCH /v1/tenant': () => ({
      path: '/v1/tenant',
      options: { body: { retry_base_ms: 20_000 } },
      row: () => ['update', 'tenant', carillon.tenantId],
    }),
    'POST /v1/tenants': () => ({
      path: '/v1/tenants',
      options: { body: { name: 'second' } },
      row: body => ['create', 'tenant', body.id],
    }),
    'PATCH /v1/tenants/{id}': async () => {
      const { id } = await carillon.createTenant('limited')
      const options = { body: { quota: { routes_per_day: 5 } } }
      return { path: `/v1/tenants/${id}`, options, row: () => ['update', 'tenant', id] }
    },
    'POST /v1/tenants/{id}/suspend': async () => {
      const { id } = await carillon.createTenant('suspended')
      const options = { body: {} }
      return { path: `/v1/tenants/${id}/suspend`, options, row: () => ['suspend', 'tenant', id] }
    },
    'POST /v1/tenants/{id}/resume': async () => {
      const { id } = await carillon.createTenant('resumed')
      return { path: `/v1/tenants/${id}/resume`, row: () => ['resume', 'tenant', id] }
    },
    'DELETE /v1/tenants/{id}': async () => {
      const { id } = await carillon.createTenant('leaving')
      return { path: `/v1/tenants/${id}`, row: () => ['schedule_deletion', 'tenant', id] }
    },
    'POST /v1/api-keys': () => ({
      path: '/v1/api-keys',
      options: { body: { name: 'k', scopes: [] } },
      row: body => ['create', 'api_key', body.id],
    }),
    'DELETE /v1/api-keys/{id}': async () => {
      const { id } = await carillon.createKey({ name: 'old' })
      return { path: `/v1/api-keys/${id}`, row: () => ['revoke', 'api_key', id] }
    },
    'POST /v1/providers': () => ({
      path: '/v1/providers',
      options: { body: SMTP },
      row: body => ['create', 'provider', body.id],
    }),
    'PATCH /v1/providers/{id}': async () => {
      const id = await aProvider('changed')
      const options = { body: { priority: 7 } }
      return { path: `/v1/providers/${id}`, options, row: () => ['update', 'provider', id] }
    },
    'DELETE /v1/providers/{id}': async () => {
      const id = await aProvider('short-lived')
      return { path: `/v1/providers/${id}`, row: () => ['delete', 'provider', id] }
    },
    'POST /v1/providers/{id}/test': async () => ({
      path: `/v1/providers/${await aProvider('tested')}/test`,
      options: { body: { address: 'ada@example.com' } },
    }),
    'POST /v1/callbacks/{id}': async () => {
      const id = await create(carillon, '/v1/providers', REPORTING)
      const authorization = `Basic ${Buffer.from(`carillon:${REPORTING.secrets.callback_token}`).toString('base64')}`
      return {
        path: `/v1/callbacks/${id}`,
        // the service's own proof instead of a key
        options: {
          key: null,
          headers: { authorization },
          body: { RecordType: 'Open', MessageID: 'unknown' },
        },
      }
    },
    'POST /v1/limits/check': () => ({ path: '/v1/limits/check', options: { body: { key: 'tries' } } }),
  }
}
