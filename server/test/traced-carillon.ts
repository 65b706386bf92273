/** A whole instance of Carillon beside the test's own, on the same database: all roles, over HTTP, with its log. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { startCarillon } from '../src/app.ts'
import { createLogger } from '../src/cli/logger.ts'
import type { Terminal } from '../src/cli/output/terminal.ts'
import { type Environment, loadConfig } from '../src/platform/config/config.ts'
import { newMasterKey } from '../src/platform/secrets/keyring.ts'
import type { Answer, TestCarillon } from './carillon.ts'
import { type Collector, startCollector } from './receivers/collector.ts'
import { type HttpReceiver, startHttpReceiver } from './receivers/http-receiver.ts'

export interface TracedCarillon {
  readonly collector: Collector
  /** Where the http provider of the channel push posts, and where tests may have webhooks go. */
  readonly receiver: HttpReceiver
  readonly url: string
  /** The lines of its log, parsed. */
  readonly log: Record<string, unknown>[]
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>
  stop(): Promise<void>
}

interface RequestOptions {
  body?: unknown
  headers?: Record<string, string>
  key?: string
}

/** All instances on a database need the same. */
const masterKey = newMasterKey()

/** `settingsOf` gets the address of the collector. */
export function useTracedCarillon(
  carillon: TestCarillon,
  settingsOf: (collector: Collector) => Environment,
): TracedCarillon {
  const dataDir = mkdtempSync(join(tmpdir(), 'carillon-traces-'))
  const log: Record<string, unknown>[] = []
  let collector: Collector
  let receiver: HttpReceiver
  let url: string
  let stopped: (() => Promise<void>) | undefined

  beforeAll(async () => {
    collector = await startCollector()
    receiver = await startHttpReceiver()
    const environment = {
      DATABASE_URL: carillon.url,
      PORT: '0',
      CARILLON_DATA_DIR: dataDir,
      CARILLON_MASTER_KEY: masterKey,
      CARILLON_ALLOWED_NETWORKS: '127.0.0.0/8',
      CARILLON_PROVIDERS: 'push=http',
      CARILLON_HTTP_PROVIDER_URL: receiver.url,
      CARILLON_REQUEST_LOG_LEVEL: 'info',
      ...settingsOf(collector),
    }
    const stdout = { write: (line: string) => void log.push(JSON.parse(line)) }
    const config = loadConfig(environment)
    const logger = createLogger(config, { stdout, environment } as unknown as Terminal, true)
    const started = await startCarillon({ config, roles: config.CARILLON_ROLES, log: logger })
    url = started.url!
    stopped = () => started.stop()
  })
  const stop = async () => {
    await stopped?.()
    stopped = undefined
  }
  afterAll(async () => {
    await stop()
    await Promise.all([collector.stop(), receiver.stop()])
    rmSync(dataDir, { recursive: true, force: true })
  })

  return {
    get collector() {
      return collector
    },
    get receiver() {
      return receiver
    },
    get url() {
      return url
    },
    log,
    async request(method, path, { body, headers = {}, key = carillon.key } = {}) {
      const answer = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      return { status: answer.status, body: text === '' ? undefined : JSON.parse(text), headers: {} }
    },
    stop,
  }
}
