import { type Client, createClient } from '@carillon/sdk'
import { afterAll, afterEach, beforeAll, expect, inject, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../server/test/database.ts'
import { freePort } from '../server/test/free-port.ts'
import { type HttpReceiver, startHttpReceiver } from '../server/test/receivers/http-receiver.ts'
import {
  type ReceivedMail,
  type SmtpReceiver,
  startSmtpReceiver,
} from '../server/test/receivers/smtp-receiver.ts'
import { waitFor } from '../server/test/wait-for.ts'
import { type CarillonProcess, runCarillon } from './carillon-process.ts'
import { type DataFolder, makeDataFolder } from './data-folder.ts'

// Whole processes start in every test, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

let smtp: SmtpReceiver
let http: HttpReceiver
let database: TestDatabase
let folder: DataFolder
let carillon: CarillonProcess
let client: Client

beforeAll(async () => {
  smtp = await startSmtpReceiver()
  http = await startHttpReceiver()
  database = await createTestDatabase()
  folder = makeDataFolder(inject('scratchDir'))
  const port = await freePort()
  carillon = runCarillon(['start'], {
    PORT: String(port),
    DATABASE_URL: database.url,
    CARILLON_DATA_DIR: folder.path,
    CARILLON_SMTP_URL: smtp.url,
    CARILLON_SMTP_FROM: 'Acme <no-reply@acme.example>',
    CARILLON_PROVIDERS: 'push=http',
    CARILLON_HTTP_PROVIDER_URL: http.url,
  })
  const url = `http://127.0.0.1:${port}`
  await carillon.ready(url)
  client = createClient({ url, apiKey: folder.apiKey() })
  await client.tenant.update({ retry_base_ms: 100, retry_cap_ms: 1_000 })
})
afterAll(async () => {
  await carillon.end('SIGTERM')
  await Promise.all([smtp.stop(), http.stop(), database.drop()])
  await folder.remove()
})
afterEach(() => smtp.behave('accept'))

function sendMail(address: string, payload: object): Promise<{ notification_id: string }> {
  return client.intents.send(
    {
      notification_type: 'order_shipped',
      audience: { kind: 'addresses', channel: 'email', addresses: [address] },
      payload: { ...payload },
      request_id: `request of ${address}`,
    },
    { traceparent },
  )
}

async function routeOf(notificationId: string, status: string) {
  return waitFor(
    async () => (await client.records.routes(notificationId)).data.find(route => route.status === status),
    { what: `the route of ${notificationId} to be ${status}` },
  )
}

const mailsTo = (address: string): ReceivedMail[] => smtp.mails.filter(mail => mail.to.includes(address))

const headerOf = (mail: ReceivedMail, name: string) =>
  mail.parsed.headers.find(header => header.key === name)?.value

test('a mail names its type as the template, and passes on request and trace ids', {
  tags: ['S000-26', 'S000-27'],
}, async () => {
  const { notification_id } = await sendMail('ada@example.com', {
    title: 'Grüße\r\nBcc: eve@example.com',
    body: 'Hi',
  })
  await routeOf(notification_id, 'sent')
  const [mail, ...more] = mailsTo('ada@example.com')
  expect(more).toEqual([])
  expect(mail).toMatchObject({ from: 'no-reply@acme.example', to: ['ada@example.com'] })
  expect(mail!.parsed).toMatchObject({
    from: { name: 'Acme', address: 'no-reply@acme.example' },
    subject: 'Grüße Bcc: eve@example.com',
  })
  expect(mail!.parsed.bcc).toBeUndefined()
  expect(headerOf(mail!, 'x-carillon-type')).toBe('order_shipped')
  expect(headerOf(mail!, 'x-carillon-notification')).toBe(notification_id)
  expect(headerOf(mail!, 'x-request-id')).toBe('request of ada@example.com')
  expect(headerOf(mail!, 'traceparent')).toBe(traceparent)
})

test('a mail has a plain text and an HTML form, and what the payload says is text in both', async () => {
  const body = 'Tom & <b>Jerry</b>\n\n<script>alert("1")</script>'
  const { notification_id } = await sendMail('bob@example.com', { title: 'News <i>', body })
  await routeOf(notification_id, 'sent')
  const { parsed } = mailsTo('bob@example.com')[0]!
  expect(parsed.subject).toBe('News <i>')
  expect(parsed.text?.trim()).toBe(body)
  expect(parsed.html).toContain('<title>News &lt;i&gt;</title>')
  expect(parsed.html).toContain('>Tom &amp; &lt;b&gt;Jerry&lt;/b&gt;</p>')
  expect(parsed.html).not.toMatch(/<(b|i|script)>/)
})

test('a mail that is sent again because its answer was lost has the same Message-ID', {
  tags: 'S000-26',
}, async () => {
  smtp.behave({ drop: 'data' })
  const { notification_id } = await sendMail('cleo@example.com', { body: 'Once or twice' })
  await waitFor(async () => mailsTo('cleo@example.com').length >= 1, { what: 'the first copy' })
  smtp.behave('accept')
  await routeOf(notification_id, 'sent')
  const ids = mailsTo('cleo@example.com').map(mail => mail.parsed.messageId)
  expect(ids.length).toBeGreaterThan(1)
  expect(new Set(ids).size).toBe(1)
  expect(ids[0]).toMatch(new RegExp(`^<${notification_id}\\.[0-9a-f]{16}@acme\\.example>$`))
})

test('a refused mail becomes a dead letter with advice; replayed after the cause is gone, it arrives once', async () => {
  smtp.behave({ reply: 550, text: 'no such mailbox', at: 'rcpt' })
  const { notification_id } = await sendMail('dan@example.com', { body: 'Hello Dan' })
  const { route_id } = await routeOf(notification_id, 'dead')
  const letters = (await client.deadLetters.list({ channel: 'email' })).data
  expect(letters).toHaveLength(1)
  expect(letters[0]).toMatchObject({
    notification_id,
    route_id,
    failure_reason: 'permanent_failure',
    failure_classification: 'permanent',
    failure_message: expect.stringContaining('no such mailbox'),
    recovery_hint: expect.stringContaining('Check the address'),
    final_attempt_count: 1,
  })
  expect(mailsTo('dan@example.com')).toEqual([])

  smtp.behave('accept')
  expect(await client.deadLetters.replay(letters[0]!.id)).toMatchObject({ resolution: 'replayed' })
  await routeOf(notification_id, 'sent')
  expect(mailsTo('dan@example.com')).toHaveLength(1)
  expect(await client.deadLetters.count()).toMatchObject({ open: 0 })
  const { people } = await client.records.explain(notification_id)
  const decisions = people[0]!.routes[0]!.decisions.map(({ decision }) => decision)
  expect(decisions).toEqual(['routed', 'permanent', 'dead_lettered', 'replayed', 'sent'])
})

test('a push is small and goes to the person: no device, no address, no payload beyond what providers take', {
  tags: 'S000-27',
}, async () => {
  await client.users.put('eve', { email: 'eve@example.com', phone: '+4915112345678', locale: 'de' })
  const { notification_id } = await client.intents.send({
    notification_type: 'reply',
    audience: { kind: 'users', user_ids: ['eve'] },
    channels: ['push'],
    payload: { title: 'A reply', body: 'Ada answered.', quoted: 'x'.repeat(5_000) },
  })
  const { route_id } = await routeOf(notification_id, 'sent')
  const [request] = http.requests
  expect(http.requests).toHaveLength(1)
  expect(request!.body.byteLength).toBeLessThan(4_096)
  const body = JSON.parse(request!.body.toString())
  expect(request!.headers['idempotency-key']).toBe(body.message_id)
  expect(body).toMatchObject({
    template: 'reply',
    notification_id,
    route_id,
    recipient: { ref: 'user:eve', user_id: 'eve', locale: 'de' },
    subject: 'A reply',
    text: 'Ada answered.',
    payload: null,
  })
  expect(Object.keys(body.recipient).sort()).toEqual(['locale', 'ref', 'user_id'])
  expect(request!.body.toString()).not.toMatch(/device|eve@example|4915112345678/)
})
