/** Dead letters: look at what could not be delivered, send it again, or close it. */
import type {
  DeadLetter,
  DeadLetterCount,
  DeadLetterCountQuery,
  DeadLetterDetail,
  DeadLetterQuery,
  ReplayAnswer,
  ReplayDeadLetters,
  ResolveDeadLetter,
} from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { pagedList } from './pages.ts'
import { path } from './path.ts'

/** `filter` is required, even if empty: replaying everything should be explicit. */
export type ReplayRequest = Pick<ReplayDeadLetters, 'filter'> & Partial<ReplayDeadLetters>

export function createDeadLetters(send: Send) {
  return {
    ...pagedList<DeadLetter, DeadLetterQuery>(send, '/v1/dead-letters'),

    /** How many of those that match are open. */
    count(filter: DeadLetterCountQuery = {}, options?: CallOptions): Promise<DeadLetterCount> {
      return send({ method: 'GET', path: '/v1/dead-letters/count', query: filter, ...options })
    },

    async get(id: string, options?: CallOptions): Promise<DeadLetterDetail> {
      return send({ method: 'GET', path: path`/v1/dead-letters/${id}`, ...options })
    },

    async replay(id: string, options?: CallOptions): Promise<DeadLetter> {
      return send({ method: 'POST', path: path`/v1/dead-letters/${id}/replay`, ...options })
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
  }
}
