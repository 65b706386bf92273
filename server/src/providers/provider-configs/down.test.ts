import { describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { useProcesses } from './environment.fixture.ts'

const carillon = useCarillon()
const { events, breakDown } = useProcesses(carillon)
const aMailServer = {
  name: 'own',
  kind: 'http',
  channel: 'email',
  config: { url: 'http://127.0.0.1:1/never' },
}

describe('a provider of a tenant that keeps failing', () => {
  async function aFailingOne(): Promise<string> {
    const { body } = await carillon.request('POST', '/v1/providers', { body: aMailServer })
    await breakDown({ id: body.id, tenant_id: carillon.tenantId, subject: 'own' })
    expect(await events('provider_down')).toMatchObject([{ subject: 'own' }])
    return `/v1/providers/${body.id}`
  }

  it('is no longer reported when it is deleted', async () => {
    await carillon.request('DELETE', await aFailingOne())
    expect(await events('provider_down')).toEqual([])
  })

  it.each([
    ['is switched off', { is_active: false }],
    ['gets other settings', { config: { url: 'http://127.0.0.1:2/never' } }],
    ['gets other secrets', { secrets: {} }],
  ])('is no longer reported when it %s, and starts with a closed breaker', async (_how, body) => {
    const { status, body: changed } = await carillon.request('PATCH', await aFailingOne(), { body })
    expect([status, changed.breaker.state]).toEqual([200, 'closed'])
    expect(await events('provider_down')).toEqual([])
  })

  it('is still reported when anything else changes', async () => {
    const { body } = await carillon.request('PATCH', await aFailingOne(), { body: { priority: 3 } })
    expect(body.breaker.state).toBe('open')
    expect(await events('provider_down')).toHaveLength(1)
  })
})
