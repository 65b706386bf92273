/** What payloads say about how a row is shown: whatever way it comes, a page that shows it must not be made to run it. */
import { InboxActionDefinitions, PageAddress } from '@carillon/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { tell } from '../../../test/fanout.ts'
import { inboxOf } from './inbox.fixture.ts'

const carillon = useCarillon()
const inbox = inboxOf(carillon)

beforeAll(async () => {
  await carillon.putUser('ada')
  await carillon.putUser('bob')
})

const ADDRESSES: [address: string, isPage: boolean][] = [
  ['https://example.com/1?a=b#c', true],
  ['HTTP://example.com', true],
  ['/', true],
  ['/issues/1', true],
  ['javascript:alert(1)', false],
  ['JavaScript:alert(1)', false],
  [' javascript:alert(1)', false],
  ['java\tscript:alert(1)', false],
  ['data:text/html,<script>1</script>', false],
  ['vbscript:x', false],
  ['blob:https://example.com/1', false],
  ['//example.com', false],
  ['/\\example.com', false],
  ['https:example.com', false],
  ['https:///example.com', false],
  ['https://example.com/a b', false],
  ['https://example.com\njavascript:1', false],
  ['', false],
  [`/${'x'.repeat(1999)}`, true],
  [`/${'x'.repeat(2000)}`, false],
]

const OK = { id: 'ok', label: 'OK' }
const ACTIONS: [actions: unknown, areButtons: boolean][] = [
  [[OK], true],
  [
    [
      { ...OK, url: '/x', event_kind: 'agreed' },
      { ...OK, id: 'no' },
    ],
    true,
  ],
  [[{ ...OK, url: null, event_kind: null }], true],
  [[1, 2], false],
  [[null], false],
  [{ ...OK }, false],
  [[{ id: 5, label: 'x' }], false],
  [[{ id: 'ok' }], false],
  [[{ ...OK, label: {} }], false],
  [[{ ...OK, label: '' }], false],
  [[{ ...OK, label: 'a\u0000b' }], false],
  [[{ ...OK, label: 'x'.repeat(101) }], false],
  [[{ ...OK, url: 'javascript:alert(1)' }], false],
  [[{ ...OK, url: 1 }], false],
  [[{ ...OK, event_kind: 7 }], false],
  [[{ ...OK, onclick: 'x' }], false],
  [[OK, OK], false],
  [[1, 2, 3, 4, 5].map(id => ({ ...OK, id: `${id}` })), true],
  [[1, 2, 3, 4, 5, 6].map(id => ({ ...OK, id: `${id}` })), false],
]

it.each(ADDRESSES)(
  'the database and the contract agree whether %j is a page address',
  async (address, isPage) => {
    const { rows } = await carillon.pool.query('select page_address($1) as page', [address])
    expect(rows[0].page).toBe(isPage ? address : null)
    expect(PageAddress.safeParse(address).success).toBe(isPage)
  },
)

it.each(ACTIONS)(
  'the database and the contract agree whether %j are buttons',
  async (actions, areButtons) => {
    expect(InboxActionDefinitions.safeParse(actions).success).toBe(areButtons)
    if (JSON.stringify(actions).includes('\\u0000')) return // no jsonb has it
    const { rows } = await carillon.pool.query('select shown_actions($1) as actions', [
      JSON.stringify(actions),
    ])
    expect(rows[0].actions).toEqual(areButtons ? actions : null)
  },
)

const assigned = (id: string, payload: object) => ({
  kind: 'issue_assigned',
  actor_id: 'bob',
  thread: { kind: 'issue', id },
  relations: { assignee: ['ada'] },
  payload,
})

it('an event hands on no address that could run code, neither of its row nor of a button', async () => {
  const button = { ...OK, url: 'javascript:alert(1)' }
  await tell(carillon, assigned('bad', { url: 'javascript:alert(1)', actions: [button] }))
  await tell(carillon, assigned('odd', { url: '/1', actions: [1, { id: 5 }] }))
  await tell(carillon, assigned('good', { url: '/1', actions: [{ ...OK, url: '/2' }] }))
  expect(await inbox.list('ada')).toMatchObject([
    { thread: { id: 'good' }, url: '/1', actions: [{ ...OK, url: '/2', event_kind: null }] },
    { thread: { id: 'odd' }, url: '/1', actions: [] },
    { thread: { id: 'bad' }, url: null, actions: [] },
  ])
  expect(JSON.stringify(await inbox.list('ada'))).not.toContain('javascript')
})

describe.each(['/v1/topics/t', '/v1/threads/issue/1'])('addresses at %s', path => {
  it.each(['javascript:alert(1)', 'data:text/html,x', '//example.com'])(
    'topics and threads refuse the address %s',
    async url => {
      const { status, body } = await carillon.request('PUT', path, { body: { url } })
      expect([status, body.errors?.[0]?.field]).toEqual([400, 'url'])
    },
  )

  it('topics and threads take pages and paths as addresses', async () => {
    for (const url of ['https://example.com/1', '/1', ''])
      expect((await carillon.request('PUT', path, { body: { url } })).body).toMatchObject({ url })
  })
})
