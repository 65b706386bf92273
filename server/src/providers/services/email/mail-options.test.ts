/** Reply-to, copies and attachments, as each mail service documents them. */
import { expect, it } from 'vitest'
import { startHttpReceiver } from '../../../../test/receivers/http-receiver.ts'
import { http } from '../http.ts'
import type { ProviderKind } from '../kind.ts'
import { aMessage } from '../message.fixture.ts'
import { someSettings } from '../settings.fixture.ts'
import { mailgun } from './mailgun.ts'
import { postmark } from './postmark.ts'
import { resend } from './resend.ts'
import { sendgrid } from './sendgrid.ts'
import { ses } from './ses.ts'

const FROM = { from: 'bells@acme.example', reply_to: 'help@acme.example' }
const PDF = {
  filename: 'a – b.pdf',
  content_type: 'application/pdf',
  bytes: 9,
  content: Buffer.from('%PDF-1.7\n'),
}
const BASE64 = 'JVBERi0xLjcK'
const OPTIONS = {
  reply_to: 'sales@x.example',
  cc: ['carl@x.example', 'cleo@x.example'],
  bcc: ['ben@x.example'],
  attachments: [PDF],
}

async function requestOf(kind: ProviderKind, config: object, secrets: object, options: object = OPTIONS) {
  const receiver = await startHttpReceiver()
  receiver.answerWith(() => ({ status: 200, body: '{}' }))
  const field = kind === http ? { url: receiver.url } : { base_url: receiver.url }
  const settings = {
    config: kind.config.parse({ ...config, ...field }),
    secrets: kind.secrets.parse(secrets),
  }
  const provider = kind.create(someSettings(settings))
  const outcome = await provider.send(aMessage({ options }), new AbortController().signal)
  await receiver.stop()
  return { outcome, request: receiver.requests[0]! }
}

const AWS = { access_key_id: 'AKIA0123456789ABCDEF', secret_access_key: 'x'.repeat(40) }

it.each([
  [
    sendgrid,
    FROM,
    { api_key: 'SG.key' },
    {
      personalizations: [
        {
          to: [{ email: 'ada@example.org' }],
          cc: [{ email: 'carl@x.example' }, { email: 'cleo@x.example' }],
          bcc: [{ email: 'ben@x.example' }],
        },
      ],
      reply_to: { email: 'sales@x.example' },
      attachments: [
        { content: BASE64, type: 'application/pdf', filename: 'a – b.pdf', disposition: 'attachment' },
      ],
    },
  ],
  [
    postmark,
    FROM,
    { server_token: 'token' },
    {
      Cc: 'carl@x.example,cleo@x.example',
      Bcc: 'ben@x.example',
      ReplyTo: 'sales@x.example',
      Attachments: [{ Name: 'a – b.pdf', Content: BASE64, ContentType: 'application/pdf' }],
    },
  ],
  [
    resend,
    FROM,
    { api_key: 're_key' },
    {
      cc: ['carl@x.example', 'cleo@x.example'],
      bcc: ['ben@x.example'],
      reply_to: 'sales@x.example',
      attachments: [{ filename: 'a – b.pdf', content: BASE64, content_type: 'application/pdf' }],
    },
  ],
  [
    ses,
    { ...FROM, region: 'eu-central-1' },
    AWS,
    {
      Destination: {
        ToAddresses: ['ada@example.org'],
        CcAddresses: ['carl@x.example', 'cleo@x.example'],
        BccAddresses: ['ben@x.example'],
      },
      ReplyToAddresses: ['sales@x.example'],
      Content: {
        Simple: {
          Attachments: [
            {
              FileName: 'a – b.pdf',
              ContentType: 'application/pdf',
              ContentDisposition: 'ATTACHMENT',
              ContentTransferEncoding: 'BASE64',
              RawContent: BASE64,
            },
          ],
        },
      },
    },
  ],
  [
    http,
    {},
    {},
    {
      options: {
        reply_to: 'sales@x.example',
        cc: ['carl@x.example', 'cleo@x.example'],
        bcc: ['ben@x.example'],
        attachments: [{ filename: 'a – b.pdf', content_type: 'application/pdf', bytes: 9, content: BASE64 }],
      },
    },
  ],
])('$name gets all of them', async (kind, config, secrets, body) => {
  const { outcome, request } = await requestOf(kind, config, secrets)
  expect(outcome.kind).toBe('sent')
  expect(JSON.parse(String(request.body))).toMatchObject(body)
})

it('Mailgun gets them as a form with files', async () => {
  const config = { ...FROM, domain: 'acme.example' }
  const { request } = await requestOf(mailgun, config, { api_key: 'key' })
  const type = request.headers['content-type']!
  expect(type).toMatch(/^multipart\/form-data; boundary=/)
  const form = await new Response(new Uint8Array(request.body), {
    headers: { 'content-type': type },
  }).formData()
  expect([form.get('cc'), form.get('bcc'), form.get('h:Reply-To')]).toEqual([
    'carl@x.example,cleo@x.example',
    'ben@x.example',
    'sales@x.example',
  ])
  const file = form.get('attachment') as File
  expect([file.name, file.type, await file.text()]).toEqual(['a – b.pdf', 'application/pdf', '%PDF-1.7\n'])
  expect(form.get('to')).toBe('ada@example.org')
})

it('a list of addresses never reaches a service as one of them', async () => {
  const { outcome, request } = await requestOf(
    postmark,
    FROM,
    { server_token: 'token' },
    {
      cc: ['carl@x.example,eve@x.example'],
    },
  )
  expect([outcome.kind, request]).toEqual(['permanent', undefined])
})

it('a refusal of a mail with copies suppresses nobody, since any of them may be meant', async () => {
  const receiver = await startHttpReceiver()
  receiver.answerWith(() => ({ status: 422, body: '{"ErrorCode":406,"Message":"Inactive recipient"}' }))
  const config = postmark.config.parse({ ...FROM, base_url: receiver.url })
  const provider = postmark.create(someSettings({ config, secrets: { server_token: 'token' } }))
  const send = (options: object) => provider.send(aMessage({ options }), new AbortController().signal)
  expect(await send({ cc: ['carl@x.example'] })).not.toHaveProperty('suppress')
  expect(await send({})).toHaveProperty('suppress', 'hard_bounce')
  await receiver.stop()
})
