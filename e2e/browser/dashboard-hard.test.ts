import { createClient } from '@carillon/sdk'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type HttpReceiver, startHttpReceiver } from '../../server/test/receivers/http-receiver.ts'
import { useChromium } from './chromium.fixture.ts'
import { useDashboard } from './dashboard.fixture.ts'

// A whole process and a browser, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const browser = useChromium()
const dashboard = useDashboard(browser)
let receiver: HttpReceiver

beforeAll(async () => {
  receiver = await startHttpReceiver()
})
afterAll(() => receiver?.stop())

const goTo = (page: Page, path: string) => page.goto(`${dashboard.url}/dashboard${path}`)

test('a person with any id opens from the list and by the address, and nothing of it runs', async () => {
  const client = dashboard.connect()
  const ids = [
    'a/b?c#d%2F',
    'back\\slash',
    '<img src=x onerror=alert(1)>',
    '__proto__',
    '\u202egnp.exe',
    '👩‍🚀',
  ]
  for (const id of ids) await client.users.put(id, { username: id })
  const page = await dashboard.openAs('owner', '/people')
  for (const id of ids) {
    await page.getByRole('link', { name: 'People', exact: true }).first().click()
    await page.getByRole('searchbox').fill(id)
    await page.getByRole('table', { name: 'People' }).getByText(id, { exact: true }).first().click()
    await page.getByRole('heading', { name: id, exact: true }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: id, exact: true }).waitFor()
  }
  // Looking somebody up by id asks for them before it finds that they are not there.
  expect(browser.mistakes.filter(text => !/40[14]/.test(text))).toEqual([])
})

test('an address that was typed wrongly still shows its page', async () => {
  const page = await dashboard.openAs('owner', '/?from=foo&to=bar&range=constructor')
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor()
  for (const [path, title] of [
    ['/activity?accepted_after=foo&status=bar', 'Activity'],
    ['/dead-letters?created_after=foo&failure_reason=__proto__', 'Dead letters'],
    ['/audit-log?created_before=foo&action=constructor', 'Audit log'],
  ] as const) {
    await goTo(page, path)
    await page.getByRole('heading', { name: title, exact: true }).waitFor()
  }
  expect(browser.mistakes.filter(text => !/40[01]/.test(text))).toEqual([])
})

test('an address with a percent sign shows the page of what it names', async () => {
  const page = await dashboard.openAs('owner', '/people/100%')
  await page.getByRole('main').getByText('100%').first().waitFor()
})

test('text that is typed over a selection replaces it, is undone at once, and brackets go around it', async () => {
  const page = await dashboard.openAs('owner', '/send')
  const payload = page.getByRole('textbox', { name: 'Payload' })
  await page.locator('.cm-content span', { hasText: 'Hello' }).waitFor()
  const before = await payload.innerText()
  await payload.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('x')
  await expect.poll(() => payload.innerText()).toBe('x')
  await page.keyboard.press('Control+z')
  await expect.poll(() => payload.innerText()).toBe(before)
  await page.keyboard.press('Control+a')
  await page.keyboard.type('[')
  await expect.poll(() => payload.innerText()).toBe(`[${before}]`)
  // The page's policy refuses styles that a browser writes by itself.
  expect(browser.mistakes.filter(text => !text.includes('401'))).toEqual([])
})

test('j leads into a list from anywhere on the page, and back to where somebody was', async () => {
  const client = dashboard.connect()
  for (const id of ['keys-a', 'keys-b']) await client.users.put(id, { username: id })
  const page = await dashboard.openAs('owner', '/people')
  const rows = page.getByRole('table', { name: 'People' }).getByRole('row')
  await rows.nth(2).getByText(/./).first().waitFor()
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
  await page.keyboard.press('j')
  await expect.poll(focused).toBe(await rows.nth(1).textContent())
  await page.keyboard.press('j')
  await page.evaluate(() => (document.activeElement as HTMLElement).blur())
  await page.keyboard.press('j')
  await expect.poll(focused).toBe(await rows.nth(2).textContent())
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/people\/./)
})

test('what somebody else saved meanwhile is replaced only by a writer who knows', async () => {
  const client = dashboard.connect()
  const key = { name: 'shared', channel: 'email', locale: 'en' } as const
  await client.templates.put(key, { subject: 'Shared', body: '<p>First</p>' })
  const page = await dashboard.openAs('owner', '/templates/shared/email/en')
  const body = page.getByRole('textbox', { name: 'Body' })
  const write = async (text: string) => {
    await body.click()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText(text)
  }
  const stored = async () => (await client.templates.get(key)).body
  const save = () => page.getByRole('button', { name: 'Save draft' }).click()
  await write('<p>Mine</p>')
  await client.templates.update(key, { body: '<p>Theirs</p>' })
  await save()
  await page.getByText('somebody else has saved this template meanwhile').waitFor()
  expect([await stored(), await body.innerText()]).toEqual(['<p>Theirs</p>', '<p>Mine</p>'])
  await save()
  await page.getByText('Draft saved').waitFor()
  expect(await stored()).toBe('<p>Mine</p>')
  await write('<p>Mine again</p>')
  await save()
  await expect.poll(stored).toBe('<p>Mine again</p>')
})

test('the mark tells that the server is gone also on a page that asks for nothing by itself', async () => {
  const page = await dashboard.openAs('owner', '/api-keys')
  const mark = page.getByRole('status').filter({ hasText: /Live|Offline/ })
  await page.getByRole('heading', { name: 'API keys', exact: true }).waitFor()
  await page.route('**/healthz', route => route.abort())
  await mark.getByText('Offline').waitFor()
  await page.unroute('**/healthz')
  await mark.getByText('Live').waitFor()
})

test('a double click does what it says once', async () => {
  const client = dashboard.connect()
  const webhook = await client.webhooks.create({ url: `${receiver.url}/hook`, events: ['notification.sent'] })
  await client.webhooks.test(webhook.id)
  const page = await dashboard.openAs('owner', `/webhooks/${webhook.id}`)
  await page.getByRole('table').locator('tbody tr').first().click()
  await page.getByRole('dialog').getByRole('button', { name: /again/ }).dblclick()
  const redeliveries = async () =>
    (await client.auditLogs.list({ resource_type: 'webhook_delivery', action: 'redeliver' })).data.length
  await expect.poll(redeliveries).toBe(1)
  // The second click would have been answered before this one is.
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'People', exact: true }).first().click()
  await page.getByRole('button', { name: 'Create a person' }).first().click()
  await page.getByRole('dialog').getByLabel('Id').fill('twice')
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).dblclick()
  await page.getByRole('heading', { name: 'twice' }).waitFor()
  const { data: changes } = await client.auditLogs.list({ resource_type: 'user', resource_id: 'twice' })
  expect(changes).toMatchObject([{ action: 'create' }])
  expect(await redeliveries()).toBe(1)
})

test('what is typed slowly into a search stays as it was typed', async () => {
  await dashboard.connect().users.put('lovelace', { username: 'ada lovelace' })
  const page = await dashboard.openAs('viewer', '/people')
  const search = page.getByRole('searchbox')
  // Slower than the list waits before it searches, so that each letter meets an address that has just changed.
  await search.pressSequentially('ada lovelace', { delay: 250 })
  expect(await search.inputValue()).toBe('ada lovelace')
  await page.getByRole('table', { name: 'People' }).getByText('lovelace', { exact: true }).waitFor()
})

test('a kind of provider that only operators add is not offered to others', async () => {
  const page = await dashboard.openAs('owner', '/providers/new')
  await page.getByRole('link', { name: /Postmark/ }).waitFor()
  await page.getByText('Only the operator of this Carillon can add it').waitFor()
  expect(await page.getByRole('link', { name: /SMTP server/ }).count()).toBe(0)
})

test('a tab stays in its tenant, whatever another tab chooses', async () => {
  const one = await dashboard.openAs('admin')
  const second = `${dashboard.tenant}-second`
  const { api_key } = await dashboard.operator.tenants.create({ name: second })
  await dashboard.join(createClient({ url: dashboard.url, apiKey: api_key.key }), 'admin')
  await one.reload()
  const tenantOf = (page: Page) => page.getByRole('button', { name: /^Tenant / })
  const before = (await tenantOf(one).getAttribute('aria-label'))!
  const other = await one.context().newPage()
  await goTo(other, '/')
  await tenantOf(other).click()
  await other.getByRole('menuitem', { name: second, exact: true }).click()
  await expect.poll(() => tenantOf(other).getAttribute('aria-label')).not.toBe(before)
  await one.reload()
  expect(await tenantOf(one).getAttribute('aria-label')).toBe(before)
})
