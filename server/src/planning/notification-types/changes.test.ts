/** PATCH changes the given fields of a type; PUT replaces it. */
import { expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const path = '/v1/notification-types/order'
const change = (body: object) => carillon.request('PATCH', path, { body })
const WHOLE = {
  description: 'An order',
  category: 'orders',
  producers: ['shop'],
  audience_kinds: ['users'],
  channels: ['in_app', 'email'],
  required_fields: ['number'],
  admin_emails: ['admin@example.com'],
  critical: true,
  max_attempts: { email: 3 },
  providers: { email: 'mail' },
  templates: { email: 'order_mail' },
  retry_base_ms: 10,
  retry_cap_ms: 100,
  delay: 5,
  throttle: { per: 60, key: '', max: 2 },
  digest: { window: 60, key: '', first_at_once: true, max_items: 10 },
  escalate: [{ channel: 'sms', after: 60, unless: 'read' }],
}
const put = () => carillon.request('PUT', path, { body: WHOLE })

it.each([
  [{}],
  [{ description: 'Another' }],
  [{ critical: false }],
  [{ retry_base_ms: null }],
  [{ throttle: null, digest: null }],
  [{ max_attempts: { sms: 2 } }],
  [{ escalate: [] }],
])('changing a type with %j leaves all other fields as they are', async changes => {
  await put()
  const { status, body } = await change(changes)
  expect(status).toBe(200)
  expect(body).toMatchObject({ name: 'order', ...WHOLE, ...changes })
  expect((await carillon.request('GET', path)).body).toEqual(body)
})

it.each([
  [{ channels: [] }, 'channels'],
  [{ channels: null }, 'channels'],
  [{ description: null }, 'description'],
  [{ colour: 'red' }, 'colour'],
  [{ admin_emails: ['nowhere'] }, 'admin_emails.0'],
  // These contradict what is stored.
  [{ channels: ['in_app', 'sms'] }, 'escalate.0.channel'],
  [{ channels: ['email'] }, 'escalate.0.unless'],
  [{ escalate: [{ channel: 'email', after: 60 }] }, 'escalate.0.channel'],
])('changing a type with %j is refused', async (changes, field) => {
  await put()
  expect(problemOf(await change(changes))).toMatchObject({ status: 400, errors: [{ field }] })
  expect((await carillon.request('GET', path)).body).toMatchObject(WHOLE)
})

it('PATCH creates no type', async () => {
  const unknown = '/v1/notification-types/unknown'
  expect((await carillon.request('PATCH', unknown, { body: { channels: ['email'] } })).status).toBe(404)
  expect((await carillon.request('GET', unknown)).status).toBe(404)
})

it('a change of a type is audited with the fields that changed', async () => {
  await put()
  await change({ delay: 6 })
  const [row] = await carillon.readAll('/v1/audit-logs?resource_id=order')
  expect(row).toMatchObject({ action: 'update', old_values: { delay: 5 }, new_values: { delay: 6 } })
})
