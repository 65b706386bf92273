/** Replies by mail: from the mail that a person got to the event in the log. */
import { beforeAll, describe, expect, it } from 'vitest'
import { create } from '../../../test/calls/call.ts'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { addScript } from '../../../test/scripts.ts'
import { useSmtp } from '../../../test/smtp.ts'
import { createReplyAddresses } from '../../content/messages/reply-to.ts'
import { replyAddress } from '../../content/signed-links/reply-addresses.ts'
import { AUTOMATIC, REPLIES } from './replies.fixture.ts'

const carillon = useCarillon()
const smtp = useSmtp()
let unique = 0

beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com' })
  await carillon.putType('comment', { channels: ['email'] })
  const body = { reply_domain: 'reply.example.com', mails_per_thread_window_seconds: 0 }
  await carillon.request('PATCH', '/v1/tenant', { body })
})

/** The address in a mail that ada gets about the thread. */
async function addressFor(id: string): Promise<string> {
  const sent = await carillon.send({
    notification_type: 'comment',
    audience: { kind: 'users', user_ids: ['ada'] },
    payload: { n: ++unique },
    thread: { kind: 'issue', id },
  })
  const replyTo = createReplyAddresses(carillon.providers.keyring)
  const worker = carillon.deliver(smtp.provider, { replyAddress: replyTo })
  await carillon.settled(sent, 'sent')
  await worker.stop()
  return smtp.receiver.mails.at(-1)!.parsed.replyTo![0]!.address!
}
const receive = (raw: string, key = carillon.key) =>
  carillon.request('POST', '/v1/inbound-emails', { body: { raw }, key })
const eventOf = async (id: string) => (await carillon.request('GET', `/v1/events/${id}`)).body
const aReply = (to: string, text = 'Hello', more = '') =>
  `From: ada@example.com\r\nTo: ${to}\r\n${more}Subject: Re: x\r\n\r\n${text}\r\n`

it('a reply becomes an event about the thread, as if its person had written there', async () => {
  await carillon.request('PUT', '/v1/threads/issue/42', { body: { topic: 'acme/api' } })
  const [raw, written] = REPLIES.Gmail!
  const { status, body } = await receive(raw(await addressFor('42')))
  const reply = { status: 'accepted', user_id: 'ada', thread: { kind: 'issue', id: '42' } }
  expect([status, body]).toEqual([
    202,
    { matched: 0, replies: [{ ...reply, event_id: expect.any(String), duplicate: false }] },
  ])
  const event = await eventOf(body.replies[0].event_id)
  expect(event).toMatchObject({
    kind: 'issue_comment_created',
    producer: 'email',
    actor_id: 'ada',
    topic: 'acme/api',
    thread: { kind: 'issue', id: '42' },
    source_kind: 'email',
    source_id: '<gmail@mail.gmail.com>',
  })
  expect(JSON.parse(event.payload_json)).toEqual({
    text: written,
    truncated: false,
    subject: 'Re: Broken build',
    from: 'ada@example.com',
  })
})

it.each(Object.entries(REPLIES))(
  'a reply is cut down to what the person wrote: %s',
  async (name, [raw, written]) => {
    const { body } = await receive(raw(await addressFor(`by-${name}`)))
    const event = await eventOf(body.replies[0].event_id)
    expect(JSON.parse(event.payload_json).text).toBe(written)
  },
)

it('a reply that is passed on twice is one event', async () => {
  const mail = aReply(await addressFor('twice'), 'Hello', 'Message-ID: <twice@example.com>\r\n')
  const [first, second] = [await receive(mail), await receive(mail)]
  expect(second.body.replies).toEqual([{ ...first.body.replies[0], duplicate: true }])
})

it('a reply that comes again with another subject or a line below is the same event', async () => {
  const mail = aReply(await addressFor('altered'), 'Hello', 'Message-ID: <altered@example.com>\r\n')
  const first = await receive(mail)
  for (const other of [mail.replace('Re: x', '[external] Re: x'), `${mail}\r\nSent through a list\r\n`]) {
    const { status, body } = await receive(other)
    expect([status, body.replies]).toEqual([202, [{ ...first.body.replies[0], duplicate: true }]])
  }
})

it('a reply has the kind of event that the tenant chose', async () => {
  await carillon.request('PATCH', '/v1/tenant', { body: { reply_event_kind: 'mail_answered' } })
  const { body } = await receive(aReply(await addressFor('kind')))
  expect(await eventOf(body.replies[0].event_id)).toMatchObject({ kind: 'mail_answered' })
  await carillon.request('PATCH', '/v1/tenant', { body: { reply_event_kind: null } })
})

it('a reply that is too long is cut, and says so', async () => {
  const { body } = await receive(aReply(await addressFor('long'), `${'\u00e4"'.repeat(3000)}`))
  const { text, truncated } = JSON.parse((await eventOf(body.replies[0].event_id)).payload_json)
  expect([text.length > 500, truncated]).toEqual([true, true])
})

it('a reply to an address in capital letters is accepted', async () => {
  const { status } = await receive(aReply((await addressFor('case')).toUpperCase()))
  expect(status).toBe(202)
})

it.each(Object.entries(AUTOMATIC))('%s makes no event', async (_name, raw) => {
  const address = await addressFor('automatic')
  const before = await carillon.rowCounts()
  const { status, body } = await receive(raw(address))
  expect([status, body]).toEqual([202, { matched: 0, replies: [{ status: 'ignored', reason: 'automatic' }] }])
  expect(await carillon.rowCounts()).toEqual(before)
})

it.each(['On Tue, 10 Mar 2026, Bells <b@example.com> wrote:\r\n> Does anybody?', '\u200b\r\n'])(
  'a reply that says nothing of its own makes no event: %j',
  async text => {
    const { body } = await receive(aReply(await addressFor('empty'), text))
    expect(body.replies).toEqual([{ status: 'ignored', reason: 'empty' }])
  },
)

describe('refused reply addresses', () => {
  async function expectRefused(address: string, key = carillon.key): Promise<void> {
    const before = await carillon.rowCounts()
    const answer = await receive(aReply(address), key)
    expect([address, answer.status, problemOf(answer).errors?.[0]?.field]).toEqual([address, 400, 'to'])
    expect(await carillon.rowCounts()).toEqual(before)
  }

  it('a reply address with any character of its token changed, added or missing is refused', async () => {
    const address = await addressFor('forged')
    const [local, domain] = address.split('@')
    const token = local!.slice('reply+'.length)
    for (let at = 0; at < token.length; at += 3) {
      const other = token[at] === 'a' ? 'b' : 'a'
      await expectRefused(`reply+${token.slice(0, at)}${other}${token.slice(at + 1)}@${domain}`)
    }
    await expectRefused(`reply+${token}a@${domain}`)
    await expectRefused(`reply+${token.slice(1)}@${domain}`)
    await expectRefused(`reply+@${domain}`)
  })

  it('a reply address is refused from another tenant, even one with the same domain', async () => {
    const address = await addressFor('foreign')
    const { key } = await carillon.createTenant('stranger')
    await carillon.request('PATCH', '/v1/tenant', { body: { reply_domain: 'reply.example.com' }, key })
    await expectRefused(address, key)
  })

  it('a reply address of a mail that was never sent is refused', async () => {
    const { keyring } = carillon.providers
    const messageId = '0197f2a0-0000-7000-8000-000000000002.0123456789abcdef'
    await expectRefused(replyAddress(keyring, carillon.tenantId, messageId, 'reply.example.com'))
  })

  it('a reply address is refused once its thread or topic is deleted', async () => {
    for (const kept of ['threads/issue/kept', 'topics/kept']) {
      await carillon.request('PUT', '/v1/threads/issue/kept', { body: { topic: 'kept' } })
      const address = await addressFor('kept')
      await carillon.request('DELETE', `/v1/${kept}`)
      await expectRefused(address)
    }
  })

  it('a reply address is refused once the person may no longer see the topic, or is gone', async () => {
    await carillon.request('PUT', '/v1/threads/issue/secret', { body: { topic: 'secret' } })
    const address = await addressFor('secret')
    await carillon.request('PATCH', '/v1/topics/secret', { body: { visibility: 'private' } })
    await expectRefused(address)
    const other = await addressFor('gone')
    await carillon.request('DELETE', '/v1/users/ada')
    await expectRefused(other)
    await carillon.putUser('ada', { email: 'ada@example.com' })
  })

  it('a mail to a refused reply address is taken for its other recipients, whose triggers it fires', async () => {
    const script_id = await addScript(carillon.pool, carillon.tenantId)
    const config = { address: 'support@carillon.example' }
    await create(carillon, '/v1/triggers', { name: 'support', kind: 'email', config, script_id })
    const answer = await receive(aReply('reply+forged@reply.example.com, support@carillon.example'))
    expect([answer.status, answer.body]).toEqual([202, { matched: 1 }])
  })
})
