/** Scripts: code that runs when something happens. */
import type {
  NewScript,
  Page,
  RollBackScript,
  Script,
  ScriptChanges,
  ScriptQuery,
  ScriptSummary,
  ScriptTest,
  ScriptVersion,
  ScriptVersionDetail,
  TestScript,
  TestSource,
} from '@carillon/contract'
import type { Answer } from './errors.ts'
import type { CallOptions, Send } from './http.ts'
import { everyRow, type PagePosition, pagedList } from './pages.ts'
import { path } from './path.ts'

export function createScripts(send: Send) {
  const versions = async (
    id: string,
    position: PagePosition = {},
    options?: CallOptions,
  ): Promise<Page<ScriptVersion>> =>
    send({ method: 'GET', path: path`/v1/scripts/${id}/versions`, query: position, ...options })

  return {
    /** By name, without their source; `{ name }` finds one. */
    ...pagedList<ScriptSummary, ScriptQuery>(send, '/v1/scripts'),

    async get(id: string, options?: CallOptions): Promise<Script> {
      return send({ method: 'GET', path: path`/v1/scripts/${id}`, ...options })
    },

    async create(script: NewScript, options?: CallOptions): Promise<Script> {
      return send({ method: 'POST', path: '/v1/scripts', body: script, ...options })
    },

    /** Another source becomes a new version; the same source changes nothing. */
    async update(id: string, changes: ScriptChanges, options?: CallOptions): Promise<Script> {
      return send({ method: 'PATCH', path: path`/v1/scripts/${id}`, body: changes, ...options })
    },

    /** Refused while triggers run it. */
    async delete(id: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/scripts/${id}`, ...options })
    },

    versions,

    allVersions(id: string, position?: PagePosition, options?: CallOptions) {
      return everyRow<ScriptVersion>(next => versions(id, next, options), position)
    },

    async version(id: string, version: number, options?: CallOptions): Promise<ScriptVersionDetail> {
      return send({ method: 'GET', path: `${path`/v1/scripts/${id}`}/versions/${version}`, ...options })
    },

    /** Runs the source of an older version again, as a new version with the scopes of your key. */
    async rollBack(id: string, to: RollBackScript, options?: CallOptions): Promise<Script> {
      return send({ method: 'POST', path: path`/v1/scripts/${id}/rollback`, body: to, ...options })
    },

    /** Runs it with a sample event and changes nothing. */
    async test(id: string, sample: TestScript = {}, options?: CallOptions): Promise<ScriptTest> {
      return send({ method: 'POST', path: path`/v1/scripts/${id}/test`, body: sample, ...options })
    },

    /** Runs a source that is not saved with a sample event and changes nothing. */
    async testSource(script: TestSource, options?: CallOptions): Promise<ScriptTest> {
      return send({ method: 'POST', path: '/v1/scripts/test', body: script, ...options })
    },

    /** The text of a .d.ts file: what scripts can use, for editors. */
    async types(options?: CallOptions): Promise<string> {
      const read = ({ status, text }: Answer) => (status === 200 ? text : undefined)
      return send({ method: 'GET', path: '/v1/scripts/types', read, ...options })
    },
  }
}
