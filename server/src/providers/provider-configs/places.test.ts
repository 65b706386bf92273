/** A mail server with few connections: messages wait for one, and the wait is not held against the server. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { createProviderParts } from '../../../test/provider-parts.ts'
import { type SmtpReceiver, startSmtpReceiver } from '../../../test/receivers/smtp-receiver.ts'

const carillon = useCarillon()
const CONNECTIONS = 2
let server: SmtpReceiver
let parts: ReturnType<typeof createProviderParts>
let providerId: string

beforeAll(async () => {
  server = await startSmtpReceiver()
  const breaker = { threshold: 1, coolDownMs: 60_000 }
  parts = createProviderParts(carillon.pool, { keyring: carillon.providers.keyring, breaker })
  carillon.deliver(() => ({ kind: 'sent' }), { candidates: parts.directory.candidates })
})
afterAll(async () => {
  await parts?.close()
  await server?.stop()
})
beforeEach(async () => {
  await carillon.pool.query('delete from provider_configs')
  const config = {
    host: '127.0.0.1',
    port: Number(new URL(server.url).port),
    tls: 'offered',
    from: 'shop@example.com',
    pool_size: CONNECTIONS,
  }
  const body = { name: 'mail', kind: 'smtp', timeout_seconds: 1, config }
  providerId = (await carillon.request('POST', '/v1/providers', { body })).body.id
})

const sendMany = (count: number, domain: string) =>
  carillon.send({
    audience: {
      kind: 'addresses',
      channel: 'email',
      addresses: Array.from({ length: count }, (_, i) => `person-${i}@${domain}`),
    },
  })

describe('a mail server with few connections', () => {
  it('gets every mail once, although together they take several times the time limit', async () => {
    server.behave({ slow_ms: 250 })
    const routes = await carillon.settled(await sendMany(24, 'slow.example.com'), 'sent')
    expect(routes.map(route => route.attempt_count)).toEqual(routes.map(() => 1))
    expect(server.mails).toHaveLength(24)
    expect(server.connections.opened).toBe(CONNECTIONS)
    const { body } = await carillon.request('GET', `/v1/providers/${providerId}`)
    expect(body.breaker).toMatchObject({ state: 'closed', last_error: '' })
  })

  it('that hangs is given no more messages than it has connections; the others wait, with their attempts', async () => {
    server.behave({ hang: 'mail' })
    const before = server.steps.filter(step => step === 'mail').length
    const id = await sendMany(12, 'hanging.example.com')
    const waiting = async () =>
      (await carillon.routesOf(id)).filter(
        route => route.reason === 'provider_down' && route.attempt_count === 0,
      )
    await expect.poll(async () => (await waiting()).length, { timeout: 20_000 }).toBe(12 - CONNECTIONS)
    expect(server.steps.filter(step => step === 'mail')).toHaveLength(before + CONNECTIONS)
  })
})
