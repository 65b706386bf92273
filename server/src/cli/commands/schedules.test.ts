import { expect, test } from 'vitest'
import { aSchedule } from '../automation-rows.fixture.ts'
import { page, problem, startFakeApi } from '../fake-api.fixture.ts'
import { carillon } from '../in-process.fixture.ts'
import { uuid } from '../rows.fixture.ts'

const one = `/v1/schedules/${uuid(9)}`
const runs = [
  { at: '2026-02-02T08:00:00Z', local: '2026-02-02T09:00:00+01:00' },
  { at: '2026-02-09T08:00:00Z', local: '2026-02-09T09:00:00+01:00' },
]

test('schedules shows when each runs next, and which are paused or failed', async () => {
  const rows = [
    aSchedule(),
    aSchedule({
      id: uuid(8),
      name: 'Greeting',
      cron: '@daily',
      timezone: 'UTC',
      is_active: false,
      next_run_at: null,
    }),
    aSchedule({ id: uuid(7), name: 'Old', last_error: 'There is no user "bob".' }),
  ]
  const api = await startFakeApi({ 'GET /v1/schedules': () => page(rows) })
  const { stdout, code } = await carillon(api.url, ['schedules', '--limit', '3'])
  expect(code).toBe(0)
  expect(
    stdout,
  ).toBe(`id                                    name           cron       timezone       type    next run              state
0198c0de-0000-7000-8000-000000000009  Weekly report  0 9 * * 1  Europe/Berlin  report  2026-02-02 08:00:00Z  active
0198c0de-0000-7000-8000-000000000008  Greeting       @daily     UTC            report                        paused
0198c0de-0000-7000-8000-000000000007  Old            0 9 * * 1  Europe/Berlin  report  2026-02-02 08:00:00Z  active, last run failed
`)
  expect(JSON.parse((await carillon(api.url, ['schedules', 'list', '--json'])).stdout)).toEqual(rows)
  const none = await startFakeApi({ 'GET /v1/schedules': () => page([]) })
  expect((await carillon(none.url, ['schedules'])).stderr).toBe('No schedules.\n')
})

test('schedules create stores the intent of its arguments with its times', async () => {
  const api = await startFakeApi({ 'POST /v1/schedules': () => ({ status: 201, body: aSchedule() }) })
  const create = ['schedules', 'create', 'Weekly report', '0 9 * * 1', 'report', '--topic', 'sales']
  const outcome = await carillon(api.url, [...create, '--timezone', 'Europe/Berlin', '--payload', '{"n":1}'])
  expect(outcome).toEqual({
    code: 0,
    stdout: `${uuid(9)}\n`,
    stderr: `It runs next at 2026-02-02 08:00:00Z. For details: carillon schedules show ${uuid(9)}\n`,
  })
  await carillon(api.url, [...create, '--paused'])
  const intent = { notification_type: 'report', audience: { kind: 'topic', topic: 'sales' }, payload: {} }
  const schedule = { name: 'Weekly report', cron: '0 9 * * 1', intent }
  expect(api.calls.map(([, input]) => input)).toEqual([
    { ...schedule, timezone: 'Europe/Berlin', intent: { ...intent, payload: { n: 1 } }, is_active: true },
    { ...schedule, is_active: false },
  ])
})

test('schedules create says what is wrong with the expression', async () => {
  const api = await startFakeApi({
    'POST /v1/schedules': () => problem('invalid_request', 'cron: There is no minute 61.'),
  })
  const args = ['schedules', 'create', 'x', '61 * * * *', 'report', '--tenant-wide']
  const { code, stderr } = await carillon(api.url, args)
  expect(code).toBe(1)
  expect(stderr).toContain('There is no minute 61.')
})

test('schedules show has what is sent, and the next runs in UTC and local time', async () => {
  const schedule = aSchedule({ last_run_at: '2026-01-26T08:00:00Z', last_notification_id: uuid(1) })
  Object.assign(schedule.intent, { channels: ['email'], template: 'summary' })
  const api = await startFakeApi({ [`GET ${one}`]: () => schedule, [`GET ${one}/preview`]: () => ({ runs }) })
  const { stdout } = await carillon(api.url, ['schedules', 'show', uuid(9)])
  expect(stdout).toBe(`id         0198c0de-0000-7000-8000-000000000009
name       Weekly report
cron       0 9 * * 1
timezone   Europe/Berlin
state      active
type       report
audience   {"kind":"topic","topic":"sales"}
channels   email
template   summary
payload    {}
last run   2026-01-26 08:00:00Z
last sent  0198c0de-0000-7000-8000-000000000001

at                    local time
2026-02-02 08:00:00Z  2026-02-02T09:00:00+01:00
2026-02-09 08:00:00Z  2026-02-09T09:00:00+01:00
`)
  const { stdout: json } = await carillon(api.url, ['schedules', 'show', uuid(9), '--json'])
  expect(JSON.parse(json)).toEqual({ ...schedule, next_runs: runs })
})

test('a paused schedule has no next runs to show', async () => {
  const api = await startFakeApi({ [`GET ${one}`]: () => aSchedule({ is_active: false, next_run_at: null }) })
  expect((await carillon(api.url, ['schedules', 'show', uuid(9)])).stdout).toMatch(/state +paused/)
  expect(api.calls).toHaveLength(1)
})

test('schedules preview shows the runs of an expression before anything is saved', async () => {
  const api = await startFakeApi({ 'GET /v1/schedules/preview': () => ({ runs }) })
  const args = ['schedules', 'preview', '0 9 * * 1', '--timezone', 'Europe/Berlin', '--count', '2']
  expect((await carillon(api.url, args)).stdout).toContain(
    '2026-02-09 08:00:00Z  2026-02-09T09:00:00+01:00\n',
  )
  expect(api.calls).toEqual([
    ['GET /v1/schedules/preview', { cron: '0 9 * * 1', timezone: 'Europe/Berlin', count: '2' }],
  ])
})

test.each([
  ['pause', { is_active: false }, `✓ ${uuid(9)} paused\n`],
  ['resume', { is_active: true }, `✓ ${uuid(9)} runs next at 2026-02-02 08:00:00Z\n`],
  [
    'change --cron @daily --timezone UTC',
    { cron: '@daily', timezone: 'UTC' },
    `✓ ${uuid(9)} changed; runs next at 2026-02-02 08:00:00Z\n`,
  ],
])('schedules %s', async (args, changes, stdout) => {
  const [command, ...options] = args.split(' ')
  const api = await startFakeApi({
    [`PATCH ${one}`]: () =>
      aSchedule('is_active' in changes && !changes.is_active ? { next_run_at: null } : {}),
  })
  const outcome = await carillon(api.url, ['schedules', command!, uuid(9), ...options])
  expect(outcome).toEqual({ code: 0, stdout, stderr: '' })
  expect(api.calls).toEqual([[`PATCH ${one}`, changes]])
})

test('schedules delete', async () => {
  const api = await startFakeApi({ [`DELETE ${one}`]: () => ({ status: 204 }) })
  const { stdout } = await carillon(api.url, ['schedules', 'delete', uuid(9)])
  expect(stdout).toBe(`✓ ${uuid(9)} deleted\n`)
})
