import { describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { recordReencryption } from '../../cli/commands/rotate-master.ts'
import { createKeyring, newMasterKey } from '../../platform/secrets/keyring.ts'
import { reencryptSecrets, refuseWrongMasterKey } from '../../platform/secrets/sealed-rows.ts'
import { PROVIDER_KINDS } from '../services/kinds.ts'

const carillon = useCarillon()
const PASSWORD = 'hunter2-very-secret'

function smtp(name: string, more: object = {}) {
  return {
    name,
    kind: 'smtp',
    config: { host: '127.0.0.1', port: 2525, tls: 'offered', from: 'shop@example.com' },
    secrets: { user: 'shop', password: PASSWORD },
    ...more,
  }
}
const create = (body: object, key?: string) =>
  carillon.request('POST', '/v1/providers', { body, ...(key && { key }) })

describe('provider configurations', () => {
  it('have defaults, and a name unique in the tenant', { tags: 'S002-21' }, async () => {
    const answer = await create(smtp('defaults'))
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      channel: 'email',
      is_active: true,
      rate_limit: null,
      timeout_seconds: 30,
      priority: 0,
      uncertain_policy: 'resend',
      breaker: { state: 'closed' },
    })
    expect(problemOf(await create(smtp('defaults')))).toMatchObject({ code: 'already_exists' })
    const other = await carillon.createTenant('other providers')
    await carillon.pool.query(`update api_keys set scopes = '{admin,instance}' where tenant_id = $1`, [
      other.id,
    ])
    expect((await create(smtp('defaults'), other.key)).status).toBe(201)
  })

  it('secrets are encrypted in the row and never come back', { tags: ['S002-21', 'S002-30'] }, async () => {
    const created = await create(smtp('secretive'))
    const read = await carillon.request('GET', `/v1/providers/${created.body.id}`)
    const list = await carillon.request('GET', '/v1/providers')
    for (const answer of [created, read, list]) expect(JSON.stringify(answer.body)).not.toContain(PASSWORD)
    expect(read.body.has_secrets).toEqual(['user', 'password'])
    const { rows } = await carillon.pool.query(
      'select p::text as row from provider_configs p where id = $1',
      [created.body.id],
    )
    expect(rows[0].row).not.toContain(PASSWORD)
    expect(rows[0].row).toMatch(/v1\./)
  })

  it('secrets that were not given are not listed, though the kind fills them in', async () => {
    const { body } = await create({
      name: 'bare',
      kind: 'http',
      channel: 'sms',
      config: { url: 'https://sms.example.com/' },
    })
    expect(body.has_secrets).toEqual([])
    await carillon.request('DELETE', `/v1/providers/${body.id}`)
  })

  it('a secret moved to another row does not open', async () => {
    const [one, two] = [await create(smtp('row one')), await create(smtp('row two'))]
    await carillon.pool.query(
      'update provider_configs set secrets = (select secrets from provider_configs where id = $1) where id = $2',
      [one.body.id, two.body.id],
    )
    const path = `/v1/providers/${two.body.id}`
    expect((await carillon.request('GET', path)).body.has_secrets).toEqual([])
    const test = await carillon.request('POST', `${path}/test`, { body: { address: 'ada@example.com' } })
    expect(problemOf(test)).toMatchObject({ code: 'not_active' })
    await carillon.request('DELETE', `/v1/providers/${two.body.id}`)
  })

  it.each([
    ['an unknown kind', { kind: 'pigeon' }, 'kind'],
    ['a missing setting', { config: { host: 'mail.example.com' } }, 'config.from'],
    [
      'an unknown setting',
      { config: { host: 'mail.example.com', from: 'a@example.com', colour: 'red' } },
      'config.colour',
    ],
    ['a wrong secret', { secrets: { password: 5 } }, 'secrets.password'],
    ['a channel it does not serve', { channel: 'sms' }, 'channel'],
    ['no rate', { rate_limit: 0 }, 'rate_limit'],
    ['a name that is too long', { name: 'n'.repeat(51) }, 'name'],
  ])('refuses %s, naming the field and not the value', async (_name, change, field) => {
    const answer = await create({ ...smtp('refused'), ...change })
    expect(problemOf(answer).errors?.[0]?.field).toBe(field)
    expect(JSON.stringify(answer.body)).not.toContain(PASSWORD)
  })

  it('changes what is given and keeps the rest, secrets too', async () => {
    const { body } = await create(smtp('changing'))
    const changed = await carillon.request('PATCH', `/v1/providers/${body.id}`, {
      body: { priority: 7, rate_limit: 100 },
    })
    expect(changed.body).toMatchObject({
      priority: 7,
      rate_limit: 100,
      has_secrets: ['user', 'password'],
      config: body.config,
    })
    const cleared = await carillon.request('PATCH', `/v1/providers/${body.id}`, {
      body: { rate_limit: null, secrets: {} },
    })
    expect(cleared.body).toMatchObject({ rate_limit: null, has_secrets: [] })
    expect((await carillon.request('DELETE', `/v1/providers/${body.id}`)).status).toBe(204)
    expect((await carillon.request('GET', `/v1/providers/${body.id}`)).status).toBe(404)
  })

  it('the policy to ask is refused for a service that cannot be asked', async () => {
    expect(problemOf(await create(smtp('asked', { uncertain_policy: 'ask' }))).errors?.[0]?.field).toBe(
      'uncertain_policy',
    )
    const { body } = await create(smtp('not asked'))
    const change = { body: { uncertain_policy: 'ask' } }
    expect((await carillon.request('PATCH', `/v1/providers/${body.id}`, change)).status).toBe(400)
    const asked = { name: 'asked', kind: 'postmark', config: { from: 'a@example.com' } }
    const answer = await create({ ...asked, secrets: { server_token: 't' }, uncertain_policy: 'ask' })
    expect(answer.body).toMatchObject({ uncertain_policy: 'ask' })
  })

  it('the services that can be asked are those whose answer can be trusted', () => {
    const asked = PROVIDER_KINDS.filter(({ canBeAsked }) => canBeAsked).map(({ name }) => name)
    expect(asked).toEqual(['mailgun', 'postmark', 'twilio'])
  })

  it('another tenant sees and touches none of it', async () => {
    const { body } = await create(smtp('private'))
    const { key } = await carillon.createTenant('nosy')
    for (const method of ['GET', 'DELETE'] as const) {
      expect((await carillon.request(method, `/v1/providers/${body.id}`, { key })).status).toBe(404)
    }
    expect((await carillon.request('GET', '/v1/providers', { key })).body.data).toEqual([])
  })

  it('a kind that reaches any host is for operators: a tenant’s own key cannot configure it', async () => {
    const { key } = await carillon.createTenant('plain tenant')
    expect(problemOf(await create(smtp('scanner'), key))).toMatchObject({ code: 'forbidden' })
  })

  it('serves the schemas that forms are built from', async () => {
    const { data } = (await carillon.request('GET', '/v1/provider-kinds')).body
    const kind = data.find((entry: { name: string }) => entry.name === 'smtp')
    expect(kind.config_schema.properties.host).toBeDefined()
    expect(kind.secrets_schema.properties.password).toBeDefined()
    for (const entry of data) expect(entry.channels.length).toBeGreaterThan(0)
    const ofOperators = data.filter((entry: { operator_only: boolean }) => entry.operator_only)
    expect(ofOperators.map(({ name }: { name: string }) => name)).toEqual(['smtp'])
  })

  it('rotating the master key re-encrypts everything; a foreign key refuses to start', {
    tags: 'S002-30',
  }, async () => {
    const { body } = await create(smtp('rotated'))
    const keys = [newMasterKey(), newMasterKey()]
    const old = createKeyring([keys[0]!])
    await carillon.pool.query('delete from provider_configs where id <> $1', [body.id])
    await carillon.pool.query('update provider_configs set secrets = $2 where id = $1', [
      body.id,
      old.encrypt('{"password":"kept"}', `provider_configs/${carillon.tenantId}/${body.id}`),
    ])
    await expect(refuseWrongMasterKey(carillon.pool, createKeyring([keys[1]!]))).rejects.toThrow(
      /CARILLON_MASTER_KEY/,
    )
    expect(
      await reencryptSecrets(carillon.pool, createKeyring([keys[1]!, keys[0]!]), recordReencryption),
    ).toBe(1)
    await refuseWrongMasterKey(carillon.pool, createKeyring([keys[1]!]))
    await carillon.pool.query('delete from provider_configs')
  })
})
