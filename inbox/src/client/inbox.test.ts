import type { InboxItem } from '@carillon/sdk/inbox'
import { afterEach, describe, expect, it } from 'vitest'
import { type FakeServer, openInbox, startFakeServer } from './fake-server.fixture.ts'
import type { Inbox, InboxOptions } from './inbox-api.ts'
import { anItem, idOf } from './item.fixture.ts'

const opened: Inbox[] = []
afterEach(() => {
  for (const inbox of opened.splice(0)) inbox.stop()
})

const items = (count: number, fields: Partial<InboxItem> = {}) =>
  Array.from({ length: count }, (_, at) => anItem({ n: at + 1, ...fields }))
const shown = ({ state }: Inbox) => state.items.map(({ title }) => Number(title.slice(5)))
const [one, two] = [idOf(1), idOf(2)]

async function open(server: FakeServer, options: Partial<InboxOptions> = {}) {
  const inbox = openInbox(server, options)
  opened.push(inbox)
  await inbox.start()
  await expect.poll(() => server.streams.size).toBeGreaterThan(0)
  await expect.poll(() => inbox.state.unread).toBe(server.unread())
  return inbox
}

/** Holds answers back until the function that it gives is called. */
function holdAnswers(server: FakeServer): () => void {
  let release = () => {}
  server.hold = new Promise(resolve => {
    release = () => {
      server.hold = undefined
      resolve()
    }
  })
  return () => release()
}

const REFUSED = { status: 403, body: { code: 'forbidden', title: 'No', detail: 'Not today.', status: 403 } }

describe('what a person does', () => {
  it('shows at once, and stays when the server agrees', async () => {
    const server = startFakeServer(items(3))
    const inbox = await open(server)
    const release = holdAnswers(server)
    const doing = [inbox.act([one], 'done'), inbox.act([two], 'read')]
    expect([shown(inbox), inbox.state.unread, inbox.state.unsent]).toEqual([[3, 2], 1, 2])
    release()
    await Promise.all(doing)
    expect([shown(inbox), inbox.state.unread, inbox.state.unsent]).toEqual([[3, 2], 1, 0])
    expect([server.item(one)!.done_at, server.item(two)!.is_read]).toEqual([expect.any(String), true])
  })

  it('is taken back when the server refuses, and only that', async () => {
    const server = startFakeServer(items(3))
    const inbox = await open(server)
    server.refusals.push({ match: /actions/, answer: REFUSED })
    const [refused, accepted] = [inbox.act([one], 'done'), inbox.act([two], 'read')]
    expect([shown(inbox), inbox.state.unread]).toEqual([[3, 2], 1])
    await expect(refused).rejects.toMatchObject({ detail: 'Not today.' })
    await accepted
    expect([shown(inbox), inbox.state.unread]).toEqual([[3, 2, 1], 2])
  })

  it('leaves alone what an event has changed since the person looked', async () => {
    const server = startFakeServer(items(2))
    const inbox = await open(server)
    const release = holdAnswers(server)
    const first = inbox.act([one], 'save')
    const doing = inbox.act([two], 'read')
    expect(inbox.state.unread).toBe(1)
    server.put({ ...server.item(two)!, event_count: 2, title: 'Item 2' })
    release()
    await Promise.all([first, doing])
    await expect.poll(() => inbox.state.items[0]!.event_count).toBe(2)
    expect([inbox.state.items[0]!.is_read, inbox.state.unread]).toEqual([false, 2])
  })

  it('waits while the server cannot be reached, and is sent when it is back', async () => {
    const server = startFakeServer(items(2))
    const inbox = await open(server)
    server.isDown = true
    server.breakStreams()
    const doing = inbox.act([one], 'done')
    await expect.poll(() => inbox.state.connection).toBe('offline')
    expect([shown(inbox), inbox.state.unsent, server.item(one)!.done_at]).toEqual([[2], 1, null])
    server.isDown = false
    await doing
    await expect.poll(() => inbox.state.connection).toBe('ready')
    expect([shown(inbox), inbox.state.unsent, server.item(one)!.done_at]).toEqual([
      [2],
      0,
      expect.any(String),
    ])
  })

  it('is refused, not lost in silence, when the inbox is stopped before it could be sent', async () => {
    const server = startFakeServer(items(1))
    const inbox = await open(server)
    server.isDown = true
    const doing = inbox.act([one], 'read')
    await expect.poll(() => inbox.state.connection).toBe('offline')
    inbox.stop()
    await expect(doing).rejects.toThrow('stopped before this was sent')
    expect(inbox.state.unread).toBe(1)
  })

  it('can be undone, each row to what it was, also before the server has answered', async () => {
    const server = startFakeServer([anItem({ n: 1 }), anItem({ n: 2, is_read: true })])
    const inbox = await open(server)
    const doing = inbox.act([one, two], 'done')
    expect([shown(inbox), inbox.state.undoable]).toEqual([[], { action: 'done', count: 2 }])
    const undoing = inbox.undo()
    expect([shown(inbox), inbox.state.unread, inbox.state.undoable]).toEqual([[2, 1], 1, undefined])
    await Promise.all([doing, undoing])
    expect([shown(inbox), inbox.state.unread]).toEqual([[2, 1], 1])
    expect([one, two].map(id => server.item(id)!.is_read)).toEqual([false, true])
  })

  it('of many rows is sent in parts that the server takes', async () => {
    const server = startFakeServer(items(250))
    const inbox = await open(server, { pageSize: 100 })
    while (inbox.state.hasMore) await inbox.loadMore()
    await inbox.act(
      inbox.state.items.map(({ id }) => id),
      'read',
    )
    expect([server.unread(), inbox.state.unread]).toEqual([0, 0])
    expect(server.calls.filter(call => call.endsWith('actions'))).toHaveLength(3)
  })

  it('reads all that the view shows, also what is not loaded, and nothing that came in since', async () => {
    const server = startFakeServer(items(5))
    const inbox = await open(server, { pageSize: 2 })
    const release = holdAnswers(server)
    const waiting = inbox.act([idOf(5)], 'save')
    const doing = inbox.readAll()
    expect(inbox.state.unread).toBe(0)
    server.put(anItem({ n: 6 }))
    release()
    await Promise.all([waiting, doing])
    await expect.poll(() => [shown(inbox)[0], inbox.state.unread, server.unread()]).toEqual([6, 1, 1])
  })

  it('mutes a thread, and follows it again as before', async () => {
    const server = startFakeServer([anItem({ n: 1, thread: { kind: 'pr', id: '7' } })])
    const inbox = await open(server)
    await inbox.mute(inbox.state.items[0]!)
    expect([shown(inbox), inbox.state.undoable?.action]).toEqual([[], 'mute'])
    await inbox.undo()
    expect([shown(inbox), inbox.state.unread]).toEqual([[1], 1])
    expect(server.calls.filter(call => call.startsWith('PUT'))).toEqual([
      'PUT /v1/threads/pr/7/subscription',
      'PUT /v1/threads/pr/7/subscription',
    ])
  })
})

describe('a snooze', () => {
  it('hides a row until it ends by the clock, and then it is unread', async () => {
    const server = startFakeServer(items(2, { is_read: true }))
    const inbox = await open(server)
    const news: string[] = []
    inbox.onNew(rows => news.push(...rows.map(({ id }) => id)))
    await inbox.snooze([two], new Date(server.nowMs + 3_600_000))
    expect(shown(inbox)).toEqual([1])
    inbox.clock.move(3_599_000)
    expect(shown(inbox)).toEqual([1])
    inbox.clock.move(1000)
    expect([shown(inbox), inbox.state.items[0]!.is_read, news]).toEqual([[2, 1], false, [two]])
  })
})

describe('live', () => {
  it('what comes in appears, once, and is announced if it is news', async () => {
    const server = startFakeServer(items(2))
    const inbox = await open(server)
    const news: string[] = []
    inbox.onNew(rows => news.push(...rows.map(({ id }) => id)))
    server.put(anItem({ n: 3 }))
    await expect.poll(() => shown(inbox)).toEqual([3, 2, 1])
    server.change(one, { action: 'read' })
    await expect.poll(() => inbox.state.unread).toBe(2)
    expect(news).toEqual([idOf(3)])
  })

  it('leaves no gap: an older row comes with its page, however it changes before', async () => {
    const server = startFakeServer(items(6))
    const inbox = await open(server, { pageSize: 2 })
    server.change(one, { action: 'save' })
    server.put({ ...anItem({ n: 7 }), id: idOf(3), title: 'Item 3' })
    await expect.poll(() => shown(inbox)).toEqual([3, 6, 5])
    await Promise.all([inbox.loadMore(), inbox.loadMore()])
    expect(shown(inbox)).toEqual([3, 6, 5, 4, 2])
    await inbox.loadMore()
    expect([shown(inbox), inbox.state.hasMore]).toEqual([[3, 6, 5, 4, 2, 1], false])
  })

  it('is offline while the stream is broken, and shows what was missed when it is back', async () => {
    const server = startFakeServer(items(1))
    const inbox = await open(server)
    const seen: string[] = []
    inbox.subscribe(({ connection }) => seen.at(-1) !== connection && seen.push(connection))
    server.isDown = true
    server.breakStreams()
    await expect.poll(() => inbox.state.connection).toBe('offline')
    expect(shown(inbox)).toEqual([1])
    server.put(anItem({ n: 2 }))
    server.isDown = false
    await expect.poll(() => [inbox.state.connection, shown(inbox)]).toEqual(['ready', [2, 1]])
    expect(seen).toEqual(['offline', 'ready'])
  })

  it('goes on after a question that failed, without losing the stream or the answer', async () => {
    const server = startFakeServer(items(1))
    const inbox = await open(server)
    server.refusals.push({ match: /changes/, answer: 'down' })
    server.put(anItem({ n: 2 }))
    await expect.poll(() => inbox.state.connection).toBe('offline')
    inbox.clock.move(5000)
    await expect.poll(() => [inbox.state.connection, shown(inbox)]).toEqual(['ready', [2, 1]])
    expect(server.streams.size).toBe(1)
  })

  const tokenOf = (user_id: string) =>
    `cut_${btoa(JSON.stringify({ tenant_id: 't', user_id })).replace(/=+$/, '')}.s`

  it('does nothing for the next person of what the one before did', async () => {
    const server = startFakeServer(items(2))
    const inbox = await open(server, { token: tokenOf('ada'), refreshToken: async () => tokenOf('bob') })
    const expired = { code: 'unauthenticated', title: 'No', detail: '', status: 401 }
    server.refusals.push({ match: /read-all/, answer: { status: 401, body: expired } })
    const doing = [inbox.readAll(), inbox.act([one], 'done')]
    const results = await Promise.allSettled(doing)
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect.poll(() => [inbox.state.connection, inbox.client.person()]).toEqual(['ready', 't/bob'])
    await expect.poll(() => [shown(inbox), inbox.state.unread]).toEqual([[2, 1], 2])
    expect(server.calls.filter(call => call.startsWith('POST'))).toEqual(['POST /v1/inbox/read-all'])
  })

  it('begins anew when only the stream has somebody else’s token, and their numbers are the same', async () => {
    const server = startFakeServer(items(1))
    const inbox = await open(server, { token: tokenOf('ada'), refreshToken: async () => tokenOf('bob') })
    const expired = { code: 'unauthenticated', title: 'No', detail: '', status: 401 }
    server.refusals.push({ match: /stream/, answer: { status: 401, body: expired } })
    const lists = () => server.calls.filter(call => call === 'GET /v1/inbox').length
    const before = lists()
    server.breakStreams()
    await expect.poll(lists).toBe(before + 1)
    await expect
      .poll(() => [inbox.state.connection, inbox.client.person(), shown(inbox)])
      .toEqual(['ready', 't/bob', [1]])
  })

  it('begins anew when the new token is somebody else’s', async () => {
    const server = startFakeServer(items(1))
    const options = { token: tokenOf('ada'), refreshToken: async () => tokenOf('bob') }
    const inbox = await open(server, options)
    const lists = () => server.calls.filter(call => call === 'GET /v1/inbox').length
    const before = lists()
    const expired = { code: 'unauthenticated', title: 'No', detail: '', status: 401 }
    server.refusals.push({ match: /changes/, answer: { status: 401, body: expired } })
    server.put(anItem({ n: 2 }))
    await expect.poll(lists).toBe(before + 1)
    await expect
      .poll(() => [inbox.state.connection, inbox.client.person(), shown(inbox)])
      .toEqual(['ready', 't/bob', [2, 1]])
  })

  it('reads the list again after a reset, keeps the rows meanwhile, and as many of them', async () => {
    const server = startFakeServer(items(6))
    const inbox = await open(server, { pageSize: 2 })
    await inbox.loadMore()
    const lengths = new Set<number>()
    inbox.subscribe(state => lengths.add(state.items.length))
    const before = server.calls.filter(call => call === 'GET /v1/inbox').length
    server.refusals.push({
      match: /changes/,
      answer: { status: 200, body: { unread: 6, version: '1:9:', reset: true, changed: [], removed: [] } },
    })
    server.reset()
    await expect.poll(() => server.calls.filter(call => call === 'GET /v1/inbox').length).toBe(before + 1)
    await expect.poll(() => inbox.state.connection).toBe('ready')
    expect([[...lengths], shown(inbox)]).toEqual([[4], [6, 5, 4, 3]])
  })

  it('reads the list again when the server counts otherwise twice', async () => {
    const server = startFakeServer(items(2))
    const inbox = await open(server)
    const lists = () => server.calls.filter(call => call === 'GET /v1/inbox').length
    const before = lists()
    server.miscount = 1
    server.change(one, { action: 'save' })
    await expect.poll(() => inbox.state.unread).toBe(3)
    expect(lists()).toBe(before)
    server.change(one, { action: 'unsave' })
    await expect.poll(lists).toBe(before + 1)
  })
})

describe('a view', () => {
  it('with a filter shows what the server says, also of what comes in', async () => {
    const server = startFakeServer([anItem({ n: 1, topic: 'docs' }), anItem({ n: 2 })])
    const inbox = await open(server)
    await inbox.show({ query: 'topic:docs' })
    expect(shown(inbox)).toEqual([1])
    server.put(anItem({ n: 3 }))
    server.put(anItem({ n: 4, topic: 'docs' }))
    await expect.poll(() => shown(inbox)).toEqual([4, 1])
    await inbox.act([idOf(4)], 'done')
    expect(shown(inbox)).toEqual([1])
  })

  it('of another tab begins empty, and the last one that was asked for wins', async () => {
    const server = startFakeServer([anItem({ n: 1, saved_at: '2026-03-01T00:00:00.000Z' }), anItem({ n: 2 })])
    const inbox = await open(server)
    const [first, second] = [inbox.show({ tab: 'done' }), inbox.show({ tab: 'saved' })]
    expect([inbox.state.connection, shown(inbox)]).toEqual(['loading', []])
    await Promise.all([first, second])
    expect([inbox.state.connection, shown(inbox)]).toEqual(['ready', [1]])
  })

  it('whose filter has a mistake leaves the rows, and says what is wrong', async () => {
    const server = startFakeServer(items(1))
    const inbox = await open(server)
    const errors = [{ field: 'q', message: 'Did you mean unread?' }]
    const body = { code: 'invalid_request', title: 'No', detail: '', status: 400, errors }
    server.refusals.push({ match: /GET \/v1\/inbox$/, answer: { status: 400, body } })
    await inbox.show({ query: 'is:unraed' })
    expect([inbox.state.connection, inbox.state.problem, shown(inbox)]).toEqual([
      'ready',
      'Did you mean unread?',
      [1],
    ])
    const unstorable = { code: 'unstorable_text', title: 'No', detail: 'Not a text.', status: 400 }
    server.refusals.push({ match: /GET \/v1\/inbox$/, answer: { status: 400, body: unstorable } })
    await inbox.show({ query: '\0' })
    expect([inbox.state.connection, inbox.state.problem]).toEqual(['ready', 'Not a text.'])
    await inbox.show({ query: '' })
    expect(inbox.state.problem).toBe('')
  })
})

describe('a token', () => {
  const EXPIRED = { status: 401, body: { code: 'unauthenticated', title: 'No', detail: '', status: 401 } }

  it('that has ended is replaced without a trace', async () => {
    const server = startFakeServer(items(1))
    const inbox = await open(server, { refreshToken: async () => 'cut_y' })
    const seen = new Set<string>()
    inbox.subscribe(({ connection }) => seen.add(connection))
    server.refusals.push({ match: /actions/, answer: EXPIRED })
    await inbox.act([one], 'read')
    expect([[...seen], inbox.state.unread]).toEqual([['ready'], 0])
  })

  it('that nobody replaces signs the person out, until start() is called again', async () => {
    const server = startFakeServer(items(1))
    let isSignedIn = true
    const refreshToken = async () => {
      if (!isSignedIn) throw new Error('Nobody is signed in.')
      return 'cut_y'
    }
    const inbox = await open(server, { refreshToken })
    isSignedIn = false
    server.refusals.push({ match: /actions/, answer: EXPIRED })
    await expect(inbox.act([one], 'read')).rejects.toMatchObject({ name: 'CarillonTokenError' })
    expect(inbox.state).toMatchObject({
      connection: 'signed-out',
      items: [],
      unread: 0,
      hasMore: false,
      unsent: 0,
    })
    expect(server.streams.size).toBe(0)
    isSignedIn = true
    await inbox.start()
    expect([inbox.state.connection, shown(inbox)]).toEqual(['ready', [1]])
  })
})

it('comes up by itself when the server was away at the start', async () => {
  const server = startFakeServer(items(1))
  server.isDown = true
  const inbox = openInbox(server)
  opened.push(inbox)
  await inbox.start()
  expect(inbox.state.connection).toBe('offline')
  server.isDown = false
  await expect
    .poll(() => [inbox.state.connection, shown(inbox), inbox.state.unread])
    .toEqual(['ready', [1], 1])
})
