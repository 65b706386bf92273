import { createClient } from '@carillon/sdk'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { seriousViolations } from './axe.fixture.ts'
import { useChromium } from './chromium.fixture.ts'
import { PASSWORD, useDashboard } from './dashboard.fixture.ts'

// A whole process and a browser, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const browser = useChromium()
const dashboard = useDashboard(browser)

const overview = (page: Page) => page.getByRole('heading', { name: 'Overview' }).waitFor()

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** A call that the page itself could make. */
const call = (page: Page, method: string, path: string, headers: Record<string, string> = {}) =>
  page.evaluate(
    async ([verb, address, more]) =>
      (
        await fetch(address, {
          method: verb,
          headers: { 'content-type': 'application/json', ...more },
          ...(verb !== 'GET' && { body: '{}' }),
        })
      ).status,
    [method, path, headers] as const,
  )

test('the printed link signs in the first owner once, who then has a password', async () => {
  // Other files of this process had people.
  await dashboard.pool.query('delete from accounts')
  const link = await dashboard.run('accounts', 'link')
  const page = await browser.open(link)
  await page.getByRole('heading', { name: 'Welcome' }).waitFor()
  expect(page.url()).not.toContain('#')
  expect(await seriousViolations(page)).toEqual([])
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByLabel('Password').fill('too short')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Save' }).click()
  await overview(page)
  expect(browser.mistakes.filter(text => !text.includes('401'))).toEqual([])

  const again = await browser.open(link)
  await again.getByRole('heading', { name: 'This link does not work' }).waitFor()

  await page.getByRole('button', { name: /^Account of/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await seriousViolations(page)).toEqual([])
  await signIn(page, 'ada@example.com', 'something else entirely')
  await page.getByRole('alert').waitFor()
  await signIn(page, 'Ada@Example.com', PASSWORD)
  await overview(page)
})

test('an invitation makes a member, who may do what the role allows and nothing more', async () => {
  const owner = await dashboard.openAs('owner', '/members')
  await owner.getByRole('button', { name: 'Invite' }).click()
  await owner.getByRole('dialog').getByLabel('Email').fill('vera@example.com')
  await owner.getByLabel('Role').last().selectOption('viewer')
  await owner.getByRole('button', { name: 'Create the link' }).click()
  const url = await owner.getByRole('dialog').locator('code').textContent()
  await owner.getByRole('button', { name: 'Done' }).click()
  await owner.getByText('vera@example.com').waitFor()

  const viewer = await browser.open(url!)
  await viewer.getByText('You are invited as viewer').waitFor()
  await viewer.getByLabel('Password').fill(PASSWORD)
  await viewer.getByRole('button', { name: 'Join' }).click()
  await overview(viewer)
  const asPage = { 'x-carillon-dashboard': '1' }
  expect(await call(viewer, 'GET', '/v1/records', asPage)).toBe(200)
  expect(await call(viewer, 'PUT', '/v1/users/eve', asPage)).toBe(403)
  // Without the header, as another site would make the browser call.
  expect(await call(viewer, 'GET', '/v1/records')).toBe(403)
  await viewer.goto(`${dashboard.url}/dashboard/members`)
  await viewer.getByRole('button', { name: 'Invite' }).waitFor()
  expect(await viewer.getByRole('button', { name: 'Invite' }).getAttribute('aria-disabled')).toBe('true')

  await owner.reload()
  const row = owner.getByRole('listitem').filter({ hasText: 'vera@example.com' })
  await row.getByRole('button', { name: 'Remove' }).click()
  await owner.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await row.waitFor({ state: 'detached' })
  await expect.poll(() => call(viewer, 'GET', '/v1/records', asPage)).toBe(403)
})

test('a printed link signs in whoever has an account, whose session ends at once where somebody ends it', async () => {
  const page = await browser.open(
    await dashboard.run('accounts', 'create', 'oscar@example.com', '--role', 'operator'),
  )
  await page.getByRole('button', { name: 'Later' }).click()
  await overview(page)
  await page.goto(`${dashboard.url}/dashboard/account`)
  await page.getByText('this one').waitFor()
  await page.getByRole('button', { name: /^Account of/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await call(page, 'GET', '/v1/records', { 'x-carillon-dashboard': '1' })).toBe(401)
})

test('another tenant’s key sees nothing of this one', async () => {
  const client = dashboard.connect()
  await client.users.put('only-here', {})
  const {
    api_key: { key },
  } = await dashboard.operator.tenants.create({ name: 'next door' })
  const page = await browser.open(`${dashboard.url}/dashboard/`)
  await page.getByRole('button', { name: 'Use an API key' }).click()
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await overview(page)
  await page.getByText('next door', { exact: true }).first().waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('only-here')
  await page.getByText('Nothing found').waitFor()
  const neighbour = createClient({ url: dashboard.url, apiKey: key })
  await expect(neighbour.users.get('only-here')).rejects.toMatchObject({ status: 404 })
})
