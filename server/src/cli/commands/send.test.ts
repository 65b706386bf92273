import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startFakeApi } from '../fake-api.fixture.ts'
import { carillon, fakeTerminal } from '../in-process.fixture.ts'
import { run } from '../program.ts'
import { aRecordDetail } from '../record-rows.fixture.ts'
import { uuid } from '../rows.fixture.ts'

const accepted = { notification_id: uuid(1), status: 'accepted', duplicate: false }
const acceptOnce = { 'POST /v1/intents': () => ({ status: 202, body: accepted }) }

test.each([
  ['--to ada bob', { audience: { kind: 'users', user_ids: ['ada', 'bob'] } }],
  [
    '--email ada@example.com',
    { audience: { kind: 'addresses', channel: 'email', addresses: ['ada@example.com'] } },
  ],
  ['--topic repo/1', { audience: { kind: 'topic', topic: 'repo/1' } }],
  ['--tenant-wide --channel email in_app', { audience: { kind: 'tenant' }, channels: ['email', 'in_app'] }],
  [
    '--tenant-wide --key order-7 --send-at 2026-02-01T09:00:00Z --expires-at 2026-02-02T09:00:00Z',
    {
      audience: { kind: 'tenant' },
      idempotency_key: 'order-7',
      send_at: '2026-02-01T09:00:00Z',
      expires_at: '2026-02-02T09:00:00Z',
    },
  ],
  [
    '--to ada --thread issue/a/42',
    { audience: { kind: 'users', user_ids: ['ada'] }, thread: { kind: 'issue', id: 'a/42' } },
  ],
  ['--tenant-wide --template promo', { audience: { kind: 'tenant' }, template: 'promo' }],
  [
    '--tenant-wide --payload {"title":"Hello"}',
    { audience: { kind: 'tenant' }, payload: { title: 'Hello' } },
  ],
])('send welcome %s', async (args, fields) => {
  const api = await startFakeApi(acceptOnce)
  const outcome = await carillon(api.url, ['send', 'welcome', ...args.split(' ')])
  expect(outcome).toEqual({
    code: 0,
    stdout: `✓ ${uuid(1)} accepted\n`,
    stderr: `To see what happens to it: carillon explain ${uuid(1)}\n`,
  })
  expect(api.calls).toEqual([
    [
      'POST /v1/intents',
      {
        notification_type: 'welcome',
        payload: {},
        idempotency_key: expect.stringMatching(/^order-7$|^[0-9a-f-]{36}$/),
        ...fields,
      },
    ],
  ])
})

test('the payload may come from stdin or a file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-send-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'payload.json'), '{"from":"file"}')
  const api = await startFakeApi(acceptOnce)
  const send = ['send', 'welcome', '--tenant-wide', '--payload']
  await carillon(api.url, [...send, '-'], { stdin: '{"from":"stdin"}' })
  await carillon(api.url, [...send, `@${join(folder, 'payload.json')}`])
  expect(api.calls.map(([, input]) => (input as { payload: object }).payload)).toEqual([
    { from: 'stdin' },
    { from: 'file' },
  ])
})

test('a repeated intent is shown as already accepted', async () => {
  const api = await startFakeApi({
    'POST /v1/intents': () => ({ ...accepted, status: 'accepted', duplicate: true }),
  })
  const { stdout } = await carillon(api.url, ['send', 'welcome', '--to', 'ada', '--key', 'k'])
  expect(stdout).toBe(`✓ ${uuid(1)} was already accepted\n`)
})

/** Still expanding, then on its way, then finished. */
const deliverInThreeLooks = (last: object) => ({
  ...acceptOnce,
  [`GET /v1/records/${uuid(1)}`]: ({ callNo }: { callNo: number }) =>
    [
      aRecordDetail({ expanded_at: null, routes: {} }),
      aRecordDetail({ routes: { pending: 1, retrying: 1, sent: 1 } }),
      aRecordDetail({ routes: last }),
    ][Math.min(callNo, 3) - 1],
})

test.each([
  [{ sent: 2, skipped: 1 }, 0, '2 sent, 1 skipped'],
  [{ sent: 2, dead: 1 }, 1, '2 sent, 1 dead'],
  [{ expired: 1 }, 1, '1 expired'],
  [{}, 0, 'none'],
])('--wait with %j in the end gives exit code %i', async (routes, code, counts) => {
  const api = await startFakeApi(deliverInThreeLooks(routes))
  const terminal = fakeTerminal({ environment: { CARILLON_URL: api.url, CARILLON_API_KEY: 'ck_test' } })
  expect(await run(['send', 'welcome', '--to', 'ada', '--wait'], terminal)).toBe(code)
  expect(terminal.written).toEqual({ stdout: `✓ ${uuid(1)} accepted\n  ${counts}\n`, stderr: '' })
  expect(terminal.waits).toEqual([100, 150])
})

test('--wait --json is one document with the counts', async () => {
  const api = await startFakeApi(deliverInThreeLooks({ sent: 3 }))
  const { stdout, stderr } = await carillon(api.url, ['send', 'welcome', '--to', 'ada', '--wait', '--json'], {
    columns: 80,
  })
  expect(JSON.parse(stdout)).toEqual({ ...accepted, routes: { sent: 3 } })
  expect(stderr).toBe('')
})

test('--wait shows a progress bar on a terminal, and takes it away again', async () => {
  const api = await startFakeApi(deliverInThreeLooks({ sent: 3 }))
  const { stdout, stderr } = await carillon(api.url, ['send', 'welcome', '--to', 'ada', '--wait'], {
    columns: 80,
  })
  expect(stdout).toBe(`✓ ${uuid(1)} accepted\n  3 sent\n`)
  expect(stderr).toContain('Delivering')
  expect(stderr).toContain('3/3')
})
