/** Who is told of which events, and on which channels; relations; and the server that says who may see what. */
import type {
  FanoutRule,
  FanoutRuleChanges,
  FanoutRuleInput,
  FanoutRuleQuery,
  Page,
  PutVisibilityCheck,
  Relation,
  RelationInput,
  VisibilityCheck,
  VisibilityCheckChanges,
  VisibilityCheckInput,
} from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { everyRow } from './pages.ts'
import { path } from './path.ts'

export function createFanoutRules(send: Send) {
  const list = async (query: FanoutRuleQuery = {}, options?: CallOptions): Promise<Page<FanoutRule>> =>
    send({ method: 'GET', path: '/v1/fanout-rules', query: { ...query }, ...options })

  return {
    list,

    all(query: FanoutRuleQuery = {}, options?: CallOptions) {
      return everyRow<FanoutRule>(next => list({ ...query, ...next }, options))
    },

    async put(
      eventKind: string,
      relation: string,
      input: FanoutRuleInput,
      options?: CallOptions,
    ): Promise<FanoutRule> {
      return send({
        method: 'PUT',
        path: path`/v1/fanout-rules/${eventKind}/${relation}`,
        body: input,
        ...options,
      })
    },

    /** Changes only the fields that are given. */
    async update(
      eventKind: string,
      relation: string,
      changes: FanoutRuleChanges,
      options?: CallOptions,
    ): Promise<FanoutRule> {
      return send({
        method: 'PATCH',
        path: path`/v1/fanout-rules/${eventKind}/${relation}`,
        body: changes,
        ...options,
      })
    },

    /** A built-in rule that it replaced applies again. */
    async delete(eventKind: string, relation: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/fanout-rules/${eventKind}/${relation}`, ...options })
    },
  }
}

export function createRelations(send: Send) {
  return {
    async list(options?: CallOptions): Promise<{ data: Relation[] }> {
      return send({ method: 'GET', path: '/v1/relations', ...options })
    },

    async put(name: string, input: RelationInput, options?: CallOptions): Promise<Relation> {
      return send({ method: 'PUT', path: path`/v1/relations/${name}`, body: input, ...options })
    },

    async delete(name: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/relations/${name}`, ...options })
    },
  }
}

export function createVisibilityCheck(send: Send) {
  const path = '/v1/visibility-check'
  return {
    async put(input: VisibilityCheckInput, options?: CallOptions): Promise<PutVisibilityCheck> {
      return send({ method: 'PUT', path, body: input, ...options })
    },

    /** Changes only the fields that are given. */
    async update(changes: VisibilityCheckChanges, options?: CallOptions): Promise<PutVisibilityCheck> {
      return send({ method: 'PATCH', path, body: changes, ...options })
    },

    async get(options?: CallOptions): Promise<VisibilityCheck> {
      return send({ method: 'GET', path, ...options })
    },

    async delete(options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path, ...options })
    },
  }
}
