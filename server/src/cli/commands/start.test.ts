import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Role } from '../../platform/config/settings.ts'
import { type FakeTerminal, fakeTerminal, type TerminalOptions } from '../in-process.fixture.ts'
import { createPrinter } from '../output/printer.ts'
import { type RunningCarillon, runUntilStopped, type StartCarillon } from './start.ts'

const CURL = `curl -sS http://127.0.0.1:8420/v1/intents -H "Authorization: Bearer KEY" -H "Content-Type: application/json" -d '{"notification_type":"welcome","audience":{"kind":"addresses","channel":"email","addresses":["ada@example.com"]},"payload":{"title":"Hello Ada","body":"Your first notification."}}'`

interface Setup extends TerminalOptions {
  running?: Partial<RunningCarillon>
  roles?: Role[]
  json?: boolean
  /** The key that an earlier start stored in the data folder. */
  storedKey?: string
  start?: StartCarillon
}

/** Starts a fake Carillon. `end` resolves to the exit code when the command is done. */
function start(setup: Setup = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'carillon-start-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  if (setup.storedKey !== undefined) writeFileSync(join(dataDir, 'api-key'), `${setup.storedKey}\n`)
  const terminal = fakeTerminal({
    columns: 100,
    ...setup,
    environment: { CARILLON_DATA_DIR: dataDir, ...setup.environment },
  })
  const events: string[] = []
  let exitCode = 0
  const running: RunningCarillon = {
    url: 'http://127.0.0.1:8420',
    healthUrl: undefined,
    firstKey: undefined,
    databaseNote: 'embedded PostgreSQL in ./data',
    playgroundUrl: 'http://127.0.0.1:8420/playground#token',
    dashboardUrl: 'http://127.0.0.1:8420/dashboard/#link=once',
    failed: new Promise(() => {}),
    stop: async () => void events.push('stopped'),
    ...setup.running,
  }
  const startCarillon: StartCarillon = async options => {
    events.push(`started ${options.roles.join(',')}`)
    options.log.info('hello')
    options.log.warn('careful')
    return setup.start === undefined ? running : setup.start(options)
  }
  const invocation = {
    print: createPrinter(terminal, setup.json === true),
    terminal,
    limit: undefined,
    connect: () => expect.fail('start needs no client'),
    addressOf: () => expect.fail('start needs no client'),
    endWithFailure: () => {
      exitCode = 1
    },
  }
  const end = runUntilStopped(invocation, setup.roles, startCarillon).then(() => exitCode)
  return { terminal, events, end, dataDir }
}

async function untilBanner(terminal: FakeTerminal): Promise<string> {
  const banner = () =>
    [terminal.written.stdout, terminal.written.stderr].find(text => text.includes('is running'))
  await expect.poll(banner).toBeDefined()
  return banner()!
}

test('the first start shows where it is, the key with its file, and lines that work when pasted', async () => {
  const { terminal, end, events, dataDir } = start({ running: { firstKey: 'ck_first' } })
  expect(await untilBanner(terminal)).toBe(`
✓ Carillon is running (api, ingest, delivery, fanout, dispatch, maintenance)

  Try it    http://127.0.0.1:8420/playground#token
  Dashboard http://127.0.0.1:8420/dashboard/#link=once
  API       http://127.0.0.1:8420
  Docs      http://127.0.0.1:8420/docs
  Database  embedded PostgreSQL in ./data
  API key   ck_first  (stored in ${join(dataDir, 'api-key')})

Send your first notification:
${CURL.replace('KEY', 'ck_first')}

See what was sent, or use the notification_id from the answer to see how it came about:
curl -sS http://127.0.0.1:8420/v1/captured-messages -H "Authorization: Bearer ck_first"
npx carillon explain <notification_id>

`)
  terminal.signal('SIGTERM')
  expect(await end).toBe(0)
  expect(events).toEqual(['started api,ingest,delivery,fanout,dispatch,maintenance', 'stopped'])
})

test.each([
  ['a stored key, on a terminal', { storedKey: 'ck_stored' }, 'ck_stored'],
  ['no stored key', {}, '$CARILLON_API_KEY'],
])('a later start with %s', async (_, setup, key) => {
  const { terminal, end } = start(setup)
  const banner = await untilBanner(terminal)
  expect(banner).toContain(CURL.replace('KEY', key))
  expect(banner).not.toContain('API key ')
  terminal.signal('SIGINT')
  await end
})

test('without a terminal stdout is the log, and the stored key appears neither there nor on stderr', async () => {
  const { terminal, end, dataDir } = start({ storedKey: 'ck_stored', columns: undefined } as Setup)
  const banner = await untilBanner(terminal)
  expect(banner).toContain(CURL.replace('KEY', `$(cat '${join(dataDir, 'api-key')}')`))
  expect(banner).not.toContain('ck_stored')
  const lines = terminal.written.stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(lines).toMatchObject([
    { level: 30, msg: 'hello' },
    { level: 40, msg: 'careful' },
  ])
  terminal.signal('SIGTERM')
  await end
})

test.each([false, true])(
  'without a terminal the first key is shown to nobody, only its file (json: %s)',
  async json => {
    const running = { firstKey: 'ck_first' }
    const { terminal, end, dataDir } = start({ running, json, columns: undefined } as Setup)
    const { written } = terminal
    await expect.poll(() => written.stdout + written.stderr).toContain(join(dataDir, 'api-key'))
    expect(written.stdout + written.stderr).not.toMatch(/ck_first|#token|#link/)
    terminal.signal('SIGTERM')
    await end
  },
)

test.each([
  ['only warnings', {}, ['careful']],
  ['what the chosen level says', { CARILLON_LOG_LEVEL: 'info' }, ['hello', 'careful']],
])('on a terminal the log goes to stderr with %s', async (_, environment, messages) => {
  const { terminal, end } = start({ environment })
  await untilBanner(terminal)
  const lines = terminal.written.stderr
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line).msg)
  expect(lines).toEqual(messages)
  terminal.signal('SIGTERM')
  await end
})

test.each([
  ['where it is switched off', { CARILLON_PLAYGROUND: 'off' }, undefined],
  ['with a database elsewhere', { DATABASE_URL: 'postgres://db/carillon' }, undefined],
  [
    'with both, if it is switched on',
    { DATABASE_URL: 'postgres://db/x', CARILLON_PLAYGROUND: 'on' },
    '#token',
  ],
])('the playground %s', async (_, environment, expected) => {
  const { terminal, end } = start({ environment })
  expect(/#token/.exec(await untilBanner(terminal))?.[0]).toBe(expected)
  terminal.signal('SIGTERM')
  await end
})

test('without a terminal the banner has only the command that prints a link to the playground', async () => {
  const { terminal, end } = start({ columns: undefined } as Setup)
  const banner = await untilBanner(terminal)
  expect(banner).toContain('npx carillon playground')
  expect(banner).not.toContain('#token')
  terminal.signal('SIGTERM')
  await end
})

test.each([
  ['a link for the first owner', 'http://c.test/dashboard/#link=once', /accounts link/],
  ['its address, once somebody has an account', 'http://c.test/dashboard/', /dashboard\/$/m],
])(
  'without a terminal the banner shows of the dashboard %s without the link',
  async (_, dashboardUrl, line) => {
    const { terminal, end } = start({ columns: undefined, running: { dashboardUrl } } as Setup)
    const banner = await untilBanner(terminal)
    expect(banner).toMatch(line)
    expect(banner).not.toContain('#link')
    terminal.signal('SIGTERM')
    await end
  },
)

test('a process without the API shows only where to ask for its health', async () => {
  const { terminal, end } = start({
    running: { url: undefined, dashboardUrl: undefined, healthUrl: 'http://127.0.0.1:8421' },
    roles: ['delivery'],
  })
  const banner = await untilBanner(terminal)
  expect(banner).toBe(`
✓ Carillon is running (delivery)

  Health    http://127.0.0.1:8421/readyz
  Database  embedded PostgreSQL in ./data

`)
  terminal.signal('SIGTERM')
  await end
})

test('--json writes one document instead of the banner', async () => {
  const { terminal, end, dataDir } = start({ json: true, running: { firstKey: 'ck_first' }, roles: ['api'] })
  await expect.poll(() => terminal.written.stdout).not.toBe('')
  expect(JSON.parse(terminal.written.stdout)).toEqual({
    url: 'http://127.0.0.1:8420',
    playground_url: 'http://127.0.0.1:8420/playground#token',
    dashboard_url: 'http://127.0.0.1:8420/dashboard/#link=once',
    docs_url: 'http://127.0.0.1:8420/docs',
    health_url: 'http://127.0.0.1:8420',
    first_api_key: 'ck_first',
    first_api_key_file: join(dataDir, 'api-key'),
    roles: ['api'],
  })
  terminal.signal('SIGTERM')
  await end
})

test('a second interrupt ends the process at once; a repeat of the same key press does not', async () => {
  const { terminal, end } = start({ running: { stop: () => new Promise(() => {}) } })
  await untilBanner(terminal)
  terminal.signal('SIGINT')
  expect(terminal.written.stderr).toContain('Stopping: finishing what is in flight …\n')
  terminal.clock.ms += 20
  terminal.signal('SIGINT')
  expect(terminal.exits).toEqual([])
  terminal.clock.ms += 1000
  terminal.signal('SIGTERM')
  expect(terminal.exits).toEqual([])
  terminal.signal('SIGINT')
  expect(terminal.exits).toEqual([130])
  void end
})

test('an interrupt while starting stops as soon as the start is complete', async () => {
  let finishStart: (running: RunningCarillon) => void = () => {}
  const stops: string[] = []
  const { terminal, end } = start({
    start: () =>
      new Promise(resolve => {
        finishStart = resolve
      }),
  })
  await expect.poll(() => terminal.written.stderr).toContain('careful')
  terminal.signal('SIGINT')
  finishStart({
    url: undefined,
    healthUrl: undefined,
    firstKey: undefined,
    databaseNote: '',
    playgroundUrl: undefined,
    dashboardUrl: undefined,
    failed: new Promise(() => {}),
    stop: async () => void stops.push('stopped'),
  })
  expect(await end).toBe(0)
  expect(stops).toEqual(['stopped'])
  expect(terminal.written.stdout).toBe('')
})

test('a part that fails ends the process with 1 after the others have stopped', async () => {
  const { terminal, end, events } = start({
    running: { failed: Promise.resolve(new Error('the disk is full')) },
  })
  expect(await end).toBe(1)
  expect(terminal.written.stderr).toContain('✗ Carillon cannot continue: the disk is full\n')
  expect(events.at(-1)).toBe('stopped')
})
