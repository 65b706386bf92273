import type { DigestSchedule } from '@carillon/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../test/carillon.ts'
import { waitFor } from '../../test/wait-for.ts'
import type { Message } from '../providers/provider.ts'

const carillon = useCarillon()
/** A Wednesday, 23:00 in Berlin. */
const NIGHT = new Date('2031-01-01T22:00:00Z')
const QUIET = { quiet_hours: { start: '22:00', end: '08:00' } }

beforeAll(async () => {
  await carillon.putType('comment', { channels: ['email'], category: 'talk' })
  await carillon.putType('alarm', { channels: ['email'], category: 'talk', critical: true })
  await carillon.putType('storm', {
    channels: ['email'],
    category: 'talk',
    digest: { window: 60, key: 'post', first_at_once: true },
  })
})

let people = 0
async function aPerson(talk: DigestSchedule | undefined, email: object = {}): Promise<string> {
  const id = `person-${++people}`
  await carillon.putUser(id, { email: `${id}@example.com`, timezone: 'Europe/Berlin' })
  const body = { channels: { email }, ...(talk && { digests: { talk: { email: talk } } }) }
  expect((await carillon.request('PUT', `/v1/users/${id}/preferences`, { body })).status).toBe(200)
  return id
}

const tell = (user: string, title: string, more: object = {}) =>
  carillon.send({
    notification_type: 'comment',
    audience: { kind: 'users', user_ids: [user] },
    payload: { title },
    ...more,
  })

/** Delivers what is due, by that clock for preferences; answers what was sent. */
async function deliverDue(now: Date): Promise<Message[]> {
  const sent: Message[] = []
  const worker = carillon.deliver(
    message => {
      sent.push(message)
      return { kind: 'sent' }
    },
    { now: () => now },
  )
  const due = 'select from routes where next_attempt_at <= now()'
  await waitFor(async () => (await carillon.pool.query(due)).rowCount === 0, { what: 'nothing to be due' })
  await worker.stop()
  return sent
}

async function closingOf(user: string): Promise<string[]> {
  const { rows } = await carillon.pool.query(
    `select d.closes_at, r.next_attempt_at from digests d
     join routes r on r.tenant_id = d.tenant_id and r.notification_id = d.id where d.user_id = $1`,
    [user],
  )
  for (const row of rows) expect(row.next_attempt_at).toEqual(row.closes_at)
  return rows.map(row => row.closes_at.toISOString())
}

describe('a digest by the clock of the person', () => {
  it.each<[DigestSchedule, string]>([
    [{ every: 'hour' }, '2031-01-01T23:00:00.000Z'],
    [{ every: 'day', at: '08:00' }, '2031-01-02T07:00:00.000Z'],
    [{ every: 'week', on: 'friday', at: '16:30' }, '2031-01-03T15:30:00.000Z'],
  ])('%j gathers a type that knows no digest until %s', async (schedule, closes) => {
    const user = await aPerson(schedule)
    const ids = [await tell(user, 'One'), await tell(user, 'Two')]
    expect(await deliverDue(NIGHT)).toEqual([])
    expect(await closingOf(user)).toEqual([closes])
    const { body } = await carillon.request('GET', `/v1/records/${ids[0]}/explain`)
    expect(JSON.stringify(body)).toMatch(
      /Gathered (hourly|daily at 08:00|weekly on friday at 16:30)\. It is part of/,
    )
    await carillon.skipWaiting()
    const sent = await deliverDue(new Date(closes))
    expect(sent.map(({ user_id, subject, text }) => [user_id, subject, text])).toEqual([
      [user, '2 × Comment', '• One\n• Two'],
    ])
  })

  it('gathers in quiet hours too, as joining makes no sound; the digest itself waits for their end', async () => {
    const user = await aPerson({ every: 'hour' }, QUIET)
    await tell(user, 'At night')
    expect(await deliverDue(NIGHT)).toEqual([])
    expect(await closingOf(user)).toEqual(['2031-01-01T23:00:00.000Z'])
    await carillon.skipWaiting()
    expect(await deliverDue(NIGHT)).toEqual([])
    await carillon.skipWaiting()
    expect((await deliverDue(new Date('2031-01-02T07:00:00Z'))).map(({ subject }) => subject)).toEqual([
      'At night',
    ])
  })

  it('takes the place of one under the daily cap, however many it gathers', async () => {
    const user = await aPerson({ every: 'day', at: '08:00' }, { frequency_cap: 1 })
    for (const title of ['One', 'Two', 'Three']) await tell(user, title)
    await deliverDue(NIGHT)
    await carillon.skipWaiting()
    expect((await deliverDue(NIGHT)).map(({ subject }) => subject)).toEqual(['3 × Comment'])
  })

  it('does not hold critical types, other categories and other channels', async () => {
    await carillon.putType('plain', { channels: ['email'], category: 'other' })
    await carillon.putType('inbox', { channels: ['in_app'], category: 'talk' })
    const user = await aPerson({ every: 'day', at: '08:00' })
    await tell(user, 'Alarm', { notification_type: 'alarm' })
    await tell(user, 'Plain', { notification_type: 'plain' })
    await tell(user, 'Inbox', { notification_type: 'inbox' })
    const sent = await deliverDue(NIGHT)
    expect(sent.map(({ subject }) => subject).sort()).toEqual(['Alarm', 'Inbox', 'Plain'])
  })

  it('comes before the window of the type, whose first would go out at once, and keeps its key', async () => {
    const user = await aPerson({ every: 'day', at: '08:00' })
    for (const [title, post] of [
      ['One', 'p1'],
      ['Two', 'p2'],
      ['Three', 'p1'],
    ] as const)
      await tell(user, title, { notification_type: 'storm', payload: { title, post } })
    expect(await deliverDue(NIGHT)).toEqual([])
    expect(await closingOf(user)).toEqual(Array(2).fill('2031-01-02T07:00:00.000Z'))
    await carillon.skipWaiting()
    expect((await deliverDue(NIGHT)).map(({ subject }) => subject).sort()).toEqual(['2 × Storm', 'Two'])
  })

  it('is the tenant’s default for those who have not chosen; "message" is a choice against it', async () => {
    const digests = { talk: { email: { every: 'day', at: '07:00' } } }
    await carillon.request('PUT', '/v1/preferences', { body: { digests } })
    const [silent, eager] = [await aPerson(undefined), await aPerson({ every: 'message' })]
    const id = await tell(silent, 'Later')
    await tell(eager, 'Now')
    expect((await deliverDue(NIGHT)).map(({ subject }) => subject)).toEqual(['Now'])
    expect(await closingOf(silent)).toEqual(['2031-01-02T06:00:00.000Z'])
    const { body } = await carillon.request('GET', `/v1/records/${id}/explain`)
    expect(JSON.stringify(body)).toContain('Gathered daily at 07:00 by default')
    await carillon.request('PUT', '/v1/preferences', { body: {} })
    await carillon.skipWaiting()
    await deliverDue(NIGHT)
  })

  it('says so when the message would expire before the digest', async () => {
    const user = await aPerson({ every: 'week', on: 'monday', at: '08:00' })
    const id = await tell(user, 'Short-lived', { expires_at: new Date(Date.now() + 3_600_000).toISOString() })
    expect(await deliverDue(NIGHT)).toEqual([])
    expect((await carillon.routesOf(id))[0]).toMatchObject({ status: 'expired', reason: 'deadline' })
    expect(await closingOf(user)).toEqual([])
  })

  it('is what simulate foretells', async () => {
    const user = await aPerson({ every: 'hour' })
    const { body } = await carillon.request('POST', '/v1/intents/simulate', {
      body: {
        notification_type: 'comment',
        producer: 'test',
        audience: { kind: 'users', user_ids: [user] },
        payload: { title: 'Maybe' },
      },
    })
    expect(body.people[0].routes[0]).toMatchObject({ status: 'skipped', reason: 'digested' })
    expect(await closingOf(user)).toEqual([])
  })

  it('lists what a template for single messages makes of each, and asks one for digests once', async () => {
    const put = async (name: string, content: object) => {
      const path = `/v1/templates/${name}/email/en`
      expect((await carillon.request('PUT', path, { body: content })).status).toBeLessThan(300)
      expect((await carillon.request('POST', `${path}/publish`, { body: {} })).status).toBeLessThan(300)
    }
    await carillon.putType('single', { channels: ['email'], category: 'talk' })
    await carillon.putType('several', { channels: ['email'], category: 'talk' })
    const title = { name: 'title', required: true }
    await put('single', { subject: 'New: {{ title }}', body: 'Read {{ title }}.', variables: [title] })
    await put('several', {
      subject: '{{ count }} news',
      body: '{% for item in items %}{{ item.title }},{% endfor %}',
      variables: [{ name: 'items' }, { name: 'count' }],
    })
    const user = await aPerson({ every: 'day', at: '08:00' })
    for (const notification_type of ['single', 'several'])
      for (const each of ['One', 'Two']) await tell(user, each, { notification_type })
    await deliverDue(NIGHT)
    await carillon.skipWaiting()
    const sent = await deliverDue(NIGHT)
    const said = sent.map(({ subject, text }) => [subject, text.split('\n\n')[0]])
    expect(said.sort()).toEqual([
      ['2 news', 'default\nOne,Two,'],
      ['2 × Single', '• New: One\n• New: Two'],
    ])
  })
})
