/** A process without the master key: it cannot open the secrets of providers and webhooks, and must not guess. */
import { describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { createProviderParts } from '../../../test/provider-parts.ts'
import { createKeyring, newMasterKey } from '../../platform/secrets/keyring.ts'
import { createMessageStore } from '../captured-messages/captured-messages.ts'
import { createBuiltIns } from '../services/built-in.ts'
import { useProcesses } from './environment.fixture.ts'
import { createMissingReport } from './missing.ts'

const carillon = useCarillon()
const processes = useProcesses(carillon)

/** Its keyring differs from the API's, which has encrypted the secrets. */
function startWithoutKey() {
  const { pool } = carillon
  const parts = createProviderParts(pool, {
    keyring: createKeyring([newMasterKey()]),
    builtIn: createBuiltIns({ saveCaptured: createMessageStore(pool), deliverInApp: async () => {} }),
    onMissing: createMissingReport(pool, () => {}),
  })
  const worker = carillon.deliver(() => ({ kind: 'sent' }), { candidates: parts.directory.candidates })
  return async () => {
    await worker.stop()
    await parts.close()
  }
}
const provide = () =>
  carillon.request('POST', '/v1/providers', {
    body: {
      name: 'secretive',
      kind: 'http',
      channel: 'email',
      config: { url: processes.receiver.url },
      secrets: { headers: { authorization: 'Bearer of-the-tenant' } },
    },
  })

describe('a worker that cannot open the secrets of a provider', () => {
  it('waits, captures nothing and tells the operator; one that can sends', async () => {
    await provide()
    const stop = startWithoutKey()
    const id = await carillon.send()
    const route = await processes.postponed(id, 'no_provider')
    expect(route.attempt_count).toBe(0)
    expect(await processes.captured()).toEqual([])
    await expect
      .poll(() => processes.events('provider_missing'))
      .toMatchObject([{ tenant_id: null, description: expect.stringContaining('cannot be opened') }])
    await stop()

    await processes.start({})
    await carillon.skipWaiting()
    await carillon.settled(id, 'sent')
    expect(processes.receiver.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer of-the-tenant',
    ])
  })

  it('does not send through the environment’s provider either, which has another sender', async () => {
    const created = await provide()
    await carillon.pool.query(`update provider_configs set secrets = 'v1.gone.a.b' where id = $1`, [
      created.body.id,
    ])
    await processes.start(processes.overHttp)
    await processes.postponed(await carillon.send(), 'no_provider')
    expect(processes.receiver.requests).toEqual([])
  })

  it('still lists it', async () => {
    const created = await provide()
    await carillon.pool.query(`update provider_configs set secrets = 'v1.gone.a.b' where id = $1`, [
      created.body.id,
    ])
    expect(await processes.listed()).toMatchObject([{ name: 'secretive', has_secrets: [] }])
  })
})
