/** PATCH changes what is mentioned in preferences; PUT replaces all of them. */
import { beforeEach, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const UNSET = { enabled: null, frequency_cap: null, caps: null, quiet_hours: null }
const OWN = { timezone: null, paused_until: null }
const STORED = {
  channels: { email: { ...UNSET, enabled: true, frequency_cap: 3 }, sms: { ...UNSET, enabled: false } },
  categories: { offers: { email: false, sms: false } },
  reasons: { mention: { email: true } },
  digests: { comments: { email: { every: 'day', at: '08:00' } } },
}
const own = (choice: object) => ({ ...choice, ...OWN })
const OWN_STORED = {
  ...STORED,
  channels: { email: own(STORED.channels.email), sms: own(STORED.channels.sms) },
}

describe.each([
  ['a user', '/v1/users/ada/preferences', OWN_STORED, OWN],
  ['the tenant', '/v1/preferences', STORED, {}],
])('changing the preferences of %s', (_whose, path, stored, more) => {
  const change = (body: object) => carillon.request('PATCH', path, { body })

  beforeEach(async () => {
    await carillon.putUser('ada')
    await carillon.request('PUT', path, { body: stored })
  })

  it.each([
    ['changing nothing', {}, {}],
    [
      'changing one setting of a channel',
      { channels: { email: { enabled: false } } },
      { channels: { ...stored.channels, email: { ...stored.channels.email, enabled: false } } },
    ],
    [
      'taking back a setting',
      { channels: { email: { frequency_cap: null } } },
      { channels: { ...stored.channels, email: { ...stored.channels.email, frequency_cap: null } } },
    ],
    [
      'adding a channel',
      { channels: { push: { enabled: false } } },
      { channels: { ...stored.channels, push: { ...UNSET, ...more, enabled: false } } },
    ],
    ['taking back a channel', { channels: { sms: null } }, { channels: { email: stored.channels.email } }],
    [
      'changing one channel of a category',
      { categories: { offers: { email: null, push: false } } },
      { categories: { offers: { sms: false, push: false } } },
    ],
    ['taking back a category', { categories: { offers: null } }, { categories: {} }],
    [
      'adding a reason',
      { reasons: { assign: { sms: false } } },
      { reasons: { mention: { email: true }, assign: { sms: false } } },
    ],
    [
      'changing a digest',
      { digests: { comments: { email: { every: 'hour' } } } },
      { digests: { comments: { email: { every: 'hour' } } } },
    ],
    ['taking back a digest', { digests: { comments: { email: null } } }, { digests: {} }],
  ])('%s leaves the other preferences as they are', async (_what, changes, expected) => {
    const { status, body } = await change(changes)
    expect(status).toBe(200)
    expect(body).toEqual({ ...stored, ...expected })
    expect((await carillon.request('GET', path)).body).toEqual(body)
  })

  it.each([
    [{ channels: { email: { enabled: 'no' } } }, 'channels.email.enabled'],
    [{ channels: { email: { colour: 'red' } } }, 'channels.email.colour'],
    [{ channels: null }, 'channels'],
    [{ categories: { offers: { email: 1 } } }, 'categories.offers.email'],
    [{ more: {} }, 'more'],
  ])('a change of preferences to %j is refused', async (changes, field) => {
    expect(problemOf(await change(changes))).toMatchObject({ status: 400, errors: [{ field }] })
    expect((await carillon.request('GET', path)).body).toEqual(stored)
  })
})

it('the preferences of an unknown user cannot be changed', async () => {
  const answer = await carillon.request('PATCH', '/v1/users/nobody/preferences', { body: {} })
  expect(problemOf(answer).code).toBe('not_found')
})
