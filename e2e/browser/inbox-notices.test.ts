/// <reference lib="dom" />
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test, vi } from 'vitest'
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

/** The last of what the element told the page, by the name of the event. */
const LISTENING = `<script>
  const told = { 'carillon-unread': [], 'carillon-error': [] }
  for (const name in told) addEventListener(name, ({ detail }) => told[name].push(detail))
</script>`
const told = (page: Page, name: string): Promise<Record<string, unknown>[]> =>
  page.evaluate(`told['${name}']`)

async function ready(page: Page): Promise<void> {
  const connection = () =>
    page
      .locator('carillon-inbox')
      .evaluate(element => (element as never as { state: { connection: string } }).state.connection)
  await expect.poll(connection).toBe('ready')
}

describe('a notice', () => {
  /** Time stands still there, unless a test says otherwise. */
  async function openWithClock(options: PageOptions): Promise<Page> {
    const page = await browser.open('about:blank')
    await page.clock.install()
    await page.goto(site.product.page(site.person, options))
    await ready(page)
    await page.clock.pauseAt(Date.now() + 2_000)
    return page
  }

  const staysFor = async (page: Page, notice: Locator, ms: number) => {
    await page.clock.runFor(ms)
    expect(await notice.isVisible()).toBe(true)
  }

  const goesWithin = async (page: Page, notice: Locator, ms: number) => {
    await page.clock.runFor(ms)
    await notice.waitFor({ state: 'detached' })
  }

  test('stays for six seconds', async () => {
    const page = await openWithClock({ inbox: 'mode="toast"' })
    await site.send('It stays')
    const toast = page.locator('.toast', { hasText: 'It stays' })
    await toast.waitFor()
    await staysFor(page, toast, 5_900)
    await goesWithin(page, toast, 200)
  })

  test.each(['the pointer', 'the focus'])('stays for as long as %s is on it', async what => {
    const page = await openWithClock({ inbox: 'mode="toast"', body: '<button>Elsewhere</button>' })
    await site.send('It waits')
    const toast = page.locator('.toast', { hasText: 'It waits' })
    await toast.waitFor()
    await staysFor(page, toast, 4_000)
    if (what === 'the pointer') await toast.hover()
    else await toast.getByRole('link').focus()
    await staysFor(page, toast, 30_000)
    if (what === 'the pointer') await page.mouse.move(0, 0)
    else await page.getByRole('button', { name: 'Elsewhere' }).focus()
    await staysFor(page, toast, 1_900)
    await goesWithin(page, toast, 200)
  })

  test('takes the offer to undo along', async () => {
    await addRows(site.pool, site.person, [{ title: 'Only one' }])
    const page = await openWithClock({})
    await page.locator('.open').first().focus()
    await page.keyboard.press('e')
    const undo = page.getByRole('button', { name: 'Undo' })
    await undo.waitFor()
    await staysFor(page, undo, 5_900)
    await goesWithin(page, undo, 200)
  })
})

describe('a sound', () => {
  /** Listens where the page would play, and lets it. */
  const COUNTING = `<script>
    let notes = 0
    const start = OscillatorNode.prototype.start
    OscillatorNode.prototype.start = function (...when) { notes++; return start.apply(this, when) }
  </script>`
  const notes = (page: Page) => page.evaluate('notes')

  test('is heard for what comes in, for as long as it is on', async () => {
    const page = await open({ inbox: 'mode="page" sound', head: COUNTING })
    await ready(page)
    await page.getByRole('heading', { name: 'Notifications' }).click()
    await site.send('With a sound')
    await page.getByText('With a sound').waitFor()
    await expect.poll(() => notes(page)).toBe(2)
    await page.locator('carillon-inbox').evaluate(element => element.removeAttribute('sound'))
    await site.send('Without')
    await page.getByText('Without', { exact: true }).waitFor()
    expect(await notes(page)).toBe(2)
    expect(browser.mistakes).toEqual([])
  })
})

describe('a theme', () => {
  const background = (page: Page) =>
    page.locator('[part=panel]').evaluate(panel => getComputedStyle(panel).backgroundColor)

  test('that the page sets holds, whatever the visitor prefers', async () => {
    const looks: Record<string, string> = {}
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open({}, { colorScheme })
      const element = page.locator('carillon-inbox')
      for (const theme of ['auto', 'light', 'dark']) {
        await element.evaluate((inbox, to) => inbox.setAttribute('theme', to), theme)
        looks[`${theme} for ${colorScheme}`] = await background(page)
      }
    }
    const [light, dark] = [looks['auto for light'], looks['auto for dark']]
    expect(light).not.toBe(dark)
    expect(looks).toEqual({
      'auto for light': light,
      'light for light': light,
      'dark for light': dark,
      'auto for dark': dark,
      'light for dark': light,
      'dark for dark': dark,
    })
  })
})

describe('the page is told', () => {
  test('how many are unread, whenever that changes', async () => {
    const page = await open({ head: LISTENING })
    await ready(page)
    await site.send('One')
    await page.getByText('One').waitFor()
    await expect.poll(() => told(page, 'carillon-unread')).toEqual([{ unread: 1 }])
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await expect.poll(() => told(page, 'carillon-unread')).toEqual([{ unread: 1 }, { unread: 0 }])
  })

  /** What the console says, which nobody but developers reads. */
  function warningsOf(page: Page): string[] {
    const warnings: string[] = []
    page.on('console', message => {
      if (message.type() === 'warning') warnings.push(message.text())
    })
    return warnings
  }

  async function openWatched(options: PageOptions): Promise<{ page: Page; warnings: string[] }> {
    const page = await browser.open('about:blank')
    const warnings = warningsOf(page)
    await page.goto(site.product.page(site.person, { ...options, head: LISTENING }))
    return { page, warnings }
  }

  test('that the tenant does not know its origin, and people that they have to wait', async () => {
    const { cors_origins } = await site.client.tenant.get()
    await site.client.tenant.update({ cors_origins: ['https://elsewhere.example'] })
    try {
      const { page, warnings } = await openWatched({})
      await page.getByText('Not available right now').waitFor()
      await expect.poll(() => told(page, 'carillon-error')).toMatchObject([{ connection: 'offline' }])
      await expect
        .poll(() => warnings.join())
        .toContain(`Add ${site.product.url} to cors_origins of the tenant that the token is of`)
    } finally {
      await site.client.tenant.update({ cors_origins })
    }
  })

  test('that nothing answers where it looks', async () => {
    const { page, warnings } = await openWatched({ inbox: 'mode="page" url="http://127.0.0.1:9"' })
    await page.getByText('Not available right now').waitFor()
    await expect.poll(() => warnings.join()).toContain('Nothing answers at http://127.0.0.1:9.')
  })

  test('that an address is none', async () => {
    const { page, warnings } = await openWatched({ inbox: 'mode="page" url="bells.example"' })
    await page.getByText('This did not load').waitFor()
    await expect.poll(() => told(page, 'carillon-error')).toMatchObject([{ connection: 'failed' }])
    expect(warnings.join()).toContain('The url must start with http:// or https://')
  })

  test('that a token is of nobody', async () => {
    const page = await browser.open('about:blank')
    const element = `<carillon-inbox mode="page" url="${site.url}" token="cut_nonsense"></carillon-inbox>`
    const script = `<script type="module" src="${site.url}/inbox/carillon-inbox.js"></script>`
    await page.goto(
      site.product.serve('/nobody', `<!doctype html><html lang="en">${LISTENING}${script}${element}`),
    )
    await page.getByText('Your session has ended').waitFor()
    await expect.poll(() => told(page, 'carillon-error')).toMatchObject([{ connection: 'signed-out' }])
  })
})
