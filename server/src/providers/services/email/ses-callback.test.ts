import { generateKeyPairSync } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { HttpClient, HttpRequest } from '../../../platform/outgoing/http-client.ts'
import { ForgedCallback } from '../kind.ts'
import { NOW, readCallback } from './callback.fixture.ts'
import { ses } from './ses.ts'
import { type SnsFields, signAsSns, TEST_ONLY_CERTIFICATE } from './sns-signing.fixture.ts'

const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:carillon'
const CERT_URL = 'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-01234567abcdef.pem'
const SUBSCRIBE_URL = `https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=t-1`

const mail = {
  timestamp: '2026-03-01T11:59:40.000Z',
  source: 'Acme <bells@acme.example>',
  messageId: '010701a2b3c4d5e6-11111111-2222-3333-4444-555555555555-000000',
  destination: ['ada@example.org'],
  tags: { 'ses:configuration-set': ['events'], message_id: ['rec-2_route-3'] },
}
const timestamp = '2026-03-01T11:59:50.000Z'
const delivery = { eventType: 'Delivery', mail, delivery: { timestamp, smtpResponse: '250 ok' } }
const bounce = (bounceType: string, bounceSubType = 'General') => ({
  eventType: 'Bounce',
  mail,
  bounce: {
    bounceType,
    bounceSubType,
    bouncedRecipients: [
      {
        emailAddress: 'ada@example.org',
        action: 'failed',
        status: '5.1.1',
        diagnosticCode: 'smtp; 550 5.1.1 user unknown',
      },
    ],
    timestamp,
    feedbackId: 'f-1',
  },
})
const complaint = (complaintFeedbackType: string) => ({
  eventType: 'Complaint',
  mail,
  complaint: {
    complainedRecipients: [{ emailAddress: 'ada@example.org' }],
    complaintFeedbackType,
    timestamp,
  },
})

function notification(event: unknown, replaced: SnsFields = {}): SnsFields {
  return {
    Type: 'Notification',
    MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
    TopicArn: TOPIC,
    Subject: 'Amazon SES Email Event Notification',
    Message: JSON.stringify(event),
    Timestamp: '2026-03-01T11:59:55.000Z',
    SignatureVersion: '2',
    SigningCertURL: CERT_URL,
    UnsubscribeURL: 'https://sns.eu-central-1.amazonaws.com/?Action=Unsubscribe',
    ...replaced,
  }
}

let called: string[]
let http: HttpClient
let status: number
beforeEach(() => {
  called = []
  status = 200
  http = {
    async send({ method, url }: HttpRequest) {
      called.push(`${method} ${url}`)
      return { status, headers: {}, body: TEST_ONLY_CERTIFICATE }
    },
    close: async () => {},
  }
})

function post(fields: unknown) {
  const config = { from: 'bells@acme.example', region: 'eu-central-1', topic_arn: TOPIC }
  const secrets = { access_key_id: 'k', secret_access_key: 's' }
  return readCallback(ses, { config, secrets, http }, { body: Buffer.from(JSON.stringify(fields)) })
}

describe('a signed notification', () => {
  it.each(['1', '2'])(
    'is read under version %s, and a repeat has the same event id',
    async SignatureVersion => {
      const signed = signAsSns(notification(delivery, { SignatureVersion }))
      const expected = [
        {
          message_id: 'rec-2.route-3',
          event_id: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
          kind: 'delivered',
          detail: '250 ok',
          at: new Date(timestamp),
        },
      ]
      expect(await post(signed)).toEqual(expected)
      expect(await post(signed)).toEqual(expected)
      expect(called).toEqual([`GET ${CERT_URL}`])
    },
  )

  it('need not have a subject', async () => {
    const { Subject: _, ...fields } = notification(delivery)
    expect(await post(signAsSns(fields))).toHaveLength(1)
  })

  it.each<[string, unknown, string, string | undefined]>([
    ['a permanent bounce', bounce('Permanent'), 'bounced', 'hard_bounce'],
    [
      'a bounce of an unsubscribed recipient',
      bounce('Permanent', 'UnsubscribedRecipient'),
      'bounced',
      'unsubscribed',
    ],
    ['a temporary bounce', bounce('Transient', 'MailboxFull'), 'bounced', undefined],
    ['a complaint', complaint('abuse'), 'complained', 'complaint'],
    ['a rejection', { eventType: 'Reject', mail, reject: { reason: 'Bad content' } }, 'failed', undefined],
    [
      'an opened mail',
      { eventType: 'Open', mail, open: { timestamp, ipAddress: '192.0.2.1' } },
      'opened',
      undefined,
    ],
  ])('%s', async (_title, event, kind, reason) => {
    const [feedback] = await post(signAsSns(notification(event)))
    expect(feedback).toMatchObject({ message_id: 'rec-2.route-3', kind })
    expect(feedback?.suppress).toEqual(reason && { address: 'ada@example.org', reason })
  })

  it('a bounce is about those who bounced, and not about whom the mail was addressed to', async () => {
    const copied = { ...mail, destination: ['ada@example.org', 'ben@example.org', 'cem@example.org'] }
    const bouncedRecipients = ['ben@example.org', 'cem@example.org'].map(emailAddress => ({ emailAddress }))
    const event = { ...bounce('Permanent'), mail: copied }
    const all = await post(
      signAsSns(notification({ ...event, bounce: { ...event.bounce, bouncedRecipients } })),
    )
    expect(all.map(({ recipient, suppress }) => [recipient, suppress?.address])).toEqual([
      ['ben@example.org', 'ben@example.org'],
      ['cem@example.org', 'cem@example.org'],
    ])
    expect(new Set(all.map(({ event_id }) => event_id)).size).toBe(2)
  })

  it('who of several has complained is not known', async () => {
    const complainedRecipients = [{ emailAddress: 'ada@example.org' }, { emailAddress: 'ben@example.org' }]
    const event = complaint('abuse')
    const [feedback, ...others] = await post(
      signAsSns(notification({ ...event, complaint: { ...event.complaint, complainedRecipients } })),
    )
    expect([feedback?.kind, feedback?.recipient, others]).toEqual(['complained', undefined, []])
  })

  it.each<[string, unknown]>([
    ['a mail moved out of the spam folder', complaint('not-spam')],
    ['a sent mail', { eventType: 'Send', mail, send: {} }],
    ['a delay', { eventType: 'DeliveryDelay', mail }],
    ['a mail that is not ours', { ...delivery, mail: { ...mail, tags: {} } }],
    ['a notice without tags', { notificationType: 'Bounce', mail }],
  ])('is ignored for %s', async (_title, event) => {
    expect(await post(signAsSns(notification(event)))).toEqual([])
  })

  it('may arrive as late as SNS retries', async () => {
    const Timestamp = new Date(NOW - 60 * 60 * 1000).toISOString()
    expect(await post(signAsSns(notification(delivery, { Timestamp })))).toHaveLength(1)
  })
})

describe('a notification is refused', () => {
  it('when a byte was changed', async () => {
    const signed = signAsSns(notification(delivery))
    await expect(post({ ...signed, Message: signed.Message!.replace('ada', 'adb') })).rejects.toThrow(
      'the signature is not valid',
    )
  })

  it('when another key signed it', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
    await expect(post(signAsSns(notification(delivery), pem))).rejects.toThrow(ForgedCallback)
  })

  it('when it was published too long ago', async () => {
    const Timestamp = new Date(NOW - 66 * 60 * 1000).toISOString()
    const signed = signAsSns(notification(delivery, { Timestamp }))
    await expect(post(signed)).rejects.toThrow('the timestamp is too old')
  })

  it('when it comes from another topic, and nothing is fetched', async () => {
    const signed = signAsSns(notification(delivery, { TopicArn: `${TOPIC}2` }))
    await expect(post(signed)).rejects.toThrow('it is from another topic')
    expect(called).toEqual([])
  })

  it.each([
    CERT_URL.replace('https:', 'http:'),
    CERT_URL.replace('sns.', 'sns.evil.'),
    CERT_URL.replace('sns.eu-central-1', 'sns.s3-us-west-2'),
    CERT_URL.replace('sns.eu-central-1', 'sns.us-east-1'),
    CERT_URL.replace('.com/', '.com.evil.example/'),
    CERT_URL.replace('https://', 'https://user@evil.example\\@'),
    CERT_URL.replace('.com/', '.com:8443/'),
    CERT_URL.replace('.pem', '.txt'),
    'none',
  ])('when its certificate is at %s, and nothing is fetched', async SigningCertURL => {
    await expect(post(signAsSns(notification(delivery, { SigningCertURL })))).rejects.toThrow(ForgedCallback)
    expect(called).toEqual([])
  })

  it.each([null, [], {}, 'text'])('when it is %j', async fields => {
    await expect(post(fields)).rejects.toThrow(ForgedCallback)
  })

  it('for now when the certificate cannot be fetched, and the next one tries again', async () => {
    const signed = signAsSns(notification(delivery))
    status = 503
    const failure = await post(signed).catch((error: Error) => error)
    expect(failure).not.toBeInstanceOf(ForgedCallback)
    status = 200
    expect(await post(signed)).toHaveLength(1)
  })
})

describe('the confirmation of a subscription', () => {
  const confirmation = (replaced: SnsFields = {}): SnsFields => ({
    Type: 'SubscriptionConfirmation',
    MessageId: '165545c9-2a5c-472c-8df2-7ff2be2b3b1b',
    Token: 't-1',
    TopicArn: TOPIC,
    Message: 'You have chosen to subscribe to the topic.\nTo confirm, visit the SubscribeURL.',
    SubscribeURL: SUBSCRIBE_URL,
    Timestamp: '2026-03-01T11:59:55.000Z',
    SignatureVersion: '1',
    SigningCertURL: CERT_URL,
    ...replaced,
  })

  it('is followed if its signature is valid', async () => {
    expect(await post(signAsSns(confirmation()))).toEqual([])
    expect(called).toEqual([`GET ${CERT_URL}`, `GET ${SUBSCRIBE_URL}`])
  })

  it('is not followed when it is forged', async () => {
    const forged = { ...signAsSns(confirmation()), Token: 't-2' }
    await expect(post(forged)).rejects.toThrow(ForgedCallback)
    expect(called).toEqual([`GET ${CERT_URL}`])
  })

  it('is not followed to another host', async () => {
    const signed = signAsSns(confirmation({ SubscribeURL: 'https://sns.evil.example/' }))
    await expect(post(signed)).rejects.toThrow(ForgedCallback)
    expect(called).toEqual([`GET ${CERT_URL}`])
  })

  it('of its end is ignored', async () => {
    expect(await post(signAsSns(confirmation({ Type: 'UnsubscribeConfirmation' })))).toEqual([])
    expect(called).toEqual([`GET ${CERT_URL}`])
  })
})
