/** A conversation by mail: an event tells people, one of them answers, and the others are told of that. */
import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { fanOut, tell } from '../../../test/fanout.ts'
import { threadsOf } from '../../../test/jwz.ts'
import { PUBLIC_URL } from '../../../test/provider-parts.ts'
import { useSmtp } from '../../../test/smtp.ts'
import { createMailLinks } from '../../content/messages/mail-links.ts'
import { createReplyAddresses } from '../../content/messages/reply-to.ts'

const carillon = useCarillon()
const smtp = useSmtp()
const thread = { kind: 'issue', id: '42', title: 'Broken build', author_id: 'ada' }
const event = (more: object) => ({ topic: 'acme/api', thread, ...more })

beforeAll(async () => {
  for (const id of ['ada', 'bob', 'cy']) await carillon.putUser(id, { email: `${id}@example.com` })
  await carillon.request('PATCH', '/v1/tenant', { body: { reply_domain: 'reply.example.com' } })
})

/** Sends what is due; the mails by recipient. */
async function deliver(): Promise<Map<string, (typeof smtp.receiver.mails)[number]>> {
  const { keyring } = carillon.providers
  const before = smtp.receiver.mails.length
  const worker = carillon.deliver(smtp.provider, {
    links: createMailLinks(keyring, PUBLIC_URL, Date.now),
    replyAddress: createReplyAddresses(keyring),
  })
  await carillon.nothingDue()
  await worker.stop()
  return new Map(smtp.receiver.mails.slice(before).map(mail => [mail.to[0]!, mail]))
}
/** What became of each person's mail about the event: the reason, or the status if there is none. */
async function reasonsOf(eventId: string): Promise<Record<string, string>> {
  const records = await carillon.readAll(`/v1/records?event_id=${eventId}`)
  const routes = await Promise.all(records.map(record => carillon.routesOf(record.notification_id)))
  const mails = routes.flat().filter(({ channel }) => channel === 'email')
  return Object.fromEntries(mails.map(({ user_id, reason, status }) => [user_id, reason || status]))
}
const header = (mail: { parsed: { headers: { key: string; value: string }[] } }, key: string) =>
  mail.parsed.headers.find(one => one.key === key)?.value
const laterBy = (interval: string) =>
  carillon.pool.query('update notification_email_log set counted_at = counted_at - $1::interval', [interval])

it('an event becomes mails, a reply becomes an event, and a person who leaves gets no more', {
  tags: ['S001-22', 'S001-28', 'S001-30'],
}, async () => {
  const opened = event({ kind: 'issue_created', actor_id: 'ada', relations: { mention: ['bob', 'cy'] } })
  await tell(carillon, opened)
  const first = await deliver()
  expect([...first.keys()].sort()).toEqual(['bob@example.com', 'cy@example.com'])
  const [toBob, toCy] = [first.get('bob@example.com')!, first.get('cy@example.com')!]
  expect(header(toBob, 'x-carillon-reason')).toBe('mention')
  expect(header(toBob, 'list-id')).toContain('"acme/api"')

  // Bob answers by mail: that is a comment of his, of which the author is told, and those who were mentioned.
  const raw = `From: bob@example.com\r\nTo: ${toBob.parsed.replyTo![0]!.address}\r\nMessage-ID: <b@x>\r\n\r\nMe too.\r\n`
  const answer = await carillon.request('POST', '/v1/inbound-emails', { body: { raw } })
  const [reply] = answer.body.replies
  expect(reply).toMatchObject({ status: 'accepted', user_id: 'bob' })
  await fanOut(carillon)
  const second = await deliver()
  // Cy got a mail about this thread a moment ago.
  expect(await reasonsOf(reply.event_id)).toEqual({ ada: 'sent', cy: 'storm' })
  expect(header(second.get('ada@example.com')!, 'references')).toBe(header(toCy, 'references'))

  // Cy leaves the thread, and hears of it again only when a mention names her.
  const [, url] = /^<(.+)>$/.exec(header(toCy, 'list-unsubscribe')!)!
  const left = await carillon.api.inject({ method: 'POST', url: new URL(url!).pathname })
  expect(left.statusCode).toBe(200)
  await laterBy('11 minutes')
  const comment = { kind: 'issue_comment_created', actor_id: 'bob' }
  const [quiet, loud] = [
    (await tell(carillon, event(comment)))[0]!,
    (await tell(carillon, event({ ...comment, relations: { mention: ['cy'] } })))[0]!,
  ]
  const third = await deliver()
  expect(await reasonsOf(quiet)).not.toHaveProperty('cy')
  expect(await reasonsOf(loud)).toMatchObject({ cy: 'sent' })
  const all = [...first.values(), ...second.values(), ...third.values()].map(mail => ({
    messageId: header(mail, 'message-id')!,
    references: [header(mail, 'references')!],
  }))
  expect(threadsOf(all)).toHaveLength(1)
})

it('a waiting mail reaches only members when its thread moves or its event is not public', {
  tags: 'S001-25',
}, async () => {
  const member = '/v1/topics/acme%2Fapi/members/bob'
  await carillon.request('PUT', member, { body: { watch: false } })
  const mention = { kind: 'mentioned', actor_id: 'ada', relations: { mention: ['bob'] } }
  const thread = { kind: 'issue', id: 'moves' }
  const [moved] = await tell(carillon, event({ ...mention, thread }))
  const [closed] = await tell(
    carillon,
    event({ ...mention, thread: { kind: 'issue', id: 'inner' }, is_public: false }),
  )
  await carillon.request('DELETE', member)
  await carillon.request('PUT', '/v1/topics/vault', { body: { visibility: 'private' } })
  await carillon.request('PUT', '/v1/threads/issue/moves', { body: { topic: 'vault' } })
  await laterBy('11 minutes')
  await deliver()
  expect([await reasonsOf(moved!), await reasonsOf(closed!)]).toEqual([
    { bob: 'not_visible' },
    { bob: 'not_visible' },
  ])
})

it('a topic that becomes private keeps its waiting mails from people who are no members', {
  tags: 'S001-25',
}, async () => {
  const [id] = await tell(
    carillon,
    event({ kind: 'mentioned', actor_id: 'ada', relations: { mention: ['bob'] } }),
  )
  await laterBy('11 minutes')
  await carillon.request('PATCH', '/v1/topics/acme%2Fapi', { body: { visibility: 'private' } })
  await deliver()
  expect(await reasonsOf(id!)).toEqual({ bob: 'not_visible' })
})
