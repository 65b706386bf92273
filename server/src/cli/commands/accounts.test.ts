import { expect, test } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { openBrowser, PASSWORD } from '../../../test/signed-in.ts'
import { carillon as runCarillon } from '../in-process.fixture.ts'

const carillon = useCarillon()
const KEYRING = { CARILLON_MASTER_KEY: '' }

async function accounts(...args: string[]) {
  const environment = { DATABASE_URL: carillon.url, ...KEYRING }
  return runCarillon('', ['accounts', ...args], { environment })
}

test('whoever has the machine makes, lists, helps and removes people', async () => {
  expect((await accounts('link')).stdout).toMatch(/\/dashboard\/#link=\S+\n$/)
  await carillon.createTenant('acme')
  const created = await accounts('create', 'Ada@Example.com', '--role', 'owner', '--tenant', 'acme', '--json')
  expect(JSON.parse(created.stdout)).toMatchObject({
    ...{ email: 'ada@example.com', tenant: 'acme', role: 'owner' },
    url: expect.stringMatching(/\/dashboard\/#link=/),
  })
  expect((await accounts('link')).stderr).toContain('give the email')
  expect((await accounts('link', 'ada@example.com')).stdout).toMatch(/#link=\S+\n$/)
  const again = await accounts('create', 'ada@example.com', '--role', 'viewer')
  expect(again.code).toBe(0)
  const { stdout } = await accounts('list', '--json')
  expect(stdout).toContain('acme (owner)')
  expect(stdout).toContain('default (viewer)')
  const last = await accounts('remove', 'ada@example.com')
  expect([last.code, last.stderr]).toEqual([1, expect.stringContaining('last owner')])
  await accounts('create', 'bob@example.com', '--role', 'owner', '--tenant', 'acme')
  expect((await accounts('remove', 'ada@example.com')).code).toBe(0)
  expect((await accounts('link', 'ada@example.com')).stderr).toContain('There is no account')
  const signIn = await openBrowser(carillon).signIn({ email: 'ada@example.com', password: PASSWORD })
  expect(problemOf(signIn).status).toBe(401)
})

test('an address that is none is refused', async () => {
  expect((await accounts('create', 'nobody', '--role', 'viewer')).stderr).toContain('email address')
})
