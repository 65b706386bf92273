/** What waited while a tenant was suspended goes at once when it is resumed. */
import { expect, it } from 'vitest'
import { AN_INTENT, useCarillon } from '../../../test/carillon.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { aReceiver, dispatchWebhooks } from '../../../test/webhooks.ts'

const carillon = useCarillon()

it('the messages and webhooks of a resumed tenant go out at once', async () => {
  const { id, key } = await carillon.createTenant('paused')
  const receiver = await aReceiver()
  const webhook = { url: receiver.url, events: ['notification.accepted'] }
  await carillon.request('POST', '/v1/webhooks', { key, body: webhook })
  const { body } = await carillon.request('POST', '/v1/intents', { key, body: AN_INTENT })
  const waiting = async (table: string) => {
    const { rows } = await carillon.pool.query(
      `select count(*)::integer as waiting from ${table}
       where tenant_id = $1 and next_attempt_at > now() + interval '1 minute' and lease_owner is null`,
      [id],
    )
    return rows[0].waiting === 1
  }
  const operate = (action: string) =>
    carillon.request('POST', `/v1/tenants/${id}/${action}`, { body: action === 'suspend' ? {} : undefined })
  await operate('suspend')
  const worker = carillon.deliver(() => ({ kind: 'sent' }))
  const dispatcher = dispatchWebhooks(carillon)
  await waitFor(async () => (await waiting('routes')) && (await waiting('outbox')), { what: 'both to wait' })
  expect(receiver.requests).toEqual([])

  await operate('resume')
  await waitFor(async () => receiver.requests.length === 1, { what: 'the webhook' })
  const status = async () =>
    (await carillon.request('GET', `/v1/records/${body.notification_id}/routes`, { key })).body.data[0].status
  await waitFor(async () => (await status()) === 'sent', { what: 'the message' })
  await Promise.all([worker.stop(), dispatcher.stop()])
})

it('a message that a worker puts off while its tenant is being resumed goes out at once', async () => {
  const { id, key } = await carillon.createTenant('resumed')
  const { body } = await carillon.request('POST', '/v1/intents', { key, body: AN_INTENT })
  await carillon.request('POST', `/v1/tenants/${id}/suspend`, { body: {} })
  // It is resumed between the claim and its completion, and found nothing that waits.
  const worker = carillon.deliver(() => ({ kind: 'sent' }), {
    pool: resumingAfterClaim(id),
  })
  const status = async () =>
    (await carillon.request('GET', `/v1/records/${body.notification_id}/routes`, { key })).body.data[0].status
  await waitFor(async () => (await status()) === 'sent', { what: 'the message' })
  await worker.stop()
})

/** A pool of which the first completion comes after the tenant was resumed. */
function resumingAfterClaim(id: string): typeof carillon.pool {
  let isResumed = false
  return new Proxy(carillon.pool, {
    get(pool, name) {
      const value = Reflect.get(pool, name)
      if (name !== 'query') return typeof value === 'function' ? value.bind(pool) : value
      return async (...query: [{ name?: string }]) => {
        if (!isResumed && query[0].name === 'complete_routes') {
          isResumed = true
          await carillon.request('POST', `/v1/tenants/${id}/resume`)
        }
        return Reflect.apply(value, pool, query)
      }
    },
  })
}
