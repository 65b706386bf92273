/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { useChromium } from './chromium.fixture.ts'
import { addRows } from './inbox-rows.fixture.ts'
import type { PageOptions } from './product.fixture.ts'
import { useSite } from './site.fixture.ts'

// A whole process and a browser, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 })

const site = useSite()
const browser = useChromium()

const open = (options: PageOptions = {}, context = {}) =>
  browser.open(site.product.page(site.person, options), context)

describe('a filter', () => {
  const filter = (page: Page) => page.getByRole('combobox')

  test('is kept under a name as a tab, until the person removes it', async () => {
    await addRows(site.pool, site.person, [
      { title: 'For you', reason: 'mention' },
      { title: 'For all', reason: 'subscribed' },
    ])
    const page = await open()
    await page.getByText('For all').waitFor()
    await filter(page).fill('reason:mention')
    await page.keyboard.press('Enter')
    await page.getByText('For all').waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Save filter' }).click()
    await page.getByRole('textbox', { name: 'Name of the filter' }).fill('To me')
    await page.keyboard.press('Enter')
    await page.getByRole('tab', { name: 'To me', selected: true }).waitFor()
    expect(await site.client.savedFilters.list(site.person)).toMatchObject({
      data: [{ name: 'To me', query: 'reason:mention' }],
    })
    await page.getByRole('tab', { name: 'Inbox' }).click()
    await page.getByText('For all').waitFor()
    await page.getByRole('tab', { name: 'To me' }).click()
    await page.getByText('For all').waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Remove saved filter' }).click()
    await page.getByRole('tab', { name: 'To me' }).waitFor({ state: 'detached' })
    expect((await site.client.savedFilters.list(site.person)).data).toEqual([])
    expect(browser.mistakes).toEqual([])
  })

  test('of another tab keeps what the tab asks for', async () => {
    const page = await open()
    await page.getByRole('tab', { name: 'Done' }).click()
    await filter(page).fill('topic:api')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Save filter' }).click()
    await page.getByRole('textbox', { name: 'Name of the filter' }).fill('Finished')
    await page.keyboard.press('Enter')
    await page.getByRole('tab', { name: 'Finished', selected: true }).waitFor()
    expect((await site.client.savedFilters.list(site.person)).data).toMatchObject([
      { query: 'is:done topic:api' },
    ])
  })
})

describe('settings', () => {
  const settings = (page: Page) => page.getByRole('button', { name: 'Settings' })

  test('say how often a category may interrupt, and when', async () => {
    await site.client.notificationTypes.put('review', { category: 'reviews', channels: ['in_app', 'email'] })
    const page = await open()
    await settings(page).click()
    const often = page.getByRole('combobox', { name: 'Reviews: How often' })
    expect(await often.inputValue()).toBe('message')
    await often.selectOption({ label: 'Once a week' })
    await page.getByRole('combobox', { name: 'Reviews: Day' }).selectOption({ label: 'Friday' })
    await page.getByLabel('Reviews: Time').fill('17:30')
    const stored = async () => (await site.client.preferences.get(site.person)).digests
    await expect.poll(stored).toEqual({ reviews: { email: { every: 'week', on: 'friday', at: '17:30' } } })
    await often.selectOption({ label: 'Right away' })
    await expect.poll(stored).toEqual({ reviews: { email: { every: 'message' } } })
    expect(await page.getByLabel('Reviews: Time').count()).toBe(0)
  })

  /** A push service is somebody else's, so it is stood in for. */
  const PUSH_SERVICE = `<script>
    let subscription = null
    PushManager.prototype.getSubscription = async () => subscription
    PushManager.prototype.subscribe = async ({ applicationServerKey }) => (subscription = {
      toJSON: () => ({ endpoint: 'https://push.example.com/' + applicationServerKey, keys: { p256dh: 'p', auth: 'a' } }),
      unsubscribe: async () => { subscription = null; return true },
    })
  </script>`
  /** This browser has no windows, and denies notifications whatever its context grants: a person would be asked. */
  const WILLING = `<script>
    let permission = 'default'
    Object.defineProperty(Notification, 'permission', { get: () => permission })
    Notification.requestPermission = async () => (permission = 'granted')
  </script>`
  const PUBLIC_KEY = `B${'A'.repeat(86)}`

  test('switch pushes to this browser on and off', async () => {
    const provider = await site.client.providers.create({
      name: 'browsers',
      kind: 'web_push',
      channel: 'push',
      config: { public_key: PUBLIC_KEY, subject: 'mailto:ops@example.org' },
      secrets: { private_key: 'x'.repeat(43) },
    })
    onTestFinished(() => site.client.providers.delete(provider.id))
    const worker = await (await fetch(`${site.url}/inbox/service-worker.js`)).text()
    site.product.serve('/carillon-service-worker.js', worker, 'text/javascript')
    const page = await open({ head: PUSH_SERVICE + WILLING })
    await settings(page).click()
    await page.getByRole('heading', { name: 'Notifications on this device' }).waitFor()
    await page.getByRole('button', { name: 'Switch on' }).click()
    await page.getByRole('button', { name: 'Switch off' }).waitFor()
    const devices = async () => (await site.client.devices.list(site.person)).data
    expect(await devices()).toMatchObject([{ kind: 'web_push', label: 'Chrome' }])
    await page.getByRole('button', { name: 'Switch off' }).click()
    await page.getByRole('button', { name: 'Switch on' }).waitFor()
    expect(await devices()).toEqual([])
    expect(browser.mistakes).toEqual([])
  })

  test('say why this browser shows no pushes if the person has forbidden them', async () => {
    const page = await open({ head: PUSH_SERVICE })
    await settings(page).click()
    await page.getByText('Your browser blocks notifications from this site.').waitFor()
  })
})
