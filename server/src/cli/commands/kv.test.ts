import type { KvEntry } from '@carillon/contract'
import { expect, test } from 'vitest'
import { page, problem, startFakeApi } from '../fake-api.fixture.ts'
import { carillon } from '../in-process.fixture.ts'

const path = '/v1/kv/settings/a%2Fb'
const entry = (fields: Partial<KvEntry> = {}): KvEntry => ({
  collection: 'settings',
  key: 'a/b',
  version: 7,
  bytes: 13,
  expires_at: null,
  created_at: '2026-01-31T12:00:00Z',
  updated_at: '2026-01-31T12:00:01Z',
  value: { dark: true },
  ...fields,
})

test('kv shows the collections', async () => {
  const rows = [
    { collection: 'counters', entries: 3 },
    { collection: 'sessions', entries: 10_000 },
  ]
  const api = await startFakeApi({ 'GET /v1/kv': () => page(rows) })
  expect((await carillon(api.url, ['kv'])).stdout).toBe(`collection  entries
counters    3
sessions    10000 or more
`)
  expect(JSON.parse((await carillon(api.url, ['kv', 'list', '--json'])).stdout)).toEqual(rows)
  const none = await startFakeApi({ 'GET /v1/kv': () => page([]) })
  expect((await carillon(none.url, ['kv'])).stderr).toBe('No collections.\n')
})

test.each([
  [['kv', 'settings', '--prefix', 'a/'], { prefix: 'a/', limit: '20' }],
  [['kv', 'list', 'settings', '--limit', '3'], { limit: '3' }],
])('%j shows the entries of a collection', async (args, query) => {
  const rows = [entry(), entry({ key: 'bad\u009b', expires_at: '2026-02-01T00:00:00Z' })]
  const api = await startFakeApi({ 'GET /v1/kv/settings': () => page(rows) })
  expect((await carillon(api.url, args)).stdout).toBe(`key  version  bytes  changed               expires
a/b  7        13     2026-01-31 12:00:01Z
bad  7        13     2026-01-31 12:00:01Z  2026-02-01 00:00:00Z
`)
  expect(api.calls).toEqual([['GET /v1/kv/settings', query]])
})

test('kv get writes the value as JSON that no terminal obeys, with --json the whole entry', async () => {
  const value = { dark: true, name: '\u009b31m\u202e é' }
  const api = await startFakeApi({ [`GET ${path}`]: () => entry({ value }) })
  const { stdout } = await carillon(api.url, ['kv', 'get', 'settings', 'a/b'])
  expect(stdout).toBe('{\n  "dark": true,\n  "name": "\\u009b31m\\u202e é"\n}\n')
  expect(JSON.parse(stdout)).toEqual(value)
  const json = await carillon(api.url, ['kv', 'get', 'settings', 'a/b', '--json'])
  expect(JSON.parse(json.stdout)).toEqual(entry({ value }))
})

test('kv set takes JSON as an argument or from stdin', async () => {
  const api = await startFakeApi({
    [`PUT ${path}`]: ({ input }) => {
      const expires_at = 'ttl_seconds' in (input as object) ? '2026-02-01T00:00:00Z' : null
      return entry({ expires_at })
    },
  })
  const set = ['kv', 'set', 'settings', 'a/b']
  expect(await carillon(api.url, [...set, '{"dark":true}'])).toEqual({
    code: 0,
    stdout: '✓ settings a/b has version 7\n',
    stderr: '',
  })
  const { stdout } = await carillon(api.url, [...set, '-', '--ttl', '60', '--if-version', '0'], {
    stdin: '[null]',
  })
  expect(stdout).toBe('✓ settings a/b has version 7, expires at 2026-02-01 00:00:00Z\n')
  expect(api.calls.map(([, input]) => input)).toEqual([
    { value: { dark: true } },
    { value: [null], ttl_seconds: 60, version: 0 },
  ])
})

test('kv set says which version the entry has instead', async () => {
  const api = await startFakeApi({
    [`PUT ${path}`]: () => problem('version_conflict', 'The entry has version 9.'),
  })
  const { code, stderr } = await carillon(api.url, ['kv', 'set', 'settings', 'a/b', '1', '--if-version', '7'])
  expect(code).toBe(1)
  expect(stderr).toContain('The entry has version 9.')
})

test('kv delete', async () => {
  const api = await startFakeApi({ [`DELETE ${path}`]: () => ({ status: 204 }) })
  const { stdout } = await carillon(api.url, ['kv', 'delete', 'settings', 'a/b', '--if-version', '7'])
  expect(stdout).toBe('✓ settings a/b deleted\n')
})

test.each([
  ['kv --prefix a', '--prefix needs a collection'],
  ['kv get settings', "missing required argument 'key'"],
  ['kv set settings a dark', 'the value is not JSON'],
  ['kv set settings a @/nowhere/value.json', 'the value cannot be read: ENOENT'],
  ['kv set settings a 1 --ttl 0', 'Expected a whole number of at least 1.'],
  ['kv set settings a 1 --if-version new', 'Expected the version of an entry, or 0.'],
])('"carillon %s" is a misuse', async (args, reason) => {
  const outcome = await carillon('http://127.0.0.1:9', args.split(' '))
  expect(outcome.stderr).toContain(reason)
  expect(outcome).toMatchObject({ code: 2, stdout: '' })
})
