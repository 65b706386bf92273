/** What scripts and applications remember, by collection and key. */
import type {
  KvCollection,
  KvEntry,
  KvEntryInput,
  KvEntryQuery,
  KvEntrySummary,
  Page,
} from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { everyRow, type PagePosition } from './pages.ts'
import { path } from './path.ts'

export interface DeleteEntryOptions extends CallOptions {
  /** Delete only if the entry has this version. */
  version?: number
}

export function createKv(send: Send) {
  const collections = async (
    position: PagePosition = {},
    options?: CallOptions,
  ): Promise<Page<KvCollection>> => send({ method: 'GET', path: '/v1/kv', query: position, ...options })

  const list = async (
    collection: string,
    query: Partial<KvEntryQuery> = {},
    options?: CallOptions,
  ): Promise<Page<KvEntrySummary>> =>
    send({ method: 'GET', path: path`/v1/kv/${collection}`, query, ...options })

  return {
    /** One page of the collections that have entries, by name. */
    collections,

    allCollections(position?: PagePosition, options?: CallOptions) {
      return everyRow<KvCollection>(next => collections(next, options), position)
    },

    /** One page of a collection's entries, by key and without their values. */
    list,

    all(collection: string, { prefix, ...position }: Partial<KvEntryQuery> = {}, options?: CallOptions) {
      return everyRow<KvEntrySummary>(
        next => list(collection, { ...next, ...(prefix !== undefined && { prefix }) }, options),
        position,
      )
    },

    async get(collection: string, key: string, options?: CallOptions): Promise<KvEntry> {
      return send({ method: 'GET', path: path`/v1/kv/${collection}/${key}`, ...options })
    },

    /**
     * Creates or replaces an entry. With a `version` it is refused with `version_conflict` if the entry has another one, and
     * the call is not repeated after a lost answer: the repeat could not tell its own first try from somebody else's.
     */
    async set(collection: string, key: string, entry: KvEntryInput, options?: CallOptions): Promise<KvEntry> {
      return send({
        method: 'PUT',
        path: path`/v1/kv/${collection}/${key}`,
        body: entry,
        repeatable: entry.version === undefined,
        ...options,
      })
    },

    async delete(
      collection: string,
      key: string,
      { version, ...options }: DeleteEntryOptions = {},
    ): Promise<void> {
      return send({
        method: 'DELETE',
        path: path`/v1/kv/${collection}/${key}`,
        headers: { 'if-match': version === undefined ? undefined : `"${version}"` },
        ...options,
      })
    },
  }
}
