/** What waits for a person's hours goes out when those are gone; everything else goes on waiting. */
import { beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { clockOf, MOVED_CLOCK, moveClock, passTime } from '../../../test/moved-clock.ts'

const carillon = useCarillon(MOVED_CLOCK)
const NIGHT = new Date('2027-02-10T23:00:00Z')
const sent = new Map<string, string>()
let person = ''
let people = 0

beforeEach(async () => {
  const clock = await clockOf(carillon.pool)
  if (clock > NIGHT) await carillon.pool.query('delete from routes')
  await moveClock(carillon.pool, NIGHT)
  person = `person-${++people}`
  sent.clear()
  await carillon.putType('note', { channels: ['email'], category: 'news' })
  await carillon.putUser(person, { email: `${person}@example.com` })
  await carillon.request('PUT', '/v1/preferences', { body: {} })
})

const prefer = async (body: object, path = `/v1/users/${person}/preferences`) => {
  expect((await carillon.request('PUT', path, { body })).status).toBe(200)
}
const send = () =>
  carillon.send({ notification_type: 'note', audience: { kind: 'users', user_ids: [person] } })
const passMinutes = (minutes: number) =>
  passTime(carillon, new Date(NIGHT.getTime() + minutes * 60_000), message => {
    sent.set(message.subject, person)
  })
const isSent = () => sent.size > 0
const quiet = (start: string, end: string, more: object = {}) => ({
  channels: { email: { quiet_hours: { start, end }, ...more } },
})
const daily = { digests: { news: { email: { every: 'day', at: '08:00' } } } }

const changes: [string, () => Promise<void>][] = [
  ['the person removes them', () => prefer({})],
  ['the person shortens them', () => prefer(quiet('22:00', '22:30'))],
  [
    'the person’s channel gets another zone',
    () => prefer(quiet('22:00', '08:00', { timezone: 'Asia/Tokyo' })),
  ],
  [
    'the person moves',
    () => carillon.putUser(person, { email: `${person}@example.com`, timezone: 'Asia/Tokyo' }),
  ],
]
it.each(changes)('a message that waits for quiet hours goes out at once when %s', async (_what, change) => {
  await prefer(quiet('22:00', '08:00'))
  await send()
  await passMinutes(1)
  expect(isSent()).toBe(false)
  await change()
  await passMinutes(2)
  expect(isSent()).toBe(true)
})

it('a message that waits for quiet hours goes out at once when the default is removed', async () => {
  await prefer(quiet('22:00', '08:00'), '/v1/preferences')
  await send()
  await passMinutes(1)
  await prefer({}, '/v1/preferences')
  await passMinutes(2)
  expect(isSent()).toBe(true)
})

it('a message that waits for quiet hours stays when other preferences change', async () => {
  await prefer(quiet('22:00', '08:00'))
  await send()
  await passMinutes(1)
  await prefer({ ...quiet('22:00', '08:00'), reasons: { mention: { email: false } } })
  await passMinutes(9 * 60 - 1)
  expect(isSent()).toBe(false)
  await passMinutes(9 * 60)
  expect(isSent()).toBe(true)
})

describe('a message that waits for the end of a pause', () => {
  const until = (minutes: number) => ({
    channels: { email: { paused_until: new Date(NIGHT.getTime() + minutes * 60_000).toISOString() } },
  })

  it('a message that waits for a pause goes out when the pause ends', async () => {
    await prefer(until(90))
    await send()
    await passMinutes(89)
    expect(isSent()).toBe(false)
    await passMinutes(90)
    expect(isSent()).toBe(true)
  })

  it('a message that waits for a pause goes out when the person ends it, and critical ones pass', async () => {
    await prefer(until(90))
    await send()
    await passMinutes(1)
    expect(isSent()).toBe(false)
    await prefer({})
    await passMinutes(2)
    expect(isSent()).toBe(true)

    sent.clear()
    await carillon.putType('note', { channels: ['email'], category: 'news', critical: true })
    await prefer(until(90))
    await send()
    await passMinutes(3)
    expect(isSent()).toBe(true)
  })
})

it.each([
  ['at once when the person wants no digest any more', {}, 2],
  ['at once when the person wants each message', { digests: { news: { email: { every: 'message' } } } }, 2],
  [
    'at the full hour when the person wants it hourly',
    { digests: { news: { email: { every: 'hour' } } } },
    60,
  ],
  [
    'as announced when the person wants it later',
    { digests: { news: { email: { every: 'day', at: '20:00' } } } },
    540,
  ],
  ['as announced when something else changes', { ...daily, reasons: { mention: { email: false } } }, 540],
])('a digest goes out %s', async (_what, change, minutes) => {
  await prefer(daily)
  await send()
  await passMinutes(1)
  expect(isSent()).toBe(false)
  await passMinutes(2)
  await prefer(change)
  await passMinutes(24 * 60)
  const routes = await carillon.readAll(`/v1/routes?user_id=${person}&status=sent`)
  const digests = routes.filter(({ digest_id, notification_id }) => digest_id === notification_id)
  const minutesOf = (time: string) => (Date.parse(time) - NIGHT.getTime()) / 60_000
  expect(digests.map(({ finished_at }) => minutesOf(finished_at))).toEqual([minutes])
})

it('a digest closes after the type’s window when the person’s own schedule is gone', async () => {
  await carillon.putType('note', { channels: ['email'], category: 'news', digest: { window: 600 } })
  await prefer(daily)
  await send()
  await passMinutes(1)
  await prefer({})
  await passMinutes(8)
  expect(isSent()).toBe(false)
  await passMinutes(11)
  expect(isSent()).toBe(true)
})
