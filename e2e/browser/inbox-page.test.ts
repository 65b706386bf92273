import type { Page } from 'playwright-core'
import { describe, expect, test, vi } from 'vitest'
import { seriousViolations } from './axe.fixture.ts'
import { useChromium } from './chromium.fixture.ts'
import { addRows } from './inbox-rows.fixture.ts'
import type { PageOptions } from './product.fixture.ts'
import { useSite } from './site.fixture.ts'

// A whole process and a browser, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 })

const site = useSite()
const browser = useChromium()

const PAGE: PageOptions = { inbox: 'mode="page"' }
const open = (options: PageOptions, context = {}) =>
  browser.open(site.product.page(site.person, options), context)
const filter = (page: Page) => page.getByRole('combobox')

describe('the page', () => {
  test('has tabs that arrows move through, and says what will be in each', async () => {
    const page = await open(PAGE)
    await page.getByText('All caught up').waitFor()
    await page.getByRole('tab', { name: 'Inbox' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.getByText('Nothing saved').waitFor()
    await page.keyboard.press('End')
    await page.getByText('Nothing done yet').waitFor()
    expect(await page.getByRole('tab', { name: 'Done' }).getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('Home')
    await page.getByText('All caught up').waitFor()
  })

  test('has the filters that the person keeps as tabs', async () => {
    await site.client.savedFilters.put(site.person, 'To review', { query: 'reason:review_requested' })
    await site.send('Look at this', { reason: 'review_requested' })
    await site.send('Never mind')
    const page = await open(PAGE)
    await page.getByRole('tab', { name: 'To review' }).click()
    await page.getByText('Never mind').waitFor({ state: 'hidden' })
    await page.getByText('Look at this').waitFor()
    expect(await filter(page).inputValue()).toBe('reason:review_requested')
  })

  test('takes back what was done', async () => {
    await site.send('Not yet')
    const page = await open(PAGE)
    await page.getByText('Not yet').hover()
    await page.getByRole('button', { name: 'Done' }).first().click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Not yet').waitFor()
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'hidden' })
  })

  test('marks everything as read', async () => {
    await site.send('Something')
    const page = await open(PAGE)
    const readAll = page.getByRole('button', { name: 'Mark all as read' })
    await readAll.click()
    await expect.poll(() => readAll.isDisabled()).toBe(true)
  })
})

describe('the filter', () => {
  test('suggests keys, states and topics, and is used with the keyboard alone', async () => {
    const rows = [{ title: 'About the API', topic: 'api server' }, { title: 'About nothing' }]
    await addRows(site.pool, site.person, rows)
    const page = await open(PAGE)
    await page.getByText('About nothing').waitFor()
    await page.getByRole('tab', { name: 'Inbox' }).focus()
    await page.keyboard.press('/')
    await page.keyboard.type('top')
    await page.getByRole('option', { name: 'topic:' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'topic:"api server"' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByText('About nothing').waitFor({ state: 'hidden' })
    await page.getByText('About the API').waitFor()
    expect(await filter(page).inputValue()).toBe('topic:"api server" ')
    await page.getByRole('button', { name: 'Clear filter' }).click()
    await page.getByText('About nothing').waitFor()
  })

  test('shows at which character it is wrong, whatever the tab adds to it', async () => {
    const page = await open(PAGE)
    await page.getByRole('tab', { name: 'Saved' }).click()
    await filter(page).fill('parser is:unraed')
    await page.keyboard.press('Enter')
    await page.getByText('Did you mean "unread"?').waitFor()
    expect(await page.locator('carillon-inbox mark').textContent()).toBe('unraed')
    expect(await filter(page).getAttribute('aria-invalid')).toBe('true')
    await filter(page).fill('parser is:unread')
    await page.keyboard.press('Enter')
    await page.getByText('No matches').waitFor()
    expect(await filter(page).getAttribute('aria-invalid')).toBe('false')
  })
})

describe('settings', () => {
  test('are shown, changed at once, and kept', async () => {
    await site.client.notificationTypes.put('review', { category: 'reviews', channels: ['in_app', 'email'] })
    const page = await open(PAGE)
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByRole('checkbox', { name: 'Reviews: Email' }).uncheck()
    await page.getByRole('switch', { name: 'Quiet hours' }).first().check()
    await page.getByRole('button', { name: 'For a week' }).click()
    await page.getByText('Paused until').waitFor()
    const stored = () => site.client.preferences.get(site.person)
    await expect.poll(async () => (await stored()).categories).toEqual({ reviews: { email: false } })
    await expect
      .poll(async () => (await stored()).channels.email?.quiet_hours)
      .toEqual([{ start: '22:00', end: '08:00' }])
    await expect.poll(async () => (await stored()).channels.email?.paused_until).toMatch(/^20/)
    await page.getByRole('button', { name: 'Back to notifications' }).click()
    await page.getByText('All caught up').waitFor()
  })

  test('that the server refuses are as before, with its reason beside them', async () => {
    await site.client.notificationTypes.put('audit', { category: 'audits', channels: ['in_app', 'email'] })
    const page = await open(PAGE)
    await page.getByRole('button', { name: 'Settings' }).click()
    const box = page.getByRole('checkbox', { name: 'Audits: Email' })
    await box.waitFor()
    await site.client.categories.put('audits', { required: true })
    await box.click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toMatch(/^Not saved: /)
    expect(await box.isChecked()).toBe(true)
  })
})

test('has no serious barrier in any mode and state', async () => {
  await site.send('Readable')
  const head = '<style>html { color-scheme: light dark }</style>'
  for (const inbox of ['mode="page"', 'open', 'mode="page" locale="ar"', 'mode="toast"']) {
    // Colours that are on their way to others would be judged halfway.
    const page = await open({ inbox, head }, { colorScheme: 'light', reducedMotion: 'reduce' })
    const isFine = async (state: string) => {
      const within = 'carillon-inbox'
      expect(await seriousViolations(page, { within }), state).toEqual([])
      // In the dark it is the same but for its colours.
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await seriousViolations(page, { within, only: ['color-contrast'] }), `${state}, dark`).toEqual(
        [],
      )
      await page.emulateMedia({ colorScheme: 'light' })
    }
    if (inbox !== 'mode="toast"') await page.getByText('Readable').waitFor()
    await isFine(inbox)
    if (inbox !== 'mode="page"') continue
    await page.getByRole('tab', { name: 'Done' }).click()
    await page.getByText('Nothing done yet').waitFor()
    await isFine('empty')
    await filter(page).fill('is:x')
    await page.keyboard.press('Enter')
    await page.getByText('This filter does not work').waitFor()
    await isFine('wrong filter')
    await filter(page).fill('is:')
    await page.keyboard.press('ArrowDown')
    await isFine('suggestions')
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByRole('switch').first().waitFor()
    await isFine('settings')
  }
})
