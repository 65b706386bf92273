/** A device that its service refuses is set aside and counted, not deleted: the settings may be at fault. */
import { beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import type { Outcome } from '../../providers/services/provider.ts'
import { SWEEP_DEVICES } from './sweep.ts'

const carillon = useCarillon()
beforeEach(async () => {
  await carillon.pool.query('delete from users')
  await carillon.pool.query('delete from admin_system_events')
})

async function aPerson(user: string, kind = 'apns'): Promise<string> {
  await carillon.putUser(user)
  return (await register(user, kind)).body.id
}
const register = (user: string, kind = 'apns') =>
  carillon.request('POST', `/v1/users/${user}/devices`, { body: { kind, token: `token of ${user}` } })
const stateOf = async (user: string) =>
  (await carillon.request('GET', `/v1/users/${user}/devices`)).body.data[0]?.state
const events = async () =>
  (await carillon.request('GET', '/v1/system-events?event_type=devices_refused&state=open')).body.data

/** Sends a push to them, with the service answering the same about each device. */
async function push(users: string[], answer: (id: string) => Partial<Outcome>): Promise<string[]> {
  const asked: string[] = []
  const worker = carillon.deliver(({ devices }) => {
    asked.push(...devices.map(({ token }) => token))
    const outcome = { kind: 'permanent', message: 'no device left', ...answer(devices[0]?.id ?? '') }
    return outcome as Outcome
  })
  const id = await carillon.send({ audience: { kind: 'users', user_ids: users }, channels: ['push'] })
  await carillon.settled(id, 'dead', 'sent')
  await worker.stop()
  return asked
}
const rejected = (id: string) => ({ rejected_devices: [id] })
const gone = (id: string) => ({ gone_devices: [id] })
const goneSince = (since: string) => (id: string) => ({ gone_devices: [id], gone_since: { [id]: since } })
const letDaysPass = (days: number) =>
  carillon.pool.query(
    `update user_devices set retry_at = retry_at - make_interval(days => $1),
     rejected_since = rejected_since - make_interval(days => $1)`,
    [days],
  )

it('a refused device is left alone for a day, and given up at the fifth refusal', async () => {
  await aPerson('ada')
  for (let refusals = 1; refusals <= 4; refusals++) {
    expect(await push(['ada'], rejected)).toEqual(['token of ada'])
    expect(await stateOf('ada')).toBe('quarantined')
    expect(await push(['ada'], rejected)).toEqual([])
    await letDaysPass(1)
    expect(await stateOf('ada')).toBe('active')
  }
  await push(['ada'], rejected)
  expect(await stateOf('ada')).toBe('gone')
})

it('a gone device that is registered again is like new', async () => {
  await aPerson('bob')
  await push(['bob'], gone)
  expect(await stateOf('bob')).toBe('gone')
  await register('bob')
  expect(await stateOf('bob')).toBe('active')
  expect(await push(['bob'], rejected)).toEqual(['token of bob'])
})

it('a device that was registered after the service missed it stays active', async () => {
  await aPerson('cleo')
  await push(['cleo'], goneSince('2020-01-01T00:00:00.000Z'))
  expect(await stateOf('cleo')).toBe('active')
  await push(['cleo'], goneSince('2999-01-01T00:00:00.000Z'))
  expect(await stateOf('cleo')).toBe('gone')
})

it('a gone device is deleted a month later', async () => {
  await aPerson('dora')
  await push(['dora'], gone)
  const sweep = async () => (await carillon.pool.query(SWEEP_DEVICES, [100])).rowCount
  expect(await sweep()).toBe(0)
  await letDaysPass(31)
  expect(await sweep()).toBe(1)
})

it('a quarantined device is active again when the settings of its provider change', async () => {
  const body = { name: 'expo', kind: 'expo' }
  const provider = (await carillon.request('POST', '/v1/providers', { body })).body
  await aPerson('emil', 'expo')
  await push(['emil'], rejected)
  expect(await stateOf('emil')).toBe('quarantined')
  const changes = { secrets: { access_token: 'another' } }
  await carillon.request('PATCH', `/v1/providers/${provider.id}`, { body: changes })
  expect(await stateOf('emil')).toBe('active')
})

describe('many devices that are refused at once', () => {
  const people = (count: number, from = 0) =>
    Array.from({ length: count }, (_, i) => `person-${String(from + i).padStart(3, '0')}`)

  it.each([
    ['in doubt', rejected],
    ['for certain', gone],
  ])('many devices refused at once %s are kept, and operators are told', async (_how, answer) => {
    for (const user of people(20)) await aPerson(user)
    await push(people(20), answer)
    for (const user of people(20)) expect(await stateOf(user)).toBe('active')
    expect(await events()).toMatchObject([{ subject: 'apns', severity: 'high' }])
  })

  it('a few refused devices among many are given up', async () => {
    for (const user of people(60)) await aPerson(user)
    await push(people(11), gone)
    expect(await stateOf('person-000')).toBe('gone')
    expect(await stateOf('person-011')).toBe('active')
    expect(await events()).toEqual([])
  })
})
