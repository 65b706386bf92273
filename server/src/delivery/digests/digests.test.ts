import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { claimDue, letLeasesRunOut } from '../../../test/claim-due.ts'
import { waitFor } from '../../../test/wait-for.ts'
import type { Message } from '../../content/messages/message.ts'
import { createPool } from '../../platform/database/pool.ts'
import { joinDigests } from './queries.ts'

const carillon = useCarillon()
const HOUR = 3600
const payloadOf = ({ payload }: Message) => payload as { items: object[]; count: number; post: string }

beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com' })
  await carillon.putUser('bob', { email: 'bob@example.com' })
})

/** Delivers what is due; answers what was sent. */
async function deliverDue(workers = 1): Promise<Message[]> {
  const sent: Message[] = []
  const running = Array.from({ length: workers }, () =>
    carillon.deliver(message => {
      sent.push(message)
      return { kind: 'sent' }
    }),
  )
  await carillon.nothingDue()
  for (const worker of running) await worker.stop()
  return sent
}

/** Delivers the digests as if their windows were over. */
async function deliverDigests(): Promise<Message[]> {
  await carillon.skipWaiting()
  return deliverDue()
}

const comment = (title: string, more: object = {}) =>
  carillon.send({
    notification_type: 'comment',
    audience: { kind: 'users', user_ids: ['ada'] },
    payload: { title, post: 'p1' },
    ...more,
  })
const statusesOf = async (id: string) =>
  (await carillon.routesOf(id)).map(({ channel, status, reason }) => [channel, status, reason])
const explain = async (id: string) => (await carillon.request('GET', `/v1/records/${id}/explain`)).body

it('a digest gathers what comes within its window, and says how much and what', async () => {
  await carillon.putType('comment', { channels: ['email', 'in_app'], digest: { window: HOUR } })
  const ids = [await comment('One'), await comment('Two'), await comment('Three')]
  expect(await deliverDue()).toEqual([])
  expect(await statusesOf(ids[1]!)).toEqual([
    ['email', 'skipped', 'digested'],
    ['in_app', 'skipped', 'digested'],
  ])
  const sent = await deliverDigests()
  expect(sent.map(({ channel, subject, text }) => [channel, subject, text]).sort()).toEqual([
    ['email', '3 × Comment', '• One\n• Two\n• Three'],
    ['in_app', '3 × Comment', '• One\n• Two\n• Three'],
  ])
  const payload = sent[0]!.payload as { items: { title: string }[]; count: number; title: string }
  expect(payload.items.map(item => item.title)).toEqual(['One', 'Two', 'Three'])
  expect(payload).toMatchObject({ count: 3, title: 'One', post: 'p1' })
  expect(await deliverDigests()).toEqual([])
})

it('a digest is as deep as the longest chain of dispatches that led to one of its items', {
  tags: 'S003-12',
}, async () => {
  const depths = [2, 5, 0]
  for (const depth of depths)
    await carillon.pool.query('update records set trigger_depth = $2 where notification_id = $1', [
      await comment(`After ${depth}`, { channels: ['email'] }),
      depth,
    ])
  await deliverDue()
  const depthOf = async () =>
    (
      await carillon.pool.query(
        "select trigger_depth from records where source = 'digest' order by accepted_at desc",
      )
    ).rows[0].trigger_depth
  expect(await depthOf()).toBe(2)
  await deliverDigests()
  expect(await depthOf()).toBe(5)
})

it('a digest of one item reads like the item itself', async () => {
  await comment('Alone', { payload: { title: 'Alone', body: 'The text.' }, channels: ['email'] })
  await deliverDue()
  expect((await deliverDigests()).map(({ subject, text }) => [subject, text])).toEqual([
    ['Alone', 'The text.'],
  ])
})

it('a digest says how many it gathers, without those that were cancelled meanwhile', async () => {
  const ids = [await comment('One', { channels: ['email'] }), await comment('Two', { channels: ['email'] })]
  await deliverDue()
  const { rows } = await carillon.pool.query(
    "select notification_id from records where source = 'digest' order by accepted_at desc limit 1",
  )
  const gathered = async () =>
    (await explain(rows[0].notification_id)).decisions.find(
      ({ decision }: { decision: string }) => decision === 'digest',
    ).text
  expect(await gathered()).toMatch(/: 2 so far\.$/)
  await carillon.request('POST', `/v1/records/${ids[0]}/cancel`)
  expect(await gathered()).toMatch(/: 1 so far\.$/)
  await deliverDigests()
})

it('people get one digest per channel, type and key', async () => {
  await carillon.putType('mention', { channels: ['email', 'push'], digest: { window: HOUR, key: 'post' } })
  const audience = { kind: 'users', user_ids: ['ada', 'bob'] }
  for (const post of ['p1', 'p2', 'p1']) {
    await carillon.send({ notification_type: 'mention', audience, payload: { title: post, post } })
  }
  await deliverDue()
  const sent = await deliverDigests()
  const told = sent.map(message => {
    const { post, count } = payloadOf(message)
    return `${message.user_id} ${message.channel} ${post} ${count}`
  })
  expect(told.sort()).toEqual(
    ['ada', 'bob'].flatMap(user =>
      ['email', 'push'].flatMap(on => [`${user} ${on} p1 2`, `${user} ${on} p2 1`]),
    ),
  )
})

it('a digest has its items in the order of their batch, whenever they were accepted', async () => {
  await carillon.putType('ordered', { channels: ['email'], digest: { window: HOUR, max_items: 1000 } })
  const numbers = Array.from({ length: 450 }, (_, n) => n)
  const audience = { kind: 'users', user_ids: ['ada'] }
  const intents = numbers.map(n => ({ notification_type: 'ordered', audience, payload: { n } }))
  await carillon.request('POST', '/v1/intents/batch', { body: { intents } })
  // As if the statements had reached the database the other way round
  await carillon.pool.query(
    `update records set accepted_at = accepted_at - interval '1 second'
     where notification_type = 'ordered' and (payload_json::json ->> 'n')::integer >= 200`,
  )
  await deliverDue()
  const [message] = await deliverDigests()
  expect(payloadOf(message!).items.map(item => (item as { n: number }).n)).toEqual(numbers)
})

it('a digest has its items in the order in which one transaction sent them', async () => {
  const numbers = Array.from({ length: 50 }, (_, n) => n)
  await carillon.pool.query(
    `select carillon.notify('ordered', '{"kind":"users","user_ids":["ada"]}', json_build_object('n', n))
     from (select n from generate_series(0, 49) n order by n) sent`,
  )
  await deliverDue()
  const [message] = await deliverDigests()
  expect(payloadOf(message!).items.map(item => (item as { n: number }).n)).toEqual(numbers)
})

it('the items of a digest tell whether the digest was sent or refused', async () => {
  const [ids, told] = [
    [await comment('One', { channels: ['email'] })],
    async (id: string) => {
      const { people } = await explain(id)
      return people[0].routes[0].decisions.at(-1)
    },
  ]
  await deliverDue()
  expect((await told(ids[0]!)).text).toContain('It is part of the digest')
  const body = { channel: 'email', address: 'ada@example.com' }
  await carillon.request('POST', '/v1/suppressions', { body })
  expect(await deliverDigests()).toEqual([])
  expect(await told(ids[0]!)).toMatchObject({
    decision: 'digest_skipped',
    text: 'The digest itself was not sent (skipped: suppressed).',
  })
  await carillon.request('DELETE', '/v1/suppressions?channel=email&address=ada@example.com')
  const later = await comment('Two', { channels: ['email'] })
  await deliverDue()
  await deliverDigests()
  expect(await told(later)).toMatchObject({ decision: 'digest_sent', text: 'The digest was sent.' })
})

it('a digest carries at most max_items, but counts all', async () => {
  await carillon.putType('comment', { channels: ['email'], digest: { window: HOUR, max_items: 2 } })
  for (let n = 1; n <= 25; n++) await comment(`No ${n}`)
  await deliverDue()
  const [message] = await deliverDigests()
  expect(message!.payload).toMatchObject({ count: 25, items: [{ title: 'No 1' }, { title: 'No 2' }] })
  expect(message!.text).toBe('• No 1\n• No 2\n… and 23 more')
})

it('first_at_once sends the first message and gathers the rest, and no digest without a rest', async () => {
  await carillon.putType('comment', { channels: ['email'], digest: { window: HOUR, first_at_once: true } })
  await comment('First')
  expect((await deliverDue()).map(message => message.subject)).toEqual(['First'])
  await comment('Second')
  await comment('Third')
  expect(await deliverDue()).toEqual([])
  expect((await deliverDigests()).map(message => payloadOf(message).count)).toEqual([2])
  // The window is over: the next one opens another.
  await comment('Fourth')
  expect((await deliverDue()).map(message => message.subject)).toEqual(['Fourth'])
  await carillon.pool.query('update digests set closes_at = now() where closed_at is null')
  await comment('Fifth')
  expect((await deliverDue()).map(message => message.subject)).toEqual(['Fifth'])
  expect(await deliverDigests()).toEqual([])
  await carillon.pool.query('update digests set closed_at = now(), item_count = 0 where closed_at is null')
})

it('a template gets `items` and `count`, for a first message too', async () => {
  const path = '/v1/templates/comment/email/en'
  const variables = [{ name: 'items' }, { name: 'count' }, { name: 'title' }]
  const body =
    '<p>{{ title }} and {{ count | minus: 1 }} more:{% for i in items %} {{ i.title }};{% endfor %}</p>'
  const draft = { subject: '{{ count }} comments', body, layout: null, variables }
  expect((await carillon.request('PUT', path, { body: draft })).status).toBe(200)
  expect((await carillon.request('POST', `${path}/publish`, { body: {} })).status).toBeLessThan(300)
  for (const title of ['A', 'B', 'C']) await comment(title)
  const [first] = await deliverDue()
  expect([first!.subject, first!.text]).toEqual(['1 comments', 'A and 0 more: A;'])
  const [batch] = await deliverDigests()
  expect([batch!.subject, batch!.text]).toEqual(['2 comments', 'B and 1 more: B; C;'])
  await carillon.request('DELETE', path)
})

it('a digest leaves out cancelled items, and is skipped when none is left', async () => {
  await carillon.putType('comment', { channels: ['email'], digest: { window: HOUR } })
  const ids = [await comment('Kept'), await comment('Gone')]
  await deliverDue()
  const answer = await carillon.request('POST', `/v1/records/${ids[1]}/cancel`)
  expect(answer.body).toEqual({ cancelled: 1, in_flight: 0, finished: 0 })
  expect(await statusesOf(ids[1]!)).toEqual([['email', 'cancelled', 'cancelled']])
  expect((await deliverDigests()).map(({ subject }) => subject)).toEqual(['Kept'])
  expect((await carillon.request('POST', `/v1/records/${ids[0]}/cancel`)).status).toBe(409)

  const only = await comment('Only')
  await deliverDue()
  const digestId = (await carillon.routesOf(only))[0]!.digest_id!
  await carillon.request('POST', `/v1/records/${only}/cancel`)
  expect(await deliverDigests()).toEqual([])
  expect(await statusesOf(digestId)).toEqual([['email', 'skipped', 'digest_empty']])
})

it('a cancelled digest takes no more items, and the next message opens another', async () => {
  const id = await comment('Before')
  await deliverDue()
  const digestId = (await carillon.routesOf(id))[0]!.digest_id!
  expect((await carillon.request('POST', `/v1/records/${digestId}/cancel`)).status).toBe(200)
  await comment('After')
  await deliverDue()
  expect((await deliverDigests()).map(({ subject }) => subject)).toEqual(['After'])
})

it('a digest is the same on every attempt, under the same id', async () => {
  await carillon.putType('comment', { channels: ['email'], digest: { window: HOUR }, retry_base_ms: 1 })
  await comment('Early')
  await deliverDue()
  await carillon.skipWaiting()
  const tried: Message[] = []
  const worker = carillon.deliver(async message => {
    tried.push(message)
    if (tried.length === 1) await comment('Late')
    return tried.length < 3 ? { kind: 'retry', message: 'busy' } : { kind: 'sent' }
  })
  await waitFor(async () => tried.length === 3, { what: 'three tries' })
  await carillon.nothingDue()
  await worker.stop()
  expect(new Set(tried.map(({ message_id, subject }) => `${message_id} ${subject}`)).size).toBe(1)
  expect((await deliverDigests()).map(({ subject }) => subject)).toEqual(['Late'])
})

it('a digest gathers for an address too, and respects send_at', async () => {
  const audience = { kind: 'addresses', channel: 'email', addresses: ['x@example.com'] }
  await comment('Now', { audience })
  await comment('Then', { audience, send_at: '2031-01-01T00:00:00Z' })
  await deliverDue()
  await carillon.skipWaiting('digest')
  const sent = await deliverDue()
  expect(sent.map(({ address, subject }) => [address, subject])).toEqual([['x@example.com', 'Now']])
  await deliverDigests()
  await deliverDigests()
})

it('a digest is explained on its own record and on those of its items', async () => {
  const id = await comment('Told')
  await deliverDue()
  const digestId = (await carillon.routesOf(id))[0]!.digest_id!
  const item = (await explain(id)).people[0].routes[0]
  expect(item.summary).toBe('Skipped: digested.')
  expect(item.decisions.at(-1).text).toMatch(`It is part of the digest ${digestId}, which goes out at 20`)
  const open = await explain(digestId)
  expect(open.decisions.map((each: { text: string }) => each.text)).toContainEqual(
    expect.stringMatching(/^Gathers what comes until 20.*: 1 so far\.$/),
  )
  expect(open.people[0].routes[0].summary).toMatch(/^Waiting until .* \(digest\)\.$/)
  await deliverDigests()
  expect((await explain(digestId)).decisions.map((each: { text: string }) => each.text)).toContainEqual(
    'The window closed with 1 notification.',
  )
})

it('an item that joins an overdue digest is not told of a time before it came', async () => {
  const began = Date.now()
  await comment('Held')
  await deliverDue()
  await carillon.pool.query(
    `update digests set closes_at = now() - interval '1 hour' where closed_at is null`,
  )
  const id = await comment('Joins')
  await deliverDue()
  const { text } = (await explain(id)).people[0].routes[0].decisions.at(-1)
  const goesOut = /which goes out at (\S+Z)/.exec(text)![1]!
  expect(Date.parse(goesOut)).toBeGreaterThanOrEqual(began)
  expect((await deliverDigests()).map(message => payloadOf(message).count)).toEqual([2])
})

it('500 events from 8 connections give one first message and one digest of 499', async () => {
  await carillon.putType('storm', { channels: ['email'], digest: { window: HOUR, first_at_once: true } })
  const sent: Message[] = []
  const workers = [1, 2, 3, 4].map(() =>
    carillon.deliver(message => {
      sent.push(message)
      return { kind: 'sent' }
    }),
  )
  const connections = Array.from({ length: 8 }, () => createPool(carillon.url, { max: 1 }))
  const notify = `select carillon.notify('storm', '{"kind":"users","user_ids":["ada"]}', $1::json)`
  await Promise.all(
    Array.from({ length: 500 }, (_, n) => connections[n % 8]!.query(notify, [JSON.stringify({ n })])),
  )
  await carillon.nothingDue()
  expect(sent.length).toBe(1)
  const records = await carillon.readAll('/v1/records?notification_type=storm')
  expect(records.filter(({ source }) => source === 'digest')).toHaveLength(1)
  await carillon.skipWaiting()
  await waitFor(async () => sent.length === 2, { what: 'the batch' })
  await carillon.nothingDue()
  for (const worker of workers) await worker.stop()
  await Promise.all(connections.map(connection => connection.end()))
  expect(sent.map(message => payloadOf(message).count)).toEqual([undefined, 499])
  expect(payloadOf(sent[1]!).items.length).toBe(100)
})

it('a worker that dies right after joining or opening a digest changes nothing', async () => {
  await carillon.putType('crash', { channels: ['email'], digest: { window: HOUR, first_at_once: true } })
  const ids: string[] = []
  for (const title of ['First', 'Second', 'Third'])
    ids.push(await comment(title, { notification_type: 'crash', payload: { title } }))
  const claimed = await claimDue(carillon.pool, 'email', 'dead')
  const joining = claimed.map(route => ({
    route,
    window: { key: '', closes: { inSeconds: HOUR }, firstAtOnce: true },
  }))
  const joined = await joinDigests(carillon.pool, 'dead', joining)
  expect(joined.filter(row => !row.is_item)).toHaveLength(1)
  expect(await joinDigests(carillon.pool, 'dead', joining)).toEqual(joined)
  expect(await joinDigests(carillon.pool, 'other', joining)).toEqual([])
  await letLeasesRunOut(carillon.pool)
  expect((await deliverDue()).map(({ subject }) => subject)).toEqual(['First'])
  expect((await deliverDigests()).map(message => payloadOf(message).count)).toEqual([2])
  expect((await carillon.routesOf(ids[2]!))[0]).toMatchObject({ status: 'skipped', reason: 'digested' })
})

it('joining and closing digests at the same moment loses and duplicates nothing', async () => {
  await carillon.putType('race', { channels: ['email'], digest: { window: HOUR, max_items: 1000 } })
  const sent: Message[] = []
  const workers = [1, 2, 3].map(() =>
    carillon.deliver(message => {
      sent.push(message)
      return { kind: 'sent' }
    }),
  )
  const events = Promise.all(
    [0, 1, 2, 3].map(async start => {
      for (let n = start; n < 300; n += 4) await comment('', { notification_type: 'race', payload: { n } })
    }),
  )
  const told = () =>
    sent.flatMap(message => {
      const { items, count } = payloadOf(message)
      expect(items.length).toBe(count)
      return items.map(item => (item as { n: number }).n)
    })
  const closeAgainAndAgain = async () => {
    await carillon.skipWaiting()
    return told().length >= 300
  }
  // The wait begins before anything is sent, and sending takes a busy machine most of it.
  await waitFor(closeAgainAndAgain, { what: 'everything to be told', deadlineMs: 55_000 })
  await events
  for (const worker of workers) await worker.stop()
  expect(sent.length).toBeGreaterThan(1)
  expect(told().sort((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, n) => n))
})

it('the database refuses a second open digest of the same key', async () => {
  const insert = `insert into digests (id, tenant_id, notification_type, channel, recipient_ref, key, closes_at)
      values (gen_random_uuid(), $1, 't', 'email', 'user:x', '', now())`
  await carillon.pool.query(insert, [carillon.tenantId])
  await expect(carillon.pool.query(insert, [carillon.tenantId])).rejects.toMatchObject({
    constraint: 'digests_one_open',
  })
})
