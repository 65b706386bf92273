/** Scripts that really run: a sandbox for the tests of a file, and dispatchers on demand. */
import { afterAll, beforeAll } from 'vitest'
import { createScriptHandlers, type ScriptHandlerParts } from '../src/automation/runs/handlers.ts'
import { listAttempts } from '../src/delivery/routes/attempts.ts'
import { readdressRoute, replayRoutes } from '../src/delivery/routes/replay.ts'
import { createSandbox, type Sandbox } from '../src/platform/sandbox/sandbox.ts'
import type { DispatcherOptions } from '../src/reactions/outbox/dispatcher.ts'
import { create } from './calls/call.ts'
import type { Answer, TestCarillon } from './carillon.ts'
import { startDispatcher, type TestDispatcher } from './dispatching.ts'
import { waitFor } from './wait-for.ts'

export interface RunningScripts {
  readonly sandbox: Sandbox
  /** Runs what is in the outbox until the test ends or stop() is called. */
  start(parts?: Partial<ScriptHandlerParts>, options?: Partial<DispatcherOptions>): TestDispatcher
  /** Saves a script and returns its id; `key` is the author's. */
  script(source: string, options?: { key?: string; [setting: string]: unknown }): Promise<string>
  /** Registers a trigger and returns its id; `key` is the registrant's. */
  trigger(
    kind: string,
    script: string,
    config: object,
    options?: { key?: string; retry?: object },
  ): Promise<string>
  /** Writes an entry, which fires triggers. */
  set(collection: string, key: string, value: unknown, by?: string): Promise<Answer>
  get(collection: string, key: string): Promise<unknown>
  /** Resolves when everything in the outbox is done. */
  settled(): Promise<void>
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect
  runs(query?: string): Promise<any[]>
}

let unique = 0

export function useScripts(carillon: TestCarillon): RunningScripts {
  let sandbox: Sandbox
  beforeAll(() => {
    sandbox = createSandbox({ workers: 2 })
  })
  afterAll(() => sandbox?.close())

  async function post(path: string, body: object, key?: string): Promise<string> {
    if (key === undefined) return create(carillon, path, body)
    const answer = await carillon.request('POST', path, { body, key })
    if (answer.status >= 300) throw new Error(`POST ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body.id
  }

  return {
    get sandbox() {
      return sandbox
    },
    start(parts = {}, options = {}) {
      const owner = `scripts-${++unique}`
      const handlers = createScriptHandlers({
        pool: carillon.pool,
        owner,
        sandbox,
        http: carillon.providers.outgoing.http,
        letterRoutes: { replay: replayRoutes, readdress: readdressRoute, listAttempts },
        maxPerTarget: 4,
        onEffects: () => {},
        onReplied: () => {},
        onRepeated: () => {},
        onRun: () => {},
        ...parts,
      })
      return startDispatcher(carillon.pool, handlers, { owner, pollMs: 10, ...options })
    },
    script: (source, { key, ...settings } = {}) =>
      post('/v1/scripts', { name: `script-${++unique}`, source, ...settings }, key),
    trigger: (kind, script_id, config, { key, ...rest } = {}) =>
      post('/v1/triggers', { name: `${kind} trigger`, kind, script_id, config, ...rest }, key),
    set: (collection, key, value, by) =>
      carillon.request('PUT', `/v1/kv/${collection}/${key}`, {
        body: { value },
        ...(by !== undefined && { key: by }),
      }),
    async get(collection, key) {
      const answer = await carillon.request('GET', `/v1/kv/${collection}/${key}`)
      return answer.status === 404 ? undefined : answer.body.value
    },
    async settled() {
      await waitFor(async () => (await carillon.pool.query('select from outbox')).rowCount === 0, {
        what: 'the outbox to be empty',
      })
    },
    async runs(query = '') {
      const runs = await carillon.readAll(`/v1/runs${query}`)
      return runs.toReversed()
    },
  }
}
