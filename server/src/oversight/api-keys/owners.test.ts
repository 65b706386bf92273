/** A tenant's owner cannot be locked out, and no key can outlive the one that made it. */
import { expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
const revoke = (id: string, key: string) => carillon.request('DELETE', `/v1/api-keys/${id}`, { key })
const create = (body: object, key: string) => carillon.request('POST', '/v1/api-keys', { key, body })
const idOf = async (key: string) =>
  (await carillon.readAll('/v1/api-keys?state=active', 100, key)).find(({ hint }) =>
    key.startsWith(hint.slice(0, 7)),
  ).id

async function aTenant(name: string) {
  const owner = (await carillon.createTenant(name)).key
  const admin = (await create({ name: 'admin', role: 'admin' }, owner)).body
  return { owner, ownerId: await idOf(owner), admin }
}

it('only owners can revoke an owner’s key', async () => {
  const { owner, ownerId, admin } = await aTenant('guarded')
  expect(problemOf(await revoke(ownerId, admin.key))).toMatchObject({ status: 403, code: 'forbidden' })
  const second = (await create({ name: 'second', role: 'owner' }, owner)).body
  expect(problemOf(await revoke(second.id, admin.key)).code).toBe('forbidden')
  expect((await revoke(second.id, owner)).status).toBe(204)
  expect((await revoke(admin.id, admin.key)).status).toBe(204)
})

it('the last owner’s key cannot be revoked, and an expiring one does not take its place', async () => {
  const { owner, ownerId } = await aTenant('last')
  const problem = problemOf(await revoke(ownerId, owner))
  expect(problem).toMatchObject({ status: 409, code: 'last_owner' })
  await create({ name: 'for an hour', role: 'owner', expires_at: inAnHour }, owner)
  expect(problemOf(await revoke(ownerId, owner)).code).toBe('last_owner')
  const second = (await create({ name: 'for ever', role: 'owner' }, owner)).body
  expect((await revoke(ownerId, owner)).status).toBe(204)
  expect((await carillon.request('GET', '/v1/tenant', { key: second.key })).status).toBe(200)
})

it('one owner’s key stays when two owners revoke each other at once', async () => {
  const { owner, ownerId } = await aTenant('duel')
  const second = (await create({ name: 'second', role: 'owner' }, owner)).body
  const answers = await Promise.all([revoke(second.id, owner), revoke(ownerId, second.key)])
  expect(answers.filter(answer => answer.status === 204)).toHaveLength(1)
  const left = await Promise.all(
    [owner, second.key].map(key => carillon.request('GET', '/v1/tenant', { key })),
  )
  expect(left.map(answer => answer.status).sort()).toEqual([200, 401])
})

it('a user with the last owner’s key cannot be deleted', async () => {
  const { owner, ownerId, admin } = await aTenant('with people')
  await carillon.request('PUT', '/v1/users/ada', { key: owner, body: {} })
  const remove = (key: string) => carillon.request('DELETE', '/v1/users/ada', { key })
  const adas = (await create({ name: 'of ada', role: 'owner', user_id: 'ada' }, owner)).body
  expect(problemOf(await remove(admin.key)).code).toBe('forbidden')
  expect((await revoke(ownerId, owner)).status).toBe(204)
  expect(problemOf(await remove(adas.key)).code).toBe('last_owner')
  const second = await create({ name: 'second', role: 'owner' }, adas.key)
  expect((await remove(second.body.key)).status).toBe(204)
})

it('the last key with the scope instance cannot be revoked', async () => {
  const id = await idOf(carillon.key)
  const owner = await carillon.createKey({ name: 'no instance', role: 'owner' })
  expect(problemOf(await revoke(id, owner.key)).code).toBe('forbidden')
  expect(problemOf(await revoke(id, carillon.key)).code).toBe('last_owner')
  await carillon.createKey({ name: 'next operator', scopes: ['admin', 'instance'] })
  expect((await revoke(id, carillon.key)).status).toBe(204)
})

it('a key that expires makes only keys that expire no later', async () => {
  const { owner } = await aTenant('temporary')
  const expiring = (await create({ name: 'e', role: 'owner', expires_at: inAnHour }, owner)).body
  for (const expires_at of [undefined, new Date(Date.parse(inAnHour) + 1).toISOString()]) {
    const problem = problemOf(await create({ name: 'longer', scopes: [], expires_at }, expiring.key))
    expect(problem).toMatchObject({ status: 403, code: 'forbidden', errors: [{ field: 'expires_at' }] })
  }
  const same = await create({ name: 'as long', scopes: [], expires_at: inAnHour }, expiring.key)
  expect(same.status).toBe(201)
})
