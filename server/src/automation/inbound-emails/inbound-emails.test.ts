import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { addScript } from '../../../test/scripts.ts'
import { A_MAIL, aMail } from './mail.fixture.ts'

const carillon = useCarillon()
let scriptId: string

const create = async (address: string, key = carillon.key, script_id = scriptId): Promise<string> => {
  const body = { name: address, kind: 'email', config: { address }, script_id }
  const answer = await carillon.request('POST', '/v1/triggers', { body, key })
  expect([answer.status, answer.body]).toEqual([201, answer.body])
  return answer.body.id
}
const post = (raw: string | Buffer, query = '', key = carillon.key) =>
  carillon.request('POST', `/v1/inbound-emails${query}`, {
    rawBody: raw,
    headers: { 'content-type': 'message/rfc822' },
    key,
  })
const postJson = (raw: string, query = '') =>
  carillon.request('POST', `/v1/inbound-emails${query}`, { body: { raw } })
const fired = async () => (await carillon.pool.query('select * from outbox order by seq')).rows

beforeAll(async () => {
  scriptId = await addScript(carillon.pool, carillon.tenantId)
})
beforeEach(async () => {
  await carillon.pool.query('delete from triggers')
  await carillon.pool.query('delete from outbox')
})

describe('POST /v1/inbound-emails', () => {
  it('fires the triggers of the recipients, and tells the script what the mail says', async () => {
    const id = await create('support@carillon.example')
    const answer = await post(A_MAIL)
    expect([answer.status, answer.body]).toEqual([202, { matched: 1 }])
    const [row] = await fired()
    expect(row).toMatchObject({
      ...{ tenant_id: carillon.tenantId, source_kind: 'email', op: 'receive', target_id: id },
      context: { trigger_id: id, script_id: scriptId, origin: expect.stringMatching(/^api_key:/) },
    })
    const data = JSON.parse(row.payload)
    expect(data).toMatchObject({
      from: { address: 'ada@example.com', name: 'Ada Lovelace' },
      to: [
        { address: 'support@carillon.example', name: 'Support' },
        { address: 'bob@example.com', name: '' },
      ],
      cc: [{ address: 'carol@example.com' }, { address: 'dan@example.com' }],
      subject: 'Grüße',
      text: expect.stringMatching(/^Schön\.\s*$/),
      html: expect.stringContaining('<p>Schön.</p>'),
      message_id: '<1@example.com>',
      date: '2026-03-10T11:00:00.000Z',
      attachments: [{ filename: 'a.png', content_type: 'image/png', size: 8 }],
      truncated: [],
    })
    expect(data.headers).toMatchObject({ 'in-reply-to': '<0@carillon.example>', received: 'from a, from b' })
    expect(row.payload).not.toContain('iVBORw0KGgo')
  })

  it.each([
    ['To', 'bob@example.com'],
    ['Cc, in a group', 'carol@example.com'],
    ['Delivered-To', 'inbox@carillon.example'],
    ['the beginning of an address', 'sup*'],
    ['any address', '*'],
    ['other letters', 'SUPPORT@Carillon.example'],
  ])('finds a recipient by %s', async (_what, address) => {
    await create(address)
    expect((await post(A_MAIL)).body).toEqual({ matched: 1 })
  })

  it('asks the envelope instead, if it is given: blind copies are only there', async () => {
    await create('hidden@carillon.example')
    await create('reply+*')
    await create('support@carillon.example')
    const query = '?to=Hidden@carillon.example&to=reply%2B7@carillon.example'
    expect((await post(A_MAIL, query)).body).toEqual({ matched: 2 })
    const data = JSON.parse((await fired())[0].payload)
    expect(data.recipients.sort()).toEqual(['Hidden@carillon.example', 'reply+7@carillon.example'])
    expect((await post(A_MAIL, '?to=nobody@carillon.example')).body).toEqual({ matched: 0 })
  })

  it('compares international addresses in one form', async () => {
    await create('help@bücher.example')
    expect((await post(aMail('To: help@xn--bcher-kva.example'))).body).toEqual({ matched: 1 })
    expect((await post(aMail('To: x@x.io'), '?to=help@B%C3%BCcher.example')).body).toEqual({ matched: 1 })
  })

  it('takes the mail as JSON too, and any encoding as it is', async () => {
    await create('*')
    expect(
      (await postJson(aMail('To: a@x.io\r\nContent-Type: text/plain; charset=utf-8', 'Grüße'))).status,
    ).toBe(202)
    const latin = Buffer.from(
      aMail('To: a@x.io\r\nContent-Type: text/plain; charset=iso-8859-1', 'Grüße'),
      'latin1',
    )
    expect((await post(latin)).status).toBe(202)
    expect((await fired()).map(row => JSON.parse(row.payload).text.trim())).toEqual(['Grüße', 'Grüße'])
  })

  it('fires nothing of another tenant', async () => {
    const elsewhere = await carillon.createTenant('elsewhere')
    await create('*', elsewhere.key, await addScript(carillon.pool, elsewhere.id))
    expect((await post(A_MAIL)).body).toEqual({ matched: 0 })
    expect((await post(A_MAIL, '', elsewhere.key)).body).toEqual({ matched: 1 })
    expect((await fired()).map(row => row.tenant_id)).toEqual([elsewhere.id])
  })

  it('needs the scope inbound_emails:write', async () => {
    const { key } = await carillon.createKey({ name: 'k', scopes: ['triggers:write'] })
    expect(problemOf(await post(A_MAIL, '', key)).code).toBe('forbidden')
    const mail = await carillon.createKey({ name: 'mail', scopes: ['inbound_emails:write'] })
    expect((await post(A_MAIL, '', mail.key)).status).toBe(202)
  })

  it.each([
    ['a mail for nobody', () => post(aMail('Subject: x')), 'invalid_request', 'to'],
    ['an empty mail', () => post(''), 'invalid_request', 'raw'],
    ['no mail', () => carillon.request('POST', '/v1/inbound-emails', { body: {} }), 'invalid_request', 'raw'],
    ['one that cannot be read', () => post('\n'.repeat(300_000)), 'invalid_request', 'raw'],
    ['too many addresses', () => post(A_MAIL, `?${'to=a@x.io&'.repeat(101)}`), 'invalid_request', 'to'],
    ['more than 10 MiB', () => post('x'.repeat(10 * 1024 * 1024 + 1)), 'payload_too_large', undefined],
  ])('refuses %s', async (_what, call, code, field) => {
    const problem = problemOf(await call())
    expect([problem.code, problem.errors?.[0]?.field]).toEqual([code, field])
    expect(await fired()).toEqual([])
  })
})
