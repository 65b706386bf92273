/** PATCH changes the given fields of a user; PUT replaces it. */
import { expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const change = (id: string, body: object, key?: string) =>
  carillon.request('PATCH', `/v1/users/${id}`, { body, ...(key && { key }) })
const put = (id: string, body: object) => carillon.request('PUT', `/v1/users/${id}`, { body })
const whole = (name: string) => ({
  email: `${name}@example.com`,
  username: name,
  phone: '+4915112345678',
  locale: 'de',
  timezone: 'Europe/Berlin',
})

it.each([
  [{}],
  [{ locale: 'fr' }],
  [{ timezone: 'Asia/Tokyo' }],
  [{ username: null }],
  [{ email: null, phone: null }],
])('changing a user with %j leaves all other fields as they are', async changes => {
  await put('ada', whole('ada'))
  const { status, body } = await change('ada', changes)
  expect(status).toBe(200)
  expect(body).toMatchObject({ id: 'ada', ...whole('ada'), ...changes })
  expect((await carillon.request('GET', '/v1/users/ada')).body).toEqual(body)
})

it('a change of a user normalises addresses and refuses bad ones', async () => {
  await put('bob', whole('bob'))
  expect((await change('bob', { phone: '+49 (151) 999' })).body.phone).toBe('+49151999')
  for (const [body, field] of [
    [{ email: 'nowhere' }, 'email'],
    [{ phone: 'call me' }, 'phone'],
    [{ timezone: 'Mars/Base' }, 'timezone'],
    [{ timezone: null }, 'timezone'],
    [{ locale: null }, 'locale'],
    [{ colour: 'red' }, 'colour'],
  ] as const) {
    const problem = problemOf(await change('bob', body))
    expect(problem).toMatchObject({ status: 400, errors: [{ field }] })
  }
})

it('a change of a user to a name that another user has is refused', async () => {
  await put('cyd', whole('cyd'))
  await put('dan', whole('dan'))
  const problem = problemOf(await change('dan', { username: 'cyd' }))
  expect(problem).toMatchObject({ code: 'already_exists', errors: [{ field: 'username' }] })
})

it('PATCH creates no user and finds none of another tenant', async () => {
  await put('eve', whole('eve'))
  const { key } = await carillon.createTenant('others')
  expect((await change('nobody', { locale: 'de' })).status).toBe(404)
  expect((await change('eve', { locale: 'fr' }, key)).status).toBe(404)
  expect((await carillon.request('GET', '/v1/users/nobody')).status).toBe(404)
  expect((await carillon.request('GET', '/v1/users/eve')).body.locale).toBe('de')
})

it('a change of a user is audited with the fields that changed', async () => {
  await put('fay', whole('fay'))
  await change('fay', { locale: 'fr' })
  const [row] = await carillon.readAll('/v1/audit-logs?resource_id=fay')
  expect(row).toMatchObject({
    action: 'update',
    old_values: { locale: 'de' },
    new_values: { locale: 'fr' },
  })
})

it('two changes of different fields of a user at the same time are both kept', async () => {
  await put('gus', whole('gus'))
  await Promise.all([change('gus', { locale: 'fr' }), change('gus', { timezone: 'Asia/Tokyo' })])
  const { body } = await carillon.request('GET', '/v1/users/gus')
  expect(body).toMatchObject({ locale: 'fr', timezone: 'Asia/Tokyo' })
})
