import { describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { aReceiver, aWebhook } from '../../../test/webhooks.ts'
import { recordReencryption } from '../../cli/commands/rotate-master.ts'
import { createKeyring, keyIdOf, newMasterKey } from '../../platform/secrets/keyring.ts'
import { reencryptSecrets, refuseWrongMasterKey } from '../../platform/secrets/sealed-rows.ts'
import { unsealSecrets } from './secrets.ts'

const carillon = useCarillon()
const URL = 'https://example.com/hook'
const create = (body: object, key?: string) =>
  carillon.request('POST', '/v1/webhooks', key === undefined ? { body } : { body, key })
const stored = async (id: string) =>
  (await carillon.pool.query('select * from notification_webhooks where id = $1', [id])).rows[0]

describe('a webhook', () => {
  it('is created with its secret shown once, changed, listed and deleted', { tags: 'S002-13' }, async () => {
    const created = await create({
      url: URL,
      events: ['notification.sent', 'notification.read'],
      headers: { 'X-A': '1' },
    })
    expect(created.status).toBe(201)
    expect(created.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const { id } = created.body
    const shown = await carillon.request('GET', `/v1/webhooks/${id}`)
    expect(shown.body).toMatchObject({
      id,
      url: URL,
      headers: ['X-A'],
      is_active: true,
      waiting: 0,
      secret_expires_at: null,
    })
    expect(shown.body).not.toHaveProperty('secret')

    const changed = await carillon.request('PATCH', `/v1/webhooks/${id}`, {
      body: { events: ['notification.sent'], headers: {}, timeout_seconds: 5, categories: ['orders'] },
    })
    expect(changed.body).toMatchObject({
      events: ['notification.sent'],
      headers: [],
      timeout_seconds: 5,
      categories: ['orders'],
      url: URL,
    })
    expect((await carillon.request('GET', '/v1/webhooks')).body.data).toHaveLength(1)
    expect((await carillon.request('DELETE', `/v1/webhooks/${id}`)).status).toBe(204)
    expect((await carillon.request('GET', `/v1/webhooks/${id}`)).status).toBe(404)
    expect((await carillon.request('DELETE', `/v1/webhooks/${id}`)).status).toBe(404)
  })

  it('moves to another address only with its headers, so that nobody has them sent to themselves', async () => {
    const headers = { Authorization: 'Bearer a-secret-token' }
    const { id } = (await create({ url: URL, events: ['notification.sent'], headers })).body
    const change = (body: object) => carillon.request('PATCH', `/v1/webhooks/${id}`, { body })
    const elsewhere = 'https://elsewhere.example.com/hook'
    const problem = problemOf(await change({ url: elsewhere }))
    expect(problem).toMatchObject({ status: 400, code: 'invalid_request', errors: [{ field: 'headers' }] })
    expect((await change({ url: URL, description: 'the same' })).status).toBe(200)
    expect((await change({ url: elsewhere, headers })).body.url).toBe(elsewhere)
    await change({ headers: {} })
    expect((await change({ url: URL })).body.url).toBe(URL)
    await carillon.request('DELETE', `/v1/webhooks/${id}`)
  })

  it.each([
    ['a letter that no header can carry', 'Bearer tök€n'],
    ['a line break', 'Bearer token\n'],
    ['nothing', ''],
    ['spaces alone', '  '],
  ])('refuses a header with %s, when it is created and when it is changed', async (_title, value) => {
    const headers = { authorization: value }
    const field = 'headers.authorization'
    const refused = await create({ url: URL, events: ['notification.sent'], headers })
    expect(problemOf(refused)).toMatchObject({ status: 400, errors: [{ field }] })
    const { id } = (await create({ url: URL, events: ['notification.sent'] })).body
    const changed = await carillon.request('PATCH', `/v1/webhooks/${id}`, { body: { headers } })
    expect(problemOf(changed)).toMatchObject({ status: 400, errors: [{ field }] })
    await carillon.request('DELETE', `/v1/webhooks/${id}`)
  })

  it('is listed page by page, and filtered by user and state', { tags: 'S002-33' }, async () => {
    const { key } = await carillon.createTenant('lists')
    for (const id of ['ada', 'bob']) await carillon.request('PUT', `/v1/users/${id}`, { body: {}, key })
    const ids: string[] = []
    for (const fields of [{}, { user_id: 'ada' }, { user_id: 'ada', is_active: false }, { user_id: 'bob' }])
      ids.push((await create({ url: URL, events: ['notification.sent'], ...fields }, key)).body.id)
    const list = async (query: string) =>
      (await carillon.readAll(`/v1/webhooks${query}`, 1, key)).map(({ id }) => ids.indexOf(id))
    expect(await list('')).toEqual([0, 1, 2, 3])
    expect(await list('?user_id=ada')).toEqual([1, 2])
    expect(await list('?user_id=ada&state=active')).toEqual([1])
    expect(await list('?state=inactive')).toEqual([2])
    const wrong = await carillon.request('GET', '/v1/webhooks?state=on', { key })
    expect(problemOf(wrong).code).toBe('invalid_request')
    await carillon.pool.query('delete from notification_webhooks where id = any ($1)', [ids])
  })

  it('its secrets are encrypted in the row and appear in no answer after the first', {
    tags: ['S002-30', 'S002-13'],
  }, async () => {
    const webhook = await aWebhook(carillon, { url: URL, headers: { authorization: 'Bearer hidden-token' } })
    const row = await stored(webhook.id)
    expect(JSON.stringify(row)).not.toContain(webhook.secret.slice(6))
    expect(JSON.stringify(row)).not.toContain('hidden-token')
    const answers = [
      await carillon.request('GET', '/v1/webhooks'),
      await carillon.request('GET', `/v1/webhooks/${webhook.id}`),
      await carillon.request('PATCH', `/v1/webhooks/${webhook.id}`, { body: { description: 'x' } }),
      await carillon.request('POST', `/v1/webhooks/${webhook.id}/rotate`, { body: {} }),
    ]
    for (const answer of answers) {
      expect(JSON.stringify(answer.body)).not.toContain(webhook.secret.slice(6))
      expect(JSON.stringify(answer.body)).not.toContain('hidden-token')
    }
    expect(answers[3]!.body.secret).not.toBe(webhook.secret)
  })

  it('its audit rows say that secrets and headers changed, but never show them', {
    tags: 'S002-26',
  }, async () => {
    const headers = { authorization: 'Bearer hidden-token' }
    const webhook = await aWebhook(carillon, { url: URL, headers })
    const change = (body: object) => carillon.request('PATCH', `/v1/webhooks/${webhook.id}`, { body })
    await change({ headers: { authorization: 'Bearer other-token' } })
    await change({ is_paused: true })
    const rotated = await carillon.request('POST', `/v1/webhooks/${webhook.id}/rotate`, { body: {} })
    await carillon.request('DELETE', `/v1/webhooks/${webhook.id}`)
    const rows = await carillon.readAll(`/v1/audit-logs?resource_id=${webhook.id}`)
    expect(rows.map(row => [row.action, row.old_values, row.new_values]).reverse()).toEqual([
      [
        'create',
        null,
        expect.objectContaining({ url: URL, secret: '[redacted]', headers: ['authorization'] }),
      ],
      ['update', {}, { secrets: '[redacted]' }],
      ['update', { is_paused: false }, { is_paused: true }],
      [
        'rotate',
        { secret_expires_at: null },
        { secret: '[redacted]', secret_expires_at: expect.any(String) },
      ],
      ['delete', expect.objectContaining({ url: URL, is_paused: true }), null],
    ])
    const everything = JSON.stringify(rows)
    for (const secret of ['hidden-token', 'other-token', webhook.secret, rotated.body.secret])
      expect(everything).not.toContain(secret)
  })

  it('its secrets cannot be decrypted when they are copied to another row', { tags: 'S002-21' }, async () => {
    const [a, b] = [await aWebhook(carillon, { url: URL }), await aWebhook(carillon, { url: URL })]
    const { secrets } = await stored(a.id)
    await carillon.pool.query('update notification_webhooks set secrets = $2 where id = $1', [b.id, secrets])
    expect(() =>
      unsealSecrets(carillon.providers.keyring, { tenant_id: carillon.tenantId, id: b.id, secrets }),
    ).toThrow()
    await carillon.pool.query('delete from notification_webhooks where id = $1', [b.id])
  })

  it.each([
    ['url', { url: 'nonsense' }],
    ['events', { events: [] }],
    ['events.0', { events: ['notification.exploded'] }],
    ['headers.webhook-id', { headers: { 'webhook-id': 'x' } }],
    ['headers.Host', { headers: { Host: 'x' } }],
    ['headers.x-a', { headers: { 'x-a': 'line\nbreak' } }],
    ['retry_count', { retry_count: -1 }],
    ['timeout_seconds', { timeout_seconds: 61 }],
    ['batch_size', { batch_size: 101 }],
    ['rate_limit', { rate_limit: 0 }],
    ['user_id', { user_id: 'nobody' }],
    ['surprise', { surprise: 1 }],
  ])('refuses a wrong %s and names it', async (field, wrong) => {
    const answer = await create({ url: URL, events: ['notification.sent'], ...wrong })
    expect([answer.status, problemOf(answer).errors?.[0]?.field]).toEqual([400, field])
  })

  it('is invisible to another tenant, in every way', { tags: 'S004-7' }, async () => {
    const receiver = await aReceiver()
    const webhook = await aWebhook(carillon, { url: receiver.url })
    const { key } = await carillon.createTenant('curious')
    const tried = [
      ['GET', ''],
      ['PATCH', '', { is_active: false }],
      ['DELETE', ''],
      ['POST', '/rotate', {}],
      ['POST', '/test', {}],
      ['GET', '/deliveries'],
      ['POST', '/recoveries', { since: '2020-01-01T00:00:00Z' }],
    ] as const
    for (const [method, path, body] of tried) {
      const answer = await carillon.request(method, `/v1/webhooks/${webhook.id}${path}`, {
        key,
        ...(body && { body }),
      })
      expect([method, path, answer.status]).toEqual([method, path, 404])
    }
    expect((await carillon.request('GET', '/v1/webhooks', { key })).body.data).toEqual([])
    expect(receiver.requests).toHaveLength(0)
  })

  it('needs its scopes', async () => {
    const { key } = await carillon.createKey({ name: 'reader', scopes: ['webhooks:read'] })
    expect((await carillon.request('GET', '/v1/webhooks', { key })).status).toBe(200)
    expect((await create({ url: URL, events: ['notification.sent'] }, key)).status).toBe(403)
  })
})

describe('the master key', () => {
  it('can be rotated: every webhook is encrypted with the new key and signs as before', {
    tags: 'S002-30',
  }, async () => {
    const oldKey = newMasterKey()
    const webhook = await aWebhook(carillon, { url: URL })
    const { keyring } = carillon.providers
    const row = await stored(webhook.id)
    const plain = unsealSecrets(keyring, row)
    const old = createKeyring([oldKey])
    await carillon.pool.query('update notification_webhooks set secrets = $2 where id = $1', [
      webhook.id,
      old.encrypt(JSON.stringify(plain), `notification_webhooks/${carillon.tenantId}/${webhook.id}`),
    ])
    const foreign = createKeyring([newMasterKey()])
    await expect(refuseWrongMasterKey(carillon.pool, foreign)).rejects.toThrow(/another master key/)
    const rotated = createKeyring([newMasterKey(), oldKey])
    expect(await reencryptSecrets(carillon.pool, rotated, recordReencryption)).toBe(1)
    expect(await reencryptSecrets(carillon.pool, rotated, recordReencryption)).toBe(0)
    const audited = await carillon.readAll(`/v1/audit-logs?action=reencrypt&resource_id=${webhook.id}`)
    expect(audited).toMatchObject([{ resource_type: 'webhook', api_key_id: null, new_values: null }])
    const after = await stored(webhook.id)
    expect(keyIdOf(after.secrets)).toBe(rotated.currentId)
    expect(unsealSecrets(rotated, after)).toEqual(plain)
    await carillon.pool.query('delete from notification_webhooks where id = $1', [webhook.id])
  })
})
