/** Gives a test file its own NATS, which the test may kill. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, inject } from 'vitest'
import { type NatsProcess, startNats } from './nats-process.ts'
import { canRun } from './server-process.ts'

/** Where NATS is missing and cannot be installed, its tests are skipped; in CI that is a failure. */
export const canStartNats = canRun('nats-server') || process.env.CI === 'true'

export function useNats({ size = 1 } = {}): NatsProcess {
  let folder = ''
  let nats: NatsProcess
  beforeAll(async () => {
    folder = mkdtempSync(join(inject('scratchDir'), 'nats-'))
    nats = await startNats(folder, size)
  })
  afterAll(async () => {
    await nats?.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    get urls() {
      return nats.urls
    },
    get servers() {
      return nats.servers
    },
    ready: () => nats.ready(),
    stop: () => nats.stop(),
  }
}
