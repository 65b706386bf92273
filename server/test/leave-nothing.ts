/** Test files that share a process leave it as they found it: whoever does not fails, and not the file that comes next. */
import { afterAll, beforeAll, expect, vi } from 'vitest'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'warning', 'uncaughtException', 'unhandledRejection']

const surroundings = () => ({
  environment: { ...process.env },
  folder: process.cwd(),
  globals: Object.getOwnPropertyNames(globalThis).sort(),
  listeners: SIGNALS.map(name => [name, process.listenerCount(name)]),
  isTimeReal: !vi.isFakeTimers(),
})

let before: ReturnType<typeof surroundings>
beforeAll(() => {
  before = surroundings()
})
afterAll(() => expect(surroundings()).toEqual(before))
