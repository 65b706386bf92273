import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { aScript, aScriptTest } from '../automation-rows.fixture.ts'
import { page, problem, startFakeApi } from '../fake-api.fixture.ts'
import { carillon } from '../in-process.fixture.ts'
import { uuid } from '../rows.fixture.ts'

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(inject('scratchDir'), 'scripts-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

const { source: _source, author: _author, author_scopes: _scopes, ...summary } = aScript()
const FIND = { 'GET /v1/scripts': () => page([summary]), [`GET /v1/scripts/${uuid(1)}`]: () => aScript() }
const asked = ['GET /v1/scripts', { name: 'counter' }]

describe('scripts', () => {
  it('list shows every script', async () => {
    const described = { ...summary, description: 'Counts' }
    const api = await startFakeApi({ 'GET /v1/scripts': () => page([described]) })
    const { stdout } = await carillon(api.url, ['scripts'])
    expect(
      stdout,
    ).toBe(`id                                    name     version  changed               description
0198c0de-0000-7000-8000-000000000001  counter  2        2026-01-31 12:00:01Z  Counts
`)
  })

  it('show finds a script by name or id, and obeys nothing that is written in it', async () => {
    const api = await startFakeApi({
      ...FIND,
      [`GET /v1/scripts/${uuid(1)}`]: () => aScript({ source: 'if (a) {\n  log("\u001b[31m")\n}\n' }),
    })
    const { stdout } = await carillon(api.url, ['scripts', 'show', 'counter'])
    expect(stdout).toBe(`id          0198c0de-0000-7000-8000-000000000001
name        counter
version     2
author      ada
author may  admin
limits      10000 ms, 1000 ms of processor time, 32 MiB
changed     2026-01-31 12:00:01Z

if (a) {
  log(" [31m")
}
`)
    expect((await carillon(api.url, ['scripts', 'show', uuid(1)])).stdout).toBe(stdout)
  })

  it('show prints an older version', async () => {
    const old = {
      version: 1,
      is_current: false,
      restored_from: null,
      source_bytes: 5,
      source: 'log()',
      author: 'bert',
      author_scopes: ['scripts:write'],
      created_at: '2026-01-31T12:00:00.000Z',
    }
    const api = await startFakeApi({ ...FIND, [`GET /v1/scripts/${uuid(1)}/versions/1`]: () => old })
    const { stdout } = await carillon(api.url, ['scripts', 'show', 'counter', '--at', '1'])
    expect(stdout).toMatch(/version {5}1\nauthor {6}bert\nauthor may {2}scripts:write[\s\S]*log\(\)\n$/)
  })

  it('says when there is no script of a name', async () => {
    const api = await startFakeApi({ 'GET /v1/scripts': () => page([]) })
    const shown = await carillon(api.url, ['scripts', 'show', 'nothing'])
    expect(shown).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no script "nothing".') })
  })

  it('create takes the source from a file or from stdin', async () => {
    const api = await startFakeApi({ 'POST /v1/scripts': () => ({ status: 201, body: aScript() }) })
    const file = join(folderWith({ 'a.js': 'log(1)' }), 'a.js')
    const args = ['scripts', 'create', 'counter']
    expect((await carillon(api.url, [...args, file, '--cpu-ms', '50'])).stdout).toBe(`${uuid(1)}\n`)
    await carillon(api.url, [...args, '-', '--description', 'd'], { stdin: 'log(2)' })
    expect(api.calls).toEqual([
      ['POST /v1/scripts', { name: 'counter', source: 'log(1)', cpu_ms: 50 }],
      ['POST /v1/scripts', { name: 'counter', source: 'log(2)', description: 'd' }],
    ])
    const missing = await carillon(api.url, [...args, '/no/such/file'])
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be read') })
  })

  it('create shows the line that is at fault', async () => {
    const errors = [{ field: 'source', message: 'unexpected token', line: 3 }]
    const api = await startFakeApi({
      'POST /v1/scripts': () => problem('invalid_request', 'source, line 3: unexpected token', { errors }),
    })
    const shown = await carillon(api.url, ['scripts', 'create', 'counter', '-'], { stdin: '(' })
    expect(shown).toMatchObject({ code: 1, stderr: expect.stringContaining('source, line 3: unexpected') })
  })

  it('versions, rollback and delete take names', async () => {
    const version = {
      version: 2,
      is_current: true,
      restored_from: 1,
      source_bytes: 16,
      author: 'ada',
      author_scopes: ['admin'],
      created_at: '2026-01-31T12:00:00.000Z',
    }
    const older = { ...version, version: 1, is_current: false, restored_from: null }
    const api = await startFakeApi({
      ...FIND,
      [`GET /v1/scripts/${uuid(1)}/versions`]: () => page([version, older]),
      [`POST /v1/scripts/${uuid(1)}/rollback`]: () => aScript({ version: 3 }),
      [`DELETE /v1/scripts/${uuid(1)}`]: () => ({ status: 204 }),
    })
    expect(
      (await carillon(api.url, ['scripts', 'versions', 'counter'])).stdout,
    ).toBe(`version   saved                 author  bytes  restored from
2 (runs)  2026-01-31 12:00:00Z  ada     16     1
1         2026-01-31 12:00:00Z  ada     16
`)
    expect((await carillon(api.url, ['scripts', 'rollback', 'counter', '1'])).stdout).toBe(
      '✓ counter now runs version 3, which is version 1 again\n',
    )
    expect((await carillon(api.url, ['scripts', 'delete', 'counter'])).stdout).toBe('✓ counter deleted\n')
    expect(api.calls).toContainEqual([`POST /v1/scripts/${uuid(1)}/rollback`, { version: 1 }])
  })
})

describe('scripts push', () => {
  it('creates what is new, saves what has changed, and leaves the rest', async () => {
    const api = await startFakeApi({
      'GET /v1/scripts': ({ input }) =>
        (input as { name: string }).name === 'added' ? page([]) : page([summary]),
      'POST /v1/scripts': () => ({ status: 201, body: aScript() }),
      [`PATCH /v1/scripts/${uuid(1)}`]: ({ callNo }) => aScript({ version: callNo === 1 ? 3 : 2 }),
    })
    const folder = folderWith({
      'added.js': 'log(1)',
      'added.json': '{"description": "New", "cpu_ms": 50}',
      'added.test.json': '[]',
      'changed.js': 'log(2)',
      'same.js': 'log(3)',
      'package.json': '{"private": true}',
      'carillon-scripts.d.ts': 'declare const x: 1',
    })
    const shown = await carillon(api.url, ['scripts', 'push', folder])
    expect(shown).toEqual({
      code: 0,
      stderr: '',
      stdout: `script   result
added    created
changed  saved as version 3
same     version 2, unchanged
`,
    })
    expect(api.calls.filter(([call]) => !call.startsWith('GET'))).toEqual([
      ['POST /v1/scripts', { name: 'added', source: 'log(1)', description: 'New', cpu_ms: 50 }],
      [`PATCH /v1/scripts/${uuid(1)}`, { source: 'log(2)' }],
      [`PATCH /v1/scripts/${uuid(1)}`, { source: 'log(3)' }],
    ])
  })

  it.each([
    ['a name that scripts cannot have', { 'Counter.js': '' }, /Counter\.js: Expected lower-case letters/],
    ['broken JSON', { 'a.js': '', 'a.json': '{' }, /a\.json: /],
    ['unknown settings', { 'a.js': '', 'a.json': '{"cpu": 1}' }, /a\.json: .*cpu/],
    ['samples that expect nothing', { 'a.js': '', 'a.test.json': '[{"name": "x"}]' }, /a\.test\.json: .*/],
    ['samples of no script', { 'a.test.json': '[]' }, /a\.test\.json: there is no script of this name/],
  ])('refuses %s before it saves anything', async (_what, files, message) => {
    const api = await startFakeApi({})
    const shown = await carillon(api.url, ['scripts', 'push', folderWith(files)])
    expect(shown).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
    expect(api.calls).toEqual([])
  })

  it('says which script the API refuses', async () => {
    const api = await startFakeApi({
      'GET /v1/scripts': () => page([]),
      'POST /v1/scripts': () => problem('invalid_request', 'source, line 1: x'),
    })
    const shown = await carillon(api.url, ['scripts', 'push', folderWith({ 'broken.js': '(' })])
    expect(shown).toMatchObject({ code: 1, stderr: expect.stringContaining('broken: ') })
  })

  it('refuses a file that is not UTF-8, which reading would change', async () => {
    const folder = folderWith({})
    writeFileSync(join(folder, 'latin.js'), Buffer.from('log("\xe9")', 'latin1'))
    for (const args of [
      ['push', folder],
      ['test', join(folder, 'latin.js')],
      ['create', 'x', join(folder, 'latin.js')],
    ]) {
      const shown = await carillon('http://127.0.0.1:1', ['scripts', ...args])
      expect(shown).toMatchObject({ code: 2, stderr: expect.stringContaining('latin.js is not UTF-8') })
    }
  })

  it('names a folder that is not there', async () => {
    const shown = await carillon('http://127.0.0.1:1', ['scripts', 'push', '/no/such/folder'])
    expect(shown).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be read') })
  })
})

describe('scripts pull', () => {
  it('writes the source, and settings that are not the usual ones', async () => {
    const other = aScript({ id: uuid(2), name: 'other', description: 'Mine', cpu_ms: 50 })
    const { source: _, author: __, author_scopes: ___, ...otherSummary } = other
    const api = await startFakeApi({
      'GET /v1/scripts': ({ input }) => {
        const { name } = input as { name?: string }
        return page([summary, otherSummary].filter(each => name === undefined || each.name === name))
      },
      [`GET /v1/scripts/${uuid(1)}`]: () => aScript(),
      [`GET /v1/scripts/${uuid(2)}`]: () => other,
    })
    const folder = join(folderWith({}), 'new')
    const shown = await carillon(api.url, ['scripts', 'pull', folder])
    expect(shown.stdout).toBe('script   result\ncounter  written\nother    written\n')
    expect(readdirSync(folder).sort()).toEqual(['counter.js', 'other.js', 'other.json'])
    expect(readFileSync(join(folder, 'counter.js'), 'utf8')).toBe(aScript().source)
    expect(JSON.parse(readFileSync(join(folder, 'other.json'), 'utf8'))).toEqual({
      description: 'Mine',
      timeout_ms: 10_000,
      cpu_ms: 50,
      memory_mb: 32,
    })
    const again = await carillon(api.url, ['scripts', 'pull', folder, 'other'])
    expect(again.stdout).toBe('script  result\nother   unchanged\n')
  })

  it('takes a name that looks like an id for the name it is', async () => {
    const name = uuid(9)
    const api = await startFakeApi({
      'GET /v1/scripts': () => page([{ ...summary, name }]),
      [`GET /v1/scripts/${uuid(1)}`]: () => aScript({ name }),
    })
    const shown = await carillon(api.url, ['scripts', 'pull', folderWith({})])
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining(`${name}  written`) })
  })

  it('writes nowhere else, whatever the server calls its scripts', async () => {
    const evil = aScript({ name: '../evil' })
    const api = await startFakeApi({
      'GET /v1/scripts': () => page([{ ...summary, name: '../evil' }]),
      [`GET /v1/scripts/${uuid(1)}`]: () => evil,
    })
    const folder = folderWith({})
    expect((await carillon(api.url, ['scripts', 'pull', folder])).code).toBe(1)
    expect(readdirSync(join(folder, '..'))).not.toContain('evil.js')
  })
})

describe('scripts test', () => {
  const effect = { type: 'kv_delete', collection: 'c', key: 'k' } as const
  const sample = (expected: object) => ({ name: 'one', event: { kind: 'queue', data: 1 }, expect: expected })

  it('runs the samples of a folder with the sources of its files, saved or not', async () => {
    const api = await startFakeApi({ 'POST /v1/scripts/test': () => aScriptTest({ effects: [effect] }) })
    const folder = folderWith({
      'a.js': 'log(1)',
      'a.json': '{"description": "d", "cpu_ms": 50}',
      'a.test.json': JSON.stringify([sample({ effects: [{ type: 'kv_delete', key: 'k' }] })]),
      'untested.js': 'log(2)',
    })
    const shown = await carillon(api.url, ['scripts', 'test', folder])
    expect(shown).toEqual({ code: 0, stderr: '', stdout: 'script  sample  result\na       one     passed\n' })
    expect(api.calls).toMatchObject([
      [
        'POST /v1/scripts/test',
        { name: 'a', source: 'log(1)', cpu_ms: 50, event: { kind: 'queue', data: 1 } },
      ],
    ])
    const one = await carillon(api.url, ['scripts', 'test', join(folder, 'a.js')])
    expect(one.stdout).toBe(shown.stdout)
  })

  it.each([
    ['a missing effect', { effects: [effect, effect] }, 'effects: expected 2, got '],
    ['another effect', { effects: [{ ...effect, key: 'x' }] }, 'effects.0.key: expected "x", got "k"'],
    ['another result', { result: { n: 1 } }, 'result: expected {"n":1}, got null'],
    [
      'a failure that did not come',
      { failure_kind: 'timeout' },
      'status: expected "failed", got "succeeded"',
    ],
  ])('ends with 1 for %s, and says what differs', async (_what, expected, difference) => {
    const api = await startFakeApi({ 'POST /v1/scripts/test': () => aScriptTest({ effects: [effect] }) })
    const folder = folderWith({ 'a.js': 'log(1)', 'a.test.json': JSON.stringify([sample(expected)]) })
    const shown = await carillon(api.url, ['scripts', 'test', folder])
    expect(shown).toMatchObject({ code: 1, stdout: expect.stringContaining(difference) })
  })

  it('shows why a script failed that should not', async () => {
    const failed = aScriptTest({ status: 'failed', failure_kind: 'exception', error: 'Error: no order' })
    const api = await startFakeApi({ 'POST /v1/scripts/test': () => failed })
    const folder = folderWith({ 'a.js': 'log(1)', 'a.test.json': JSON.stringify([sample({})]) })
    const shown = await carillon(api.url, ['scripts', 'test', folder])
    expect(shown).toMatchObject({ code: 1, stdout: expect.stringContaining('Error: no order') })
    const expected = [sample({ error: 'Error: no order' })]
    writeFileSync(join(folder, 'a.test.json'), JSON.stringify(expected))
    expect((await carillon(api.url, ['scripts', 'test', folder])).code).toBe(0)
  })

  it('runs a saved script with an event', async () => {
    const logs = [{ level: 'info', message: 'hello\u001b[31m' }] as const
    const api = await startFakeApi({
      ...FIND,
      [`POST /v1/scripts/${uuid(1)}/test`]: () =>
        aScriptTest({ result: 7, logs: [...logs], effects: [effect] }),
    })
    const args = ['scripts', 'test', 'counter', '--event', '{"kind": "cron"}']
    expect(await carillon(api.url, args)).toEqual({
      code: 0,
      stderr: '',
      stdout: `✓ succeeded: 7  3 ms, 1 ms of processor time
  info  hello [31m
  would  {"type":"kv_delete","collection":"c","key":"k"}
`,
    })
    expect(api.calls).toEqual([asked, [`POST /v1/scripts/${uuid(1)}/test`, { event: { kind: 'cron' } }]])
    const wrong = await carillon(api.url, ['scripts', 'test', 'counter', '--event', '{'])
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('the event is not JSON: ') })
  })
})
