import { expect, test } from 'vitest'
import { page, startFakeApi } from './fake-api.fixture.ts'
import { carillon } from './in-process.fixture.ts'
import { aRecord } from './record-rows.fixture.ts'
import { uuid } from './rows.fixture.ts'

const NOWHERE = 'http://127.0.0.1:9'

test.each([
  ['', 'Usage: carillon'],
  ['recrods', "unknown command 'recrods'"],
  ['records --nope', "unknown option '--nope'"],
  ['records shwo', 'too many arguments'],
  ['records show', "missing required argument 'id'"],
  ['records --limit 0', 'Expected a whole number of at least 1.'],
  ['records --url ftp://host', 'The url must start with http:// or https://'],
  ['dead-letters --channel fax', 'Allowed choices are in_app, email'],
  ['dead-letters replay', 'give the ids of dead letters, or --all'],
  [`dead-letters replay ${uuid(1)} --all`, 'give ids or --all, not both'],
  [`dead-letters replay ${uuid(1)} --dry-run`, '--dry-run and filters need --all'],
  ['keys create ci', 'give --scope or --role'],
  ['keys create ci --role king', 'Allowed choices are owner, admin, operator, viewer'],
  [
    'keys create ci --role viewer --scope admin',
    "'--scope <scope...>' cannot be used with option '--role <role>'",
  ],
  ['audit export --format xml', 'Allowed choices are csv, ndjson'],
  ['keys create ci --scope everything', 'Allowed choices are admin'],
  ['system-events resolve seven', 'Expected the number of an event.'],
  ['migrate down --count none', 'Expected a whole number of at least 1.'],
  ['start --roles api,delivry', '"delivry" is not a role; did you mean delivery?'],
  ['start --roles everything', '"everything" is not a role. Roles are api, '],
  ['send welcome', 'say whom to notify with exactly one of --to, --email, --topic and --tenant-wide'],
  ['send welcome --to ada --tenant-wide', 'say whom to notify with exactly one of'],
  ['send welcome --to ada --payload {', 'the payload is not JSON'],
  ['send welcome --to ada --payload []', 'the payload must be a JSON object'],
  ['simulate welcome', 'say whom to notify with exactly one of'],
  ['schedules create Report @daily report', 'say whom to notify with exactly one of'],
  ['schedules create Report @daily', "missing required argument 'type'"],
  ['schedules preview @daily --count 0', 'Expected a whole number of at least 1.'],
  [`schedules change ${uuid(1)}`, 'give --name, --cron or --timezone'],
  ['send welcome --to ada --payload @/nowhere/payload.json', 'the payload cannot be read: ENOENT'],
])('"carillon %s" is a misuse: exit code 2 and the reason on stderr', async (args, reason) => {
  const outcome = await carillon(NOWHERE, args === '' ? [] : args.split(' '))
  expect(outcome.stderr).toContain(reason)
  expect(outcome).toMatchObject({ code: 2, stdout: '' })
})

test.each([['--help'], ['records --help'], ['dead-letters replay --help'], ['--version']])(
  '"carillon %s" answers on stdout and ends with 0',
  async args => {
    const outcome = await carillon(NOWHERE, args.split(' '))
    expect(outcome.stdout).toMatch(args === '--version' ? /^\d+\.\d+\.\d+\n$/ : /^Usage: carillon/)
    expect(outcome).toMatchObject({ code: 0, stderr: '' })
  },
)

test('the help of a command names the global options', async () => {
  const { stdout } = await carillon(NOWHERE, ['records', 'list', '--help'])
  const [, globalOptions = ''] = stdout.split('Global Options:')
  for (const name of ['--url', '--api-key', '--json', '--limit']) expect(globalOptions).toContain(name)
})

test('global options may stand before or after the command, and beat the environment', async () => {
  const api = await startFakeApi({ 'GET /v1/records': () => page([aRecord()]) })
  const options = ['--url', api.url, '--api-key', 'ck_test', '--json']
  const environment = { CARILLON_URL: NOWHERE, CARILLON_API_KEY: 'ck_other' }
  const before = await carillon(NOWHERE, [...options, 'records'], { environment })
  const after = await carillon(NOWHERE, ['records', 'list', ...options], { environment })
  expect(before).toEqual({ code: 0, stdout: `${JSON.stringify([aRecord()], null, 2)}\n`, stderr: '' })
  expect(after).toEqual(before)
})

test('colours are for terminals: none in a pipe, none in JSON', async () => {
  const api = await startFakeApi({ [`POST /v1/records/${uuid(1)}/cancel`]: () => ({ cancelled: 1 }) })
  const cancel = ['records', 'cancel', uuid(1)]
  expect((await carillon(api.url, cancel, { columns: 80, color: true })).stdout).toContain('\u001b[32m✓')
  expect((await carillon(api.url, cancel)).stdout).not.toContain('\u001b')
  expect((await carillon(api.url, [...cancel, '--json'], { columns: 80, color: true })).stdout).not.toContain(
    '\u001b',
  )
})

test('check-config shows every setting, secrets hidden', async () => {
  const environment = { PORT: '9000', DATABASE_URL: 'postgres://user:hunter2@db/carillon' }
  const { code, stdout, stderr } = await carillon(NOWHERE, ['check-config', '--json'], { environment })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const settings = JSON.parse(stdout)
  expect(settings).toContainEqual(expect.objectContaining({ name: 'PORT', value: '9000', is_default: false }))
  expect(settings).toContainEqual(expect.objectContaining({ name: 'DATABASE_URL', value: '(hidden)' }))

  const table = await carillon(NOWHERE, ['check-config'], { environment })
  expect(table.stdout).toMatch(/^PORT +9000 +environment +Port of the API/m)
  expect(table.stdout + stdout).not.toContain('hunter2')
  expect(table.stderr).toBe('The settings are valid.\n')
})

test('check-config lists everything that is wrong, one line each', async () => {
  const environment = { PORT: 'many', CARILLON_LOG_LEVLE: 'info' }
  const outcome = await carillon(NOWHERE, ['check-config'], { environment })
  expect(outcome).toEqual({
    code: 1,
    stdout: '',
    stderr: `✗ Carillon cannot start with these settings:
  - CARILLON_LOG_LEVLE is not a setting; did you mean CARILLON_LOG_LEVEL?
  - PORT: Expected a whole number from 0 to 65535. Got "many".
`,
  })
})
