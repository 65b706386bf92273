/** Two real mail servers behind one channel: what the first cannot do, the second does, exactly once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { createProviderParts } from '../../../test/provider-parts.ts'
import { type SmtpReceiver, startSmtpReceiver } from '../../../test/receivers/smtp-receiver.ts'
import { waitFor } from '../../../test/wait-for.ts'

const carillon = useCarillon()
let first: SmtpReceiver
let second: SmtpReceiver
let parts: ReturnType<typeof createProviderParts>

beforeAll(async () => {
  first = await startSmtpReceiver()
  second = await startSmtpReceiver()
  for (const [name, receiver, priority] of [
    ['first', first, 10],
    ['second', second, 0],
  ] as const) {
    const { port } = new URL(receiver.url)
    const answer = await carillon.request('POST', '/v1/providers', {
      body: {
        name,
        kind: 'smtp',
        priority,
        timeout_seconds: 1,
        config: { host: '127.0.0.1', port: Number(port), tls: 'offered', from: 'Shop <shop@example.com>' },
      },
    })
    expect(answer.status).toBe(201)
  }
  const breaker = { threshold: 4, coolDownMs: 300 }
  parts = createProviderParts(carillon.pool, { keyring: carillon.providers.keyring, breaker })
  carillon.deliver(() => ({ kind: 'sent' }), { candidates: parts.directory.candidates })
})
afterAll(async () => {
  await parts?.close()
  await first?.stop()
  await second?.stop()
})

const events = async (state: string) =>
  (await carillon.request('GET', `/v1/system-events?event_type=provider_down&state=${state}`)).body.data
const mailsTo = (receiver: SmtpReceiver, address: string) =>
  receiver.mails.filter(mail => mail.to.includes(address))
const sendTo = (address: string) =>
  carillon.send({ audience: { kind: 'addresses', channel: 'email', addresses: [address] } })

describe('failover', () => {
  it('the best provider that works gets the mail', async () => {
    await carillon.settled(await sendTo('healthy@example.com'), 'sent')
    expect(mailsTo(first, 'healthy@example.com')).toHaveLength(1)
    expect(mailsTo(second, 'healthy@example.com')).toHaveLength(0)
  })

  it.each([
    ['cutting connections', { drop: 'mail' }],
    ['hanging', { hang: 'mail' }],
    ['answering 4xx', { reply: 451, at: 'rcpt' }],
  ] as const)(
    'the first server is %s: the mail arrives exactly once through the second',
    { tags: 'S002-22' },
    async (name, behaviour) => {
      first.behave(behaviour)
      const address = `${name.replaceAll(' ', '-')}@example.com`
      const id = await sendTo(address)
      const [route] = await carillon.settled(id, 'sent')
      expect(route).toMatchObject({ provider: 'second', attempt_count: 1 })
      expect(mailsTo(second, address)).toHaveLength(1)
      expect(mailsTo(first, address)).toHaveLength(0)

      const explanation = (await carillon.request('GET', `/v1/records/${id}/explain`)).body
      const told = explanation.people[0].routes[0].decisions
        .map((decision: { text: string }) => decision.text)
        .join('\n')
      expect(told).toMatch(/first/)
      expect(told).toMatch(/sent through second/)
    },
  )

  it('a server that refuses recipients for now is not failing: the breaker stays closed', async () => {
    first.behave({ reply: 450, text: 'greylisted', at: 'rcpt' })
    for (let i = 0; i < 6; i++) await carillon.settled(await sendTo(`greylisted-${i}@example.com`), 'sent')
    const { data } = (await carillon.request('GET', '/v1/providers')).body
    const states = data.map((provider: { breaker: { state: string } }) => provider.breaker.state)
    expect(states).toEqual(['closed', 'closed'])
    expect(await events('open')).toEqual([])
  })

  it('the breaker opens, an event tells the operator, and the failing server is left alone', async () => {
    first.behave({ drop: 'mail' })
    for (let i = 0; i < 4; i++) await carillon.settled(await sendTo(`storm-${i}@example.com`), 'sent')
    await waitFor(async () => (await events('open')).length === 1, { what: 'the system event' })
    expect((await events('open'))[0]).toMatchObject({ subject: 'first', severity: 'high' })
    const { data } = (await carillon.request('GET', '/v1/providers')).body
    const shown = data.find((provider: { name: string }) => provider.name === 'first')
    expect(['open', 'half_open']).toContain(shown.breaker.state)
    expect(shown.breaker.last_error).not.toBe('')
  })

  it('a probe finds it recovered: the breaker closes and the event resolves', async () => {
    first.behave('accept')
    let n = 0
    await waitFor(
      async () => {
        await carillon.settled(await sendTo(`probe-${n++}@example.com`), 'sent')
        return (await events('open')).length === 0
      },
      { what: 'the event to resolve', everyMs: 50 },
    )
    expect((await events('resolved'))[0]).toMatchObject({ subject: 'first', is_resolved: true })
    const id = await sendTo('back@example.com')
    expect((await carillon.settled(id, 'sent'))[0]).toMatchObject({ provider: 'first' })
    const all = [...first.mails, ...second.mails].map(mail => mail.parsed.messageId)
    expect(new Set(all).size).toBe(all.length)
  })

  it('a type may name its provider; an inactive one is not used', { tags: 'S002-22' }, async () => {
    await carillon.request('PUT', '/v1/notification-types/named', {
      body: { channels: ['email'], providers: { email: 'second' } },
    })
    const send = async () => carillon.settled(await carillon.send({ notification_type: 'named' }), 'sent')
    expect((await send())[0]).toMatchObject({ provider: 'second' })
    const { data } = (await carillon.request('GET', '/v1/providers')).body
    const { id } = data.find((provider: { name: string }) => provider.name === 'second')
    await carillon.request('PATCH', `/v1/providers/${id}`, { body: { is_active: false } })
    expect((await send())[0]).toMatchObject({ provider: 'first' })
  })
})
