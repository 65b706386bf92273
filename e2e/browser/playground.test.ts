import type { Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { startHttpReceiver } from '../../server/test/receivers/http-receiver.ts'
import { seriousViolations } from './axe.fixture.ts'
import { useChromium } from './chromium.fixture.ts'
import { type Instance, sharedInstance } from './instance.fixture.ts'

// A whole process and a browser, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 })

const browser = useChromium()
let carillon: Instance
/** What `carillon playground` prints, as an operator would run it. */
let link: string

beforeAll(async () => {
  carillon = await sharedInstance()
  link = await carillon.run('playground')
})

async function openPlayground(): Promise<Page> {
  const page = await browser.open(link, { viewport: { width: 1440, height: 900 } })
  await page.getByRole('heading', { name: 'Make something happen' }).waitFor()
  return page
}

const inboxes = (page: Page) => page.locator('carillon-inbox')
const press = (page: Page) => page.getByRole('button', { name: 'Send', exact: true }).click()

const OTHERS = ['carillon-inbox', 'iframe']

test('one button fills both inboxes, shows the mails and tells why; starting over leaves nothing', async () => {
  const page = await openPlayground()
  expect(page.url()).not.toContain('#')
  await page.getByText('Ada does not exist yet').waitFor()
  expect(await seriousViolations(page, { without: OTHERS })).toEqual([])
  await press(page)
  for (const at of [0, 1]) await inboxes(page).nth(at).getByText('The bell rings twice').first().waitFor()
  const mail = page.locator('article.mail', { hasText: 'Mail to Grace' })
  await mail.waitFor()
  await mail.frameLocator('iframe').getByRole('paragraph').getByText('It rings twice at noon').waitFor()
  await page.getByText('Push to Ada’s phone').waitFor()
  await page.getByText(/Told for the reason "watching"/).waitFor()
  expect(await page.locator('pre', { hasText: 'KEY=$(cat data/api-key)' }).textContent()).toContain(
    `curl -sS ${carillon.url}/v1/events`,
  )
  expect(await mail.locator('iframe').getAttribute('title')).toContain('Mail to Grace')
  // Nothing may run in the frames, so the tool would wait for them for half a minute.
  await page.locator('iframe').evaluateAll(frames => frames.map(frame => frame.remove()))
  expect(await seriousViolations(page, { without: OTHERS })).toEqual([])

  await page.reload()
  await page.getByText('Push to Ada’s phone').waitFor()
  await inboxes(page).nth(1).getByText('The bell rings twice').first().waitFor()
  await page.getByRole('button', { name: 'Start over' }).click()
  await page.getByText('Grace does not exist yet').waitFor()
  await expect(carillon.client.users.get('playground-ada')).rejects.toThrow('playground-ada')
  // The tests' own tools try to look into the frames, which let nothing run.
  const mistakes = browser.mistakes.filter(
    text => !/^Blocked script execution in .*\/playground\/mails\//.test(text),
  )
  expect(mistakes).toEqual([])
})

test('the code to copy does what the button did', async () => {
  const page = await openPlayground()
  await page.getByText('An assignment', { exact: true }).click()
  await press(page)
  await page.getByText('Text message to Ada').waitFor()
  const read = async (language: string) => {
    await page.getByRole('button', { name: language, exact: true }).click()
    return (await page.locator('.code pre').textContent())!
  }
  const document = (code: string, quote: string) =>
    JSON.parse(code.slice(code.indexOf(quote) + 1, code.lastIndexOf(quote)))
  const event = document((await read('curl')).split('-d ')[1]!, "'")
  const { event_id } = await carillon.client.events.emit(event)
  const { kind, relations } = await carillon.client.events.get(event_id)
  expect([kind, relations]).toEqual(['playground_assignment', { assignee: ['playground-ada'] }])
  const { rows } = await carillon.database.pool.query(await read('SQL'))
  expect(Object.values(rows[0])[0]).toMatch(/^[0-9a-f-]{36}$/)
  expect(await read('SDK')).toContain('await carillon.events.emit({')
})

test('whatever is in a payload is shown as text and does nothing', async () => {
  const page = await openPlayground()
  const HOSTILE = '</pre><img src=x onerror="document.title=1"><script>document.title=1</script>'
  await page.getByText('Your own intent').click()
  const intent = {
    notification_type: 'playground',
    audience: { kind: 'users', user_ids: ['playground-ada', 'playground-grace'] },
    channels: ['in_app', 'email', 'sms', 'push'],
    payload: { title: HOSTILE, body: HOSTILE, url: 'javascript:document.title=1' },
  }
  await page.getByLabel('The intent').fill(JSON.stringify(intent))
  await press(page)
  await page.locator('.bubble', { hasText: 'onerror' }).first().waitFor()
  await page.locator('.push', { hasText: 'onerror' }).first().waitFor()
  const mail = page.locator('article.mail').first()
  await mail.frameLocator('iframe').getByText('onerror').first().waitFor()
  expect(await mail.locator('iframe').getAttribute('sandbox')).toBe('')
  expect(await page.title()).toBe('Carillon playground')
  await page.getByLabel('The intent').fill('{"audience": ')
  await press(page)
  await page.getByRole('alert').getByText('This is no JSON').waitFor()
  await page.getByLabel('The intent').fill(JSON.stringify({ ...intent, audience: { kind: 'tenant' } }))
  await press(page)
  await page.getByRole('alert').getByText('audience').waitFor()
})

test('without a link, or with one that is worth nothing, it says which command prints one', async () => {
  const forged = link.replace(/.$/, last => (last === 'A' ? 'E' : 'A'))
  const page = await browser.open(`${carillon.url}/playground`)
  await page.getByText('This page needs a link').waitFor()
  await page.getByText('npx carillon playground', { exact: true }).waitFor()
  expect(await seriousViolations(page, { without: OTHERS })).toEqual([])
  const other = await browser.open(forged)
  await other.getByText('This link does not work any more').waitFor()
})

test('a link is for one tenant, and shows nothing of another', async () => {
  await carillon.client.tenants.create({ name: 'neighbour' })
  const page = await openPlayground()
  await press(page)
  await page.locator('article').first().waitFor()
  const other = await browser.open(await carillon.run('playground', '--tenant', 'neighbour'))
  await other.getByText('Ada does not exist yet').waitFor()
  await other.getByText('neighbour').waitFor()
  expect(await other.locator('article').count()).toBe(0)
  await page.getByRole('button', { name: 'Start over' }).click()
  await page.getByText('Ada does not exist yet').waitFor()
})

test('with a real provider, nothing is sent through it', async () => {
  const receiver = await startHttpReceiver()
  onTestFinished(() => receiver.stop())
  const { providers } = carillon.client
  const provider = await providers.create({
    name: 'mail',
    kind: 'http',
    channel: 'email',
    config: { url: receiver.url },
  })
  onTestFinished(() => providers.delete(provider.id))
  const page = await openPlayground()
  await page.getByText('A real provider is set up for mail').waitFor()
  await press(page)
  await inboxes(page).nth(0).getByText('The bell rings twice').first().waitFor()
  await page.getByText('Push to Ada’s phone').waitFor()
  expect(await page.locator('article.mail').count()).toBe(0)
  expect(receiver.requests).toEqual([])
  await page.getByRole('button', { name: 'Start over' }).click()
  await page.getByText('Ada does not exist yet').waitFor()
})
