/** A provider that hangs, and is then removed: its messages do not wait for it any longer. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { createProviderParts } from '../../../test/provider-parts.ts'
import { type HttpReceiver, startHttpReceiver } from '../../../test/receivers/http-receiver.ts'
import { type SmtpReceiver, startSmtpReceiver } from '../../../test/receivers/smtp-receiver.ts'

const carillon = useCarillon()
let receiver: HttpReceiver
let mailServer: SmtpReceiver
/** The directory of another process than the API's. */
let parts: ReturnType<typeof createProviderParts>

beforeAll(async () => {
  receiver = await startHttpReceiver()
  mailServer = await startSmtpReceiver()
  parts = createProviderParts(carillon.pool, { keyring: carillon.providers.keyring })
  carillon.deliver(() => ({ kind: 'sent' }), { candidates: parts.directory.candidates })
})
afterAll(async () => {
  await parts?.close()
  await receiver?.stop()
  await mailServer?.stop()
})
afterEach(() => carillon.pool.query('delete from provider_configs'))

const http = () => ({ name: 'slow', kind: 'http', channel: 'sms', config: { url: receiver.url } })
const smtp = () => ({
  name: 'mail',
  kind: 'smtp',
  config: {
    host: '127.0.0.1',
    port: Number(new URL(mailServer.url).port),
    tls: 'offered',
    from: 'shop@example.com',
    pool_size: 1,
  },
})
async function provide(body: object): Promise<string> {
  const answer = await carillon.request('POST', '/v1/providers', { body: { ...body, timeout_seconds: 60 } })
  expect(answer.status).toBe(201)
  return answer.body.id
}
const sendSms = () =>
  carillon.send({ audience: { kind: 'addresses', channel: 'sms', addresses: ['+41790000000'] } })
const lastErrorOf = async (id: string) => (await carillon.routesOf(id))[0]?.last_error_message

describe('what hangs on a provider', () => {
  it.each([
    ['deleted', (id: string) => carillon.request('DELETE', `/v1/providers/${id}`)],
    [
      'switched off',
      (id: string) => carillon.request('PATCH', `/v1/providers/${id}`, { body: { is_active: false } }),
    ],
  ])('is let go when it is %s, and may have arrived', async (_how, remove) => {
    receiver.answerWith(() => 'hang')
    const before = receiver.requests.length
    const id = await provide(http())
    const message = await sendSms()
    await expect.poll(() => receiver.requests.length).toBe(before + 1)
    await parts.directory.releaseRemoved()
    expect((await carillon.routesOf(message))[0]?.status).toBe('pending')

    await remove(id)
    await parts.directory.releaseRemoved()
    const [route] = await carillon.settled(message, 'retrying')
    expect(await lastErrorOf(message)).toMatch(/removed or switched off/)
    const query = new URLSearchParams({ notification_id: message, route_id: route!.route_id })
    const [attempt] = (await carillon.request('GET', `/v1/routes/attempts?${query}`)).body.data
    expect(attempt).toMatchObject({ outcome: 'uncertain', provider: 'slow' })
  })

  it('includes mails that wait for a connection, which have used no attempt', async () => {
    mailServer.behave({ hang: 'rcpt' })
    const id = await provide(smtp())
    const [first, second] = [await carillon.send(), await carillon.send()]
    await expect.poll(() => mailServer.steps).toContain('rcpt')
    await carillon.request('DELETE', `/v1/providers/${id}`)
    await parts.directory.releaseRemoved()
    const routesOf = async () =>
      [...(await carillon.routesOf(first)), ...(await carillon.routesOf(second))].map(
        ({ status, attempt_count }) => `${status} ${attempt_count}`,
      )
    await expect.poll(async () => (await routesOf()).sort()).toContain('retrying 1')
  })

  it('is finished if only the settings change', async () => {
    let answer: () => void = () => {}
    receiver.answerWith(async () => {
      await new Promise<void>(resolve => {
        answer = resolve
      })
      return {}
    })
    const before = receiver.requests.length
    const id = await provide(http())
    const message = await sendSms()
    await expect.poll(() => receiver.requests.length).toBe(before + 1)
    await carillon.request('PATCH', `/v1/providers/${id}`, { body: { priority: 5 } })
    await parts.directory.candidates(carillon.tenantId, 'sms')
    await parts.directory.releaseRemoved()
    answer()
    const [route] = await carillon.settled(message, 'sent')
    expect(route?.attempt_count).toBe(1)
  })
})

it('nobody may wait longer than a minute for a provider', async () => {
  const answer = await carillon.request('POST', '/v1/providers', { body: { ...http(), timeout_seconds: 61 } })
  expect(problemOf(answer).errors?.[0]?.field).toBe('timeout_seconds')
})
