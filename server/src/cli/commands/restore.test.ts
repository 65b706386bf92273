/** What the commands for backups and restores refuse, and what they say about an instance that waits. */
import { expect, it } from 'vitest'
import { useDatabase } from '../../../test/database.ts'
import { carillon } from '../in-process.fixture.ts'

const database = useDatabase()
const run = (args: string[], environment: Record<string, string> = {}) =>
  carillon('http://127.0.0.1:1', args, { environment })

it.each([
  ['without a time', ['restore', '--data-dir', 'x'], 2, '--to and --data-dir are needed'],
  ['without a folder', ['restore', '--to', 'latest'], 2, '--to and --data-dir are needed'],
  [
    'to a time without an offset',
    ['restore', '--to', '2026-03-01 12:00', '--data-dir', 'x'],
    2,
    'with its offset',
  ],
  [
    'to a day that does not exist',
    ['restore', '--to', '2026-13-01T00:00Z', '--data-dir', 'x'],
    2,
    'with its offset',
  ],
  [
    'to a time that would be cut off',
    ['restore', '--to', '2026-03-01T12:00:00.123456Z', '--data-dir', 'x'],
    2,
    'at most to the millisecond',
  ],
  ['from nowhere', ['restore', '--to', 'latest', '--data-dir', 'x'], 1, 'Set CARILLON_BACKUP_DIR'],
  [
    'from an empty folder',
    ['restore', '--to', 'latest', '--data-dir', 'x', '--from', '/nowhere'],
    1,
    'no complete backup',
  ],
  ['a backup into nowhere', ['backup'], 1, 'Set CARILLON_BACKUP_DIR'],
  ['roles of the embedded database', ['migrate', 'roles'], 1, 'has these roles already'],
])('refuses a restore %s', async (_what, args, code, message) => {
  expect(await run(args)).toMatchObject({ code, stderr: expect.stringContaining(message) })
})

it('lists no backups where there are none', async () => {
  expect(await run(['backup', 'list', '--from', '/nowhere', '--json'])).toMatchObject({
    code: 0,
    stdout: '[]\n',
  })
})

it('prints the SQL of the roles', async () => {
  const { stdout } = await run(['migrate', 'roles', '--print'])
  expect(stdout).toContain('create role carillon_reader')
})

it('holds back a database that was restored by other means, until somebody decides', async () => {
  const environment = { DATABASE_URL: database.url }
  expect(await run(['restore', 'status'], environment)).toMatchObject({
    stdout: expect.stringContaining('Nothing is held back'),
  })
  expect(await run(['restore', 'hold'], environment)).toMatchObject({ code: 0 })
  expect(await run(['restore', 'status'], environment)).toMatchObject({
    stdout: expect.stringContaining('webhooks and runs due'),
  })
  expect(await run(['restore', 'release'], environment)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('released'),
  })
  expect(await run(['restore', 'discard'], environment)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Nothing is held back'),
  })
})
