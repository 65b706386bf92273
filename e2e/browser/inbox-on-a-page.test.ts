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

const PAGE: PageOptions = { inbox: 'mode="page"' }
const open = (options: PageOptions, context = {}) =>
  browser.open(site.product.page(site.person, options), context)
const panel = (page: Page) => page.getByRole('dialog', { name: 'Notifications' })

describe('what the page tells the element', () => {
  test('may come later; until then it says what is missing', async () => {
    const page = await open({ ...PAGE, body: '<carillon-inbox id="bare" mode="page"></carillon-inbox>' })
    await page.getByText('does not know whose inbox to show').waitFor()
    await site.send('Here you are')
    await page.evaluate(() => {
      const bare = document.querySelector('#bare') as HTMLElement & { refreshToken: () => Promise<string> }
      const url = document.querySelector('carillon-inbox[token-url]')!.getAttribute('token-url')!
      bare.refreshToken = async () => (await (await fetch(url, { method: 'POST' })).json()).token
    })
    await page.locator('#bare').getByText('Here you are').waitFor()
  })

  test('begins anew for another person, and shows nothing of the one before', async () => {
    await site.send('For the first')
    const other = `${site.person}-other`
    await site.client.users.put(other, {})
    const page = await open(PAGE)
    await page.getByText('For the first').waitFor()
    const tokenUrl = `/token?user=${other}&ttl=3600`
    const shown = await page.evaluate(async url => {
      const element = document.querySelector('carillon-inbox')!
      element.setAttribute('token-url', url)
      await (element as unknown as { updateComplete: Promise<unknown> }).updateComplete
      return element.shadowRoot!.textContent
    }, tokenUrl)
    expect(shown).not.toContain('For the first')
    await page.getByText('All caught up').waitFor()
  })

  test('is one connection for all elements that show the same, also for one that is moved', async () => {
    const given = site.product.tokensGiven
    const page = await open({
      ...PAGE,
      body: `<div id="there"></div><carillon-inbox token-url="/token?user=${site.person}&amp;ttl=3600"></carillon-inbox>`,
    })
    await site.send('Once')
    await page.getByText('Once').waitFor()
    await page.getByRole('button', { name: 'Notifications, 1 unread' }).waitFor()
    await page.evaluate(() => {
      document.querySelector('#there')!.append(document.querySelector('carillon-inbox[mode=page]')!)
    })
    await site.send('Twice')
    await page.getByText('Twice').waitFor()
    expect(site.product.tokensGiven - given).toBe(1)
  })

  test('decides what opening a row does', async () => {
    await site.send('Open me')
    const page = await open({ inbox: 'open' })
    await page.evaluate(() =>
      document.addEventListener('carillon-open', event => {
        event.preventDefault()
        document.title = (event as CustomEvent).detail.item.title
      }),
    )
    const before = page.url()
    await panel(page).getByText('Open me').click()
    await expect.poll(() => page.title()).toBe('Open me')
    await panel(page).waitFor({ state: 'hidden' })
    expect(page.url()).toBe(before)
    await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor()
  })
})

describe('trouble', () => {
  test('that passes leaves the rows where they are, and ends by itself', async () => {
    await site.send('Still here')
    const page = await browser.open(`${site.product.url}/nowhere`)
    await page.clock.install()
    await page.goto(site.product.page(site.person, PAGE))
    await page.getByText('Still here').waitFor()
    await page.route('**/v1/**', route => route.abort())
    await page.evaluate(() => {
      const { inbox } = document.querySelector('carillon-inbox') as unknown as {
        inbox: { refresh(): unknown }
      }
      void inbox.refresh()
    })
    await page.getByText('No connection.').waitFor()
    await page.getByText('Still here').waitFor()
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await page.unroute('**/v1/**')
    await page.clock.fastForward('00:10')
    await page.getByText('No connection.').waitFor({ state: 'hidden' })
  })

  test('with the session is said, and over when somebody signs in', async () => {
    const page = await browser.open(`${site.product.url}/nowhere`)
    await page.route('**/token?*', route => route.fulfill({ status: 403 }))
    await page.goto(site.product.page(site.person, PAGE))
    await page.getByText('Your session has ended').waitFor()
    await page.unroute('**/token?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('All caught up').waitFor()
  })
})

test('speaks the language that it is given, else that of the page', async () => {
  const expected = {
    de: 'Alles erledigt',
    fr: 'Vous êtes à jour',
    es: 'Está al día',
    pt: 'Tudo em dia',
    ja: 'すべて確認済みです',
    ar: 'اطلعت على كل شيء',
  }
  const page = await open(PAGE)
  for (const [locale, text] of Object.entries(expected)) {
    await page.locator('carillon-inbox').evaluate((element, to) => element.setAttribute('locale', to), locale)
    await page.getByText(text).waitFor()
    const direction = await page.locator('carillon-inbox [part=shell]').getAttribute('dir')
    expect(direction).toBe(locale === 'ar' ? 'rtl' : 'ltr')
  }
  await page.locator('carillon-inbox').evaluate(element => element.removeAttribute('locale'))
  await page.getByText('All caught up').waitFor()
})

test('keeps its looks on a page whose styles are for everything', async () => {
  const hostile = `<style>* { all: unset !important; letter-spacing: 9px; text-transform: uppercase; line-height: 5 }
    button, input, div, ul { display: none !important } html { font-size: 5px }</style>`
  const page = await open({ ...PAGE, head: hostile })
  const title = page.getByRole('heading', { name: 'Notifications' })
  await title.waitFor()
  const looks = await title.evaluate(element => {
    const { fontSize, letterSpacing, textTransform } = getComputedStyle(element)
    return { fontSize, letterSpacing, textTransform }
  })
  expect(looks).toEqual({ fontSize: '15px', letterSpacing: 'normal', textTransform: 'none' })
})
