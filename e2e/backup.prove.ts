/** A machine is lost: what the backup and the archive of the log give back, and what is not sent a second time. */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, createInboxClient } from '@carillon/sdk'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { freePort } from '../server/test/free-port.ts'
import { type HttpReceiver, startHttpReceiver } from '../server/test/receivers/http-receiver.ts'
import { waitFor } from '../server/test/wait-for.ts'
import { type CarillonProcess, runCarillon } from './carillon-process.ts'
import { type DataFolder, makeDataFolder } from './data-folder.ts'

// Whole processes start here, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 90_000 })

let lost: DataFolder
let restored: DataFolder
let receiver: HttpReceiver
let port: number
let running: CarillonProcess | undefined
let isAccepting = true

beforeAll(async () => {
  lost = makeDataFolder(inject('scratchDir'))
  restored = makeDataFolder(inject('scratchDir'))
  receiver = await startHttpReceiver()
  receiver.answerWith(() => ({ status: isAccepting ? 200 : 503 }))
  port = await freePort()
})
afterAll(async () => {
  await running?.end('SIGTERM')
  await receiver.stop()
  await lost.remove()
  await restored.remove()
})

const backups = () => join(lost.path, '..', 'backups')
/** Those that are complete. */
const made = () =>
  existsSync(join(backups(), 'base'))
    ? readdirSync(join(backups(), 'base')).filter(name => !name.endsWith('.unfinished'))
    : []
const settingsOf = (folder: DataFolder) => ({
  CARILLON_DATA_DIR: folder.path,
  CARILLON_BACKUP_DIR: backups(),
  CARILLON_BACKUP_PASSPHRASE: 'kept somewhere else',
})
const client = (folder: DataFolder) =>
  createClient({ url: `http://127.0.0.1:${port}`, apiKey: folder.apiKey() })

async function start(folder: DataFolder): Promise<void> {
  running = runCarillon(['start'], {
    PORT: String(port),
    CARILLON_ALLOWED_NETWORKS: '127.0.0.0/8',
    ...settingsOf(folder),
  })
  await running.announced()
}
async function command(args: string[], folder: DataFolder) {
  const process = runCarillon([...args, '--json'], settingsOf(folder))
  const { code } = await process.exited
  expect([code, process.stderr]).toEqual([0, expect.anything()])
  return JSON.parse(process.stdout)
}
const received = (title: string) =>
  receiver.requests.filter(({ body }) => body.toString().includes(title)).length
const send = async (folder: DataFolder, title: string) =>
  (
    await client(folder).intents.send({
      notification_type: 'code',
      audience: { kind: 'addresses', channel: 'sms', addresses: ['+41790000000'] },
      payload: { title },
    })
  ).notification_id
const sms = async (folder: DataFolder, id: string) => (await client(folder).records.routes(id)).data[0]!

test('a restore loses exactly what came after it, and nothing is sent twice', {
  tags: 'S002-31',
}, async () => {
  await start(lost)
  await client(lost).providers.create({
    name: 'sms',
    kind: 'http',
    channel: 'sms',
    config: { url: `${receiver.url}/sms` },
    secrets: { headers: { 'x-token': 'let-me-in' } },
  })
  await client(lost).tenant.update({ retry_base_ms: 100, retry_cap_ms: 1000 })
  await client(lost).users.put('ada', { locale: 'en' })
  const { token } = await client(lost).userTokens.create('ada')
  // A process that is told where backups go makes the first one by itself.
  await waitFor(async () => made().length === 1, { what: 'the first backup' })
  expect((await command(['backup'], lost)).deleted.backups).toEqual([])

  const sent = await send(lost, 'first')
  await waitFor(async () => (await sms(lost, sent)).status === 'sent', { what: 'the first message' })
  isAccepting = false
  const open = await send(lost, 'second')
  await waitFor(async () => (await sms(lost, open)).status === 'retrying', { what: 'a failure' })
  const point = await clockOf(lost)
  isAccepting = true
  await waitFor(async () => (await sms(lost, open)).status === 'sent', { what: 'the second message' })
  const after = await send(lost, 'third')
  await waitFor(async () => (await sms(lost, after)).status === 'sent', { what: 'the third message' })
  const before = ['first', 'second', 'third'].map(received)
  await running!.end('SIGTERM')

  rmSync(restored.path, { recursive: true, force: true })
  const { work } = await command(['restore', '--to', point.toISOString(), '--data-dir', restored.path], lost)
  expect(work.routes).toEqual({ sms: 1 })

  await start(restored)
  expect((await sms(restored, sent)).status).toBe('sent')
  expect((await sms(restored, open)).status).toBe('retrying')
  await expect(client(restored).records.get(after)).rejects.toMatchObject({ status: 404 })
  const events = await client(restored).systemEvents.list({ event_type: 'instance_restored' })
  expect(events.data).toMatchObject([{ severity: 'critical', is_resolved: false }])
  // The token was signed by the instance that is gone.
  const inbox = createInboxClient({ url: `http://127.0.0.1:${port}`, token })
  expect((await inbox.unreadCount()).unread).toBe(0)
  const fresh = await send(restored, 'fourth')
  expect((await command(['restore', 'status'], restored)).work.routes).toEqual({ sms: 1 })
  await command(['restore', 'discard'], restored)
  await waitFor(async () => (await sms(restored, fresh)).status === 'sent', { what: 'the fourth message' })
  expect(await sms(restored, open)).toMatchObject({ status: 'cancelled', reason: 'restored' })
  expect([...['first', 'second', 'third'].map(received), received('fourth')]).toEqual([...before, 1])
  expect(receiver.requests.at(-1)!.headers['x-token']).toBe('let-me-in')

  // The restored instance has a timeline of its own, and a backup to begin it.
  await waitFor(async () => made().length === 3, { what: 'a backup of the restored instance' })
  const listed = await command(['backup', 'list'], restored)
  expect(listed.map(({ timeline }: { timeline: number }) => timeline)).toEqual([1, 1, 2])
  expect(await command(['backup', 'verify', '--in', inject('scratchDir')], restored)).toMatchObject({
    standing: 'current',
    secrets: 1,
    rows: { tenants: 1, users: 1 },
  })
  expect(readdirSync(inject('scratchDir')).filter(name => name.includes('rehearsal'))).toEqual([])
})

async function clockOf(folder: DataFolder): Promise<Date> {
  const database = new pg.Client(folder.ownerUrl())
  await database.connect()
  const { rows } = await database.query('select clock_timestamp() as now')
  await database.end()
  return rows[0].now
}
