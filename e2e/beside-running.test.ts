/** Commands that need the database, beside the Carillon that runs on the embedded one, and without it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createClient, verifyWebhook } from '@carillon/sdk'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { freePort } from '../server/test/free-port.ts'
import { type HttpReceiver, startHttpReceiver } from '../server/test/receivers/http-receiver.ts'
import { waitFor } from '../server/test/wait-for.ts'
import { type CarillonProcess, runCarillon, type Settings } from './carillon-process.ts'
import { type DataFolder, makeDataFolder } from './data-folder.ts'

// Whole processes start in every test, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 })

let folder: DataFolder
let receiver: HttpReceiver
let port: number
let running: CarillonProcess | undefined

beforeAll(async () => {
  folder = makeDataFolder(inject('scratchDir'))
  receiver = await startHttpReceiver()
  port = await freePort()
})
afterAll(async () => {
  await running?.end('SIGTERM')
  await receiver.stop()
  await folder.remove()
})

async function start(more: Settings = {}): Promise<CarillonProcess> {
  running = runCarillon(['start'], {
    PORT: String(port),
    CARILLON_DATA_DIR: folder.path,
    CARILLON_ALLOWED_NETWORKS: '127.0.0.0/8',
    ...more,
  })
  await running.announced()
  return running
}

/** The tests follow one instance, and each goes on with the process that the one before left. */
async function keepRunning(): Promise<CarillonProcess> {
  return running !== undefined && running.ended === undefined ? running : start()
}

/** Runs a command that knows only the data folder. */
async function command(args: string[], settings: Settings = {}) {
  const process = runCarillon(args, { CARILLON_DATA_DIR: folder.path, ...settings })
  const { code } = await process.exited
  return { code, stdout: process.stdout, stderr: process.stderr }
}
const client = () => createClient({ url: `http://127.0.0.1:${port}`, apiKey: folder.apiKey() })

test('commands find the running one by its data folder: its database, and its address', async () => {
  const carillon = await keepRunning()
  expect(await command(['migrate', 'status'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/✓ release/),
  })
  expect(await command(['migrate', 'up'])).toMatchObject({ code: 0, stderr: 'The database is up to date.\n' })
  const { code, stdout } = await command(['api-keys', 'recover'])
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^ck_\S+\n$/)])
  const recovered = createClient({ url: `http://127.0.0.1:${port}`, apiKey: stdout.trim() })
  expect((await recovered.tenants.list()).data).toHaveLength(1)
  expect(await command(['tenants', 'list'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('default'),
  })
  expect(carillon.ended).toBeUndefined()
})

test('psql gets statements, with or without psql on the machine, and never the password as an argument', async () => {
  await keepRunning()
  const PATH = join(folder.path, 'bin')
  mkdirSync(PATH, { recursive: true })
  const statement = ['psql', '-c', 'select name from carillon.tenants']
  expect(await command(statement, { PATH })).toMatchObject({ code: 0, stdout: 'name\ndefault\n' })
  expect(await command(['psql', '-c', 'selec'], { PATH })).toMatchObject({ code: 1, stderr: /syntax error/ })
  // A stand-in for psql, which not every machine has.
  const shown = 'echo "$*"; echo "$PGUSER $PGHOST:$PGPORT/$PGDATABASE $PGPASSWORD"; exit 3'
  writeFileSync(join(PATH, 'psql'), `#!/bin/sh\n${shown}\n`, { mode: 0o755 })
  const password = readFileSync(join(folder.path, 'postgres-owner-password'), 'utf8').trim()
  const databasePort = readFileSync(join(folder.path, 'postgres-port'), 'utf8').trim()
  expect(await command(statement, { PATH: [PATH, process.env.PATH].join(delimiter) })).toMatchObject({
    code: 1,
    stdout: `-c select name from carillon.tenants\ncarillon_owner 127.0.0.1:${databasePort}/carillon ${password}\n`,
  })
})

test('after a kill -9 the address counts for nothing, and a command starts the database for itself', async () => {
  const killed = await keepRunning()
  await killed.end('SIGKILL')
  expect(existsSync(join(folder.path, 'running.json'))).toBe(true)
  const { stderr } = await command(['tenants', 'list'], { PORT: '1' })
  expect(stderr).toContain('http://127.0.0.1:1')
  expect(await command(['migrate', 'status'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/✓ release/),
  })
  expect(folder.postmaster()).toBeUndefined()
  await start()
  expect((await client().tenants.list()).data).toHaveLength(1)
})

test('a process at work learns the new master key, and nothing is lost', async () => {
  await keepRunning()
  await client().providers.create(provider('before'))
  const webhook = await client().webhooks.create({
    url: `${receiver.url}/hook`,
    events: ['notification.sent'],
  })
  await expectSms('with the old key')

  const before = readFileSync(join(folder.path, 'master-key'), 'utf8').trim()
  const { code, stdout } = await command(['api-keys', 'rotate-master'])
  expect([code, stdout]).toEqual([0, expect.stringContaining('2 secrets are now encrypted with key')])
  expect(readFileSync(join(folder.path, 'master-key'), 'utf8')).not.toMatch(new RegExp(`^${before}$`, 'm'))

  await expectSms('with the new key')
  const events = () => receiver.requests.filter(({ path }) => path.endsWith('/hook'))
  await waitFor(async () => events().length >= 2, { what: 'events signed with the secret of the webhook' })
  for (const { headers, body } of events()) await verifyWebhook(headers, body, webhook.secret)
  // What the process encrypts now has to be readable after its end, when the old key is gone.
  await client().providers.create({ ...provider('after'), priority: -1 })
  await running!.end('SIGTERM')
  await start()
  const { data } = await client().providers.list()
  expect(data.map(({ has_secrets }) => has_secrets)).toEqual([['headers'], ['headers']])
  await expectSms('after a restart')
})

test('a key that the running one does not have is refused, and nothing changes', async () => {
  const old = readFileSync(join(folder.path, 'master-key'), 'utf8').split('\n')[0]!
  const keys = `${Buffer.alloc(32, 9).toString('base64')},${old}`
  await keepRunning()
  const refused = await command(['api-keys', 'rotate-master'], { CARILLON_MASTER_KEY: keys })
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/process \d+\) does not have the key/),
  })
  await expectSms('still')
  await running!.end('SIGTERM')
  await start({ CARILLON_MASTER_KEY: keys })
  const done = await command(['api-keys', 'rotate-master'], { CARILLON_MASTER_KEY: keys })
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('3 secrets') })
  await expectSms('and with the key of the setting')
})

function provider(name: string) {
  return {
    name,
    kind: 'http' as const,
    channel: 'sms' as const,
    config: { url: `${receiver.url}/sms` },
    secrets: { headers: { 'x-token': 'let-me-in' } },
  }
}

async function expectSms(title: string): Promise<void> {
  await client().intents.send({
    notification_type: 'code',
    audience: { kind: 'addresses', channel: 'sms', addresses: ['+41790000000'] },
    payload: { title },
  })
  const sms = await waitFor(
    async () => receiver.requests.find(({ body }) => body.toString().includes(title)),
    {
      what: `the message "${title}"`,
    },
  )
  expect(sms.headers['x-token']).toBe('let-me-in')
}
