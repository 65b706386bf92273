/** What an intent says about its messages on one channel: reply-to, copies, attachments, media. */
import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { useSmtp } from '../../../test/smtp.ts'
import type { Message } from '../../content/messages/message.ts'

const carillon = useCarillon()
const smtp = useSmtp()
const PDF = { filename: 'Rechnung – 7.pdf', content_type: 'application/pdf', content: 'JVBERi0xLjcK' }
const ADA = { kind: 'users', user_ids: ['ada'] }

beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@x.example', phone: '+4915112345678' })
  await carillon.putType('invoice', { channels: ['email'] })
})

async function mailOf(email: object, intent: object = {}) {
  const id = await carillon.send({ notification_type: 'invoice', audience: ADA, email, ...intent })
  const worker = carillon.deliver(smtp.provider)
  await carillon.settled(id, 'sent')
  await worker.stop()
  return { id, ...smtp.receiver.mails.at(-1)! }
}
const addressesIn = (list: { address?: string | undefined }[] | undefined) =>
  list?.map(({ address }) => address)

it('a mail has its own reply-to, copies, attachments and preheader', async () => {
  const { parsed, to } = await mailOf({
    reply_to: 'Help@X.example',
    cc: ['carl@x.example', 'ADA@x.example'],
    bcc: ['ben@x.example', 'carl@x.example'],
    preheader: 'Due <soon>',
    attachments: [PDF, { filename: 'a.txt', content_type: 'text/plain', content: 'QUJD' }],
  })
  expect(addressesIn(parsed.replyTo)).toEqual(['Help@x.example'])
  expect(addressesIn(parsed.cc)).toEqual(['carl@x.example'])
  expect(parsed.headers.some(({ key }) => key === 'bcc')).toBe(false)
  expect([...to].sort()).toEqual(['ada@x.example', 'ben@x.example', 'carl@x.example'])
  expect(parsed.html).toMatch(/<body[^>]*><div aria-hidden="true" style="display:none[^>]*>Due &lt;soon&gt;/)
  expect(parsed.attachments.map(({ filename, mimeType }) => [filename, mimeType])).toEqual([
    ['Rechnung – 7.pdf', 'application/pdf'],
    ['a.txt', 'text/plain'],
  ])
  expect(Buffer.from(parsed.attachments[0]!.content as ArrayBuffer).toString()).toBe('%PDF-1.7\n')
})

it.each(['carl@X.example', 'CARL@x.example'])('a suppressed address gets no copy as %s', async written => {
  const body = { channel: 'email', address: 'Carl@x.example' }
  expect((await carillon.request('POST', '/v1/suppressions', { body })).status).toBe(201)
  for (const copies of [{ cc: [written], bcc: ['dora@x.example'] }, { bcc: [written, 'dora@x.example'] }])
    expect([...(await mailOf(copies)).to].sort()).toEqual(['ada@x.example', 'dora@x.example'])
})

it('a mail counts as sent only if its recipient is accepted, whatever becomes of its copies', async () => {
  await carillon.putUser('gone', { email: 'gone@x.example' })
  smtp.receiver.behave({ refuses: 'gone@x.example' })
  const email = { cc: ['dora@x.example'] }
  const audience = { kind: 'users', user_ids: ['gone'] }
  const id = await carillon.send({ notification_type: 'invoice', audience, email })
  const worker = carillon.deliver(smtp.provider)
  await carillon.settled(id, 'dead')
  await worker.stop()
  smtp.receiver.behave({ refuses: 'dora@x.example' })
  expect((await mailOf(email)).to).toEqual(['ada@x.example'])
  smtp.receiver.behave('accept')
})

it('a mail with attachments is sent by itself, while one without them joins a digest', async () => {
  await carillon.putType('invoice', { channels: ['email'], digest: { window: 3600 } })
  const { id } = await mailOf({ attachments: [PDF] })
  expect((await carillon.routesOf(id))[0]!.status).toBe('sent')
  const gathered = await carillon.send({
    notification_type: 'invoice',
    audience: ADA,
    email: { preheader: 'x' },
  })
  const worker = carillon.deliver(smtp.provider)
  expect((await carillon.settled(gathered, 'skipped'))[0]!.reason).toBe('digested')
  await worker.stop()
  await carillon.putType('invoice', { channels: ['email'] })
})

it('a repeat with other attachments is a conflict, and their contents are not kept', async () => {
  const body = {
    notification_type: 'invoice',
    audience: ADA,
    payload: { title: 'Seven' },
    idempotency_key: 'seven',
    email: { attachments: [PDF] },
  }
  const first = await carillon.request('POST', '/v1/intents', { body })
  expect(first.status).toBe(202)
  const repeat = await carillon.request('POST', '/v1/intents', { body })
  expect([repeat.status, repeat.body.notification_id]).toEqual([200, first.body.notification_id])
  const other = { ...body, email: { attachments: [{ ...PDF, content: 'T1RIRVI=' }] } }
  const conflict = await carillon.request('POST', '/v1/intents', { body: other })
  expect([conflict.status, conflict.body.code]).toEqual([409, 'idempotency_conflict'])
  const entry = { ...body, source_entry_id: '1-1', email: { attachments: [{ ...PDF, content: 'T1RIRVI=' }] } }
  await carillon.request('POST', '/v1/intents/batch', { body: { intents: [entry] } })
  const { data } = (await carillon.request('GET', '/v1/malformed-intents')).body
  expect(data).toHaveLength(2)
  expect(JSON.stringify(data)).toContain('.pdf"')
  expect(JSON.stringify(data)).not.toContain('T1RIRVI')
})

it('simulate shows attachments without their contents', async () => {
  const intent = { notification_type: 'invoice', audience: ADA, payload: { title: 'Eight' } }
  const email = { reply_to: 'help@x.example', cc: ['carl@x.example'], attachments: [PDF] }
  const { body } = await carillon.request('POST', '/v1/intents/simulate', { body: { ...intent, email } })
  expect(body.people[0].routes[0].message.options).toEqual({
    reply_to: 'help@x.example',
    attachments: [{ filename: PDF.filename, content_type: PDF.content_type, bytes: 9 }],
  })
})

it('attachments are deleted with their record', async () => {
  const { id } = await mailOf({ attachments: [PDF] })
  const count = async () =>
    (await carillon.pool.query('select from attachments where notification_id = $1', [id])).rowCount
  expect(await count()).toBe(1)
  await carillon.pool.query('delete from records where notification_id = $1', [id])
  expect(await count()).toBe(0)
})

it('notify() in SQL takes the same mail options as the API', async () => {
  const intent = {
    notification_type: 'invoice',
    audience: ADA,
    payload: { title: 'By SQL' },
    email: { reply_to: 'help@x.example', attachments: [PDF] },
  }
  const { rows } = await carillon.pool.query('select carillon.notify($1::jsonb) as id', [
    JSON.stringify(intent),
  ])
  const worker = carillon.deliver(smtp.provider)
  await carillon.settled(rows[0].id, 'sent')
  await worker.stop()
  const { parsed } = smtp.receiver.mails.at(-1)!
  expect([addressesIn(parsed.replyTo), parsed.attachments.length]).toEqual([['help@x.example'], 1])
})

it('each channel gets its own options of an intent', async () => {
  const messages: Message[] = []
  await carillon.putUser('ada', {
    email: 'ada@x.example',
    phone: '+4915112345678',
    chat_address: 'whatsapp:+49 151 12345678',
  })
  await carillon.putType('all', { channels: ['email', 'sms', 'chat'] })
  const worker = carillon.deliver(message => {
    messages.push(message)
    return { kind: 'sent' }
  })
  const id = await carillon.send({
    notification_type: 'all',
    audience: ADA,
    email: { preheader: 'p' },
    sms: { media: ['https://x.example/a.png'] },
    chat: { content_variables: { name: 'Ada' } },
  })
  await carillon.settled(id, 'sent')
  await worker.stop()
  const shown = messages.map(({ channel, address, options }) => [channel, address, options])
  expect(shown.sort()).toEqual([
    ['chat', 'whatsapp:+4915112345678', { content_variables: { name: 'Ada' } }],
    ['email', 'ada@x.example', { preheader: 'p' }],
    ['sms', '+4915112345678', { media: ['https://x.example/a.png'] }],
  ])
})
