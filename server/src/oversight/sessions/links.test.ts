/** The first owner of an instance, and people who have lost their password, sign in by a link. */
import { expect, it } from 'vitest'
import { atOnce } from '../../../test/at-once.ts'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { aBrowserOf, anAccount, openBrowser, PASSWORD } from '../../../test/signed-in.ts'
import { findAccount, findAccountByEmail } from '../accounts/accounts.ts'
import { firstLink, LINK_MS, linkFor } from './links.ts'

const carillon = useCarillon()
const URL = 'https://carillon.example'
const tokenIn = (link: string | undefined) => /#link=(\S+)$/.exec(link!)![1]!
const first = (now = Date.now()) => firstLink(carillon.pool, carillon.providers.keyring, URL, now)
const redeem = (link: string) => openBrowser(carillon).signIn({ link })

it('the first link signs in one owner without a password, once, even if two open it at once', async () => {
  const expired = await first(Date.now() - LINK_MS)
  expect(problemOf(await redeem(tokenIn(expired))).detail).toContain('expired')
  expect((await carillon.rowCounts()).accounts).toBe(0)
  const link = await first()
  expect(link).toMatch(/^https:\/\/carillon\.example\/dashboard\/#link=[\w-]+\.[\w-]+$/)
  const other = await first()
  const answers = await atOnce(carillon.pool, 'lock table accounts in access exclusive mode', [
    () => redeem(tokenIn(link)),
    () => redeem(tokenIn(link)),
    () => redeem(tokenIn(other)),
  ])
  expect(answers.map(answer => answer.status).sort()).toEqual([201, 401, 401])
  expect(answers.find(answer => answer.status === 201)?.body).toMatchObject({
    account: { email: '', name: '' },
    tenant: { id: carillon.tenantId },
    role: 'owner',
    needs_password: true,
  })
  expect((await carillon.rowCounts()).accounts).toBe(1)
  const refused = problemOf(answers.find(answer => answer.status === 401)!)
  expect([refused.code, refused.errors?.[0]?.field]).toEqual(['unauthenticated', 'link'])
})

it('the first link is offered again until the owner has a password, and ends the earlier session', async () => {
  const again = await first()
  const browser = openBrowser(carillon)
  expect((await browser.signIn({ link: tokenIn(again) })).status).toBe(201)
  expect((await redeem(tokenIn(again))).status).toBe(401)
  expect((await carillon.rowCounts()).sessions).toBe(1)
  const put = (body: object) => browser.request('PUT', '/v1/account', { body })
  expect(problemOf(await put({ password: PASSWORD })).errors?.[0]?.field).toBe('email')
  const answer = await put({ email: 'Ada@Example.com', name: 'Ada', password: PASSWORD })
  expect(answer.body).toMatchObject({ email: 'ada@example.com', name: 'Ada' })
  expect((await browser.request('GET', '/v1/session')).body).toMatchObject({
    needs_password: false,
    role: 'owner',
  })
  expect(await first()).toBeUndefined()
})

it('the first owner manages the instance as the first key does; other owners do not', async () => {
  const browser = openBrowser(carillon)
  const account = (await findAccountByEmail(carillon.pool, 'ada@example.com'))!
  const link = tokenIn(linkFor(carillon.providers.keyring, URL, account, Date.now()))
  expect((await browser.signIn({ link })).body.scopes).toEqual(['admin', 'instance'])
  const made = await browser.request('POST', '/v1/tenants', { body: { name: 'another' } })
  expect((await browser.request('GET', '/v1/session')).body.tenants).toMatchObject([
    { id: made.body.id, role: 'owner' },
    { role: 'owner' },
  ])
  expect((await browser.request('GET', '/v1/tenants')).status).toBe(200)
  const other = await aBrowserOf(carillon, 'owner')
  expect((await other.request('GET', '/v1/tenants')).status).toBe(403)
})

it('a link for an account signs in without the password, which can then be replaced', async () => {
  const { id, email } = await anAccount(carillon, 'viewer')
  const link = async () =>
    tokenIn(linkFor(carillon.providers.keyring, URL, (await findAccount(carillon.pool, id))!, Date.now()))
  const [used, left] = [await link(), await link()]
  const browser = openBrowser(carillon)
  expect((await browser.signIn({ link: used })).body.needs_password).toBe(true)
  for (const each of [used, left]) expect((await redeem(each)).status).toBe(401)
  const unused = await link()
  const password = 'another four random words'
  expect((await browser.request('PUT', '/v1/account', { body: { password } })).status).toBe(200)
  expect((await redeem(unused)).status).toBe(401)
  expect((await openBrowser(carillon).signIn({ email, password })).status).toBe(201)
})

it.each(['', 'x', 'x.y', 'e30.AAAA'])('the sign-in link "%s" is refused', async link => {
  expect([400, 401]).toContain((await redeem(link)).status)
})
