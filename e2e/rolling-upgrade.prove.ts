/** Old and new processes run beside each other on one database, under load; this tree is the old version. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest'
import { freePort } from '../server/test/free-port.ts'
import { ownRelease, readOwn, type VersionChanges } from '../server/test/version-folder.ts'
import { waitFor } from '../server/test/wait-for.ts'
import { makeFurtherVersion } from './further-version.fixture.ts'
import { useProcesses } from './processes.fixture.ts'
import { type SteadyLoad, startLoad } from './steady-load.fixture.ts'

// Whole processes start in every test, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 90_000 })

const ALL = 'api,delivery,fanout,dispatch,maintenance'
const MORE_INTENTS = 50

const processes = useProcesses(receiver => ({
  CARILLON_PROVIDERS: 'sms=http',
  CARILLON_HTTP_PROVIDER_URL: receiver.url,
}))
const role = `shop_${randomBytes(4).toString('hex')}`
let application: pg.Client
let load: SteadyLoad | undefined

beforeEach(async () => {
  const { pool, url } = processes.database
  await pool.query(`create role ${role} login password 'secret'`)
  await pool.query(`grant usage on schema carillon to ${role}`)
  await pool.query(`grant execute on function carillon.notify(jsonb) to ${role}`)
  application = new pg.Client(Object.assign(new URL(url), { username: role, password: 'secret' }).href)
  await application.connect()
})
afterEach(async () => {
  await load?.stop()
  await application.end()
  await processes.database.pool.query(`drop owned by ${role}`)
  await processes.database.pool.query(`drop role ${role}`)
})

/** Has a new table, a new column in a busy one, and functions that write it and call each other differently. */
function theNextVersion(changes: VersionChanges = {}): string {
  const notify = readOwn('functions/intents/notify.sql')
  const withPayload = readOwn('functions/intents/notify_with_payload.sql')
  const accept = readOwn('functions/intents/accept_intents.sql')
  return makeFurtherVersion(inject('scratchDir'), {
    ...changes,
    files: {
      'migrations/9000_moods.sql': `-- Up Migration
create table moods (tenant_id uuid not null, mood text not null);
alter table records add column mood text not null default 'of the old version';
alter table records_archive add column mood text not null default 'of the old version';
-- Down Migration
alter table records_archive drop column mood;
alter table records drop column mood;
drop table moods;
`,
      'functions/intents/accept_intents.sql': accept
        .replace('reason, template, options,', 'reason, template, mood, options,')
        .replace("else '' end), c.template,\n", "else '' end), c.template, 'of the new version',\n"),
      'functions/intents/notify.sql': notify.replaceAll('notify_with_payload', 'notify_by_document'),
      'functions/intents/notify_with_payload.sql': null,
      'functions/intents/notify_by_document.sql': withPayload.replace(
        'notify_with_payload',
        'notify_by_document',
      ),
    },
  })
}

const anSms = (number: number) => ({
  notification_type: 'code',
  idempotency_key: `rolling-${number}`,
  producer: 'load',
  audience: { kind: 'addresses', channel: 'sms', addresses: ['+4915100000000'] },
  payload: { body: `Your code is ${number}.` },
})

async function moods(): Promise<Record<string, number>> {
  const { rows } = await processes.database.pool.query(
    'select mood, count(*)::integer as count from records group by mood',
  )
  return Object.fromEntries(rows.map(row => [row.mood, row.count]))
}

async function newestRelease(): Promise<number> {
  return (await processes.database.pool.query('select max(number) as number from releases')).rows[0].number
}

test('a rolling upgrade loses nothing, fails nobody, and an old process that comes back leaves the new functions alone', async () => {
  const old = processes.url
  const first = await processes.start(ALL)
  await first.ready(old)
  load = startLoad({ apiKey: processes.apiKey(), application, intent: anSms })
  load.putInService(old)
  await load.waitForMore(old, MORE_INTENTS)

  // The new one migrates while the old one works, and the old one continues afterwards.
  const port = String(await freePort())
  const next = `http://127.0.0.1:${port}`
  const newer = await processes.start(ALL, { PORT: port }, theNextVersion())
  await newer.ready(next)
  await load.waitForMore(old, MORE_INTENTS)
  load.putInService(next)
  await load.waitForMore(next, MORE_INTENTS)

  // The old one is restarted beside the new one.
  await load.takeOutOfService(old)
  expect((await first.end('SIGTERM')).code).toBe(0)
  const again = await processes.start(ALL)
  await again.ready(old)
  load.putInService(old)
  await load.waitForMore(old, MORE_INTENTS)
  await load.stop()

  expect(load.failures).toEqual([])
  expect(await newestRelease()).toBe(ownRelease().number + 1)
  const { rows } = await application.query('select carillon.notify($1::jsonb) as id', [anSms(0)])
  const ids = [...load.accepted, rows[0].id]
  const seen = await moods()
  expect(Object.keys(seen).sort()).toEqual(['of the new version', 'of the old version'])
  expect(Object.values(seen).reduce((sum, count) => sum + count)).toBe(ids.length)
  const last = await processes.database.pool.query('select mood from records where notification_id = $1', [
    rows[0].id,
  ])
  expect(last.rows[0].mood).toBe('of the new version')

  await waitFor(async () => (await sent()) === ids.length, { what: 'every message', deadlineMs: 60_000 })
  const received = processes.receiver.requests.map(request => request.headers['idempotency-key'])
  expect(new Set(received).size).toBe(ids.length)
  for (const { stdout } of [first, newer, again]) expect(stdout).not.toContain('a round failed')
})

test('an old process refuses to come back beside a version it cannot work with, and leaves it alone', async () => {
  const { number } = ownRelease()
  const port = String(await freePort())
  const newer = await processes.start(ALL, { PORT: port }, theNextVersion({ isCompatible: false, ahead: 2 }))
  await newer.ready(`http://127.0.0.1:${port}`)
  await expect(processes.start(ALL)).rejects.toThrow(
    `It is at release ${number + 2}, which works with processes of release ${number + 2} and newer; this one is release ${number}. Start that version, or go back with its "carillon migrate down".`,
  )
  expect(await newestRelease()).toBe(number + 2)
  const { rows } = await application.query('select carillon.notify($1::jsonb) as id', [
    { ...anSms(1), idempotency_key: 'beside an incompatible one' },
  ])
  await waitFor(
    async () =>
      (
        await processes.database.pool.query('select status from routes where notification_id = $1', [
          rows[0].id,
        ])
      ).rows[0]?.status === 'sent',
    { what: 'the new version to deliver' },
  )
})

async function sent(): Promise<number> {
  const { rows } = await processes.database.pool.query(
    `select count(*)::integer as count from routes where status = 'sent'`,
  )
  return rows[0].count
}
