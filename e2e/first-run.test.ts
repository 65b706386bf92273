import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@carillon/sdk'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { freePort } from '../server/test/free-port.ts'
import { waitFor } from '../server/test/wait-for.ts'
import { type CarillonProcess, runCarillon, type Settings } from './carillon-process.ts'
import { type DataFolder, isAlive, makeDataFolder } from './data-folder.ts'

// Whole processes start in every test, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

const run = promisify(execFile)

let folder: DataFolder
let settings: Settings
let url: string

beforeAll(async () => {
  folder = makeDataFolder(inject('scratchDir'))
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  settings = { PORT: String(port), CARILLON_DATA_DIR: folder.path }
})
afterAll(() => folder.remove())

describe('the first minutes with an empty data folder', () => {
  let carillon: CarillonProcess
  let notificationId: string
  const client = () => createClient({ url, apiKey: folder.apiKey() })

  test('the banner shows where it is, the file of the key and a line to paste', async () => {
    carillon = runCarillon(['start'], settings)
    await carillon.announced()
    expect(carillon.stderr).toContain(`API       ${url}\n`)
    expect(carillon.stderr).toContain(`curl -sS ${url}/v1/intents`)
    expect(carillon.stderr).toContain(`API key   ${join(folder.path, 'api-key')}\n`)
    // This is no terminal, and a collected log would keep the key.
    expect(carillon.stderr).not.toContain(folder.apiKey())
    expect(statSync(join(folder.path, 'api-key')).mode & 0o777).toBe(0o600)
  })

  test('without a terminal stdout is the log and nothing else', () => {
    const lines = carillon.stdout.trim().split('\n')
    expect(lines.map(line => typeof JSON.parse(line).level)).toEqual(lines.map(() => 'number'))
    expect(carillon.stdout).not.toContain(folder.apiKey())
  })

  test('the pasted line is accepted', async () => {
    const { status, body } = await paste(carillon.stderr)
    expect(status).toBe(202)
    expect(body).toMatchObject({ status: 'accepted', duplicate: false })
    notificationId = body.notification_id
  })

  test('the captured mail is there', async () => {
    const message = await waitFor(
      async () => (await client().capturedMessages.list({ notification_id: notificationId })).data[0],
      { what: 'the captured mail' },
    )
    expect(message).toMatchObject({
      channel: 'email',
      address: 'ada@example.com',
      subject: 'Hello Ada',
      text: 'Your first notification.',
    })
  })

  test('explain shows every decision, over HTTP and on the command line', async () => {
    const explanation = await waitFor(
      async () => {
        const current = await client().records.explain(notificationId)
        return current.people[0]?.routes[0]?.status === 'sent' && current
      },
      { what: 'the notification to be sent' },
    )
    expect(explanation.decisions.map(({ decision }) => decision)).toContain('accepted')
    const [route] = explanation.people[0]!.routes
    expect(route!.decisions.map(({ decision }) => decision)).toEqual(['routed', 'sent'])

    const command = runCarillon(['explain', notificationId], settings)
    expect((await command.exited).code).toBe(0)
    expect(command.stdout).toContain('ada@example.com')
  })

  test('SIGTERM ends it with 0 and leaves nothing running', async () => {
    const postmaster = folder.postmaster()!
    expect(isAlive(postmaster)).toBe(true)
    expect(await carillon.end('SIGTERM')).toEqual({ code: 0, signal: null })
    expect(isAlive(postmaster)).toBe(false)
    expect(folder.postmaster()).toBeUndefined()
  })

  test('a second start shows no key and has kept everything', async () => {
    const key = folder.apiKey()
    carillon = runCarillon(['start'], settings)
    await carillon.announced()
    expect(carillon.stderr).not.toContain('API key')
    expect(carillon.stderr).not.toContain(key)
    expect(folder.apiKey()).toBe(key)
    expect((await client().records.get(notificationId)).routes).toEqual({ sent: 1 })
    expect(await paste(carillon.stderr)).toMatchObject({
      status: 200,
      body: { notification_id: notificationId, duplicate: true },
    })
  })

  test('a second process on the same folder is refused and does not disturb the first', async () => {
    const second = runCarillon(['start'], { ...settings, PORT: '0' })
    expect((await second.exited).code).toBe(1)
    expect(second.stderr).toMatch(/already running on the data folder .*another data folder/)
    expect((await client().records.get(notificationId)).routes).toEqual({ sent: 1 })
    expect((await carillon.end('SIGTERM')).code).toBe(0)
  })

  test('a stop in the middle of a start leaves nothing running', async () => {
    const starting = runCarillon(['start'], settings)
    const postmaster = await waitFor(async () => folder.postmaster(), {
      what: 'PostgreSQL to come up',
      everyMs: 1,
    })
    expect((await starting.end('SIGTERM')).code).toBe(0)
    expect(isAlive(postmaster)).toBe(false)
  })

  /** Lets a shell parse the printed line, as for a person who pastes it, and makes the request it describes. */
  async function paste(banner: string): Promise<{ status: number; body: { notification_id: string } }> {
    const line = banner.split('\n').find(text => text.includes('/v1/intents'))!
    // A stand-in for curl, which not every machine has.
    const { stdout } = await run('sh', ['-c', `curl() { printf '%s\\0' "$@"; }; ${line}`])
    const [silent, address, ...options] = stdout.split('\0').slice(0, -1)
    const values = (name: string) => options.filter((_, i) => options[i - 1] === name)
    expect(silent).toBe('-sS')
    expect(options.filter(option => option.startsWith('-'))).toEqual(['-H', '-H', '-d'])
    const headers = values('-H').map(header => header.split(': ') as [string, string])
    const answer = await fetch(address!, { method: 'POST', headers, body: values('-d')[0]! })
    return { status: answer.status, body: (await answer.json()) as { notification_id: string } }
  }
})
