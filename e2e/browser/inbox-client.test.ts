/** The client behind the inbox in a real browser: tabs that share, servers that die, tokens that end, pushes. */
import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { useProcesses } from '../processes.fixture.ts'
import { useChromium } from './chromium.fixture.ts'
import { startProduct } from './product.fixture.ts'
import { useSite } from './site.fixture.ts'

// A whole process and a browser, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 })

const site = useSite()
const browser = useChromium()

/** A page that draws nothing: `inbox` is the client, `states` are the connections it went through. */
const head = (url: string, ttl: number) => `<script type="module">
  import { createInbox } from '${url}/inbox/headless.js'
  const refreshToken = async () =>
    (await (await fetch('/token?user=${site.person}&ttl=${ttl}', { method: 'POST' })).json()).token
  window.states = []
  window.inbox = createInbox({ url: '${url}', refreshToken, serviceWorker: '/worker.js' })
  inbox.subscribe(({ connection }) => states.at(-1) !== connection && states.push(connection))
  await inbox.start()
</script>`

function page({ ttl = 3600, product = site.product, url = site.url } = {}): string {
  return product.serve('/headless', `<!doctype html><title>Shop</title>${head(url, ttl)}`)
}

interface Watched {
  titles: string[]
  unread: number
  connection: string
}

function look(tab: Page): Promise<Watched> {
  return tab.evaluate(() => {
    const { inbox } = globalThis as unknown as { inbox?: { state: { items: { title: string }[] } & Watched } }
    const { items = [], unread = 0, connection = '' } = inbox?.state ?? {}
    return { titles: items.map(({ title }) => title), unread, connection }
  })
}
const isLeader = (tab: Page) =>
  tab.evaluate(() => (globalThis as unknown as { inbox: { isLeader: boolean } }).inbox.isLeader)

async function anotherTab(context: BrowserContext, url: string): Promise<Page> {
  const tab = await context.newPage()
  await tab.goto(url)
  await expect.poll(async () => (await look(tab)).connection).toBe('ready')
  return tab
}

describe('tabs of one person', () => {
  test('share one stream: what is read in one is read in all, and another listens when the first closes', async () => {
    const url = page()
    const first = await browser.open(url)
    await expect.poll(() => isLeader(first)).toBe(true)
    const streams: string[] = []
    first.context().on('request', request => request.url().endsWith('/stream') && streams.push(request.url()))
    const others = [await anotherTab(first.context(), url), await anotherTab(first.context(), url)]
    const tabs = [first, ...others]
    await site.send('One')
    for (const tab of tabs) await expect.poll(async () => (await look(tab)).unread).toBe(1)
    expect(await Promise.all(tabs.map(isLeader))).toEqual([true, false, false])
    expect(streams).toEqual([])

    await others[0]!.evaluate(() => {
      const { inbox } = globalThis as unknown as {
        inbox: { state: { items: { id: string }[] }; act(ids: string[], action: string): Promise<void> }
      }
      return inbox.act([inbox.state.items[0]!.id], 'read')
    })
    for (const tab of tabs) await expect.poll(async () => (await look(tab)).unread).toBe(0)

    await first.close()
    await expect.poll(async () => (await Promise.all(others.map(isLeader))).filter(Boolean).length).toBe(1)
    await site.send('Two')
    for (const tab of others) await expect.poll(async () => (await look(tab)).titles).toEqual(['Two', 'One'])
    expect(browser.mistakes).toEqual([])
  })
})

describe('a server', () => {
  const processes = useProcesses(() => ({}))

  test('that is killed and started again: the rows stay, and what was missed appears', async () => {
    const carillon = await processes.start('api,delivery,fanout')
    const client = processes.connect()
    const product = await startProduct(processes.url, client)
    onTestFinished(() => product.stop())
    await client.users.put(site.person, {})
    const send = (title: string) =>
      client.intents.send({
        notification_type: 'hello',
        channels: ['in_app'],
        audience: { kind: 'users', user_ids: [site.person] },
        payload: { title },
      })
    const tab = await browser.open(page({ product, url: processes.url }))
    await send('Before')
    await expect.poll(async () => (await look(tab)).titles).toEqual(['Before'])
    await carillon.end('SIGKILL')
    await expect.poll(() => look(tab)).toMatchObject({ connection: 'offline', titles: ['Before'] })
    await processes.start('api,delivery,fanout')
    await send('After')
    await expect
      .poll(() => look(tab))
      .toEqual({ connection: 'ready', titles: ['After', 'Before'], unread: 2 })
  })
})

test('a token that ends is replaced, and nobody notices', async () => {
  const tab = await browser.open(page({ ttl: 60 }))
  await expect.poll(async () => (await look(tab)).connection).toBe('ready')
  const given = site.product.tokensGiven
  await site.client.userTokens.revoke(site.person)
  await expect.poll(() => site.product.tokensGiven).toBeGreaterThan(given)
  await site.send('Still here')
  await expect.poll(async () => (await look(tab)).titles).toEqual(['Still here'])
  const states = await tab.evaluate(() => (globalThis as unknown as { states: string[] }).states)
  expect(states).toEqual(['loading', 'ready'])
})

describe('web push', () => {
  const PUBLIC_KEY = `B${'A'.repeat(86)}`

  /** A headless browser shows no notifications, so the worker tells the page what it would show. */
  async function openWithWorker(): Promise<Page> {
    const worker = `registration.showNotification = async (title, options) =>
        new BroadcastChannel('shown').postMessage({ title, ...options })
      importScripts('${site.url}/inbox/service-worker.js')`
    site.product.serve('/worker.js', worker, 'text/javascript')
    const tab = await browser.open(page())
    await tab.evaluate(`(async () => {
      window.shown = []
      new BroadcastChannel('shown').onmessage = ({ data }) => shown.push(data)
      await navigator.serviceWorker.register('/worker.js')
      await navigator.serviceWorker.ready
    })()`)
    return tab
  }

  /** Hands the message to the worker, as the browser does with one from a push service. */
  async function deliver(tab: Page, data: string): Promise<void> {
    const session = await tab.context().newCDPSession(tab)
    const registered = new Promise<string>(resolve => {
      session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        if (registrations[0] !== undefined) resolve(registrations[0].registrationId)
      })
    })
    await session.send('ServiceWorker.enable')
    const origin = site.product.url
    await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId: await registered, data })
    await session.detach()
  }

  test('shows what comes in, and harmless text for a hostile message', async () => {
    const tab = await openWithWorker()
    const data = { notification_id: 'n1', url: '/orders/7' }
    await deliver(tab, JSON.stringify({ title: 'Shipped', body: '<b>On its way</b>', data }))
    const hostile = { url: 'javascript:alert(1)', image: 'javascript:alert(1)' }
    await deliver(tab, JSON.stringify({ title: { toString: 1 }, data: hostile }))
    const url = `${site.product.url}/orders/7`
    await expect
      .poll(() => tab.evaluate('shown'))
      .toEqual([
        { title: 'Shipped', body: '<b>On its way</b>', tag: 'n1', data: { url } },
        { title: new URL(site.product.url).host, body: '', data: { url: `${site.product.url}/` } },
      ])
  })

  /** Nor does it ask people, or know a push service: both are stood in for, and nothing else is. */
  const WILLING = `
    let permission = 'default', subscription = null
    Object.defineProperty(Notification, 'permission', { get: () => permission })
    Notification.requestPermission = async () => (permission = 'granted')
    PushManager.prototype.getSubscription = async () => subscription
    PushManager.prototype.subscribe = async ({ applicationServerKey }) => (subscription = {
      toJSON: () => ({ endpoint: 'https://push.example.com/' + applicationServerKey, keys: { p256dh: 'p', auth: 'a' } }),
      unsubscribe: async () => { subscription = null; return true },
    })`

  test('is offered when the product sends it, and goes to this browser until the person ends it', async () => {
    const { client } = site
    const tab = await openWithWorker()
    const call = (name: string) => tab.evaluate(`inbox.${name}()`)
    expect(await call('pushState')).toBe('denied')
    await tab.evaluate(WILLING)
    expect(await call('pushState')).toBe('unavailable')
    const provider = await client.providers.create({
      name: 'browsers',
      kind: 'web_push',
      channel: 'push',
      config: { public_key: PUBLIC_KEY, subject: 'mailto:ops@example.org' },
      secrets: { private_key: 'x'.repeat(43) },
    })
    onTestFinished(() => client.providers.delete(provider.id))
    expect(await call('pushState')).toBe('off')
    expect([await call('enablePush'), await call('pushState')]).toEqual(['on', 'on'])
    expect((await client.devices.list(site.person)).data).toMatchObject([
      { kind: 'web_push', label: 'Chrome' },
    ])
    expect(await call('disablePush')).toBe('off')
    expect((await client.devices.list(site.person)).data).toEqual([])
  })
})
