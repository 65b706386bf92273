import { describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { PUBLIC_URL } from '../../../test/provider-parts.ts'
import { createMailLinks } from '../../content/messages/mail-links.ts'
import { createMessageStore } from './captured-messages.ts'

const carillon = useCarillon()

describe('captured messages', () => {
  it('show what would have been sent, once even if it is saved twice', async () => {
    const save = createMessageStore(carillon.pool)
    const worker = carillon.deliver(async message => {
      await Promise.all([save(message), save(message)])
      return { kind: 'sent' }
    })
    const id = await carillon.send()
    await carillon.settled(id, 'sent')
    await worker.stop()
    const messages = await carillon.readAll(`/v1/captured-messages?notification_id=${id}`)
    expect(messages).toHaveLength(1)
    expect(messages[0]).toMatchObject({
      notification_id: id,
      route_id: 'email:address:ada@example.com',
      channel: 'email',
      notification_type: 'order_shipped',
      address: 'ada@example.com',
      locale: 'en',
      subject: 'Your order',
      text: 'It is on its way.',
    })
  })

  it('fail one by one: a message that cannot be stored does not affect the others', async () => {
    const save = createMessageStore(carillon.pool)
    const outcomes: Record<string, string> = {}
    const worker = carillon.deliver(async message => {
      const broken = message.subject === 'broken'
      const saved = save(broken ? { ...message, text: 'a\u0000b' } : message)
      outcomes[message.subject] = await saved.then(
        () => 'saved',
        () => 'refused',
      )
      return { kind: 'sent' }
    })
    const ids = [
      await carillon.send({ payload: { title: 'broken' } }),
      await carillon.send({ payload: { title: 'whole' } }),
    ]
    for (const id of ids) await carillon.settled(id, 'sent')
    await worker.stop()
    expect(outcomes).toEqual({ broken: 'refused', whole: 'saved' })
  })
})

describe('the links in captured mails', () => {
  const FOREIGN = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.${'a'.repeat(43)}`

  async function capture(): Promise<string> {
    await carillon.putUser('ada', { email: 'ada@example.com' })
    const save = createMessageStore(carillon.pool)
    const links = createMailLinks(carillon.providers.keyring, PUBLIC_URL, Date.now)
    const worker = carillon.deliver(
      async message => {
        const url = message.unsubscribe_url!
        const html = `${message.html ?? ''}<a href="https://t.example/?to=${encodeURIComponent(url)}">`
        await save({ ...message, html, subject: `${message.subject} ${url}` })
        return { kind: 'sent' }
      },
      { links },
    )
    const id = await carillon.send({
      audience: { kind: 'users', user_ids: ['ada'] },
      channels: ['email'],
      payload: { title: 'News', body: `See ${FOREIGN}` },
    })
    await carillon.settled(id, 'sent')
    await worker.stop()
    return id
  }
  const shownTo = async (id: string, input: Parameters<typeof carillon.createKey>[0]) => {
    const { key } = await carillon.createKey(input)
    const [message] = await carillon.readAll(`/v1/captured-messages?notification_id=${id}`, 9, key)
    return message
  }
  const open = async (url: string) =>
    (await carillon.api.inject({ method: 'GET', url: new URL(url).pathname })).statusCode
  const linksIn = (text: string): string[] =>
    text.match(/https?:[^\s"<]+?\/(unsubscribe|preferences)\/[\w.-]+/g) ?? []

  it.each([
    ['an owner', { name: 'o', role: 'owner' as const }],
    [
      'a key that may change preferences',
      { name: 'p', scopes: ['captured_messages:read' as const, 'preferences:write' as const] },
    ],
  ])('work for %s', async (_who, input) => {
    const { subject, text, html } = await shownTo(await capture(), input)
    const links = [...linksIn(subject), ...linksIn(text), ...linksIn(html)]
    expect(links).toHaveLength(5)
    for (const link of links) expect(await open(link)).toBe(200)
    expect(html).toMatch(/to=https%3A.*unsubscribe%2FeyJ/)
  })

  it.each([
    ['a viewer', { name: 'v', role: 'viewer' as const }],
    ['an operator', { name: 'o', role: 'operator' as const }],
  ])('lead nowhere for %s, wherever they are in the message', async (_who, input) => {
    const { subject, text, html } = await shownTo(await capture(), input)
    expect(subject).toBe(`News ${PUBLIC_URL}/unsubscribe/sample`)
    expect(text).toBe(
      `See ${FOREIGN}\n\nUnsubscribe: ${PUBLIC_URL}/unsubscribe/sample\nManage notifications: ${PUBLIC_URL}/preferences/sample`,
    )
    expect(linksIn(html).map(link => link.split('/').at(-1))).toEqual(['sample', 'sample'])
    expect(html).toContain(`to=${encodeURIComponent(`${PUBLIC_URL}/unsubscribe/sample`)}`)
  })
})
