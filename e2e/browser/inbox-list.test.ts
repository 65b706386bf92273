import type { Page } from 'playwright-core'
import { describe, expect, test, vi } from 'vitest'
import { seriousViolations } from './axe.fixture.ts'
import { useChromium } from './chromium.fixture.ts'
import { addRows, type RowInput, statesOf } from './inbox-rows.fixture.ts'
import { longestTaskMs } from './long-tasks.fixture.ts'
import type { PageOptions } from './product.fixture.ts'
import { useSite } from './site.fixture.ts'

// A whole process and a browser, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 90_000 })

const site = useSite()
const browser = useChromium()

async function open(rows: RowInput[], page: PageOptions = {}, options = {}): Promise<Page> {
  await addRows(site.pool, site.person, rows)
  const shown = await browser.open(site.product.page(site.person, page), options)
  await shown.locator('[role=listitem]').first().waitFor()
  return shown
}

const numbered = (count: number, more: (i: number) => object = () => ({})): RowInput[] =>
  Array.from({ length: count }, (_, i) => ({ title: `Row ${i + 1}`, ...more(i) }))
const states = () => statesOf(site.pool, site.person)
const titles = (page: Page) => page.locator('.row .open bdi').allTextContents()
/** The title of the row that has the focus. */
const focused = (page: Page) =>
  page.evaluate<string | undefined>(`(() => {
    let at = document.activeElement
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement
    return at?.closest('.row')?.querySelector('.open bdi')?.textContent
  })()`)
test('ten rows are triaged with the keyboard alone', async () => {
  await site.client.threads.put({ kind: 'issue', id: '3' })
  const page = await open(
    numbered(10, i => ({ thread_kind: 'issue', thread_id: `${i}`, summary: { url: `/issues/${i}` } })),
  )
  await page.locator('.open').first().focus()
  await page.keyboard.press('e')
  await expect.poll(() => focused(page)).toBe('Row 2')
  await page.keyboard.press('s')
  await page.keyboard.press('j')
  await page.keyboard.press('u')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('m')
  await expect.poll(() => focused(page)).toBe('Row 5')
  await page.keyboard.press('h')
  await page.getByRole('menuitem', { name: 'Tomorrow' }).waitFor()
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect.poll(() => focused(page)).toBe('Row 6')
  await page.keyboard.press('x')
  await page.keyboard.press('Shift+J')
  await page.keyboard.press('Shift+J')
  await page.keyboard.press('e')
  await expect.poll(() => focused(page)).toBe('Row 9')
  await page.keyboard.press('End')
  await page.keyboard.press('e')
  await expect.poll(() => titles(page)).toEqual(['Row 2', 'Row 3', 'Row 9'])
  await page.keyboard.press('z')
  await expect.poll(() => titles(page)).toEqual(['Row 2', 'Row 3', 'Row 9', 'Row 10'])
  await expect.poll(states).toEqual({
    'Row 1': 'read done',
    'Row 2': 'saved',
    'Row 3': 'read',
    'Row 4': 'read done',
    'Row 5': 'snoozed',
    'Row 6': 'read done',
    'Row 7': 'read done',
    'Row 8': 'read done',
    'Row 9': '',
    'Row 10': '',
  })
  await page.keyboard.press('Home')
  await expect.poll(() => focused(page)).toBe('Row 2')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/issues/1')
  await expect.poll(async () => (await states())['Row 2']).toBe('read saved')
})

test('what is done is announced, shortcuts are shown, and the filter is asked for', async () => {
  const page = await open(numbered(2))
  await page.locator('.open').first().focus()
  await page.keyboard.press('s')
  await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor()
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await dialog.waitFor()
  expect(await seriousViolations(page, { within: 'carillon-inbox' })).toEqual([])
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  const asked = page.evaluate<boolean>(
    `new Promise(resolve => document.addEventListener('carillon-focus-filter', () => resolve(true)))`,
  )
  await page.locator('.open').first().focus()
  await page.keyboard.press('/')
  expect(await asked).toBe(true)
})

test('keys typed elsewhere are none of the list’s', async () => {
  const page = await open(numbered(2), { body: '<input aria-label="Search" />' })
  await page.getByLabel('Search').focus()
  await page.keyboard.type('esx')
  await page.locator('.open').first().focus()
  await page.keyboard.press('Control+e')
  await page.keyboard.press('Alt+s')
  await page.keyboard.press('u')
  await expect.poll(states).toEqual({ 'Row 1': 'read', 'Row 2': '' })
})

describe('a selection', () => {
  test('is made with clicks, acted on as one, and undone as one', async () => {
    const page = await open(numbered(6))
    await page.getByRole('checkbox', { name: 'Row 2' }).click()
    await page.getByRole('checkbox', { name: 'Row 4' }).click({ modifiers: ['Shift'] })
    const bar = page.getByRole('toolbar')
    await expect.poll(() => bar.textContent()).toContain('3 selected')
    expect(await seriousViolations(page, { within: 'carillon-inbox' })).toEqual([])
    await bar.getByRole('button', { name: 'Done' }).click()
    await expect.poll(() => titles(page)).toEqual(['Row 1', 'Row 5', 'Row 6'])
    await bar.waitFor({ state: 'hidden' })
    await expect.poll(() => focused(page)).toBe('Row 5')
    await page.keyboard.press('z')
    await expect.poll(() => titles(page)).toHaveLength(6)
  })

  test('can be everything, and is cleared with Escape', async () => {
    const page = await open(numbered(5))
    await page.locator('.open').first().focus()
    await page.keyboard.press('Control+a')
    const bar = page.getByRole('toolbar')
    await expect.poll(() => bar.textContent()).toContain('5 selected')
    await page.keyboard.press('Escape')
    await bar.waitFor({ state: 'hidden' })
    await page.getByRole('checkbox', { name: 'Row 1' }).click()
    await bar.getByRole('button', { name: 'Select all' }).click()
    await bar.getByRole('button', { name: 'Mark as read' }).click()
    await expect.poll(async () => new Set(Object.values(await states()))).toEqual(new Set(['read']))
  })
})

test('a row is snoozed until a time on the person’s clock', async () => {
  const page = await open(
    numbered(2),
    {},
    { timezoneId: 'Asia/Kolkata', viewport: { width: 375, height: 700 } },
  )
  await page.locator('.row').first().hover()
  await page.getByRole('button', { name: 'Snooze' }).first().click()
  await page.getByRole('menuitem', { name: 'Date and time' }).click()
  const day = new Date(Date.now() + 100 * 86_400_000).toISOString().slice(0, 10)
  await page.locator('input[type=datetime-local]').fill(`${day}T09:30`)
  expect(await seriousViolations(page, { within: 'carillon-inbox' })).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Snooze' }).click()
  await expect.poll(() => titles(page)).toEqual(['Row 2'])
  const snoozedUntil = async () => {
    const { rows } = await site.pool.query(
      `select snoozed_until from notifications where user_id = $1 and title = 'Row 1'`,
      [site.person],
    )
    return rows[0].snoozed_until
  }
  await expect.poll(snoozedUntil).toEqual(new Date(`${day}T04:00:00Z`))
})

test('whoever leaves a menu within the popover of the bell is back on the row, and keys go on working', async () => {
  const page = await open(numbered(2), { inbox: 'open' })
  await page.locator('.row .open').first().focus()
  await page.keyboard.press('h')
  await page.getByRole('menu').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'hidden' })
  expect(await focused(page)).toBe('Row 1')
  await page.keyboard.press('e')
  await expect.poll(() => titles(page)).toEqual(['Row 2'])
})

test('on a touch screen, a menu has what a mouse finds on the row', async () => {
  const page = await open(
    numbered(2),
    {},
    { hasTouch: true, isMobile: true, viewport: { width: 375, height: 700 } },
  )
  await page.getByRole('button', { name: 'More actions' }).first().tap()
  await page.getByRole('menuitem', { name: 'Done' }).tap()
  await expect.poll(() => titles(page)).toEqual(['Row 2'])
})

test('buttons of a payload are pressed once, and show what was answered', async () => {
  const actions = [
    { id: 'approve', label: 'Approve' },
    { id: 'decline', label: 'Decline' },
  ]
  const page = await open([{ title: 'Review', actions }])
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('button', { name: 'Decline' }).waitFor({ state: 'hidden' })
  expect(await page.locator('.answered').textContent()).toContain('Approve')
  await expect.poll(async () => (await states()).Review).toContain('approve')
})

describe('groups', () => {
  const topics = (i: number) => ({ topic: ['docs', 'web', null][i % 3] })

  test('have a heading that sticks', async () => {
    const page = await open(numbered(60, topics), { inbox: 'mode="page" group="topic"' })
    await expect.poll(() => titles(page)).toContain('Row 4')
    expect((await titles(page)).slice(0, 3)).toEqual(['Row 1', 'Row 4', 'Row 7'])
    expect(await seriousViolations(page, { within: 'carillon-inbox' })).toEqual([])
    const first = page.getByRole('heading', { level: 3 }).first()
    expect(await first.textContent()).toBe('docs')
    await page.mouse.move(400, 400)
    await page.mouse.wheel(0, 300)
    await expect.poll(async () => (await first.boundingBox())?.y).toBe(0)
  })

  test('of days are called as people call them', async () => {
    const day = 86_400_000
    const page = await open(
      numbered(3, i => ({ last_event_at: new Date(Date.now() - i * day) })),
      { inbox: 'mode="page" group="date"' },
    )
    const headings = await page.getByRole('heading', { level: 3 }).allTextContents()
    expect(headings.slice(0, 2)).toEqual(['Today', 'Yesterday'])
    expect(headings).toHaveLength(3)
  })
})

/** Where the visible rows are, to the pixel. */
const places = (page: Page) =>
  page
    .locator('.row[data-key]')
    .evaluateAll(rows =>
      rows
        .map(row => [
          row.querySelector('.open bdi')?.textContent,
          Math.round(row.getBoundingClientRect().top),
        ])
        .filter(([, top]) => Number(top) > 0 && Number(top) < 800),
    )

test('what comes in above does not move what is being read', async () => {
  // Of different heights, so that none can be guessed.
  const page = await open(
    numbered(90, i => ({ message: i % 3 === 0 ? 'With a message.' : '', topic: i % 2 ? 'docs' : null })),
  )
  await page.mouse.move(400, 400)
  await page.mouse.wheel(0, 1200)
  await expect.poll(() => page.evaluate<number>('scrollY')).toBe(1200)
  const before = await places(page)
  expect(before.length).toBeGreaterThan(3)
  await site.send('Just in')
  await expect.poll(() => page.evaluate<number>('scrollY')).toBeGreaterThan(1200)
  const after = await places(page)
  expect(after.map(([title]) => title)).toEqual(before.map(([title]) => title))
  // Pages scroll by whole pixels, and rows have fractions of them.
  const moves = after.map(([, top], i) => Math.abs(Number(top) - Number(before[i]![1])))
  expect(Math.max(...moves)).toBeLessThanOrEqual(1)
  await page.evaluate('scrollTo(0, 0)')
  await page.getByText('Just in').waitFor()
})

test('hostile content is text, and does nothing', async () => {
  const attack = '<img src=x onerror="window.hurt=1"><script>window.hurt=1</script>'
  const page = await open([
    {
      title: attack,
      message: attack,
      topic: attack,
      summary: {
        url: 'javascript:window.hurt=1',
        icon: 'javascript:window.hurt=1',
        number: attack,
        actors: [attack],
      },
      actions: [{ id: 'a', label: attack, url: 'javascript:window.hurt=1' }],
    },
    {
      title: 'data',
      summary: { url: 'data:text/html,<script>1</script>', icon: 'data:image/svg+xml,<svg/>' },
    },
    {
      title: 'x'.repeat(100_000),
      message: 'y'.repeat(4000),
      topic: 'z'.repeat(200),
      summary: { actors: { length: 3 } },
    },
    { title: '\u202eevil\u2066 title', message: 'مرحبا \u202e!' },
    { title: 'The last', summary: { url: 'https://example.com/' } },
  ])
  expect((await titles(page))[0]).toBe(attack)
  expect(await page.locator('carillon-inbox a').count()).toBe(1)
  expect(await page.locator('carillon-inbox img').count()).toBe(0)
  expect((await titles(page))[3]).toBe('evil title')
  await page.locator('.open').first().click()
  await page.locator('.button').first().click()
  await expect.poll(async () => (await states())[attack]).toContain('read')
  expect(await page.evaluate(`'hurt' in window`)).toBe(false)
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  const tallest = await page
    .locator('.row')
    .evaluateAll(rows => Math.max(...rows.map(row => row.clientHeight)))
  expect(tallest).toBeLessThan(200)
  expect(await seriousViolations(page, { within: 'carillon-inbox' })).toEqual([])
})

test('pictures that do not load leave initials, and learn nothing about the page', async () => {
  const page = await open([{ title: 'With an icon', summary: { icon: '/missing.png' } }])
  const picture = page.locator('.faces img')
  expect(await picture.getAttribute('referrerpolicy')).toBe('no-referrer')
  await picture.waitFor({ state: 'hidden' })
})

/** Asks for as many rows at a time as the server gives: that a person gets fewer is not what the test is about. */
const BY_HUNDREDS = `<script>
  const ask = fetch
  window.fetch = (address, options) => ask(String(address).replace('limit=30', 'limit=100'), options)
</script>`

/** A long way in steps, then in leaps. */
const SCROLL_ABOUT = `(async () => {
  const frame = () => new Promise(requestAnimationFrame)
  for (let i = 0; i < 100; i++) {
    scrollBy(0, 400)
    await frame()
  }
  for (const part of [0.9, 0.1, 0.5, 1, 0]) {
    scrollTo(0, document.documentElement.scrollHeight * part)
    await frame()
    await frame()
  }
})()`

test('ten thousand rows scroll without a long task', async () => {
  await site.client.tenant.update({ user_requests_per_minute: 10_000 })
  const page = await open(
    numbered(10_000, i => ({ message: i % 3 === 0 ? 'With a message.' : '', topic: `topic ${i % 7}` })),
    { head: BY_HUNDREDS },
  )
  await page.evaluate(`(async () => {
    const { inbox } = document.querySelector('carillon-inbox')
    while (inbox.state.hasMore) await inbox.loadMore()
  })()`)
  expect(await longestTaskMs(page, () => page.evaluate(SCROLL_ABOUT))).toBeLessThan(100)
  const drawn = await page.locator('.row').count()
  expect(drawn).toBeLessThan(60)
  await page.locator('.open').first().focus()
  await page.keyboard.press('End')
  await expect.poll(() => focused(page)).toBe('Row 10000')
  expect(await page.locator('.row').last().getAttribute('aria-posinset')).toBe('10000')
  expect(browser.mistakes).toEqual([])
})
