import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createClient } from '@carillon/sdk'
import { build } from 'vite'
import { afterEach, expect, inject, test, vi } from 'vitest'
import { type TestBrowser, useChromium } from '../../e2e/browser/chromium.fixture.ts'
import { sharedInstance } from '../../e2e/browser/instance.fixture.ts'
import { POST } from './next/app/api/carillon-token/route.ts'
import { type NextServer, startNext } from './next/server.fixture.ts'

type Page = Awaited<ReturnType<TestBrowser['open']>>

// A whole process and a browser, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 })

const browser = useChromium()
const backends: ChildProcess[] = []
let next: NextServer | undefined

afterEach(async () => {
  for (const backend of backends.splice(0)) backend.kill('SIGKILL')
  await next?.stop()
  vi.unstubAllEnvs()
  // Whoever compiles for Vue loads it, and it leaves these.
  for (const name of Object.keys(globalThis))
    if (name.startsWith('__VUE_')) Reflect.deleteProperty(globalThis, name)
})

/** Starts the plain backend as its reader would, and gives its address. */
async function startBackend(...folder: string[]): Promise<string> {
  const backend = spawn(process.execPath, [join(import.meta.dirname, 'plain/server.js'), ...folder], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      CARILLON_URL: process.env.CARILLON_URL,
      CARILLON_API_KEY: process.env.CARILLON_API_KEY,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  backends.push(backend)
  const [line] = await once(createInterface({ input: backend.stdout! }), 'line')
  return /listening on (\S+)/.exec(line)![1]!
}

/** `vite build` with the settings of the example; gives the folder. */
async function bundle(example: string): Promise<string> {
  const outDir = mkdtempSync(join(inject('scratchDir'), `${example}-`))
  await build({ root: join(import.meta.dirname, example), logLevel: 'error', build: { outDir } })
  return outDir
}

async function seeInBell(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: '1 unread' }).click()
  await page.locator('carillon-inbox').getByText(title).waitFor()
}

test('what is sent appears in every example', async () => {
  const carillon = await sharedInstance()
  const { api_key } = await carillon.client.tenants.create({ name: 'examples' })
  for (const name of ['CARILLON_URL', 'VITE_CARILLON_URL', 'NEXT_PUBLIC_CARILLON_URL'])
    vi.stubEnv(name, carillon.url)
  vi.stubEnv('CARILLON_API_KEY', api_key.key)
  next = await startNext()
  const addresses = [
    await startBackend(),
    await startBackend(await bundle('react')),
    await startBackend(await bundle('vue')),
    next.url,
  ]
  const client = createClient({ url: carillon.url, apiKey: api_key.key })
  await client.users.put('ada', {})
  await client.tenant.update({
    accept_unknown_types: true,
    cors_origins: addresses.map(address => new URL(address).origin),
  })

  const pages: Page[] = []
  for (const address of addresses) pages.push(await browser.open(address))
  const audience = { kind: 'users' as const, user_ids: ['ada'] }
  const payload = { title: 'It works' }
  await client.intents.send({ notification_type: 'hello', channels: ['in_app'], audience, payload })

  const [, inReact, inVue] = pages as [Page, Page, Page, Page]
  const latest = inReact.getByRole('region', { name: 'Latest' })
  await latest.getByText('It works').waitFor()
  await inVue.locator('p').getByText('1 unread').waitFor()
  for (const page of pages) await seeInBell(page, 'It works')
  await inReact.keyboard.press('Escape')
  await latest.getByRole('button', { name: 'Done' }).click()
  for (const page of pages)
    await page.locator('carillon-inbox').getByText('It works').waitFor({ state: 'detached' })
  expect(browser.mistakes).toEqual([])
})

test('the route of Next gives nobody a token who is not signed in', async () => {
  const ask = (cookie: string) =>
    POST(new Request('http://shop/api/carillon-token', { method: 'POST', headers: { cookie } }))
  expect((await ask('')).status).toBe(401)
  expect((await ask('session=ada')).status).toBe(401)
})
