/** Intents that name a template: what that changes, and when they are refused. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { waitFor } from '../../../test/wait-for.ts'
import type { Message } from '../../content/messages/message.ts'
import { expandChunk } from '../../planning/expansions/expander.ts'
import { runDueSchedule } from '../schedules/scheduler.ts'

const carillon = useCarillon()
const ADA = { kind: 'users', user_ids: ['ada'] }
let type = ''
let unique = 0
beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com', phone: '+4915112345678' })
  await carillon.putUser('emil', { phone: '+4915112345679', locale: 'de' })
})
beforeEach(() => {
  type = `type_${++unique}`
})

async function publish(path: string, text: string): Promise<void> {
  const isMail = path.includes('/email/')
  const body = isMail ? { subject: text, body: `<p>${text}</p>` } : { body: text }
  const saved = await carillon.request('PUT', `/v1/templates/${path}`, { body })
  const published = await carillon.request('POST', `/v1/templates/${path}/publish`, { body: {} })
  if (saved.status !== 200 || published.status !== 200) throw new Error(JSON.stringify(saved.body))
}
const switchOff = (path: string) =>
  carillon.request('PATCH', `/v1/templates/${path}`, { body: { is_active: false } })
const intent = (more: object = {}) => ({
  notification_type: type,
  audience: ADA,
  channels: ['sms'],
  payload: { body: 'own words' },
  ...more,
})
const post = (more: object = {}) => carillon.request('POST', '/v1/intents', { body: intent(more) })

/** Delivers the notification. Channel → subject or text of the message. */
async function sentTexts(id: string): Promise<Record<string, string>> {
  const messages: Message[] = []
  const worker = carillon.deliver(message => {
    messages.push(message)
    return { kind: 'sent' }
  })
  await carillon.settled(id, 'sent')
  await worker.stop()
  const own = messages.filter(message => message.notification_id === id)
  return Object.fromEntries(own.map(message => [message.channel, message.subject || message.text]))
}

describe('the template that an intent names', () => {
  it('is used on channels that have it; others use the type’s', async () => {
    await publish(`${type}/sms/en`, 'the type by sms')
    await publish(`${type}/email/en`, 'the type by mail')
    await publish('promo/email/en', 'the promotion by mail')
    const id = await carillon.send(intent({ channels: ['sms', 'email'], template: 'promo' }))
    expect(await sentTexts(id)).toEqual({ sms: 'the type by sms', email: 'the promotion by mail' })
    expect((await carillon.request('GET', `/v1/records/${id}`)).body.template).toBe('promo')
    const { decisions } = (await carillon.request('GET', `/v1/records/${id}/explain`)).body
    expect(decisions.map(({ text }: { text: string }) => text)).toContain(
      'Template: "promo", on channels that have it.',
    )
    const other = await carillon.send(intent({ channels: ['email'] }))
    expect(await sentTexts(other)).toEqual({ email: 'the type by mail' })
    expect((await carillon.request('GET', `/v1/records/${other}`)).body.template).toBeNull()
  })

  it('wins over the one that the type names for the channel', async () => {
    await publish('house/sms/en', 'of the house')
    await publish('guest/sms/en', 'of the guest')
    await carillon.putType(type, { channels: ['sms'], templates: { sms: 'house' } })
    expect(await sentTexts(await carillon.send(intent({ template: 'guest' })))).toEqual({
      sms: 'of the guest',
    })
    expect(await sentTexts(await carillon.send(intent({ template: 'house' })))).toEqual({
      sms: 'of the house',
    })
    expect(await sentTexts(await carillon.send(intent()))).toEqual({ sms: 'of the house' })
  })

  it('is used in its fallback language rather than the type’s in the recipient’s; without either, the type’s is used', async () => {
    await publish(`${type}/sms/de`, 'Art')
    await publish('languages/sms/en', 'english')
    const toEmil = { audience: { kind: 'users', user_ids: ['emil'] } }
    const english = await carillon.send(intent({ ...toEmil, template: 'languages' }))
    expect(await sentTexts(english)).toEqual({ sms: 'english' })
    await publish('french/sms/fr', 'français')
    expect(await sentTexts(await carillon.send(intent({ ...toEmil, template: 'french' })))).toEqual({
      sms: 'Art',
    })
  })

  it('is used where it is active; where it is switched off, the type’s is used', async () => {
    await publish(`${type}/sms/de`, 'Art')
    await publish(`${type}/email/en`, 'the type by mail')
    for (const path of ['partly/sms/en', 'partly/sms/de', 'partly/email/en']) await publish(path, path)
    await switchOff('partly/sms/de')
    await switchOff('partly/email/en')
    const toEmil = { audience: { kind: 'users', user_ids: ['emil'] } }
    const english = await carillon.send(intent({ ...toEmil, template: 'partly' }))
    expect(await sentTexts(english)).toEqual({ sms: 'partly/sms/en' })
    const toBoth = intent({ channels: ['sms', 'email'], template: 'partly' })
    expect(await sentTexts(await carillon.send(toBoth))).toEqual({
      sms: 'partly/sms/en',
      email: 'the type by mail',
    })
    await publish('german/sms/de', 'Deutsch')
    await publish('german/sms/fr', 'français')
    await switchOff('german/sms/de')
    expect(await sentTexts(await carillon.send(intent({ ...toEmil, template: 'german' })))).toEqual({
      sms: 'Art',
    })
  })

  it('leads to a dead letter when it is the type’s own and switched off', async () => {
    for (const channel of ['sms', 'email']) await publish(`${type}/${channel}/en`, channel)
    await switchOff(`${type}/email/en`)
    const id = await carillon.send(intent({ channels: ['sms', 'email'], template: type }))
    const worker = carillon.deliver(() => ({ kind: 'sent' }))
    const routes = await carillon.settled(id, 'sent', 'dead')
    await worker.stop()
    expect(Object.fromEntries(routes.map(({ channel, status }) => [channel, status]))).toEqual({
      sms: 'sent',
      email: 'dead',
    })
  })

  it('may be for a channel that only an escalation reaches', async () => {
    await publish('urgent/email/en', 'urgent')
    const escalate = [{ channel: 'email', after: 60, unless: 'read' }] as const
    await carillon.putType(type, { channels: ['in_app'], escalate: [...escalate] })
    const id = await carillon.send(intent({ channels: ['in_app'], template: 'urgent' }))
    const mail = (await carillon.routesOf(id)).find(route => route.channel === 'email')
    expect(mail?.template).toEqual({ name: 'urgent', locale: 'en', version: 1 })
  })

  it('is used for large audiences in the version published when the intent was accepted', async () => {
    await publish('wide/sms/en', 'one')
    for (const user_id of ['ada', 'emil'])
      await carillon.request('PUT', `/v1/topics/${type}/watch`, { body: { user_id } })
    const id = await carillon.send(intent({ audience: { kind: 'topic', topic: type }, template: 'wide' }))
    await publish('wide/sms/en', 'two')
    while (await expandChunk({ pool: carillon.pool, chunkSize: 1, onExpanded: () => {} }));
    const routes = await carillon.routesOf(id)
    expect(routes.map(route => route.template?.version)).toEqual([1, 1])
  })

  it('stays in use for all when it is switched off while routes are being created, but not if it was off before', async () => {
    await publish('kept/sms/en', 'kept')
    await publish('kept/sms/de', 'behalten')
    await carillon.request('PATCH', '/v1/templates/kept/sms/de', { body: { is_active: false } })
    for (const user_id of ['ada', 'emil'])
      await carillon.request('PUT', `/v1/topics/${type}/watch`, { body: { user_id } })
    const id = await carillon.send(intent({ audience: { kind: 'topic', topic: type }, template: 'kept' }))
    await carillon.request('PATCH', '/v1/templates/kept/sms/en', { body: { is_active: false } })
    while (await expandChunk({ pool: carillon.pool, chunkSize: 1, onExpanded: () => {} }));
    const names = (await carillon.routesOf(id)).map(({ template }) => `${template?.name} ${template?.locale}`)
    expect(names).toEqual(['kept en', 'kept en'])
  })

  it('is used for a digest if its first item names it', async () => {
    await publish('first/sms/en', '{{ notification.type }} first')
    await publish('second/sms/en', 'second')
    await carillon.putType(type, { channels: ['sms'], digest: { window: 3600 } })
    const ids = [
      await carillon.send(intent({ template: 'first' })),
      await carillon.send(intent({ template: 'second' })),
    ]
    const worker = carillon.deliver(() => ({ kind: 'sent' }))
    for (const id of ids) await carillon.settled(id, 'skipped')
    await worker.stop()
    const [route] = await carillon.routesOf(ids[0]!)
    const digest = (await carillon.routesOf(route!.digest_id!))[0]!
    expect(digest.template?.name).toBe('first')
    const { body } = await carillon.request('GET', `/v1/records/${route!.digest_id}`)
    expect(body.template).toBe('first')
  })
})

describe('an intent is refused if it names', () => {
  const refused = (template: string, channels: string) => ({
    code: 'invalid_template',
    status: 400,
    errors: [
      {
        field: 'template',
        message: `No active template "${template}" is published for ${channels}: publish one, or leave template out.`,
      },
    ],
  })

  it('a template that does not exist, is a draft, or is switched off', async () => {
    expect(problemOf(await post({ template: 'nothing' }))).toMatchObject(refused('nothing', 'sms'))
    await carillon.request('PUT', '/v1/templates/draft/sms/en', { body: { body: 'x' } })
    expect(problemOf(await post({ template: 'draft' }))).toMatchObject(refused('draft', 'sms'))
    await publish('off/sms/en', 'x')
    await switchOff('off/sms/en')
    expect(problemOf(await post({ template: 'off' }))).toMatchObject(refused('off', 'sms'))
  })

  it('a template of another channel or tenant', async () => {
    await publish('mail_only/email/en', 'x')
    const answer = await post({ template: 'mail_only', channels: ['sms', 'in_app'] })
    expect(problemOf(answer)).toMatchObject(refused('mail_only', 'sms, in_app'))
    const { key } = await carillon.createTenant('elsewhere')
    const addresses = { kind: 'addresses', channel: 'email', addresses: ['a@example.com'] }
    const body = { ...intent({ template: 'mail_only', audience: addresses }), channels: ['email'] }
    const elsewhere = await carillon.request('POST', '/v1/intents', { body, key })
    expect(problemOf(elsewhere)).toMatchObject(refused('mail_only', 'email'))
  })

  it('something that is not a valid name', async () => {
    expect(problemOf(await post({ template: '' })).errors?.[0]?.field).toBe('template')
    expect(problemOf(await post({ template: 'x'.repeat(101) })).errors?.[0]?.field).toBe('template')
  })
})

describe('the template is part of the content', () => {
  beforeAll(() => Promise.all([publish('a/sms/en', 'a'), publish('b/sms/en', 'b')]))

  it('the same key is a conflict with another template, and a duplicate with the same one', async () => {
    const key = { idempotency_key: `key-${type}` }
    const first = await post({ ...key, template: 'a' })
    expect((await post({ ...key, template: 'a' })).body).toEqual({ ...first.body, duplicate: true })
    for (const more of [{ template: 'b' }, {}])
      expect(problemOf(await post({ ...key, ...more })).code).toBe('idempotency_conflict')
  })

  it('without a key, another template is another notification', async () => {
    const ids = [await post(), await post({ template: 'a' }), await post({ template: 'b' })]
    expect(new Set(ids.map(({ body }) => body.notification_id)).size).toBe(3)
    expect((await post({ template: 'a' })).body.duplicate).toBe(true)
  })
})

describe('a template can be named', () => {
  beforeAll(() => publish('along/sms/en', 'along'))

  it('in a batch, whose other items are judged on their own', async () => {
    const intents = [intent({ template: 'along' }), intent({ template: 'nothing' })]
    const { body } = await carillon.request('POST', '/v1/intents/batch', { body: { intents } })
    expect(body.items[1]).toMatchObject({ status: 'failed', code: 'invalid_template' })
    expect(await sentTexts(body.items[0].notification_id)).toEqual({ sms: 'along' })
  })

  it('by SQL, where it means the same intent as over HTTP', async () => {
    const notify = (template: string) =>
      carillon.pool.query(
        `select carillon.notify($1, '{"kind":"users","user_ids":["ada"]}', '{"body":"own words"}',
           idempotency_key => $1, channels => '{sms}', producer => 'p', template => $2) as id`,
        [type, template],
      )
    const { id } = (await notify('along')).rows[0]
    const again = await post({ idempotency_key: type, producer: 'p', template: 'along' })
    expect(again.body).toMatchObject({ notification_id: id, duplicate: true })
    await expect(notify('nothing')).rejects.toMatchObject({ column: 'template' })
    await expect(notify('')).rejects.toThrow('template must have 1 to 100 characters')
  })

  it('in a simulation', async () => {
    const simulate = (template: string) =>
      carillon.request('POST', '/v1/intents/simulate', { body: intent({ template }) })
    expect((await simulate('along')).body.people[0].routes[0].message.text).toBe('along')
    expect(problemOf(await simulate('nothing')).code).toBe('invalid_template')
  })

  it('in a schedule', async () => {
    const { notification_type, audience, channels, payload } = intent()
    const body = {
      name: type,
      cron: '* * * * *',
      intent: { notification_type, audience, channels, payload, template: 'along' },
    }
    const { id } = (await carillon.request('POST', '/v1/schedules', { body })).body
    await carillon.pool.query(
      "update schedules set next_run_at = now() - interval '1 second' where id = $1",
      [id],
    )
    await runDueSchedule({ pool: carillon.pool, onAccepted: () => {} })
    const sent = await waitFor(
      async () => (await carillon.request('GET', `/v1/schedules/${id}`)).body.last_notification_id,
      { what: 'the schedule to run' },
    )
    expect(await sentTexts(sent)).toEqual({ sms: 'along' })
  })
})
