import { expect, it, onTestFinished } from 'vitest'
import { useDatabase } from '../../../test/database.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { createHinter, createListener, createPayloadHinter, DUE, REPLIED } from './listener.ts'

const database = useDatabase()

/** Everything that was heard, and a listener that is ready. */
async function listen(...channels: string[]): Promise<string[]> {
  const heard: string[] = []
  const listened = Object.fromEntries(
    channels.map(channel => [channel, (payload: string) => heard.push(`${channel} ${payload}`)]),
  )
  const listener = createListener(database.url, listened)
  onTestFinished(() => listener.stop())
  await waitFor(async () => heard.length === channels.length, { what: 'the listener' })
  return heard
}

const listening = async () => {
  const { rows } = await database.pool.query(
    "select pid from pg_stat_activity where datname = current_database() and query like 'listen %'",
  )
  return rows.map(row => row.pid as number)
}

it('hears every channel on one connection, each with its payload, and each once after connecting', async () => {
  const heard = await listen(DUE, REPLIED)
  expect(heard.toSorted()).toEqual([`${DUE} `, `${REPLIED} `])
  expect(await listening()).toHaveLength(1)
  createHinter(database.pool).hint()
  createPayloadHinter(database.pool, REPLIED)('an inbox')
  await waitFor(async () => heard.length === 4, { what: 'both hints' })
  expect(heard.slice(2).toSorted()).toEqual([`${DUE} `, `${REPLIED} an inbox`])
})

it('a process hears only what it listens to', async () => {
  const heard = await listen(REPLIED)
  createHinter(database.pool).hint()
  await database.pool.query(`notify ${DUE}`)
  const hint = createPayloadHinter(database.pool, REPLIED)
  for (const payload of ['1', '2', '3']) hint(payload)
  await waitFor(async () => heard.length === 4, { what: 'three hints' })
  expect(heard).toEqual([`${REPLIED} `, `${REPLIED} 1`, `${REPLIED} 2`, `${REPLIED} 3`])
})

it('connects again by itself, and asks everybody to look since something may have been missed', async () => {
  const heard = await listen(DUE, REPLIED)
  const [pid] = await listening()
  await database.pool.query('select pg_terminate_backend($1)', [pid])
  await waitFor(async () => heard.length === 4, { what: 'the new connection' })
  expect(await listening()).not.toContain(pid)
})

it('without a channel there is no connection', async () => {
  const listener = createListener(database.url, {})
  await listener.stop()
  expect(await listening()).toEqual([])
})
