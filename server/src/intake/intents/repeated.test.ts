/** A caller that repeats an intent after a lost answer gets the first record, whatever changed in between. */
import { beforeEach, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const TEMPLATE = '/v1/templates/notice/sms/en'
let type = ''
let unique = 0
beforeEach(async () => {
  type = `type_${++unique}`
  await putType()
  await carillon.putUser('ada', { email: 'ada@example.com', phone: '+4915112345678' })
  await carillon.request('PUT', TEMPLATE, { body: { body: 'x' } })
  await carillon.request('POST', `${TEMPLATE}/publish`, { body: {} })
  await carillon.request('PATCH', TEMPLATE, { body: { is_active: true } })
})

const intent = (more: object = {}) => ({
  notification_type: type,
  idempotency_key: type,
  audience: { kind: 'users', user_ids: ['ada'] },
  channels: ['sms'],
  template: 'notice',
  payload: { body: 'Hello.' },
  ...more,
})
const post = (more: object = {}) => carillon.request('POST', '/v1/intents', { body: intent(more) })
const putType = (more: object = {}) => carillon.putType(type, { channels: ['sms'], ...more })
const switchOff = () => carillon.request('PATCH', TEMPLATE, { body: { is_active: false } })
const deleteAda = () => carillon.request('DELETE', '/v1/users/ada')

describe('the same key and content returns the first record', () => {
  it.each<[string, () => Promise<unknown>, string]>([
    ['the template was switched off', switchOff, 'invalid_template'],
    ['the user was deleted', deleteAda, 'recipient_not_found'],
    ['the type lost the channel', () => putType({ channels: ['email'] }), 'invalid_audience'],
    ['the type required another field', () => putType({ required_fields: ['n'] }), 'invalid_payload'],
    ['the type no longer allowed the producer', () => putType({ producers: ['x'] }), 'invalid_producer'],
  ])('after %s', async (_what, change, code) => {
    const first = await post()
    expect(first.status).toBe(202)
    await change()
    const again = await post()
    expect([again.status, again.body]).toEqual([200, { ...first.body, duplicate: true }])
    expect(problemOf(await post({ idempotency_key: `${type} new` })).code).toBe(code)
    expect(problemOf(await post({ payload: { body: 'Other.' } })).code).toBe(code)
  })

  it('after it expired', async () => {
    const { rows } = await carillon.pool.query(`select now() + interval '2 seconds' as soon`)
    const expires_at = rows[0].soon.toISOString()
    const first = await post({ expires_at })
    let tries = 0
    await expect
      .poll(async () => (await post({ expires_at, idempotency_key: `${type} ${++tries}` })).body, {
        timeout: 30_000,
      })
      .toMatchObject({
        code: 'invalid_timestamp',
        errors: [{ field: 'expires_at', message: 'expires_at must be in the future.' }],
      })
    expect((await post({ expires_at })).body).toEqual({ ...first.body, duplicate: true })
  })

  it('without a key, after the channels of the type changed', async () => {
    const contentOnly = { idempotency_key: undefined, channels: undefined, template: undefined }
    const first = await post(contentOnly)
    expect(first.status).toBe(202)
    await putType({ channels: ['email', 'sms'] })
    expect((await post(contentOnly)).body).toEqual({ ...first.body, duplicate: true })
    // Naming channels makes it different content.
    expect((await post({ ...contentOnly, channels: ['email'] })).status).toBe(202)
  })

  it('without a key, too: the content is the key', async () => {
    const first = await post({ idempotency_key: undefined })
    await switchOff()
    const again = await post({ idempotency_key: undefined })
    expect(again.body).toEqual({ ...first.body, duplicate: true })
  })

  it('without a key, with another deadline or reason: a caller that repeats may compute them anew', async () => {
    const keyless = { idempotency_key: undefined, expires_at: '2998-01-01T00:00:00Z' }
    const first = await post(keyless)
    for (const more of [{ expires_at: '2999-01-01T00:00:00Z' }, { reason: 'mention' }]) {
      expect((await post({ ...keyless, ...more })).body).toEqual({ ...first.body, duplicate: true })
    }
  })

  it('in a batch, whose other items are judged on their own', async () => {
    const first = await post()
    await deleteAda()
    const toAddress = { kind: 'addresses', channel: 'sms', addresses: ['+4915112345679'] }
    const intents = [
      intent({ idempotency_key: `${type} new` }),
      intent(),
      intent({ idempotency_key: `${type} other`, audience: toAddress }),
    ]
    const { body } = await carillon.request('POST', '/v1/intents/batch', { body: { intents } })
    expect(body).toMatchObject({ accepted: 1, duplicates: 1, failed: 1 })
    expect(body.items[0]).toMatchObject({ status: 'failed', code: 'recipient_not_found' })
    expect(body.items[1]).toMatchObject({ notification_id: first.body.notification_id, duplicate: true })
    expect(body.items[2]).toMatchObject({ status: 'accepted', duplicate: false })
  })

  it('by SQL, and in a simulation', async () => {
    const { notification_id } = (await post({ producer: 'p' })).body
    await switchOff()
    const { rows } = await carillon.pool.query(
      `select carillon.notify($1, '{"kind":"users","user_ids":["ada"]}', '{"body":"Hello."}',
         idempotency_key => $1, channels => '{sms}', producer => 'p', template => 'notice') as id`,
      [type],
    )
    expect(rows[0].id).toBe(notification_id)
    const body = intent({ producer: 'p' })
    const simulated = await carillon.request('POST', '/v1/intents/simulate', { body })
    expect(simulated.body.duplicate_of).toBe(notification_id)
  })

  it('when an entry of a stream is read again', async () => {
    const entry = intent({ source_entry_id: type, idempotency_key: undefined })
    const relay = () => carillon.request('POST', '/v1/intents/batch', { body: { intents: [entry] } })
    const [first] = (await relay()).body.items
    await carillon.pool.query('update records set idempotency_expires_at = now()')
    await switchOff()
    expect((await relay()).body.items).toEqual([{ ...first, duplicate: true }])
  })
})

it('a key means nothing after its window', async () => {
  await post()
  await carillon.pool.query('update records set idempotency_expires_at = now()')
  await switchOff()
  expect(problemOf(await post()).code).toBe('invalid_template')
})

it('an intent that was never accepted is refused again', async () => {
  await switchOff()
  for (const answer of [await post(), await post()]) expect(problemOf(answer).code).toBe('invalid_template')
})
