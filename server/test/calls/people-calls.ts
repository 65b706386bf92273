/** Calls that change people: who they are, where they are reached, what they want. */
import type { TestCarillon } from '../carillon.ts'
import { type Calls, create, put } from './call.ts'

const NO_PREFERENCES = { channels: {}, categories: {}, reasons: {}, digests: {} }

const A_SUBSCRIPTION = { endpoint: 'https://push.example.com/1', keys: { p256dh: 'p', auth: 'a' } }

export function peopleCalls(carillon: TestCarillon): Calls {
  return {
    'PUT /v1/users/{id}': () => ({
      path: '/v1/users/bob',
      options: { body: {} },
      row: () => ['create', 'user', 'bob'],
    }),
    'PATCH /v1/users/{id}': async () => {
      await carillon.putUser('mover')
      const options = { body: { timezone: 'Asia/Tokyo' } }
      return { path: '/v1/users/mover', options, row: () => ['update', 'user', 'mover'] }
    },
    'DELETE /v1/users/{id}': async () => {
      await carillon.putUser('leaver')
      return { path: '/v1/users/leaver', row: () => ['delete', 'user', 'leaver'] }
    },
    'POST /v1/users/{id}/devices': async () => {
      await carillon.putUser('ada')
      return {
        path: '/v1/users/ada/devices',
        options: { body: { kind: 'web_push', token: A_SUBSCRIPTION } },
        row: body => ['register', 'device', body.id],
      }
    },
    'DELETE /v1/users/{id}/devices/{device_id}': async () => {
      await carillon.putUser('ada')
      const id = await create(carillon, '/v1/users/ada/devices', { kind: 'fcm', token: 'b-token' })
      return { path: `/v1/users/ada/devices/${id}`, row: () => ['delete', 'device', id] }
    },
    'PUT /v1/users/{id}/preferences': async () => {
      await carillon.putUser('ada')
      return {
        path: '/v1/users/ada/preferences',
        options: { body: NO_PREFERENCES },
        row: () => ['update', 'preferences', 'ada'],
      }
    },
    'PATCH /v1/users/{id}/preferences': async () => {
      await carillon.putUser('ada')
      return {
        path: '/v1/users/ada/preferences',
        options: { body: { channels: { sms: { enabled: false } } } },
        row: () => ['update', 'preferences', 'ada'],
      }
    },
    'POST /v1/users/{id}/preference-links': async () => {
      await carillon.putUser('ada')
      return { path: '/v1/users/ada/preference-links' }
    },
    'POST /v1/users/{id}/token': async () => {
      await carillon.putUser('ada')
      return { path: '/v1/users/ada/token' }
    },
    'POST /v1/users/{id}/tokens/revoke': async () => {
      await carillon.putUser('ada')
      return { path: '/v1/users/ada/tokens/revoke', row: () => ['revoke', 'user_token', 'ada'] }
    },
    'POST /v1/user-tokens/rotate': () => ({
      path: '/v1/user-tokens/rotate',
      row: () => ['rotate', 'user_tokens', carillon.tenantId],
    }),
    'POST /v1/user-tokens/revoke': () => ({
      path: '/v1/user-tokens/revoke',
      row: () => ['revoke', 'user_tokens', carillon.tenantId],
    }),
    'PUT /v1/preferences': () => ({
      path: '/v1/preferences',
      options: { body: NO_PREFERENCES },
      row: () => ['update', 'default_preferences', carillon.tenantId],
    }),
    'PATCH /v1/preferences': () => ({
      path: '/v1/preferences',
      options: { body: { channels: { sms: { frequency_cap: 5 } } } },
      row: () => ['update', 'default_preferences', carillon.tenantId],
    }),
    'PUT /v1/topics/{topic}/watch': async () => {
      await carillon.putUser('ada')
      await put(carillon, '/v1/topics/rust', {})
      return {
        path: '/v1/topics/rust/watch',
        options: { body: { user_id: 'ada' } },
        row: () => ['create', 'watch', 'rust/ada'],
      }
    },
    'PATCH /v1/topics/{topic}/watch': async () => {
      await carillon.putUser('ada')
      await put(carillon, '/v1/topics/zig/watch', { user_id: 'ada' })
      return {
        path: '/v1/topics/zig/watch',
        options: { body: { user_id: 'ada', level: 'ignore' } },
        row: () => ['update', 'watch', 'zig/ada'],
      }
    },
    'DELETE /v1/topics/{topic}/watch': async () => {
      await carillon.putUser('ada')
      await put(carillon, '/v1/topics/go/watch', { user_id: 'ada' })
      return { path: '/v1/topics/go/watch?user_id=ada', row: () => ['delete', 'watch', 'go/ada'] }
    },
    'POST /v1/suppressions': () => ({
      path: '/v1/suppressions',
      options: { body: { channel: 'email', address: 'No@Example.com' } },
      row: () => ['create', 'suppression', 'email:no@example.com'],
    }),
    'DELETE /v1/suppressions': async () => {
      await create(carillon, '/v1/suppressions', { channel: 'email', address: 'yes@example.com' })
      return {
        path: '/v1/suppressions?channel=email&address=Yes@example.com',
        row: () => ['delete', 'suppression', 'email:yes@example.com'],
      }
    },
  }
}
