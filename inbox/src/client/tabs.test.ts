/** Several inboxes of one person, of which one listens for all; and one that is stopped and begins anew. */
import type { InboxItem } from '@carillon/sdk/inbox'
import { afterEach, expect, it } from 'vitest'
import { type FakeServer, openInbox, startFakeServer } from './fake-server.fixture.ts'
import type { Inbox } from './inbox-api.ts'
import { anItem, idOf } from './item.fixture.ts'
import type { TabPart, Tabs } from './tabs.ts'

const opened: Inbox[] = []
afterEach(() => {
  for (const inbox of opened.splice(0)) inbox.stop()
})

const items = (count: number): InboxItem[] => Array.from({ length: count }, (_, at) => anItem({ n: at + 1 }))
const shown = ({ state }: Inbox) => state.items.map(({ title }) => Number(title.slice(5)))
const token = `cut_${btoa(JSON.stringify({ tenant_id: 't', user_id: 'ada' })).replaceAll('=', '')}.x`

/** The first that joins leads, once it is let. */
function joinedTabs(isLet: Promise<void> = Promise.resolve()): Tabs {
  const parts: TabPart<unknown>[] = []
  return {
    async join(_name, part, signal) {
      parts.push(part as TabPart<unknown>)
      await isLet
      if (parts[0] !== (part as TabPart<unknown>))
        return new Promise(end => signal.addEventListener('abort', () => end()))
      await part.lead(message => {
        for (const other of parts.slice(1)) queueMicrotask(() => other.hear(structuredClone(message)))
      })
    },
  }
}

function openTab(server: FakeServer, tabs: Tabs) {
  const inbox = openInbox(server, { tabs, token })
  opened.push(inbox)
  return inbox
}

it('hear what the leading one learns, also if it had to ask twice', async () => {
  const server = startFakeServer(items(1))
  const tabs = joinedTabs()
  const [leading, other] = [openTab(server, tabs), openTab(server, tabs)]
  await Promise.all([leading.start(), other.start()])
  await expect.poll(() => [leading.isLeader, other.isLeader, server.streams.size]).toEqual([true, false, 1])
  await expect.poll(() => [leading.state.unread, other.state.unread]).toEqual([1, 1])
  server.refusals.push({ match: /changes/, answer: 'down' })
  server.change(idOf(1), { action: 'done' })
  await expect.poll(() => leading.state.connection).toBe('offline')
  leading.clock.move(5000)
  await expect.poll(() => shown(leading)).toEqual([])
  await expect.poll(() => shown(other)).toEqual([])
})

it('hear what the leading one had learnt before it led', async () => {
  const server = startFakeServer(items(1))
  let allow = () => {}
  const tabs = joinedTabs(
    new Promise<void>(resolve => {
      allow = resolve
    }),
  )
  const [leading, other] = [openTab(server, tabs), openTab(server, tabs)]
  await Promise.all([leading.start(), other.start()])
  await expect.poll(() => [leading.state.unread, other.state.unread]).toEqual([1, 1])
  server.change(idOf(1), { action: 'done' })
  await leading.refresh()
  expect([shown(leading), shown(other)]).toEqual([[], [1]])
  allow()
  await expect.poll(() => shown(other)).toEqual([])
})

it('an answer from before it was stopped changes nothing that it shows since', async () => {
  const server = startFakeServer(items(1))
  const inbox = openTab(server, joinedTabs())
  let answer = () => {}
  server.hold = new Promise<void>(resolve => {
    answer = resolve
  })
  const before = inbox.start()
  await expect.poll(() => server.calls).toEqual(['GET /v1/inbox'])
  inbox.stop()
  server.hold = undefined
  server.put(anItem({ n: 2 }))
  await inbox.start()
  expect(shown(inbox)).toEqual([2, 1])
  answer()
  await before
  expect(shown(inbox)).toEqual([2, 1])
})
