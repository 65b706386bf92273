import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { useDatabase } from '../../../test/database.ts'
import { loadConfig } from '../config/config.ts'
import { openDatabase } from './open.ts'

const database = useDatabase()
const open = (url: string) => openDatabase(loadConfig({ DATABASE_URL: url }), () => {})
afterEach(() => vi.useRealTimers())

describe('opening the configured database', () => {
  it('tells which one it is, without the password', async () => {
    const url = new URL(database.url)
    const opened = await open(database.url)
    expect([opened.url, opened.ownerUrl]).toEqual([database.url, database.url])
    expect(opened.note).toBe(`PostgreSQL at ${url.host}${url.pathname}`)
    await opened.close()
  })

  it('migrates as another role, if it is given one', { tags: 'S002-30' }, async () => {
    const DATABASE_OWNER_URL = `${database.url}?application_name=owner`
    const config = loadConfig({ DATABASE_URL: database.url, DATABASE_OWNER_URL })
    expect(await openDatabase(config, () => {})).toMatchObject({
      url: database.url,
      ownerUrl: DATABASE_OWNER_URL,
    })
  })

  it.each([
    [
      'is of another database',
      () => withPath(database.url, '/postgres'),
      /is not the database of DATABASE_URL/,
    ],
    ['cannot be reached', () => 'postgres://owner:hunter2@127.0.0.1:1/none', /ECONNREFUSED/],
  ])('refuses an owner’s address that %s', async (_what, url, reason) => {
    const config = loadConfig({ DATABASE_URL: database.url, DATABASE_OWNER_URL: url() })
    const failing = openDatabase(config, () => {})
    await expect(failing).rejects.toThrow(reason)
    await expect(failing).rejects.toThrow('Check DATABASE_OWNER_URL')
    await expect(failing).rejects.not.toThrow('hunter2')
  })

  it.each([
    ['nobody listens', () => 'postgres://user:hunter2@127.0.0.1:1/none', /ECONNREFUSED/],
    ['the host does not exist', () => 'postgres://user:hunter2@nowhere.invalid/none', /ENOTFOUND|EAI_AGAIN/],
    [
      'the database does not exist',
      () => withPath(database.url, '/no_such_database'),
      /"no_such_database" does not exist/,
    ],
  ])('fails at once when %s, and says what to do', { tags: 'S000-34' }, async (_name, url, reason) => {
    const failing = open(url())
    await expect(failing).rejects.toThrow(reason)
    await expect(failing).rejects.toThrow(/^PostgreSQL at .* cannot be used: /)
    await expect(failing).rejects.toThrow(
      'Check DATABASE_URL and that the server is running, or unset DATABASE_URL',
    )
    await expect(failing).rejects.not.toThrow('hunter2')
  })

  it('does not wait for ever for a server that accepts and says nothing', { tags: 'S000-34' }, async () => {
    const mute = createServer().listen(0, '127.0.0.1')
    await once(mute, 'listening')
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const connected = once(mute, 'connection')
    const failing = open(`postgres://user:hunter2@127.0.0.1:${(mute.address() as AddressInfo).port}/none`)
    failing.catch(() => {})
    const [socket] = await connected
    vi.advanceTimersByTime(10_000)
    await expect(failing).rejects.toThrow(/cannot be used: .*timeout/)
    socket.destroy()
    mute.close()
  })
})

function withPath(url: string, path: string): string {
  return Object.assign(new URL(url), { pathname: path }).href
}
