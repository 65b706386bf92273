import { describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { aWebhook } from '../../../test/webhooks.ts'
import { createEndpointDirectory } from './endpoints.ts'

const carillon = useCarillon()

describe('the endpoint directory', () => {
  it('finds nothing for another tenant that asks for the id at the same moment, and still finds it for its own', async () => {
    const { id } = await aWebhook(carillon, { url: 'https://example.com' })
    const nosy = await carillon.createTenant('nosy')
    const { pool } = carillon
    const { keyring } = carillon.providers
    for (const rememberMs of [0, 60_000]) {
      const directory = createEndpointDirectory({ pool, keyring, rememberMs })
      const found = await Promise.all(
        [carillon.tenantId, nosy.id, carillon.tenantId].map(tenant => directory.find(tenant, id)),
      )
      expect(found.map(endpoint => endpoint?.tenantId)).toEqual([
        carillon.tenantId,
        undefined,
        carillon.tenantId,
      ])
      expect(await directory.find(nosy.id, id)).toBeUndefined()
    }
  })
})
