import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type SmtpBehaviour,
  type SmtpReceiverOptions,
  startSmtpReceiver,
} from '../../../../test/receivers/smtp-receiver.ts'
import { describeProvider, type Scenario } from '../conformance.suite.ts'
import { aMessage } from '../message.fixture.ts'
import type { Provider } from '../provider.ts'
import { someSettings } from '../settings.fixture.ts'
import { smtpKind } from './smtp-kind.ts'

const BEHAVIOURS: Record<Exclude<Scenario, 'is_unreachable'>, SmtpBehaviour> = {
  accepts: 'accept',
  fails_for_now: { reply: 451, at: 'data' },
  throttles: { reply: 421, text: '4.7.0 slow down', at: 'mail' },
  refuses: { reply: 550, text: 'no such user', at: 'rcpt' },
  rejects_credentials: { reply: 535, at: 'mail' },
  hangs: { hang: 'rcpt' },
}

function create(url: string, config = {}, secrets = {}, timeoutMs = 5000): Provider {
  const { hostname, port } = new URL(url)
  return smtpKind.create(
    someSettings({
      name: 'our relay',
      config: smtpKind.config.parse({
        host: hostname,
        port: Number(port),
        tls: 'offered',
        from: 'Acme <bells@acme.example>',
        ...config,
      }),
      secrets: smtpKind.secrets.parse(secrets),
      timeoutMs,
    }),
  )
}

describeProvider('smtp kind', {
  scenarios: ['fails_for_now', 'throttles', 'refuses', 'rejects_credentials', 'hangs', 'is_unreachable'],
  async start(scenario, timeoutMs) {
    const smtp = await startSmtpReceiver()
    if (scenario === 'is_unreachable') await smtp.stop()
    else smtp.behave(BEHAVIOURS[scenario])
    return {
      provider: create(smtp.url, {}, {}, timeoutMs),
      receivedIds: () =>
        smtp.mails.map(mail => mail.parsed.messageId?.replace(/^<|@acme.example>$/g, '') ?? ''),
      wasContacted: () => smtp.steps.includes('rcpt'),
      openConnections: () => smtp.connections.open,
      stop: () => smtp.stop(),
    }
  },
})

async function send(config = {}, secrets = {}, receiverOptions: SmtpReceiverOptions = {}) {
  const receiver = await startSmtpReceiver(receiverOptions)
  const provider = create(receiver.url, config, secrets)
  onTestFinished(async () => {
    await provider.close()
    await receiver.stop()
  })
  const outcome = await provider.send(aMessage(), new AbortController().signal)
  return { outcome, provider, mail: receiver.mails[0] }
}

describe('the settings', () => {
  it('name the provider and its login, whatever characters the password has', async () => {
    const auth = { user: 'bob@acme.example', password: 'hunter22/%@:?x' }
    const { outcome, provider } = await send({}, auth, { auth })
    expect(provider.name).toBe('our relay')
    expect(outcome).toMatchObject({ kind: 'sent' })
  })

  it('keep a wrong password out of the outcome', async () => {
    const wrong = { user: 'bob', password: 'wrong-secret' }
    const { outcome } = await send({}, wrong, { auth: { user: 'bob', password: 'right' } })
    expect(outcome).toMatchObject({ kind: 'config' })
    expect(JSON.stringify(outcome)).not.toContain('wrong-secret')
  })

  it('require TLS by default, and send nothing without it', async () => {
    const { outcome, mail } = await send({ tls: 'required' })
    expect(outcome.kind).toBe('config')
    expect(mail).toBeUndefined()
    expect(smtpKind.config.parse({ host: 'mail.example', from: 'a@b.example' })).toMatchObject({
      port: 587,
      tls: 'required',
    })
  })

  it('do not trust a self-signed certificate', async () => {
    expect((await send({ tls: 'implicit' }, {}, { tls: 'implicit' })).outcome.kind).toBe('config')
    expect((await send({ tls: 'required' }, {}, { tls: 'starttls' })).outcome.kind).toBe('config')
  })

  it('sign with DKIM', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
    const dkim_private_key = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
    const { mail } = await send({ dkim_domain: 'acme.example', dkim_selector: 's1' }, { dkim_private_key })
    expect(String(mail?.raw)).toMatch(/^DKIM-Signature: .*d=acme\.example;.*s=s1;/ms)
    expect(() => create('smtp://mail.example:25', { dkim_domain: 'acme.example' })).toThrow(
      /DKIM selector and key/,
    )
  })

  it('set the domain of the message id', async () => {
    const { mail } = await send({ message_id_domain: 'ids.example' })
    expect(mail?.parsed.messageId).toBe('<rec-2.route-3@ids.example>')
  })

  it.each(['mail.example?tls.rejectUnauthorized=false', 'a@b', 'a/b', 'a:25', ''])(
    'refuse the host "%s"',
    host => {
      expect(smtpKind.config.safeParse({ host, from: 'a@b.example' }).success).toBe(false)
    },
  )
})

it('is for operators alone', () => {
  expect(smtpKind.operatorOnly).toBe(true)
})
