import { expect, test } from 'vitest'
import { problem, startFakeApi } from '../fake-api.fixture.ts'
import { carillon } from '../in-process.fixture.ts'
import { aDeadLetter } from '../record-rows.fixture.ts'
import { uuid } from '../rows.fixture.ts'

const replayed = (n: number) => aDeadLetter({ id: uuid(n), resolution: 'replayed' })
const oneOfThreeIsResolved = {
  [`POST /v1/dead-letters/${uuid(1)}/replay`]: () => replayed(1),
  [`POST /v1/dead-letters/${uuid(2)}/replay`]: () => problem('already_resolved', 'It was ignored.'),
  [`POST /v1/dead-letters/${uuid(3)}/replay`]: () => replayed(3),
}
const ids = [uuid(1), uuid(2), uuid(3)]

test('a letter that cannot be replayed does not keep the others from being replayed', async () => {
  const api = await startFakeApi(oneOfThreeIsResolved)
  expect(await carillon(api.url, ['dead-letters', 'replay', ...ids])).toEqual({
    code: 1,
    stdout: `✓ ${uuid(1)} will be sent again\n✓ ${uuid(3)} will be sent again\n`,
    stderr: `✗ ${uuid(2)}: The dead letter is already resolved: It was ignored.\n`,
  })
})

test('--json shows every letter or its error in one document', async () => {
  const api = await startFakeApi(oneOfThreeIsResolved)
  const { code, stdout, stderr } = await carillon(api.url, ['dead-letters', 'replay', ...ids, '--json'])
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  expect(JSON.parse(stdout)).toEqual([
    replayed(1),
    replayed(3),
    { id: uuid(2), error: expect.objectContaining({ code: 'already_resolved', status: 409 }) },
  ])
})

test('a failure that would affect every letter ends the loop, after showing what was done', async () => {
  const api = await startFakeApi({
    ...oneOfThreeIsResolved,
    [`POST /v1/dead-letters/${uuid(2)}/replay`]: () => problem('forbidden', 'This needs another scope.'),
  })
  const { code, stdout, stderr } = await carillon(api.url, ['dead-letters', 'replay', ...ids])
  expect(stdout).toBe(`✓ ${uuid(1)} will be sent again\n`)
  expect(stderr).toContain('✗ The API key does not have the required scope: This needs another scope.')
  expect(code).toBe(1)
  expect(api.calls).toHaveLength(2)
})

/** Open letters; after each page, `dying` more are added, like routes that fail again at once. */
function openLetters(size: number, dying = 0) {
  let open = size
  return {
    'POST /v1/dead-letters/replay': ({ input }: { input: unknown }) => {
      const { dry_run, limit = 1000 } = input as { dry_run?: boolean; limit?: number }
      const matched = open
      if (dry_run) return { dry_run, matched, replayed: 0, remaining: open }
      const taken = Math.min(limit, open)
      open += dying - taken
      return { dry_run: false, matched, replayed: taken, remaining: open }
    },
  }
}

test('--all replays in pages, within the filters', async () => {
  const api = await startFakeApi(openLetters(1200))
  const filters = ['--channel', 'email', '--type', 'welcome', '--reason', 'worker_lost']
  const outcome = await carillon(api.url, ['dead-letters', 'replay', '--all', ...filters])
  expect(outcome).toEqual({ code: 0, stdout: '✓ 1200 of 1200 will be sent again\n', stderr: '' })
  const filter = { channel: 'email', notification_type: 'welcome', failure_reason: 'worker_lost' }
  expect(api.calls.map(([, input]) => input)).toEqual([
    { filter, dry_run: true },
    { filter, limit: 500 },
    { filter, limit: 500 },
    { filter, limit: 200 },
  ])
})

test('--all replays the letters of a source, trigger or script', { tags: 'S003-23' }, async () => {
  const api = await startFakeApi(openLetters(3))
  const [trigger_id, script_id] = [uuid(7), uuid(8)]
  const filters = ['--source', 'kv', '--trigger', trigger_id, '--script', script_id]
  const outcome = await carillon(api.url, ['dead-letters', 'replay', '--all', '--dry-run', ...filters])
  expect(outcome).toEqual({ code: 0, stdout: '3 of 3 would be sent again\n', stderr: '' })
  expect(api.calls.map(([, input]) => input)).toEqual([
    { filter: { source: 'kv', trigger_id, script_id }, dry_run: true },
  ])
  const mistake = await carillon(api.url, ['dead-letters', 'replay', uuid(1), '--script', script_id])
  expect(mistake.stderr).toContain('filters need --all')
})

test('--all ends even when every replayed letter dies again at once', async () => {
  const api = await startFakeApi(openLetters(600, 500))
  const { stdout } = await carillon(api.url, ['dead-letters', 'replay', '--all', '--json'])
  expect(JSON.parse(stdout)).toEqual({ dry_run: false, matched: 600, replayed: 600, remaining: 1000 })
})

test('--all --limit replays no more than that', async () => {
  const api = await startFakeApi(openLetters(600))
  const { stdout } = await carillon(api.url, ['dead-letters', 'replay', '--all', '--limit', '50'])
  expect(stdout).toBe('✓ 50 of 600 will be sent again\n')
  expect(api.calls).toHaveLength(2)
})

test('--all --dry-run only counts', async () => {
  const api = await startFakeApi(openLetters(7))
  const outcome = await carillon(api.url, ['dead-letters', 'replay', '--all', '--dry-run'])
  expect(outcome).toEqual({ code: 0, stdout: '7 of 7 would be sent again\n', stderr: '' })
  expect(api.calls).toEqual([['POST /v1/dead-letters/replay', { filter: {}, dry_run: true }]])
})

test('--all shows a progress bar on a terminal', async () => {
  const api = await startFakeApi(openLetters(600))
  const { stdout, stderr } = await carillon(api.url, ['dead-letters', 'replay', '--all'], { columns: 80 })
  expect(stdout).toBe('✓ 600 of 600 will be sent again\n')
  expect(stderr).toContain('Replaying')
})
