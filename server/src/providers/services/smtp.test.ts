import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type SmtpBehaviour,
  type SmtpReceiver,
  type SmtpReceiverOptions,
  type Step,
  startSmtpReceiver,
} from '../../../test/receivers/smtp-receiver.ts'
import type { Message } from '../../content/messages/message.ts'
import { describeProvider, type Scenario } from './conformance.suite.ts'
import { aMessage } from './message.fixture.ts'
import type { Outcome, Provider } from './provider.ts'
import { createSmtpProvider, type SmtpOptions } from './smtp.ts'

const BEHAVIOURS: Record<Exclude<Scenario, 'is_unreachable'>, SmtpBehaviour> = {
  accepts: 'accept',
  fails_for_now: { reply: 451, at: 'data' },
  throttles: { reply: 421, text: '4.7.0 slow down', at: 'mail' },
  refuses: { reply: 550, text: 'no such user', at: 'rcpt' },
  rejects_credentials: { reply: 535, at: 'mail' },
  hangs: { hang: 'rcpt' },
}

describeProvider('smtp', {
  scenarios: ['fails_for_now', 'throttles', 'refuses', 'rejects_credentials', 'hangs', 'is_unreachable'],
  async start(scenario, timeout_ms) {
    const smtp = await startSmtpReceiver()
    if (scenario === 'is_unreachable') await smtp.stop()
    else smtp.behave(BEHAVIOURS[scenario])
    return {
      provider: createSmtpProvider({ url: smtp.url, from: 'c@carillon.example', timeout_ms, pool_size: 2 }),
      receivedIds: () =>
        smtp.mails.map(mail => mail.parsed.messageId?.replace(/^<|@carillon.example>$/g, '') ?? ''),
      wasContacted: () => smtp.steps.includes('rcpt'),
      openConnections: () => smtp.connections.open,
      stop: () => smtp.stop(),
    }
  },
})

let receiver: SmtpReceiver
let provider: Provider

async function start(options: Partial<SmtpOptions> = {}, receiverOptions: SmtpReceiverOptions = {}) {
  receiver = await startSmtpReceiver(receiverOptions)
  onTestFinished(receiver.stop)
  connect(options)
}

function connect(options: Partial<SmtpOptions>): void {
  provider = createSmtpProvider({
    url: receiver.url,
    from: 'Carillon <bells@carillon.example>',
    timeout_ms: 10_000,
    pool_size: 2,
    ...options,
  })
  onTestFinished(provider.close)
}

function send(message: Partial<Message> = {}, signal = new AbortController().signal): Promise<Outcome> {
  return provider.send(aMessage(message), signal)
}

describe('the mail', () => {
  it('carries text, html, ids and its template', { tags: ['S000-26', 'S000-27'] }, async () => {
    await start()
    const outcome = await send()
    const [mail] = await receiver.waitForMail()
    const header = (key: string) => mail?.parsed.headers.find(one => one.key === key)?.value

    expect(outcome).toMatchObject({
      kind: 'sent',
      provider_message_id: '<rec-2.route-3@carillon.example>',
      response: expect.stringMatching(/^250 /),
    })
    expect(mail).toMatchObject({ from: 'bells@carillon.example', to: ['ada@example.org'] })
    expect(mail?.parsed).toMatchObject({
      from: { name: 'Carillon', address: 'bells@carillon.example' },
      to: [{ address: 'ada@example.org' }],
      subject: 'Rechnung bezahlt – danke',
      messageId: '<rec-2.route-3@carillon.example>',
    })
    expect(mail?.parsed.text?.trim()).toBe('Grüezi Ada, Rechnung 7 ist bezahlt.')
    expect(mail?.parsed.html?.trim()).toBe('<p>Grüezi Ada, Rechnung 7 ist bezahlt.</p>')
    expect(header('x-carillon-type')).toBe('invoice.paid')
    expect(header('x-carillon-notification')).toBe('0197f2a0-0000-7000-8000-000000000002')
    expect(header('auto-submitted')).toBe('auto-generated')
    expect(header('content-language')).toBe('de-CH')
    expect(header('traceparent')).toBe('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01')
    expect(header('x-request-id')).toBe('req-1')
  })

  it('omits what the message does not have', async () => {
    await start({ message_id_domain: 'ids.example' })
    await send({ html: null, traceparent: '', request_id: '' })
    const mail = receiver.mails[0]?.parsed
    expect(mail?.messageId).toBe('<rec-2.route-3@ids.example>')
    expect(mail?.html).toBeUndefined()
    expect(mail?.headers.map(header => header.key)).not.toContain('traceparent')
    expect(mail?.headers.map(header => header.key)).not.toContain('x-request-id')
  })

  it('cannot get additional headers or recipients through its content', async () => {
    await start()
    await send({ subject: 'hi\r\nBcc: eve@example.org', locale: 'de\r\nX-Evil: 1' })
    const keys = receiver.mails[0]?.parsed.headers.map(header => header.key)
    expect(keys).not.toContain('bcc')
    expect(keys).not.toContain('x-evil')
    expect(receiver.mails[0]?.to).toEqual(['ada@example.org'])

    for (const address of ['ada@example.org, eve@example.org', 'a@x.org>\r\nRCPT TO:<eve@x.org', '']) {
      expect(await send({ address })).toMatchObject({ kind: 'permanent' })
    }
    expect(receiver.mails).toHaveLength(1)
  })

  it('reuses a connection', async () => {
    await start({ pool_size: 1 })
    for (let i = 0; i < 5; i += 1) await send()
    expect(receiver.mails).toHaveLength(5)
    expect(receiver.connections.opened).toBe(1)
  })

  it('reuses a connection even if the mail before it was refused', async () => {
    await start({ pool_size: 1 })
    receiver.behave({ reply: 550, at: 'rcpt' })
    expect(await send()).toMatchObject({ kind: 'permanent' })
    receiver.behave('accept')
    expect(await send()).toMatchObject({ kind: 'sent' })
    expect(receiver.connections.opened).toBe(1)
  })
})

it('a mail that is given a connection which the server has closed gets one more try on a new one', async () => {
  await start({ pool_size: 1 })
  await send()
  receiver.behave({ drop: 'mail' })
  expect(await send()).toMatchObject({ kind: 'retry' })
  expect(receiver.connections.opened).toBe(2)
})

describe('a failure', { tags: 'S000-23' }, () => {
  it.each<[string, SmtpBehaviour, Outcome['kind']]>([
    ['421 at the greeting', { reply: 421, at: 'connect' }, 'retry'],
    ['554 at the greeting', { reply: 554, at: 'connect' }, 'config'],
    ['550 at MAIL', { reply: 550, at: 'mail' }, 'config'],
    ['450 greylisting at RCPT', { reply: 450, text: '4.2.0 greylisted', at: 'rcpt' }, 'retry'],
    ['530 at MAIL', { reply: 530, at: 'mail' }, 'config'],
    ['552 at DATA', { reply: 552, at: 'data' }, 'permanent'],
    ['451 at DATA', { reply: 451, at: 'data' }, 'retry'],
    ['a connection cut at the greeting', { drop: 'connect' }, 'retry'],
    ['a connection cut at RCPT', { drop: 'rcpt' }, 'retry'],
    ['a connection cut after DATA', { drop: 'data' }, 'uncertain'],
  ])('by %s', async (_case, behaviour, kind) => {
    await start()
    receiver.behave(behaviour)
    const outcome = await send()
    expect(outcome.kind).toBe(kind)
    expect(outcome).not.toHaveProperty('retry_after_ms')
  })

  it.each<Step>(['connect', 'mail', 'rcpt'])('by a server that hangs at %s', async step => {
    await start({ timeout_ms: 300 })
    receiver.behave({ hang: step })
    expect(await send()).toMatchObject({ kind: 'retry' })
  })

  it('by a server that hangs after DATA', async () => {
    await start({ timeout_ms: 1000 })
    receiver.behave({ hang: 'data' })
    expect(await send()).toEqual({
      kind: 'uncertain',
      message: 'no answer within 1000 ms (after the whole message was sent)',
    })
  })

  it('by an untrusted certificate', async () => {
    await start({}, { tls: 'starttls' })
    expect(await send()).toMatchObject({ kind: 'config' })
    await start({}, { tls: 'implicit' })
    expect(await send()).toMatchObject({ kind: 'config' })
  })

  it('by an untrusted certificate does not happen when the url says to accept it', async () => {
    await start({}, { tls: 'implicit' })
    connect({ url: `${receiver.url}?tls.rejectUnauthorized=false` })
    expect(await send()).toMatchObject({ kind: 'sent' })
  })
})

describe('credentials', () => {
  const auth = { user: 'bob', password: 'hunter22/%' }

  it('are used', async () => {
    await start({}, { auth })
    expect(await send()).toMatchObject({ kind: 'sent' })
  })

  it('that are wrong are a configuration error and stay out of the message', async () => {
    await start({}, { auth })
    const url = receiver.url.replace(encodeURIComponent(auth.password), 'wrong-secret')
    connect({ url })
    const outcome = await send()
    expect(outcome).toMatchObject({ kind: 'config', message: expect.stringContaining('535') })
    expect(JSON.stringify(outcome)).toContain('[redacted]')
    expect(JSON.stringify(outcome)).not.toContain('wrong-secret')
  })

  it('that are missing are a configuration error', async () => {
    await start({}, { auth })
    const url = receiver.url.replace(/\/\/.*@/, '//')
    connect({ url })
    expect(await send()).toMatchObject({ kind: 'config', message: expect.stringContaining('530') })
  })
})

describe('an aborted attempt', () => {
  it('is not delivered later when the body had not left', async () => {
    await start({ pool_size: 1 })
    const controller = new AbortController()
    receiver.behave({ hang: 'rcpt' })
    const blocking = send({}, controller.signal)
    const queued = send({ message_id: 'queued' }, controller.signal)
    await expect.poll(() => receiver.steps).toContain('rcpt')
    controller.abort()
    expect(await blocking).toEqual({ kind: 'retry', message: 'the attempt was aborted' })
    expect(await queued).toMatchObject({ kind: 'retry', message: expect.stringContaining('was aborted') })

    receiver.behave('accept')
    expect(await send({ message_id: 'after' })).toMatchObject({ kind: 'sent' })
    expect(receiver.mails.map(mail => mail.parsed.messageId)).toEqual(['<after@carillon.example>'])
  })

  it('is uncertain when the body had left', async () => {
    await start()
    const controller = new AbortController()
    receiver.behave({ hang: 'data' })
    const sending = send({}, controller.signal)
    await expect.poll(() => receiver.steps).toContain('data')
    controller.abort()
    expect(await sending).toMatchObject({ kind: 'uncertain' })
  })
})

describe('unusable options', () => {
  const good = { url: 'smtp://mail.example', from: 'a@b.example', timeout_ms: 1, pool_size: 1 }

  it.each(['http://mail.example', 'bob:hunter22', 'smtp://', ''])('the url "%s" is not repeated', url => {
    expect(() => createSmtpProvider({ ...good, url })).toThrow(/^expected the SMTP url to look like smtp:/)
  })

  it('a sender without an address', () => {
    expect(() => createSmtpProvider({ ...good, from: 'Carillon' })).toThrow(
      'expected the sender to be a mail address, got: Carillon',
    )
  })
})
