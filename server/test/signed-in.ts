/** Browsers that are signed in, for tests: accounts with a password, and requests with their cookie. */
import type { KeyRole } from '@carillon/contract'
import { createAccount } from '../src/oversight/accounts/accounts.ts'
import { createPasswords } from '../src/oversight/accounts/passwords.ts'
import { addMember } from '../src/oversight/members/members.ts'
import { transaction } from '../src/platform/database/pool.ts'
import type { Answer, RequestOptions, TestCarillon } from './carillon.ts'

export const PASSWORD = 'four random horses stapled'
const passwords = createPasswords()
let hash: Promise<string> | undefined
let unique = 0

type Method = Parameters<TestCarillon['request']>[0]

export interface Browser {
  /** What it sends along; empty before it signs in. */
  cookie: string
  request(method: Method, path: string, options?: RequestOptions): Promise<Answer>
  /** Keeps the cookie of the answer. */
  signIn(body: object): Promise<Answer>
}

export function openBrowser(carillon: TestCarillon, headers: Record<string, string> = {}): Browser {
  const browser: Browser = {
    cookie: '',
    async request(method, path, options = {}) {
      const answer = await carillon.request(method, path, {
        ...options,
        key: null,
        headers: {
          'x-carillon-dashboard': '1',
          ...headers,
          ...(browser.cookie !== '' && { cookie: browser.cookie }),
          ...options.headers,
        },
      })
      const set = answer.headers['set-cookie']
      if (typeof set === 'string') browser.cookie = set.split(';')[0]!
      return answer
    },
    signIn: body => browser.request('POST', '/v1/session', { body }),
  }
  return browser
}

export interface TestAccount {
  id: string
  email: string
}

/** A member of the tenants, of the first one by default. */
export async function anAccount(
  carillon: TestCarillon,
  role: KeyRole | undefined,
  tenantIds = [carillon.tenantId],
): Promise<TestAccount> {
  hash ??= passwords.hash(PASSWORD)
  const password_hash = await hash
  const email = `account-${++unique}@example.com`
  const account = await createAccount(carillon.pool, { email, name: `Account ${unique}`, password_hash })
  if (role !== undefined)
    for (const tenantId of tenantIds)
      await transaction(carillon.pool, tx => addMember(tx, tenantId, account, role))
  return { id: account.id, email }
}

/** Signed in with an account of the role. */
export async function aBrowserOf(
  carillon: TestCarillon,
  role: KeyRole | undefined,
  tenantIds?: string[],
): Promise<Browser & { account: TestAccount }> {
  const account = await anAccount(carillon, role, tenantIds)
  const browser = openBrowser(carillon)
  await browser.signIn({ email: account.email, password: PASSWORD })
  return Object.assign(browser, { account })
}
