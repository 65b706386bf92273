import { expect, test } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { carillon as runCarillon } from '../in-process.fixture.ts'

const carillon = useCarillon()

async function recover(...args: string[]) {
  const environment = { DATABASE_URL: carillon.url }
  return runCarillon('', ['keys', 'recover', ...args], { environment })
}

test('an operator without any key gets one from the machine itself', async () => {
  await carillon.pool.query('update api_keys set is_active = false')
  const { code, stdout } = await recover()
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^ck_\S+\n$/)])
  const key = stdout.trim()
  expect((await carillon.request('GET', '/v1/tenants', { key })).status).toBe(200)
  const [audited] = await carillon.readAll('/v1/audit-logs?action=recover', 100, key)
  expect(audited).toMatchObject({ resource_type: 'api_key', user_id: null, api_key_id: null })
  const events = await carillon.readAll('/v1/system-events', 100, key)
  expect(events.map(event => event.event_type)).toContain('api_key_recovered')
})

test('a tenant’s owner gets one that stays inside the tenant', async () => {
  await carillon.createTenant('acme')
  const { stdout } = await recover('--tenant', 'acme', '--json')
  const { key, scopes, tenant } = JSON.parse(stdout)
  expect([scopes, tenant]).toEqual([['admin'], 'acme'])
  expect((await carillon.request('GET', '/v1/tenant', { key })).body.name).toBe('acme')
  expect((await recover('--tenant', 'nobody')).stderr).toContain('There is no tenant nobody.')
})
