/** Whom a key may send as, and what it is shown of those it sends to. */
import { beforeAll, describe, expect, it } from 'vitest'
import { AN_INTENT, problemOf, useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
let sender: string
let shop: string

beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com' })
  sender = (await carillon.createKey({ name: 'sender', scopes: ['intents:write', 'schedules:write'] })).key
  const producers = ['shop', 'shop-returns']
  shop = (await carillon.createKey({ name: 'shop', scopes: ['intents:write', 'api_keys:write'], producers }))
    .key
})

const send = (key: string, more: object, path = '/v1/intents') =>
  carillon.request('POST', path, { key, body: { ...AN_INTENT, ...more } })

describe('a producer', () => {
  it.each(['/v1/intents', '/v1/intents/simulate'])('is one of the key’s own at %s', async path => {
    expect(problemOf(await send(sender, { producer: 'shop' }, path))).toMatchObject({
      status: 400,
      code: 'invalid_producer',
      errors: [{ field: 'producer' }],
    })
    expect((await send(sender, { producer: 'api' }, path)).status).toBeLessThan(300)
    expect((await send(shop, { producer: 'shop-returns' }, path)).status).toBeLessThan(300)
    expect(problemOf(await send(shop, { producer: 'api' }, path)).code).toBe('invalid_producer')
    expect((await send(carillon.key, { producer: 'anybody' }, path)).status).toBeLessThan(300)
  })

  it('is refused item by item in a batch, and in a schedule', async () => {
    const intents = [
      { ...AN_INTENT, producer: 'api' },
      { ...AN_INTENT, producer: 'shop' },
    ]
    const { body } = await carillon.request('POST', '/v1/intents/batch', { key: sender, body: { intents } })
    expect(body.items[1]).toMatchObject({ status: 'failed', code: 'invalid_producer' })
    const schedule = { name: 's', cron: '@daily', intent: { ...AN_INTENT, producer: 'shop' } }
    const refused = await carillon.request('POST', '/v1/schedules', { key: sender, body: schedule })
    expect(problemOf(refused).errors?.[0]?.field).toBe('intent.producer')
    const own = { ...schedule, intent: AN_INTENT }
    const { id } = (await carillon.request('POST', '/v1/schedules', { key: sender, body: own })).body
    const change = { intent: schedule.intent }
    const changed = await carillon.request('PATCH', `/v1/schedules/${id}`, { key: sender, body: change })
    expect(problemOf(changed).code).toBe('invalid_producer')
  })

  it('of a schedule is its creator’s: others may switch it off, but not put other words into its mouth', async () => {
    const scopes = ['intents:write', 'schedules:write'] as const
    const shops = await carillon.createKey({ name: 's', scopes: [...scopes], producers: ['shop'] })
    const created = { name: 's', cron: '@daily', intent: AN_INTENT }
    const { body } = await carillon.request('POST', '/v1/schedules', { key: shops.key, body: created })
    const change = (key: string, changes: object) =>
      carillon.request('PATCH', `/v1/schedules/${body.id}`, { key, body: changes })
    const refused = problemOf(await change(sender, { intent: { ...AN_INTENT, payload: { title: 'Mine' } } }))
    expect([refused.code, refused.errors?.[0]?.field]).toEqual(['invalid_producer', 'intent.producer'])
    expect((await change(sender, { is_active: false })).status).toBe(200)
    expect((await change(shops.key, { intent: AN_INTENT })).status).toBe(200)
    expect((await change(sender, { intent: { ...AN_INTENT, producer: 'api' } })).status).toBe(200)
  })

  it('is the first that the key lists, unless the intent names one', async () => {
    const { body } = await send(shop, {})
    const record = await carillon.request('GET', `/v1/records/${body.notification_id}`)
    expect(record.body.producer).toBe('shop')
  })

  it('is granted only by who has it', async () => {
    const grant = (producers: string[]) =>
      carillon.request('POST', '/v1/api-keys', { key: shop, body: { name: 'made', scopes: [], producers } })
    expect((await grant(['shop'])).body.producers).toEqual(['shop'])
    expect(problemOf(await grant(['shop', 'billing']))).toMatchObject({
      code: 'forbidden',
      errors: [{ field: 'producers' }],
    })
  })

  it('is not gained by making a key that lists none', async () => {
    const boss = await carillon.createKey({ name: 'b', scopes: ['admin'], producers: ['shop'] })
    for (const key of [shop, boss.key]) {
      for (const body of [
        { name: 'made', scopes: ['intents:write'] },
        { name: 'made', producers: [] },
      ]) {
        const answer = await carillon.request('POST', '/v1/api-keys', { key, body })
        expect(problemOf(answer).errors?.[0]?.field).toBe('producers')
      }
    }
  })
})

describe('a simulation', () => {
  it('shows addresses and texts only to keys that may read them', async () => {
    const more = { audience: { kind: 'users', user_ids: ['ada'] }, channels: ['email'] }
    const shown = async (key: string) => {
      const { body } = await send(key, more, '/v1/intents/simulate')
      const { address, message } = body.people[0].routes[0]
      return [address, message?.subject ?? null]
    }
    expect(await shown(carillon.key)).toEqual(['ada@example.com', 'Your order'])
    expect(await shown(sender)).toEqual(['', null])
    const reader = await carillon.createKey({ name: 'r', scopes: ['intents:write', 'users:read'] })
    expect(await shown(reader.key)).toEqual(['ada@example.com', null])
  })
})
