/** Mails about threads as a mail server gets them, and what people can do with them. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { threadsOf } from '../../../test/jwz.ts'
import { PUBLIC_URL } from '../../../test/provider-parts.ts'
import type { ReceivedMail } from '../../../test/receivers/smtp-receiver.ts'
import { useSmtp } from '../../../test/smtp.ts'
import { createMailLinks } from '../../content/messages/mail-links.ts'
import { createReplyAddresses } from '../../content/messages/reply-to.ts'
import { createInboxWriter } from '../../inbox/notifications/notifications.ts'

const carillon = useCarillon()
const smtp = useSmtp()
let person = ''
let unique = 0

beforeAll(async () => {
  await carillon.putType('comment', { channels: ['email'], category: 'news' })
  await carillon.putType('legal', { channels: ['email'], category: 'legal' })
  await carillon.request('PUT', '/v1/categories/legal', { body: { name: 'Legal', required: true } })
  await carillon.request('PATCH', '/v1/tenant', { body: { mails_per_thread_window_seconds: 0 } })
})
beforeEach(async () => {
  person = `person-${++unique}`
  await carillon.putUser(person, { email: `${person}@example.com` })
})

/** What became of it, and the mail if there was one. */
async function mailOf(intent: object = {}) {
  const { keyring } = carillon.providers
  const before = smtp.receiver.mails.length
  const id = await carillon.send({
    notification_type: 'comment',
    audience: { kind: 'users', user_ids: [person] },
    payload: { title: 'Broken <build>', body: `Comment ${++unique}` },
    ...intent,
  })
  const worker = carillon.deliver(smtp.provider, {
    links: createMailLinks(keyring, PUBLIC_URL, Date.now),
    replyAddress: createReplyAddresses(keyring),
  })
  const [route] = await carillon.settled(id, 'sent', 'skipped')
  await worker.stop()
  return { route: route!, mail: smtp.receiver.mails[before] }
}
const header = (mail: ReceivedMail | undefined, key: string): string | undefined =>
  mail?.parsed.headers.find(one => one.key === key)?.value
const issue = (id: string) => ({ thread: { kind: 'issue', id: `${person}-${id}` } })
const idsIn = (text: string | undefined) => text?.match(/<[^>]+>/g) ?? []
const unsubscribeUrl = (mail: ReceivedMail | undefined) =>
  new URL(/^<(.+)>$/.exec(header(mail, 'list-unsubscribe')!)![1]!)
const call = (method: 'GET' | 'POST', { pathname }: URL) =>
  carillon.api.inject({
    method,
    url: pathname,
    ...(method === 'POST' && {
      payload: 'List-Unsubscribe=One-Click',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  })
const choiceOf = async (id: string) =>
  (await carillon.request('GET', `/v1/threads/issue/${person}-${id}/subscription?user_id=${person}`)).body

it('an independent implementation of JWZ threads the mails of each discussion together', {
  tags: 'S001-31',
}, async () => {
  const received: ReceivedMail[] = []
  for (const about of [issue('1'), issue('2'), issue('1'), {}, issue('1')])
    received.push((await mailOf(about)).mail!)
  const threaded = received.map(mail => ({
    messageId: header(mail, 'message-id')!,
    references: idsIn(header(mail, 'references')),
  }))
  expect(
    threadsOf(threaded)
      .map(ids => ids.length)
      .sort(),
  ).toEqual([1, 1, 3])
  const [first, , third] = received
  expect(header(first, 'in-reply-to')).toBe(header(third, 'references'))
  expect(new Set(threaded.map(({ messageId }) => messageId)).size).toBe(5)
  expect(header(received[3], 'references')).toBeUndefined()
})

it('the headers of a mail name its topic and why the person gets it', async () => {
  const about = issue('1')
  await carillon.request('PUT', `/v1/threads/issue/${about.thread.id}`, { body: { topic: 'acme/api' } })
  const { mail } = await mailOf({ ...about, reason: 'mention' })
  expect(header(mail, 'x-carillon-reason')).toBe('mention')
  expect(header(mail, 'list-id')).toMatch(/^"acme\/api" <acme-api-[0-9a-f]{8}\.[0-9a-f-]{36}\.carillon>$/)
})

it('the headers of one-click unsubscribe are each on one line, however long they are', {
  tags: 'S001-31',
}, async () => {
  const { mail } = await mailOf({ thread: { kind: 'issue', id: 'x'.repeat(200) } })
  const lines = mail!.raw.toString('latin1').split('\r\n\r\n')[0]!.split('\r\n')
  const line = lines.find(each => each.startsWith('List-Unsubscribe:'))!
  expect(line).toMatch(/^List-Unsubscribe: <https?:[^>]{300,}>$/)
  expect(lines).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
})

it('a mail escapes its payload in HTML and not in its subject', { tags: 'S001-31' }, async () => {
  const { mail } = await mailOf(issue('1'))
  expect(mail!.parsed.html).toContain('Broken &lt;build&gt;')
  expect(mail!.parsed.subject).toBe('Broken <build>')
})

describe('the link to leave a thread', { tags: 'S001-30' }, () => {
  it('the link to leave a thread works by POST without a session, and a GET only asks', {
    tags: 'S001-31',
  }, async () => {
    const url = unsubscribeUrl((await mailOf(issue('1'))).mail)
    const asked = await call('GET', url)
    expect([asked.statusCode, asked.body.includes('<form method="post">')]).toEqual([200, true])
    expect((await choiceOf('1')).code).toBe('not_found')
    expect((await mailOf(issue('1'))).route.status).toBe('sent')

    const clicked = await call('POST', url)
    expect(clicked.statusCode).toBe(200)
    expect(clicked.headers['set-cookie']).toBeUndefined()
    expect(await choiceOf('1')).toMatchObject({ subscribed: false, reason: 'email_one_click' })
    expect((await mailOf(issue('1'))).route).toMatchObject({
      status: 'skipped',
      reason: 'thread_unsubscribed',
    })
    expect((await mailOf(issue('2'))).route.status).toBe('sent')
    expect((await call('POST', url)).statusCode).toBe(200)
  })

  it('leaving a thread by a link is audited in the name of the person', async () => {
    await call('POST', unsubscribeUrl((await mailOf(issue('1'))).mail))
    const { body } = await carillon.request('GET', '/v1/audit-logs?resource_type=subscription&limit=1')
    expect(body.data).toMatchObject([
      {
        user_id: person,
        api_key_id: null,
        action: 'create',
        resource_id: `issue/${person}-1/${person}`,
        new_values: { subscribed: false, reason: 'email_one_click' },
      },
    ])
  })

  it('a forged, truncated or misused link to leave a thread answers 400 and changes nothing', async () => {
    const { mail } = await mailOf(issue('1'))
    const url = unsubscribeUrl(mail)
    const [, claim, signature] = /([^/.]+)\.([^/.]+)$/.exec(url.pathname)!
    const fields = JSON.parse(Buffer.from(claim!, 'base64url').toString())
    const tokenOf = (changed: object) =>
      `${Buffer.from(JSON.stringify({ ...fields, ...changed })).toString('base64url')}.${signature}`
    const forged = [
      tokenOf({ user_id: 'other' }),
      tokenOf({ thread_kind: 'pr' }),
      tokenOf({ thread_id: 'other' }),
      tokenOf({ tenant_id: '0197f2a0-0000-7000-8000-000000000001' }),
      tokenOf({ expires: fields.expires + 1 }),
      `${claim}.${signature!.slice(0, -1)}`,
      `${claim}.${signature!.replace(/^./, first => (first === 'A' ? 'B' : 'A'))}`,
      claim!,
      // Signed by us, for something else.
      unsubscribeUrl((await mailOf()).mail)
        .pathname.split('/')
        .at(-1)!,
    ]
    for (const token of forged)
      for (const method of ['GET', 'POST'] as const) {
        const answer = await call(method, new URL(`/unsubscribe/thread/${token}`, PUBLIC_URL))
        expect([token, answer.statusCode]).toEqual([token, 400])
      }
    expect((await choiceOf('1')).code).toBe('not_found')
  })

  it('a link to leave a thread answers 400 once the person is deleted', async () => {
    const url = unsubscribeUrl((await mailOf(issue('1'))).mail)
    await carillon.request('DELETE', `/v1/users/${person}`)
    expect((await call('POST', url)).statusCode).toBe(400)
  })

  it('a mail without a thread unsubscribes from its category, and a required mail from nothing', async () => {
    expect(unsubscribeUrl((await mailOf()).mail).pathname).toMatch(/^\/unsubscribe\/[^/]+$/)
    const { mail } = await mailOf({ ...issue('1'), notification_type: 'legal' })
    expect(header(mail, 'list-unsubscribe')).toBeUndefined()
    expect(mail!.parsed.text).toContain(`${PUBLIC_URL}/preferences/`)
  })

  it('a person who left a thread still gets mails of a required category about it', async () => {
    await call('POST', unsubscribeUrl((await mailOf(issue('1'))).mail))
    expect((await mailOf({ ...issue('1'), notification_type: 'legal' })).route.status).toBe('sent')
  })
})

it('visibility is asked again right before a mail is sent', { tags: 'S001-25' }, async () => {
  const about = issue('1')
  const topic = `topic-${person}`
  await carillon.request('PUT', `/v1/threads/issue/${about.thread.id}`, { body: { topic } })
  expect((await mailOf(about)).route.status).toBe('sent')
  await carillon.request('PATCH', `/v1/topics/${topic}`, { body: { visibility: 'private' } })
  expect((await mailOf(about)).route).toMatchObject({ status: 'skipped', reason: 'not_visible' })
  await carillon.request('PUT', `/v1/topics/${topic}/members/${person}`, { body: { role: 'member' } })
  expect((await mailOf(about)).route.status).toBe('sent')
})

it.each([
  ['mentions_email', ['mention']],
  ['assignments_email', ['assignment']],
  ['pr_review_requests_email', ['review_requested']],
  ['issues_email', ['author', 'commenter', 'subscribed', 'watching']],
  ['repo_admin_action_email', ['repo_admin_action']],
])(
  '%s is on while unset, and switching it off stops the mails for its reasons',
  { tags: ['S001-26', 'S001-27'] },
  async (_toggle, reasons) => {
    const statusFor = async (reason: string) => (await mailOf({ ...issue(reason), reason })).route.reason
    for (const reason of reasons) expect(await statusFor(reason)).toBe('')
    const off = Object.fromEntries(reasons.map(reason => [reason, { email: false }]))
    await carillon.request('PUT', `/v1/users/${person}/preferences`, { body: { reasons: off } })
    for (const reason of reasons) expect(await statusFor(reason)).toBe('reason_off')
    expect(await statusFor('other')).toBe('')
  },
)

it('a mail that fails leaves the inbox row as it is', { tags: 'S001-26' }, async () => {
  const writeInbox = createInboxWriter(carillon.pool)
  const worker = carillon.deliver(async message => {
    if (message.channel === 'email') return { kind: 'permanent', message: 'no such mailbox' }
    await writeInbox(message)
    return { kind: 'sent' }
  })
  const id = await carillon.send({
    audience: { kind: 'users', user_ids: [person] },
    channels: ['in_app', 'email'],
    ...issue('1'),
  })
  await carillon.settled(id, 'sent', 'dead')
  await worker.stop()
  const statuses = (await carillon.routesOf(id)).map(({ channel, status }) => [channel, status])
  expect(Object.fromEntries(statuses)).toEqual({ in_app: 'sent', email: 'dead' })
  const inbox = await carillon.request('GET', `/v1/inbox?user_id=${person}`)
  expect(inbox.body.data).toHaveLength(1)
})

it('the reply address is signed, fits before the @, and is only on mails about threads', async () => {
  await carillon.request('PATCH', '/v1/tenant', { body: { reply_domain: 'reply.example.com' } })
  const { mail } = await mailOf(issue('1'))
  expect(mail!.parsed.replyTo).toEqual([
    { name: '', address: expect.stringMatching(/^reply\+[a-z2-7]{55}@reply\.example\.com$/) },
  ])
  expect(mail!.parsed.replyTo![0]!.address!.split('@')[0]!.length).toBeLessThanOrEqual(64)
  expect((await mailOf()).mail!.parsed.replyTo).toBeUndefined()
  const own = await mailOf({ ...issue('1'), email: { reply_to: 'desk@example.com' } })
  expect(own.mail!.parsed.replyTo).toMatchObject([{ address: 'desk@example.com' }])
  await carillon.request('PATCH', '/v1/tenant', { body: { reply_domain: null } })
  expect((await mailOf(issue('1'))).mail!.parsed.replyTo).toBeUndefined()
})
