/** What a mail may do in the dashboard: style itself, whatever is in it. */
import { expect, it } from 'vitest'
import { useChromium } from './chromium.fixture.ts'
import { useDashboard } from './dashboard.fixture.ts'

const browser = useChromium()
const dashboard = useDashboard(browser)

/** Names that hide what a document offers, links of every kind, and whatever leaves the frame or reaches other servers. */
const HOSTILE = `<html><head><base href="https://elsewhere.example"><meta http-equiv="refresh" content="0;url=/docs">
  <link rel="preconnect" href="https://elsewhere.example"><style>p { height: 300px }</style></head><body>
  <img name="querySelectorAll"><img name="styleSheets"><form name="documentElement"></form>
  <svg><a href="https://elsewhere.example"><text>one</text></a></svg>
  <map name="m"><area href="https://elsewhere.example"></map>
  <a href="https://elsewhere.example" target="_top" rel="opener">two</a><p>Hello</p>
  <iframe srcdoc="<p>inside</p>"></iframe><script>document.title = 'ran'</script>
  <img src="x" onerror="document.title = 'ran'"></body></html>`

it('shows a hostile mail in its own height, with links that open elsewhere and nothing that leaves the frame', async () => {
  const page = await browser.open(`${dashboard.url}/dashboard/`)
  const height = await page.evaluate(
    html =>
      new Promise<number>(resolve => {
        const frame = document.createElement('iframe')
        frame.setAttribute('sandbox', 'allow-scripts allow-popups')
        frame.src = '/dashboard/mail-frame.html'
        addEventListener('message', ({ data, source }) => {
          if (source !== frame.contentWindow) return
          if (data.isReady) frame.contentWindow?.postMessage({ html, isDark: false }, '*')
          if (data.height) resolve(data.height)
        })
        document.body.append(frame)
      }),
    HOSTILE,
  )
  expect(height).toBeGreaterThan(300)
  const mail = page.frames().find(each => each !== page.mainFrame())!
  expect(mail.url()).toBe(`${dashboard.url}/dashboard/mail-frame.html`)
  // Asked of an element: the document's own functions are hidden by now.
  const found = await mail.evaluate(() => {
    const all = [...document.head.parentElement!.querySelectorAll('*')]
    return {
      title: document.title,
      names: all.map(element => element.localName),
      links: all
        .filter(element => ['a', 'area'].includes(element.localName))
        .map(link => [link.getAttribute('target'), link.getAttribute('rel')].join(' ')),
    }
  })
  expect(found.title).not.toBe('ran')
  expect(found.names).toContain('p')
  for (const name of ['link', 'meta', 'base', 'iframe']) expect(found.names).not.toContain(name)
  expect(found.links).toEqual(Array.from({ length: 3 }, () => '_blank noopener noreferrer'))
})
