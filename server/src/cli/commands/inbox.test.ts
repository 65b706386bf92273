import { expect, test } from 'vitest'
import { startFakeApi } from '../fake-api.fixture.ts'
import { carillon } from '../in-process.fixture.ts'

const ID = '01900000-0000-7000-8000-000000000001'
const OTHER = '01900000-0000-7000-8000-000000000002'
const ITEM = {
  id: ID,
  is_for_everybody: false,
  title: 'Ada mentioned you',
  reason: 'mention',
  topic: 'docs',
  event_count: 3,
  last_event_at: '2026-03-01T10:00:00.000Z',
  is_read: false,
  done_at: null,
  saved_at: '2026-03-01T10:00:00.000Z',
  snoozed_until: null,
}

test('inbox list shows the rows that a filter matches', async () => {
  const page = { data: [ITEM], next_cursor: null, version: '1:1:' }
  const api = await startFakeApi({ 'GET /v1/inbox': () => ({ status: 200, body: page }) })
  const { code, stdout } = await carillon(api.url, ['inbox', 'list', 'ada', 'is:unread', '--', '-topic:api'])
  expect(code).toBe(0)
  for (const text of [ID, 'unread, saved', 'mention', 'docs', '3', 'Ada mentioned you'])
    expect(stdout).toContain(text)
  const json = await carillon(api.url, ['inbox', 'list', 'ada', '--json'])
  expect(JSON.parse(json.stdout)).toMatchObject([{ id: ID }])
})

test('inbox count, mark and read-all say what is left', async () => {
  const state = { unread: 2, version: '1:1:' }
  const api = await startFakeApi({
    'GET /v1/inbox/unread-count': () => ({ status: 200, body: state }),
    'POST /v1/inbox/actions': () => ({ status: 200, body: { ...state, changed: [ITEM], missing: [OTHER] } }),
    'POST /v1/inbox/read-all': () => ({ status: 200, body: { ...state, read: 5 } }),
  })
  expect(await carillon(api.url, ['inbox', 'count', 'ada'])).toMatchObject({ code: 0, stdout: '2\n' })
  expect(await carillon(api.url, ['inbox', 'mark', 'ada', 'done', ID, OTHER])).toEqual({
    code: 0,
    stdout: '✓ done: 1; 2 unread\n',
    stderr: `Not in this inbox: ${OTHER}\n`,
  })
  expect((await carillon(api.url, ['inbox', 'read-all', 'ada', 'topic:docs'])).stdout).toBe(
    '✓ read: 5; 2 unread\n',
  )
  expect(api.calls.slice(1).map(([, body]) => body)).toEqual([
    { action: 'done', ids: [ID, OTHER] },
    { q: 'topic:docs' },
  ])
})

test('inbox tell-everybody and take-back', async () => {
  const notification = { id: ID, title: 'Down at noon' }
  const api = await startFakeApi({
    'POST /v1/notifications': () => ({ status: 201, body: notification }),
    [`DELETE /v1/notifications/${ID}`]: () => ({ status: 204 }),
  })
  const told = await carillon(api.url, [
    'inbox',
    'tell-everybody',
    'maintenance',
    'Down at noon',
    '--link',
    '/status',
  ])
  expect(told).toMatchObject({ code: 0, stdout: `✓ ${ID}: Down at noon\n` })
  expect(api.calls[0]?.[1]).toMatchObject({ type: 'maintenance', title: 'Down at noon', url: '/status' })
  expect((await carillon(api.url, ['inbox', 'take-back', ID])).stdout).toBe('✓ taken back\n')
})

test('"carillon inbox mark" with an unknown action is a misuse', async () => {
  const outcome = await carillon('http://127.0.0.1:9', ['inbox', 'mark', 'ada', 'explode', ID])
  expect([outcome.code, outcome.stdout]).toEqual([2, ''])
  expect(outcome.stderr).toContain('Allowed choices')
})
