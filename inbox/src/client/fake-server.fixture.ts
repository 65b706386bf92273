/** A server with one inbox that the tests change, behind a fetch: what it answers is what the real one would. */
import type { BulkActionInput, InboxItem } from '@carillon/sdk/inbox'
import type { Clock } from './clock.ts'
import { createInbox } from './inbox.ts'
import type { Inbox, InboxOptions } from './inbox-api.ts'
import { applyChange, type Change, isAwake, isUnread } from './transitions.ts'

export function startFakeServer(items: InboxItem[] = []) {
  let version = 1
  const rows = new Map(items.map(item => [item.id, { item, version, eventVersion: version }]))
  const streams = new Set<ReadableStreamDefaultController<Uint8Array>>()
  const calls: string[] = []
  const all = () => [...rows.values()].map(({ item }) => item)
  const server = {
    calls,
    /** Answers the next call that matches instead; 'down' is a connection that fails. */
    refusals: [] as { match: RegExp; answer: 'down' | { status: number; body: object } }[],
    isDown: false,
    nowMs: Date.UTC(2026, 2, 1, 12),
    /** What counting gives too much. */
    miscount: 0,
    /** Holds answers back until it is resolved. */
    hold: undefined as Promise<void> | undefined,
    unread: () => all().filter(item => isUnread(item, server.nowMs)).length + server.miscount,
    item: (id: string) => rows.get(id)?.item,
    /** An event: the row is new, or changed. */
    put(item: InboxItem): void {
      version++
      rows.set(item.id, { item, version, eventVersion: version })
      tell({ changed: [item.id] })
    },
    /** Something the person did elsewhere. */
    change(id: string, change: Change): void {
      const row = rows.get(id)!
      rows.set(id, { ...row, item: applyChange(row.item, change, server.nowMs), version: ++version })
      tell({ changed: [id] })
    },
    reset: () => tell({ reset: true }),
    breakStreams(): void {
      for (const stream of [...streams]) stream.error(new Error('reset'))
      streams.clear()
    },
    streams,
    fetch: answer as typeof fetch,
  }

  function tell(event: { changed?: string[]; reset?: boolean }): void {
    const data = { version: `1:${version}:`, unread: server.unread(), reset: false, changed: [], ...event }
    const text = `id: ${data.version}\nevent: inbox\ndata: ${JSON.stringify(data)}\n\n`
    for (const stream of streams) stream.enqueue(new TextEncoder().encode(text))
  }

  async function answer(address: string, init: RequestInit = {}): Promise<Response> {
    const { pathname, searchParams } = new URL(address)
    const call = `${init.method ?? 'GET'} ${pathname}`
    calls.push(call)
    const refusal = server.refusals.find(({ match }) => match.test(call))
    if (refusal !== undefined) server.refusals.splice(server.refusals.indexOf(refusal), 1)
    if (server.isDown || refusal?.answer === 'down') throw new TypeError('fetch failed')
    if (refusal !== undefined) return Response.json(refusal.answer.body, { status: refusal.answer.status })
    if (pathname.endsWith('/stream')) return openStream(init.signal!)
    const body = init.body === undefined ? {} : JSON.parse(String(init.body))
    const result = JSON.stringify(resultOf(call, searchParams, body))
    await server.hold
    return new Response(result, { headers: { 'content-type': 'application/json' } })
  }

  function resultOf(
    call: string,
    search: URLSearchParams,
    body: BulkActionInput & { subscribed?: boolean },
  ): unknown {
    const counted = () => ({ unread: server.unread(), version: `1:${version}:` })
    if (call === 'GET /v1/inbox') return list(search)
    if (call === 'GET /v1/inbox/changes') {
      const since = Number(search.get('since')!.split(':')[1])
      const changed = [...rows.values()].filter(row => row.version > since).map(({ item }) => item)
      return { ...counted(), reset: false, changed, removed: [] }
    }
    if (call === 'POST /v1/inbox/actions') {
      for (const id of body.ids) act(id, body)
      return {
        ...counted(),
        changed: body.ids.flatMap(id => rows.get(id)?.item ?? []),
        missing: body.ids.filter(id => !rows.has(id)),
      }
    }
    if (call === 'POST /v1/inbox/read-all') {
      for (const id of rows.keys()) act(id, { ...body, action: 'read' } as BulkActionInput)
      return { ...counted(), read: 0 }
    }
    return { subscribed: body.subscribed ?? true }
  }

  function act(id: string, { action, seen_version, ...more }: BulkActionInput): void {
    const row = rows.get(id)
    if (row === undefined) return
    const seen = Number(seen_version?.split(':')[1] ?? Number.POSITIVE_INFINITY)
    if (['read', 'done', 'snooze'].includes(action) && row.eventVersion > seen) return
    const item = applyChange(row.item, { action, ...more } as Change, server.nowMs)
    rows.set(id, { ...row, item, version: ++version })
  }

  /** The filter language as far as the tests use it. */
  function list(search: URLSearchParams) {
    const q = search.get('q') ?? ''
    const limit = Number(search.get('limit'))
    const from = Number(search.get('cursor') ?? 0)
    const matches = (item: InboxItem) => {
      if (q.includes('is:saved')) return item.saved_at !== null
      if (q.includes('is:done')) return item.done_at !== null
      const isThere = item.done_at === null && isAwake(item, server.nowMs)
      return isThere && (!q.includes('topic:') || item.topic === /topic:(\S+)/.exec(q)![1])
    }
    const found = all()
      .filter(matches)
      .sort((one, other) => (one.last_event_at < other.last_event_at ? 1 : -1))
    const after = from === 0 ? found : found.filter(({ last_event_at }) => Date.parse(last_event_at) < from)
    const data = after.slice(0, limit)
    const next_cursor = after.length > limit ? String(Date.parse(data.at(-1)!.last_event_at)) : null
    return { data, next_cursor, version: `1:${version}:` }
  }

  function openStream(signal: AbortSignal): Response {
    let controller: ReadableStreamDefaultController<Uint8Array>
    const body = new ReadableStream<Uint8Array>({
      start(opened) {
        controller = opened
        streams.add(controller)
        const data = { version: `1:${version}:`, unread: server.unread(), reset: false, changed: [] }
        opened.enqueue(
          new TextEncoder().encode(`id: ${data.version}\nevent: inbox\ndata: ${JSON.stringify(data)}\n\n`),
        )
      },
    })
    signal.addEventListener('abort', () => {
      if (streams.delete(controller)) controller.error(new Error('aborted'))
    })
    return new Response(body)
  }

  return server
}

export type FakeServer = ReturnType<typeof startFakeServer>

/** Time that moves when a test says so. */
export function createFakeClock(server: FakeServer): Clock & { move(ms: number): void } {
  const timers = new Set<{ atMs: number; call: () => void }>()
  return {
    now: () => server.nowMs,
    after(ms, call) {
      const timer = { atMs: server.nowMs + ms, call }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    move(ms) {
      server.nowMs += ms
      for (const timer of [...timers]) if (timer.atMs <= server.nowMs && timers.delete(timer)) timer.call()
    },
  }
}

export function openInbox(
  server: FakeServer,
  options: Partial<InboxOptions> = {},
): Inbox & { clock: ReturnType<typeof createFakeClock> } {
  const clock = createFakeClock(server)
  const inbox = createInbox({
    url: 'http://carillon.test',
    token: 'cut_x',
    retries: 0,
    sleep: () => new Promise(resolve => setTimeout(resolve, 1)),
    fetch: server.fetch,
    clock,
    ...options,
  })
  return Object.assign(inbox, { clock })
}
