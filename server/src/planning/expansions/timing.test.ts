import { beforeAll, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { expandChunk } from './expander.ts'

const carillon = useCarillon()
const users = (...user_ids: string[]) => ({ audience: { kind: 'users', user_ids } })
const dueOf = async (id: string) =>
  Object.fromEntries((await carillon.routesOf(id)).map(route => [route.route_id, route.next_attempt_at]))

beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com', timezone: 'Europe/Berlin' })
  await carillon.putUser('kiri', { email: 'kiri@example.com', timezone: 'Pacific/Auckland' })
  await carillon.putUser('moe', { email: 'moe@example.com' })
})

it('a type’s delay postpones the first attempt unless a later send_at is given', async () => {
  await carillon.putType('undo', { channels: ['email'], delay: 600 })
  const id = await carillon.send({ ...users('ada'), notification_type: 'undo' })
  const { accepted_at } = (await carillon.request('GET', `/v1/records/${id}`)).body
  const [route] = await carillon.routesOf(id)
  expect(Date.parse(route!.next_attempt_at!) - Date.parse(accepted_at)).toBe(600_000)
  const send_at = '2031-01-01T00:00:00.000Z'
  const later = await carillon.send({ ...users('ada'), notification_type: 'undo', send_at })
  expect(await dueOf(later)).toEqual({ 'email:user:ada': send_at })
  const explanation = (await carillon.request('GET', `/v1/records/${id}/explain`)).body
  expect(explanation.people[0].routes[0].summary).toMatch(/^Waiting until .* \(delay\)\.$/)
})

describe('send_at_local', () => {
  const send_at_local = '2030-12-24T09:00'
  const expected = {
    'email:user:ada': '2030-12-24T08:00:00.000Z',
    'email:user:kiri': '2030-12-23T20:00:00.000Z',
    'email:user:moe': '2030-12-24T09:00:00.000Z',
  }

  it('send_at_local is that time in each recipient’s zone, for small and large audiences', {
    tags: 'S002-5',
  }, async () => {
    const small = await carillon.send({ ...users('ada', 'kiri', 'moe'), channels: ['email'], send_at_local })
    expect(await dueOf(small)).toEqual(expected)
    const large = await carillon.send({ audience: { kind: 'tenant' }, channels: ['email'], send_at_local })
    while (await expandChunk({ pool: carillon.pool, onExpanded: () => {} }));
    expect(await dueOf(large)).toEqual(expected)
    const { body } = await carillon.request('GET', `/v1/records/${small}`)
    expect(body).toMatchObject({ send_at: null, send_at_local })
    const explanation = (await carillon.request('GET', `/v1/records/${small}/explain`)).body
    expect(explanation.decisions.map((each: { text: string }) => each.text)).toContain(
      'Not before 2030-12-24T09:00 in each recipient’s own time zone (send_at_local).',
    )
  })

  it('send_at_local is UTC for an address and for a person whose zone the database does not know', async () => {
    const audience = { kind: 'addresses', channel: 'email', addresses: ['x@example.com'] }
    const toAddress = await carillon.send({ audience, send_at_local })
    expect(Object.values(await dueOf(toAddress))).toEqual(['2030-12-24T09:00:00.000Z'])
    await carillon.pool.query(`update users set timezone = 'Mars/Olympus' where id = 'moe'`)
    expect(await dueOf(await carillon.send({ ...users('moe'), channels: ['email'], send_at_local }))).toEqual(
      {
        'email:user:moe': '2030-12-24T09:00:00.000Z',
      },
    )
  })

  it('notify() in SQL takes send_at_local, and another time makes another intent', async () => {
    const notify = (time: string) =>
      carillon.pool.query(
        `select carillon.notify('t', '{"kind":"users","user_ids":["ada"]}', '{}', send_at_local => $1) as id`,
        [time],
      )
    const first = (await notify('2030-12-24T09:00')).rows[0].id
    expect((await notify('2030-12-24T09:00')).rows[0].id).toBe(first)
    expect((await notify('2030-12-24T10:00')).rows[0].id).not.toBe(first)
    await expect(notify('2030-12-24T09:00Z')).rejects.toThrow('send_at_local must be a time without a zone')
    await expect(notify('2030-02-30T09:00')).rejects.toThrow('send_at_local is not a valid time')
  })

  it.each([
    ['a zone', { send_at_local: '2030-12-24T09:00Z' }],
    ['an offset', { send_at_local: '2030-12-24T09:00+01:00' }],
    ['a day that does not exist', { send_at_local: '2030-02-30T09:00' }],
    ['a date alone', { send_at_local: '2030-12-24' }],
    ['send_at beside it', { send_at_local, send_at: '2030-12-24T09:00:00Z' }],
  ])('send_at_local with %s is refused', async (_name, more) => {
    const body = { notification_type: 't', ...users('ada'), payload: {}, ...more }
    const problem = problemOf(await carillon.request('POST', '/v1/intents', { body }))
    expect(problem).toMatchObject({ code: 'invalid_timestamp', errors: [{ field: 'send_at_local' }] })
  })

  it.each([
    ['skips comes later by the length of the gap', '2030-03-31T02:30', '2030-03-31T01:30:00.000Z'],
    ['repeats means the first occurrence', '2030-10-27T02:30', '2030-10-27T00:30:00.000Z'],
  ])('a local time that a clock change %s', { tags: 'S002-5' }, async (_name, wall, due) => {
    const id = await carillon.send({ ...users('ada'), channels: ['email'], send_at_local: wall })
    expect(await dueOf(id)).toEqual({ 'email:user:ada': due })
  })
})
