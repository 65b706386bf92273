import type { Trigger } from '@carillon/contract'
import { expect, test } from 'vitest'
import { aTrigger } from '../automation-rows.fixture.ts'
import { page, problem, startFakeApi } from '../fake-api.fixture.ts'
import { carillon } from '../in-process.fixture.ts'
import { uuid } from '../rows.fixture.ts'

const id = uuid(9)
const script = uuid(7)
const one = `/v1/triggers/${id}`
const url = 'https://carillon.example/hooks/chk_secret'

test('triggers shows on what each fires, and which are disabled', async () => {
  const rows = [
    aTrigger(),
    aTrigger({
      id: uuid(8),
      name: 'Orders',
      kind: 'kv',
      config: { collection: 'orders:*', ops: ['insert'] },
    }),
    aTrigger({ id: uuid(6), name: 'Shop', kind: 'http', config: { methods: ['POST'] }, is_enabled: false }),
  ]
  const api = await startFakeApi({ 'GET /v1/triggers': () => page(rows) })
  const { stdout, code } = await carillon(api.url, ['triggers', '--limit', '3'])
  expect(code).toBe(0)
  expect(
    stdout,
  ).toBe(`id                                    name          kind  on                       script                                state
0198c0de-0000-7000-8000-000000000009  Daily report  cron  0 9 * * * Europe/Berlin  0198c0de-0000-7000-8000-000000000007  enabled
0198c0de-0000-7000-8000-000000000008  Orders        kv    orders:* insert          0198c0de-0000-7000-8000-000000000007  enabled
0198c0de-0000-7000-8000-000000000006  Shop          http  POST                     0198c0de-0000-7000-8000-000000000007  disabled
`)
  await carillon(api.url, ['triggers', 'list', '--kind', 'cron', '--script', script, '--state', 'enabled'])
  expect(api.calls.at(-1)).toEqual([
    'GET /v1/triggers',
    expect.objectContaining({ kind: 'cron', script_id: script, state: 'enabled' }),
  ])
  const none = await startFakeApi({ 'GET /v1/triggers': () => page([]) })
  expect((await carillon(none.url, ['triggers'])).stderr).toBe('No triggers.\n')
})

test('triggers show has when it runs, and as whom', async () => {
  const api = await startFakeApi({ [`GET ${one}`]: () => aTrigger() })
  expect((await carillon(api.url, ['triggers', 'show', id])).stdout).toBe(`id           ${id}
name         Daily report
kind         cron
on           0 9 * * * Europe/Berlin
script       ${script}
state        enabled
mode         async
missed runs  run_once
next run     2026-02-02 08:00:00Z
attempts     3, exponential from 1000 ms
runs as      ada
may          intents:write
`)
})

test.each<[string, string[], Partial<Trigger>, object]>([
  ['kv', ['--collection', 'orders:*', '--op', 'insert'], {}, { collection: 'orders:*', ops: ['insert'] }],
  [
    'cron',
    ['--cron', '@daily', '--timezone', 'Asia/Tokyo', '--misfire', 'skip'],
    {},
    { cron: '@daily', timezone: 'Asia/Tokyo', misfire_policy: 'skip' },
  ],
  ['event', ['--event', 'issue_*', '--topic', 't'], {}, { event_kind: 'issue_*', topic: 't' }],
  ['queue', ['--queue', 'imports'], {}, { queue: 'imports' }],
  ['email', ['--address', 'reply+*'], {}, { address: 'reply+*' }],
  ['http', ['--method', 'GET', '--sync'], { dispatch_mode: 'sync' }, { methods: ['GET'] }],
  [
    'dead_letter',
    ['--source', 'kv', '--source-trigger', uuid(1), '--source-script', uuid(2), '--disabled'],
    { is_enabled: false },
    { source: 'kv', trigger_id: uuid(1), script_id: uuid(2) },
  ],
])('triggers create %s', async (kind, options, more, config) => {
  const api = await startFakeApi({ 'POST /v1/triggers': () => ({ status: 201, body: aTrigger() }) })
  const outcome = await carillon(api.url, ['triggers', 'create', 'A name', kind, script, ...options])
  expect(outcome).toMatchObject({ code: 0, stdout: `${id}\n` })
  const trigger = { name: 'A name', kind, script_id: script, config, is_enabled: true, ...more }
  expect(api.calls).toEqual([['POST /v1/triggers', trigger]])
})

test('triggers create shows the address of an http trigger', async () => {
  const body = { ...aTrigger({ kind: 'http', config: { methods: ['POST'] } }), url }
  const api = await startFakeApi({ 'POST /v1/triggers': () => ({ status: 201, body }) })
  expect(await carillon(api.url, ['triggers', 'create', 'x', 'http', script])).toEqual({
    code: 0,
    stdout: `${id}\n${url}\n`,
    stderr: 'Save the address now: it will not be shown again.\n',
  })
})

test('an address without a host gets the one of the server that was asked', async () => {
  const trigger = aTrigger({ kind: 'http', config: { methods: ['POST'] } })
  const body = { ...trigger, url: '/hooks/chk_secret' }
  const api = await startFakeApi({
    'POST /v1/triggers': () => ({ status: 201, body }),
    [`POST ${one}/rotate-url`]: () => body,
  })
  const whole = `${api.url}/hooks/chk_secret`
  const create = ['triggers', 'create', 'x', 'http', script]
  expect((await carillon(api.url, create)).stdout).toBe(`${id}\n${whole}\n`)
  expect(JSON.parse((await carillon(api.url, [...create, '--json'])).stdout)).toMatchObject({ url: whole })
  expect((await carillon(api.url, ['triggers', 'rotate-url', id])).stdout).toBe(`${whole}\n`)
})

test('a script is given by its name, too', async () => {
  const isAsked = (input: unknown) => (input as { name: string }).name === 'summary'
  const api = await startFakeApi({
    'GET /v1/scripts': ({ input }) => page(isAsked(input) ? [{ id: script }] : []),
    'POST /v1/triggers': () => ({ status: 201, body: aTrigger() }),
    'GET /v1/triggers': () => page([]),
    'GET /v1/runs': () => page([]),
    'GET /v1/dead-letters': () => page([]),
    [`PATCH ${one}`]: () => aTrigger(),
  })
  const last = async (args: string[]) => {
    await carillon(api.url, args)
    return api.calls.at(-1)![1]
  }
  const letters = ['dead_letter', 'summary', '--source-script', 'summary']
  const withScript = expect.objectContaining({ script_id: script })
  expect(await last(['triggers', 'create', 'x', ...letters])).toMatchObject({
    script_id: script,
    config: { script_id: script },
  })
  for (const args of [`triggers change ${id}`, 'triggers list', 'runs list', 'dead-letters list'])
    expect(await last([...args.split(' '), '--script', 'summary'])).toEqual(withScript)
  const unknown = await carillon(api.url, ['triggers', 'create', 'x', 'http', 'other'])
  expect([unknown.code, unknown.stderr]).toEqual([1, '✗ There is no script "other".\n'])
})

test('triggers create refuses a kind that does not exist, and says which do', async () => {
  const { code, stderr } = await carillon('http://localhost:9', ['triggers', 'create', 'x', 'timer', script])
  expect([code, stderr]).toEqual([2, expect.stringContaining('kv, cron, event, queue')])
})

test('triggers create says what is wrong', async () => {
  const refused = () => problem('not_found', `There is no script ${script}.`)
  const api = await startFakeApi({ 'POST /v1/triggers': refused })
  const { code, stderr } = await carillon(api.url, ['triggers', 'create', 'x', 'http', script])
  expect([code, stderr]).toEqual([1, expect.stringContaining('There is no script')])
  expect((await carillon(api.url, ['triggers', 'change', id])).stderr).toContain('give what is to change')
})

test.each([
  ['enable', { is_enabled: true }, `✓ ${id} enabled; it runs next at 2026-02-02 08:00:00Z\n`],
  ['disable', { is_enabled: false }, `✓ ${id} disabled\n`],
  ['change --name Other', { name: 'Other' }, `✓ ${id} changed\n`],
  [
    `change --script ${uuid(1)} --cron @hourly --mode async`,
    { script_id: uuid(1), config: { cron: '@hourly' }, dispatch_mode: 'async' },
    `✓ ${id} changed\n`,
  ],
])('triggers %s', async (args, changes, stdout) => {
  const [command, ...options] = args.split(' ')
  const api = await startFakeApi({ [`PATCH ${one}`]: () => aTrigger() })
  expect((await carillon(api.url, ['triggers', command!, id, ...options])).stdout).toBe(stdout)
  expect(api.calls).toEqual([[`PATCH ${one}`, changes]])
})

test('triggers delete and rotate-url', async () => {
  const rotated = { ...aTrigger({ kind: 'http', config: { methods: ['POST'] } }), url }
  const api = await startFakeApi({
    [`DELETE ${one}`]: () => ({ status: 204 }),
    [`POST ${one}/rotate-url`]: () => rotated,
  })
  expect((await carillon(api.url, ['triggers', 'delete', id])).stdout).toBe(`✓ ${id} deleted\n`)
  expect((await carillon(api.url, ['triggers', 'rotate-url', id])).stdout).toBe(`${url}\n`)
})
