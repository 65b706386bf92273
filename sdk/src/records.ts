/** Accepted intents, and what happened to them. */
import type {
  CancelAnswer,
  Record as CarillonRecord,
  ExplainQuery,
  Explanation,
  Page,
  RecordDetail,
  RecordQuery,
  Route,
} from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { everyRow, type PagePosition, pagedList } from './pages.ts'
import { path } from './path.ts'

export function createRecords(send: Send) {
  const routes = async (
    id: string,
    position: PagePosition = {},
    options?: CallOptions,
  ): Promise<Page<Route>> =>
    send({ method: 'GET', path: path`/v1/records/${id}/routes`, query: position, ...options })

  return {
    ...pagedList<CarillonRecord, RecordQuery>(send, '/v1/records'),

    async get(id: string, options?: CallOptions): Promise<RecordDetail> {
      return send({ method: 'GET', path: path`/v1/records/${id}`, ...options })
    },

    routes,

    allRoutes(id: string, position?: PagePosition, options?: CallOptions) {
      return everyRow<Route>(next => routes(id, next, options), position)
    },

    /** Every decision in order, for the notification and for each person; people come in pages. */
    async explain(
      id: string,
      query: Partial<(typeof ExplainQuery)['_output']> = {},
      options?: CallOptions,
    ): Promise<Explanation> {
      return send({ method: 'GET', path: path`/v1/records/${id}/explain`, query, ...options })
    },

    async cancel(id: string, options?: CallOptions): Promise<CancelAnswer> {
      return send({ method: 'POST', path: path`/v1/records/${id}/cancel`, ...options })
    },
  }
}
