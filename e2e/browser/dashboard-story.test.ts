import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type HttpReceiver, startHttpReceiver } from '../../server/test/receivers/http-receiver.ts'
import { useChromium } from './chromium.fixture.ts'
import { useDashboard } from './dashboard.fixture.ts'

// A whole process and a browser, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const browser = useChromium()
const dashboard = useDashboard(browser)
let service: HttpReceiver

beforeAll(async () => {
  service = await startHttpReceiver()
})
afterAll(() => service?.stop())

test('somebody sends a test, sees beforehand what would happen, and watches it happen', async () => {
  const client = dashboard.connect()
  await client.users.put('ada', { email: 'ada@example.com', username: 'Ada Lovelace' })
  await client.notificationTypes.put('welcome', {
    description: 'The first thing people get',
    channels: ['in_app', 'email', 'sms'],
    required_fields: ['title'],
  })
  const page = await dashboard.openAs('owner', '/send')
  await page.getByRole('combobox', { name: 'Type' }).selectOption('welcome')
  await page.getByRole('combobox', { name: 'People' }).fill('ada')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Simulate' }).click()
  await page.getByText('would be sent').first().waitFor()
  await page
    .getByText(/no address/i)
    .first()
    .waitFor()
  const { data: before } = await client.records.list()
  expect(before).toEqual([])

  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await expect
    .poll(async () => (await client.records.list()).data)
    .toMatchObject([{ notification_type: 'welcome', recipients: ['ada'] }])
  await page.getByText('2 sent').first().waitFor()

  await page.goto(`${dashboard.url}/dashboard/activity`)
  await page
    .getByRole('table', { name: /notifications/i })
    .getByText('welcome')
    .click()
  await page.getByRole('heading', { name: 'welcome' }).waitFor()
  await page
    .getByText(/1 skipped/)
    .first()
    .waitFor()
  await page.getByText('no address for this channel').first().waitFor()
  expect(browser.mistakes.filter(text => !text.includes('401'))).toEqual([])
})

test('a provider breaks, its letters are found by their cause, and all go out once it is mended', async () => {
  const client = dashboard.connect()
  await client.providers.create({
    name: 'texts',
    kind: 'http',
    channel: 'sms',
    config: { url: `${service.url}/texts` },
  })
  service.answerWith(() => ({ status: 400, body: 'account closed' }))
  await client.intents.sendBatch({
    intents: Array.from({ length: 25 }, (_, i) => ({
      notification_type: 'reminder',
      audience: { kind: 'addresses' as const, channel: 'sms' as const, addresses: [`+1555010${1000 + i}`] },
      payload: { title: `Reminder ${i}` },
    })),
  })
  await expect.poll(async () => (await client.deadLetters.count()).open).toBe(25)

  const page = await dashboard.openAs('operator', '/dead-letters')
  const cause = page.getByRole('list', { name: 'Causes' }).getByRole('listitem').filter({ hasText: 'texts' })
  await cause.getByText('25').waitFor()
  await cause.getByText('account closed').waitFor()

  service.answerWith(() => ({}))
  const refused = service.requests.length
  await cause.getByRole('button', { name: 'Replay all' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/25/).first().waitFor()
  await dialog.getByRole('button', { name: /^Replay/ }).click()
  await dialog
    .getByText(/25 .*(sent again|replayed)/i)
    .first()
    .waitFor()
  const sent = async () => (await client.routes.list({ channel: 'sms', status: 'sent', limit: 100 })).data
  await expect.poll(async () => (await sent()).length).toBe(25)
  expect((await client.deadLetters.count()).open).toBe(0)
  expect(service.requests.length - refused).toBe(25)
  await page.keyboard.press('Escape')
  await cause.waitFor({ state: 'detached' })
})

test('a template is edited, looked at, published, and the next mail uses it', async () => {
  const client = dashboard.connect()
  const key = { name: 'receipt', channel: 'email', locale: 'en' } as const
  const variables = [{ name: 'amount', sample: '12 EUR' }]
  await client.templates.put(key, { subject: 'Receipt', body: '<p>You paid {{ amount }}.</p>', variables })
  await client.templates.publish(key)
  await client.notificationTypes.put('receipt', { channels: ['email'] })

  const page = await dashboard.openAs('admin', '/templates/receipt/email/en')
  const body = page.getByRole('textbox', { name: 'Body' })
  await body.click()
  await page.keyboard.press('Control+a')
  // As if pasted: what is typed, the editor completes.
  await page.keyboard.insertText('<p>Thank you for {{ amount }}.</p>')
  await page.frameLocator('iframe').first().getByText('Thank you for 12 EUR.').waitFor()
  await page.getByRole('button', { name: 'Publish' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await page.getByText('version 2 is published', { exact: true }).waitFor()

  const audience = { kind: 'addresses' as const, channel: 'email' as const, addresses: ['ada@example.com'] }
  const { notification_id } = await client.intents.send({
    notification_type: 'receipt',
    audience,
    payload: { amount: '99 EUR' },
  })
  await page.goto(`${dashboard.url}/dashboard/captured?notification_id=${notification_id}`)
  await page.frameLocator('iframe').first().getByText('Thank you for 99 EUR.').waitFor()
})
