import type { DigestSchedule, PreferencesInput } from '@carillon/contract'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { toDocument, toRows } from './preferences.ts'

const carillon = useCarillon()
beforeAll(() => carillon.putUser('ada', { email: 'ada@example.com', timezone: 'Europe/Berlin' }))

const put = (body: unknown, path = '/v1/users/ada/preferences') => carillon.request('PUT', path, { body })
const get = async (path = '/v1/users/ada/preferences') => (await carillon.request('GET', path)).body

const FULL: PreferencesInput = {
  channels: {
    email: {
      enabled: true,
      frequency_cap: 3,
      caps: [
        { per: 'week', max: 9, over: 'digest' },
        { per: 'hour', max: 2, category: 'news', over: 'skip' },
      ],
      quiet_hours: [
        { start: '22:00', end: '08:00' },
        { start: '00:00', end: '24:00', days: ['saturday', 'sunday'] },
      ],
      timezone: 'Asia/Kathmandu',
      paused_until: '2031-01-01T00:00:00.000Z',
    },
    sms: {
      enabled: false,
      frequency_cap: null,
      caps: null,
      quiet_hours: null,
      timezone: null,
      paused_until: null,
    },
  },
  categories: { news: { email: false, push: true } },
  reasons: { mention: { email: true } },
  digests: { news: { email: { every: 'week', on: 'friday', at: '16:30' }, push: { every: 'hour' } } },
}

it('preferences are empty until chosen, and written and read as one document', {
  tags: 'S002-18',
}, async () => {
  expect(await get()).toEqual({ channels: {}, categories: {}, reasons: {}, digests: {} })
  expect((await put(FULL)).body).toEqual(FULL)
  expect(await get()).toEqual(FULL)
  const { rows } = await carillon.pool.query('select channel from notification_preferences order by 1')
  expect(rows.map(row => row.channel)).toEqual(['email', 'push', 'sms'])
})

it('a choice that a new document does not mention is no longer made', async () => {
  await put({ channels: { email: { enabled: false } } })
  await put({ categories: { news: { push: false } } })
  expect(await get()).toEqual({
    channels: {},
    categories: { news: { push: false } },
    reasons: {},
    digests: {},
  })
  expect((await put({})).body).toEqual({ channels: {}, categories: {}, reasons: {}, digests: {} })
})

it('every document of preferences comes back as it was, whatever its names', () => {
  const channel = fc.constantFrom('in_app', 'email', 'sms', 'push', 'chat', 'webhook')
  const name = fc.oneof(
    fc.string({ minLength: 1, maxLength: 20 }),
    fc.constantFrom('__proto__', 'constructor'),
  )
  const toggles = fc.dictionary(name, fc.dictionary(channel, fc.boolean(), { minKeys: 1 }), { maxKeys: 4 })
  const schedule = fc.constantFrom<DigestSchedule>({ every: 'hour' }, { every: 'day', at: '08:00' })
  const digests = fc.dictionary(name, fc.dictionary(channel, schedule, { minKeys: 1 }), { maxKeys: 4 })
  fc.assert(
    fc.property(toggles, toggles, digests, (categories, reasons, digests) => {
      const document = { channels: {}, categories, reasons, digests }
      expect(JSON.stringify(sorted(toDocument(toRows(document))))).toBe(JSON.stringify(sorted(document)))
    }),
    { seed: 20261115 },
  )
})

it('quiet hours may be given as one window, are answered as a list, and are none if start = end', async () => {
  const saved = async (quiet_hours: object) =>
    (await put({ channels: { email: { quiet_hours } } })).body.channels.email.quiet_hours
  const night = { start: '22:00', end: '08:00' }
  expect(await saved(night)).toEqual([night])
  expect(await saved({ ...night, days: ['monday'] })).toEqual([{ ...night, days: ['monday'] }])
  expect(await saved({ start: '10:00', end: '10:00' })).toEqual([])
  expect(await saved([])).toEqual([])
})

it('two concurrent writers of preferences both succeed', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => put(FULL)))
  expect(answers.map(answer => answer.status)).toEqual(Array(8).fill(200))
})

it.each([
  ['an unknown zone', { channels: { email: { timezone: 'Mars/Olympus' } } }, 'channels.email.timezone'],
  [
    'a time that is none',
    { channels: { email: { quiet_hours: { start: '24:00', end: '08:00' } } } },
    'channels.email.quiet_hours.start',
  ],
  [
    'half of the hours',
    { channels: { email: { quiet_hours: { start: '22:00' } } } },
    'channels.email.quiet_hours.end',
  ],
  [
    'a window that starts when a day is over',
    {
      channels: {
        email: {
          quiet_hours: [
            { start: '08:00', end: '09:00' },
            { start: '24:00', end: '08:00' },
          ],
        },
      },
    },
    'channels.email.quiet_hours.1.start',
  ],
  [
    'an unknown day',
    { channels: { email: { quiet_hours: { start: '08:00', end: '09:00', days: ['sun'] } } } },
    'channels.email.quiet_hours.days.0',
  ],
  [
    'the same day twice',
    { channels: { email: { quiet_hours: { start: '08:00', end: '09:00', days: ['sunday', 'sunday'] } } } },
    'channels.email.quiet_hours.days',
  ],
  [
    'a week without any other time',
    {
      channels: {
        email: {
          quiet_hours: [
            { start: '00:00', end: '12:00' },
            { start: '12:00', end: '24:00' },
          ],
        },
      },
    },
    'channels.email.quiet_hours',
  ],
  [
    'quiet hours that are none',
    { channels: { email: { quiet_hours: 'night' } } },
    'channels.email.quiet_hours',
  ],
  ['a negative cap', { channels: { email: { frequency_cap: -1 } } }, 'channels.email.frequency_cap'],
  ['an unknown channel', { channels: { pigeon: {} } }, 'channels'],
  ['a category that is too long', { categories: { ['x'.repeat(51)]: { email: false } } }, 'categories'],
  ['a digest at no time', { digests: { news: { email: { every: 'day' } } } }, 'digests.news.email.at'],
  [
    'a digest on no day',
    { digests: { news: { email: { every: 'week', on: 'mon', at: '08:00' } } } },
    'digests.news.email.on',
  ],
  ['an unknown rhythm', { digests: { news: { email: { every: 'year' } } } }, 'digests.news.email.every'],
  ['an unknown field', { chanels: {} }, 'chanels'],
])(
  'preferences with %s are refused with the field',
  { tags: ['S002-20', 'S002-35'] },
  async (_name, body, field) => {
    const problem = problemOf(await put(body))
    expect([problem.code, problem.status]).toEqual(['invalid_request', 400])
    expect(problem.errors?.[0]?.field).toContain(field)
  },
)

it('preferences of an unknown user are not found, and are deleted with their user', async () => {
  for (const method of ['GET', 'PUT'] as const) {
    const answer = await carillon.request(method, '/v1/users/nobody/preferences', { body: FULL })
    expect(problemOf(answer).code).toBe('not_found')
  }
  await carillon.putUser('gone')
  await put(FULL, '/v1/users/gone/preferences')
  await carillon.pool.query(
    `insert into daily_sends (tenant_id, user_id, channel, day, used, cap, granted) values ($1, 'gone', 'email', now(), 1, 1, 1)`,
    [carillon.tenantId],
  )
  await carillon.request('DELETE', '/v1/users/gone')
  const { rows } = await carillon.pool.query(
    `select user_id from notification_preferences where user_id = 'gone' union all select user_id from daily_sends`,
  )
  expect(rows).toEqual([])
})

it('preferences need their own scopes', { tags: 'S002-24' }, async () => {
  const { key } = await carillon.createKey({ name: 'users', scopes: ['users:read', 'users:write'] })
  const read = await carillon.createKey({ name: 'read', scopes: ['preferences:read'] })
  const path = '/v1/users/ada/preferences'
  expect(problemOf(await carillon.request('GET', path, { key })).code).toBe('forbidden')
  expect((await carillon.request('GET', path, { key: read.key })).status).toBe(200)
  expect(problemOf(await carillon.request('PUT', path, { key: read.key, body: {} })).code).toBe('forbidden')
})

it('the tenant’s default preferences are one document, without zones', async () => {
  const document = {
    channels: {
      sms: { enabled: null, frequency_cap: 2, caps: null, quiet_hours: [{ start: '21:00', end: '07:30' }] },
    },
    categories: { news: { sms: false } },
    reasons: {},
    digests: { news: { sms: { every: 'day', at: '08:00' } } },
  }
  expect((await put(document, '/v1/preferences')).body).toEqual(document)
  expect(await get('/v1/preferences')).toEqual(document)
  const zoned = { channels: { sms: { timezone: 'UTC' } } }
  expect(problemOf(await put(zoned, '/v1/preferences')).code).toBe('invalid_request')
  await put({}, '/v1/preferences')
})

it('opt-outs list people who switched a channel off, page by page', { tags: 'S002-33' }, async () => {
  for (const id of ['u1', 'u2', 'u3']) {
    await carillon.putUser(id)
    await put({ channels: { push: { enabled: id === 'u2' } } }, `/v1/users/${id}/preferences`)
  }
  const rows = await carillon.readAll('/v1/preferences/opt-outs?channel=push', 1)
  expect(rows.map(row => row.user_id)).toEqual(['u1', 'u3'])
})

/** With sorted keys at every depth. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)])
}
