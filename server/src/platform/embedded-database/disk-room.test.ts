import { expect, it } from 'vitest'
import { startWhenRoom } from './disk-room.ts'

const FULL = new Error(
  'PostgreSQL did not start: FATAL:  could not write to file "pg_wal/xlogtemp.1": No space left on device\nLOG:  shutting down',
)

/** A start that fails with these before it works. */
function failing(...errors: Error[]) {
  const lines: string[] = []
  let starts = 0
  const run = (isClosed = () => false) =>
    startWhenRoom({
      start: async () => {
        const error = errors[starts++]
        if (error !== undefined) throw error
        return 'started'
      },
      isClosed,
      log: line => lines.push(line),
      pause: async () => {},
    })
  return { run, lines, starts: () => starts }
}

it('a server that cannot be started for lack of room is started when there is some, and the log says so once', async () => {
  const noEntry = Object.assign(new Error('write'), { code: 'ENOSPC' })
  const noLock = new Error('The data folder /data cannot be locked: ENOSPC: no space left on device, write')
  const { run, lines, starts } = failing(FULL, FULL, noEntry, noLock)
  expect(await run()).toBe('started')
  expect(starts()).toBe(5)
  expect(lines).toEqual([
    'The disk under the data folder is full; PostgreSQL is started again as soon as there is room.',
  ])
})

it('any other reason is passed on at once', async () => {
  const { run, starts } = failing(FULL, new Error('PostgreSQL did not start: could not access "pg_control"'))
  await expect(run()).rejects.toThrow('pg_control')
  expect(starts()).toBe(2)
})

it('nobody waits for room once the process stops', async () => {
  const { run, starts } = failing(FULL, FULL, FULL)
  expect(await run(() => starts() === 2)).toBeUndefined()
})
