/** The folder of docs/guides/templates.md, pushed to a real API and sent through a real mail server. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { carillon as commandLine } from '../../server/src/cli/in-process.fixture.ts'
import { useCarillon } from '../../server/test/carillon.ts'
import { createProviderParts, PUBLIC_URL } from '../../server/test/provider-parts.ts'
import { type SmtpReceiver, startSmtpReceiver } from '../../server/test/receivers/smtp-receiver.ts'
import { waitFor } from '../../server/test/wait-for.ts'

const carillon = useCarillon()
const folder = new URL('.', import.meta.url).pathname
let url: string
let mailServer: SmtpReceiver
let providers: ReturnType<typeof createProviderParts>
const run = (...args: string[]) =>
  commandLine(url, ['templates', ...args], { environment: { CARILLON_API_KEY: carillon.key } })

beforeAll(async () => {
  url = await carillon.listen()
  mailServer = await startSmtpReceiver()
  const config = {
    host: '127.0.0.1',
    port: Number(new URL(mailServer.url).port),
    tls: 'offered',
    from: 'shop@example.com',
  }
  await carillon.request('POST', '/v1/providers', { body: { name: 'mail', kind: 'smtp', config } })
  providers = createProviderParts(carillon.pool, { keyring: carillon.providers.keyring })
})
afterAll(async () => {
  await providers?.close()
  await mailServer?.stop()
})

it('pushing publishes everything; pushing again publishes nothing', async () => {
  const first = await run('push', folder)
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout.match(/published as version 1/g)).toHaveLength(4)
  const second = await run('push', folder)
  expect(second.stdout.match(/version 1, unchanged/g)).toHaveLength(4)
})

it('the preview shows the samples', async () => {
  expect((await run('preview', 'order_shipped', 'email')).stdout).toBe(`Order 1842 is on its way

Northwind Teas https://northwind.example

Your order is on its way

We handed 2 parcels to the carrier today.

Track it https://northwind.example/orders/1842

Item Price
Teapot, blue € 49.00
Tea “First Flush” € 12.50

The pot is fragile.

Northwind Teas · Hafenstraße 12 · 20457 Hamburg
You get this mail because you ordered from us.
Unsubscribe ${PUBLIC_URL}/unsubscribe/sample
Manage notifications ${PUBLIC_URL}/preferences/sample
`)
})

it('everybody gets the mail in their language, with HTML and text', async () => {
  await carillon.putUser('ada', { email: 'ada@example.com', locale: 'en-GB' })
  await carillon.putUser('bert', { email: 'bert@example.com', locale: 'de-AT' })
  const worker = carillon.deliver(() => ({ kind: 'sent' }), { candidates: providers.directory.candidates })
  const order = { number: 7, parcels: 1, items: [{ name: 'Tea & <b>', price: '€ 1' }] }
  const id = await carillon.send({
    notification_type: 'order_shipped',
    audience: { kind: 'users', user_ids: ['ada', 'bert'] },
    channels: ['email'],
    payload: { order, tracking_url: 'https://northwind.example/7?a=1&b=2' },
  })
  await carillon.settled(id, 'sent')
  await worker.stop()
  const [ada, bert] = await waitFor(
    async () => {
      const mails = ['ada', 'bert'].map(name =>
        mailServer.mails.find(({ to }) => to.includes(`${name}@example.com`)),
      )
      return mails.every(mail => mail !== undefined) && mails.map(mail => mail!.parsed)
    },
    { what: 'both mails' },
  )
  expect(ada).toMatchObject({ subject: 'Order 7 is on its way' })
  expect(ada!.text).toContain('We handed one parcel to the carrier today.')
  expect(ada!.text).toContain('Tea & <b> € 1')
  expect(ada!.html).toContain('Tea &amp; &lt;b&gt;')
  expect(ada!.html).toContain('href="https://northwind.example/7?a=1&amp;b=2"')
  expect(ada!.html).toContain('background: #1f7a5c')
  expect(bert).toMatchObject({ subject: 'Bestellung 7 ist unterwegs' })
  expect(bert!.text).toContain('ein Paket')
})
