import { beforeAll, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { tell, tellingOf } from '../../../test/fanout.ts'

const carillon = useCarillon()
const put = (path: string, body: object) => carillon.request('PUT', path, { body })
const remove = (path: string) => carillon.request('DELETE', path)
const rule = (kind: string, relation: string, body: object) =>
  put(`/v1/fanout-rules/${encodeURIComponent(kind)}/${relation}`, body)
const told = async (event: object) => tellingOf(carillon, (await tell(carillon, event))[0]!)
const paid = (more: object = {}) => ({ kind: 'invoice_paid', relations: { payer: ['ada'] }, ...more })

beforeAll(async () => {
  for (const id of ['ada', 'bob'])
    await carillon.putUser(id, { email: `${id}@example.com`, phone: '+4915112345678' })
})

it('the built-in relations are listed in the order in which they decide', { tags: 'S001-21' }, async () => {
  const { data } = (await carillon.request('GET', '/v1/relations')).body
  expect(data.map((each: { name: string; reason: string }) => `${each.name} ${each.reason}`)).toEqual([
    'mention mention',
    'assignee assignment',
    'reviewer review_requested',
    'author author',
    'commenter commenter',
    'subscribed subscribed',
    'watching watching',
    'owner repo_admin_action',
  ])
})

it('a built-in relation can be changed, and is as before when the change is removed', async () => {
  const read = async () =>
    (await carillon.request('GET', '/v1/relations')).body.data.find(
      (each: { name: string }) => each.name === 'watching',
    )
  const builtIn = await read()
  await put('/v1/relations/watching', { priority: 1, reason: 'curious' })
  expect(await read()).toMatchObject({ priority: 1, reason: 'curious', is_built_in: false })
  expect((await remove('/v1/relations/watching')).status).toBe(204)
  expect(await read()).toEqual(builtIn)
  expect(problemOf(await remove('/v1/relations/watching')).code).toBe('not_found')
})

it('a tenant has at most 50 relations of its own, and each of them reaches its people', async () => {
  const make = (name: string) => put(`/v1/relations/${name}`, { priority: 5, reason: name })
  await make('mention')
  for (let n = 1; n < 50; n++) await make(`r${n}`)
  const last = await Promise.all(['ra', 'rb', 'rc'].map(make))
  expect(last.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  const refused = problemOf(last.find(({ status }) => status === 400)!)
  expect(refused).toMatchObject({ code: 'too_many_items', errors: [{ field: 'name' }] })
  expect((await make('r1')).status).toBe(200)
  expect((await make('owner')).status).toBe(200)

  const own = (await carillon.request('GET', '/v1/relations')).body.data.map(
    ({ name }: { name: string }) => name,
  )
  for (const name of own) await rule('filled', name, { channels: ['in_app'] })
  await put('/v1/topics/full/watch', { user_id: 'bob' })
  const event = { kind: 'filled', topic: 'full', relations: { r49: ['ada'] } }
  expect(await told(event)).toEqual(['ada r49 in_app', 'bob watching in_app'])
  for (const name of own) await remove(`/v1/relations/${name}`)
})

it.each([
  ['priority', { priority: 1001, reason: 'x' }],
  ['reason', { priority: 1, reason: 'x'.repeat(33) }],
])('a relation with a wrong %s is refused with that field', { tags: 'S001-4' }, async (field, body) => {
  expect(problemOf(await put('/v1/relations/payer', body)).errors?.[0]?.field).toBe(field)
})

it('rules of a tenant’s own kinds and relations tell people, and without them nobody is told', {
  tags: 'S001-21',
}, async () => {
  expect(await told(paid())).toEqual([])
  await put('/v1/relations/payer', { priority: 15, reason: 'payment' })
  expect(await told(paid())).toEqual([])
  await rule('invoice_paid', 'payer', { channels: ['in_app', 'sms'] })
  expect(await told(paid())).toEqual(['ada payment sms+in_app'])
  expect(await told(paid({ kind: 'invoice_sent' }))).toEqual([])
  await remove('/v1/fanout-rules/invoice_paid/payer')
  expect(await told(paid())).toEqual([])
})

it('rules about a beginning of kinds apply where no other rule says more', async () => {
  await put('/v1/relations/payer', { priority: 15, reason: 'payment' })
  await rule('invoice_*', 'payer', { channels: ['in_app'] })
  await rule('invoice_over*', 'payer', { channels: ['email'] })
  await rule('invoice_overdue', 'payer', { channels: ['sms'] })
  const channels = async (kind: string) => (await told(paid({ kind }))).map(each => each.split(' ')[2])
  expect(await channels('invoice_paid')).toEqual(['in_app'])
  expect(await channels('invoice_overpaid')).toEqual(['email'])
  expect(await channels('invoice_overdue')).toEqual(['sms'])
  expect(await channels('order_paid')).toEqual([])
})

it('a rule without channels takes a built-in one away until it is removed', async () => {
  const event = { kind: 'mentioned', relations: { mention: ['ada'] } }
  await rule('mentioned', 'mention', { channels: [] })
  expect(await told(event)).toEqual([])
  await remove('/v1/fanout-rules/mentioned/mention')
  expect(await told(event)).toEqual(['ada mention in_app+email'])
})

it('a rule says which notification type is sent', async () => {
  await rule('mentioned', 'mention', { channels: ['in_app', 'email'], notification_type: 'you_were_named' })
  const [event] = await tell(carillon, { kind: 'mentioned', relations: { mention: ['ada'] } })
  expect(await carillon.readAll(`/v1/records?event_id=${event}`)).toMatchObject([
    { notification_type: 'you_were_named', relation: 'mention' },
  ])
  const [row] = await carillon.readAll('/v1/inbox?user_id=ada&q=type:you_were_named')
  expect(row).toMatchObject({ type: 'you_were_named', kind: 'mentioned' })
  await remove('/v1/fanout-rules/mentioned/mention')
})

it('rules are changed field by field, the built-in ones too', async () => {
  const change = (path: string, body: object) =>
    carillon.request('PATCH', `/v1/fanout-rules/${path}`, { body })
  await rule('invoice_late', 'author', {
    channels: ['in_app'],
    passes_mute: true,
    notification_type: 'late',
  })
  const changed = (await change('invoice_late/author', { channels: ['email'] })).body
  expect(changed).toMatchObject({ channels: ['email'], passes_mute: true, notification_type: 'late' })
  const { body } = await change('invoice_late/author', { notification_type: null })
  expect(body).toMatchObject({ channels: ['email'], notification_type: null })

  const named = (await change('mentioned/mention', { channels: ['in_app'] })).body
  expect(named).toMatchObject({ channels: ['in_app'], passes_mute: true, is_built_in: false })
  await remove('/v1/fanout-rules/mentioned/mention')
  expect((await change('invoice_late/mention', { channels: [] })).status).toBe(404)
})

it('rules are listed with the built-in ones, and for a kind as they decide', async () => {
  await rule('mentioned', 'watching', { channels: ['in_app'], passes_mute: true })
  const all = await carillon.readAll('/v1/fanout-rules', 7)
  expect(all.length).toBeGreaterThan(40)
  expect(all.filter(each => !each.is_built_in)).toContainEqual(
    expect.objectContaining({ event_kind: 'mentioned', relation: 'watching', passes_mute: true }),
  )
  const { data } = (await carillon.request('GET', '/v1/fanout-rules?event_kind=mentioned')).body
  expect(data.map((each: { relation: string }) => each.relation)).toEqual(['mention', 'watching'])
  await remove('/v1/fanout-rules/mentioned/watching')
})

it.each([
  ['a relation that does not exist', 'paid', 'stranger', { channels: [] }, 'relation'],
  ['a channel that does not exist', 'paid', 'author', { channels: ['fax'] }, 'channels.0'],
  ['a channel twice', 'paid', 'author', { channels: ['sms', 'sms'] }, 'channels'],
  ['* in the middle', 'a*b', 'author', { channels: [] }, 'event_kind'],
  ['a kind that is too long', 'x'.repeat(65), 'author', { channels: [] }, 'event_kind'],
])('a rule with %s is refused', { tags: 'S001-4' }, async (_what, kind, relation, body, field) => {
  expect(problemOf(await rule(kind, relation, body)).errors?.[0]?.field).toBe(field)
})
