import { fileURLToPath } from 'node:url'
import { build, type Rolldown } from 'vite'
import { expect, test, vi } from 'vitest'
import { useChromium } from './chromium.fixture.ts'
import { useSite } from './site.fixture.ts'

// A whole process and a browser, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 })

const site = useSite()
const browser = useChromium()

/** As a product's own bundler makes it, with the packages as they are installed. */
async function serveApp(): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"development"' },
    build: {
      write: false,
      lib: {
        entry: fileURLToPath(new URL('../../inbox/src/react/app.fixture.js', import.meta.url)),
        formats: ['es'],
        fileName: 'app',
      },
    },
  })
  const outputs = [result].flat() as Rolldown.RolldownOutput[]
  for (const each of outputs[0]!.output)
    if ('code' in each) site.product.serve(`/${each.fileName}`, each.code, 'text/javascript')
  const entry = outputs[0]!.output[0].fileName
  return site.product.serve(
    '/app',
    `<!doctype html><title>Shop</title><body><script>window.carillon = { url: '${site.url}' }</script>
     <script type="module" src="/${entry}"></script></body>`,
  )
}

test('a product in React has the element, and draws an inbox of its own', async () => {
  await site.client.users.put('ada', {})
  const page = await browser.open(await serveApp())
  await site.client.intents.send({
    notification_type: 'hello',
    channels: ['in_app'],
    audience: { kind: 'users', user_ids: ['ada'] },
    payload: { title: 'It works' },
  })
  await page.locator('#own li').getByText('It works').waitFor()
  await page.locator('carillon-inbox').getByText('It works').waitFor()
  await page.locator('#own button').click()
  await expect.poll(() => page.locator('#own').textContent()).toBe('0 unread')
  await page.locator('carillon-inbox').getByText('It works').waitFor({ state: 'detached' })
  expect(browser.mistakes).toEqual([])
})
