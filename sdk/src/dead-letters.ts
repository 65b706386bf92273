/** Dead letters: look at what could not be delivered, send it again, or close it. */
import type {
  DeadLetter,
  DeadLetterCount,
  DeadLetterCountQuery,
  DeadLetterDetail,
  DeadLetterGroupQuery,
  DeadLetterGroups,
  DeadLetterQuery,
  ReplayAnswer,
  ReplayDeadLetter,
  ReplayDeadLetters,
  ResolveAnswer,
  ResolveDeadLetter,
  ResolveDeadLetters,
} from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { pagedList } from './pages.ts'
import { path } from './path.ts'

/** `filter` is required, even if empty: replaying everything should be explicit. */
export type ReplayRequest = Pick<ReplayDeadLetters, 'filter'> & Partial<ReplayDeadLetters>

export type ResolveRequest = Pick<ResolveDeadLetters, 'filter'> & Partial<ResolveDeadLetters>

export function createDeadLetters(send: Send) {
  return {
    ...pagedList<DeadLetter, DeadLetterQuery>(send, '/v1/dead-letters'),

    /** How many of those that match are open. */
    count(filter: DeadLetterCountQuery = {}, options?: CallOptions): Promise<DeadLetterCount> {
      return send({ method: 'GET', path: '/v1/dead-letters/count', query: filter, ...options })
    },

    /** Letters by what they failed for, the largest group first; `filter` of a group selects its letters. */
    groups(query: Partial<DeadLetterGroupQuery> = {}, options?: CallOptions): Promise<DeadLetterGroups> {
      return send({ method: 'GET', path: '/v1/dead-letters/groups', query, ...options })
    },

    async get(id: string, options?: CallOptions): Promise<DeadLetterDetail> {
      return send({ method: 'GET', path: path`/v1/dead-letters/${id}`, ...options })
    },

    /** Sends it again; with `address`, to that one instead. */
    async replay(id: string, how: ReplayDeadLetter = {}, options?: CallOptions): Promise<DeadLetter> {
      return send({ method: 'POST', path: path`/v1/dead-letters/${id}/replay`, body: how, ...options })
    },

    /** Closes a dead letter without sending it again. */
    async resolve(
      id: string,
      how: Partial<ResolveDeadLetter> = {},
      options?: CallOptions,
    ): Promise<DeadLetter> {
      return send({ method: 'POST', path: path`/v1/dead-letters/${id}/resolve`, body: how, ...options })
    },

    /** Replays the open dead letters that match, at most `limit` per call; call again while `remaining` is above 0. */
    replayAll(request: ReplayRequest, options?: CallOptions): Promise<ReplayAnswer> {
      return send({ method: 'POST', path: '/v1/dead-letters/replay', body: request, ...options })
    },

    /** Closes the open dead letters that match without sending them again, at most `limit` per call. */
    resolveAll(request: ResolveRequest, options?: CallOptions): Promise<ResolveAnswer> {
      return send({ method: 'POST', path: '/v1/dead-letters/resolve', body: request, ...options })
    },
  }
}
