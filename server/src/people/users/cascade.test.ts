import { beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { createInboxWriter } from '../../inbox/notifications/notifications.ts'

const carillon = useCarillon()
const count = async (table: string, column = 'user_id', value = 'ada') =>
  (await carillon.pool.query(`select from ${table} where ${column} = $1`, [value])).rowCount

/** A user with a row in every table that refers to users, and a record whose routes are delivered or dead. */
let record: string
beforeEach(async () => {
  await carillon.pool.query('delete from users')
  await carillon.putUser('ada', { email: 'ada@example.com' })
  await carillon.putUser('bob', { email: 'bob@example.com' })
  await carillon.createKey({ name: 'of ada', scopes: ['admin'], user_id: 'ada' })
  await carillon.request('PUT', '/v1/topics/t/watch', { body: { user_id: 'ada' } })
  const write = createInboxWriter(carillon.pool)
  const worker = carillon.deliver(async message => {
    if (message.channel !== 'in_app') return { kind: 'permanent', message: 'no' }
    await write(message)
    return { kind: 'sent' }
  })
  record = await carillon.send({
    audience: { kind: 'users', user_ids: ['ada', 'bob'] },
    channels: ['in_app', 'email'],
  })
  await carillon.settled(record, 'sent', 'dead')
  await worker.stop()
  const letters = await carillon.readAll('/v1/dead-letters')
  const ofBob = letters.find(
    letter => letter.notification_id === record && letter.recipient_ref === 'user:bob',
  )
  await carillon.request('POST', `/v1/dead-letters/${ofBob.id}/resolve`, { body: { resolved_by: 'ada' } })
})

const TABLES = ['routes', 'api_keys', 'watches', 'notifications'] as const

it('a deleted user takes routes, attempts, letters, keys, watches and inbox rows along', {
  tags: ['S002-34', 'S002-9'],
}, async () => {
  for (const table of TABLES) expect([table, await count(table)]).not.toEqual([table, 0])
  expect((await carillon.request('DELETE', '/v1/users/ada')).status).toBe(204)
  for (const table of TABLES) expect([table, await count(table)]).toEqual([table, 0])
  for (const table of ['route_attempts', 'dead_letters']) {
    expect([table, await count(table, 'route_id', 'email:user:ada')]).toEqual([table, 0])
  }
})

it('deleting a user leaves others alone, and a letter that the user resolved loses the name', {
  tags: 'S002-34',
}, async () => {
  await carillon.request('DELETE', '/v1/users/ada')
  const routes = await carillon.routesOf(record)
  expect(routes.map(route => [route.route_id, route.status])).toEqual([
    ['email:user:bob', 'dead'],
    ['in_app:user:bob', 'sent'],
  ])
  expect(await count('notifications', 'user_id', 'bob')).toBe(1)
  const [letter] = await carillon.readAll('/v1/dead-letters?state=resolved')
  expect(letter).toMatchObject({ recipient_ref: 'user:bob', resolution: 'ignored', resolved_by: null })
})

it('a record stays readable when its users are deleted', { tags: 'S002-34' }, async () => {
  await carillon.request('DELETE', '/v1/users/ada')
  await carillon.request('DELETE', '/v1/users/bob')
  const { body } = await carillon.request('GET', `/v1/records/${record}`)
  expect(body).toMatchObject({ recipients: ['ada', 'bob'], routes: {} })
})

describe('a changed user id', () => {
  it('is followed by routes, keys, watches, inbox rows and the resolver', {
    tags: ['S002-34', 'S002-9'],
  }, async () => {
    const before: Record<string, number | null> = {}
    for (const table of TABLES) before[table] = await count(table)
    await carillon.pool.query("update users set id = 'ada-2' where id = 'ada'")
    for (const table of TABLES) {
      expect([table, await count(table)]).toEqual([table, 0])
      expect([table, await count(table, 'user_id', 'ada-2')]).toEqual([table, before[table]])
    }
    expect(await count('dead_letters', 'resolved_by', 'ada-2')).toBe(1)
    const routes = await carillon.readAll('/v1/routes?user_id=ada-2')
    expect(routes.filter(route => route.notification_id === record)).toHaveLength(2)
  })
})
