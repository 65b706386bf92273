/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { describe, expect, test, vi } from 'vitest'
import { useChromium } from './chromium.fixture.ts'
import type { PageOptions } from './product.fixture.ts'
import { useSite } from './site.fixture.ts'

// A whole process and a browser, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 })

const site = useSite()
const browser = useChromium()

const BELL: PageOptions = { inbox: '' }
const open = (options: PageOptions, context = {}) =>
  browser.open(site.product.page(site.person, options), context)
const panel = (page: Page) => page.getByRole('dialog', { name: 'Notifications' })

describe('the bell', () => {
  test('counts what is unread, and opens and closes by pointer and keyboard', async () => {
    const page = await open(BELL)
    await site.send('First')
    await page.getByRole('button', { name: 'Notifications, 1 unread' }).click()
    await panel(page).getByText('First').waitFor()
    await page.keyboard.press('Escape')
    await panel(page).waitFor({ state: 'hidden' })
    await expect.poll(() => focused(page)).toBe('bell')
    await page.keyboard.press('Enter')
    await panel(page).waitFor()
    await page.mouse.click(20, 700)
    await panel(page).waitFor({ state: 'hidden' })
    expect(browser.mistakes).toEqual([])
  })

  test('follows the attribute open, and tells the page of every change', async () => {
    const page = await open(BELL)
    await page.evaluate(() => document.querySelector('carillon-inbox')!.toggleAttribute('open', true))
    await panel(page).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('carillon-inbox').getAttribute('open')).toBeNull()
  })

  test('stays inside the window, on either side and in a small one', async () => {
    const css = '<style>carillon-inbox { position: absolute; inset-inline-end: 0; bottom: 0 }</style>'
    for (const [lang, width] of [
      ['en', 900],
      ['ar', 900],
      ['en', 375],
    ] as const) {
      const page = await open(
        { inbox: `open locale="${lang}"`, head: css },
        { viewport: { width, height: 600 } },
      )
      const box = await page.locator('carillon-inbox [role=dialog]').boundingBox()
      const isInside =
        box!.x >= 0 && box!.y >= 0 && box!.x + box!.width <= width && box!.y + box!.height <= 600
      expect(isInside, JSON.stringify(box)).toBe(true)
      if (width === 375) expect(box).toEqual({ x: 0, y: 0, width: 375, height: 600 })
    }
  })
})

test('toasts show what comes in, stay while somebody reads, and are read aloud', async () => {
  const page = await open({ inbox: 'mode="toast"' })
  await streaming(page)
  await site.send('Fresh')
  const toast = page.getByRole('link', { name: 'Fresh' })
  await toast.waitFor()
  expect(await page.getByRole('status').textContent()).toContain('Fresh')
  await toast.focus()
  await page.keyboard.press('Escape')
  await toast.waitFor({ state: 'hidden' })
})

test('the icon of the page has the number while there is one, and is itself again without the element', async () => {
  await site.send('Look up')
  const icon = '<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E">'
  const page = await open({ inbox: 'favicon-badge', head: icon })
  const href = () => page.locator('link[rel=icon]').getAttribute('href')
  await expect.poll(href).toMatch(/^data:image\/png/)
  await page.evaluate(() => document.querySelector('carillon-inbox')!.remove())
  await expect.poll(href).toMatch(/^data:image\/svg/)
})

const focused = (page: Page): Promise<string | null | undefined> =>
  page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.getAttribute('part'))

/** Only what happens from then on is news. */
async function streaming(page: Page): Promise<void> {
  await expect
    .poll(() =>
      page.evaluate(() => {
        const element = document.querySelector('carillon-inbox') as unknown as {
          state: { connection: string }
        }
        return element.state.connection
      }),
    )
    .toBe('ready')
}
