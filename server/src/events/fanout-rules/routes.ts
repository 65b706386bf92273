/** /v1/fanout-rules */
import {
  EventKindGlob,
  FanoutRule,
  FanoutRuleChanges,
  FanoutRuleInput,
  FanoutRuleQuery,
  PageOf,
  RelationName,
} from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import {
  deleteRule,
  type RuleRow,
  selectRelation,
  selectRule,
  selectRules,
  selectRulesFor,
  upsertRule,
} from './queries.ts'

const FanoutRuleParams = z.object({ event_kind: EventKindGlob, relation: RelationName })
const tags = ['fan-out rules']
const type = 'fanout_rule'
const path = '/v1/fanout-rules/:event_kind/:relation'

export function fanoutRuleRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/fanout-rules',
    {
      config: { scope: 'topics:read' },
      schema: {
        tags,
        summary: 'Rules, the tenant’s and the built-in ones; of a kind, those that decide',
        querystring: FanoutRuleQuery,
        response: { 200: PageOf(FanoutRule) },
      },
    },
    async request => {
      const { limit, cursor, event_kind } = request.query
      const { tenant_id } = request.principal
      if (event_kind !== undefined) {
        // One per relation, in the order in which they decide: a page of another order would say something else.
        const rules = await selectRulesFor(pool, tenant_id, event_kind)
        return { data: rules.map(toRule), next_cursor: null }
      }
      const after = decodeCursor(cursor, ['text', 'text']) ?? ['', '']
      const rows = await selectRules(pool, tenant_id, after, limit + 1)
      return toPage(rows, limit, row => [row.event_kind, row.relation], toRule)
    },
  )
  app.put(
    path,
    {
      config: { scope: 'topics:write' },
      schema: {
        tags,
        summary: 'Say what people in a relation get when something of a kind happens',
        params: FanoutRuleParams,
        body: FanoutRuleInput,
        response: { 200: FanoutRule },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { event_kind, relation } = request.params
      return audited(pool, request, changeOf(tenant_id, event_kind, relation), async tx => {
        if ((await selectRelation(tx, tenant_id, relation)) === undefined) throw unknownRelation(relation)
        return toRule(await upsertRule(tx, tenant_id, event_kind, relation, request.body))
      })
    },
  )
  app.patch(
    path,
    {
      config: { scope: 'topics:write' },
      schema: {
        tags,
        summary: 'Change the given fields of a rule; a built-in one becomes the tenant’s',
        params: FanoutRuleParams,
        body: FanoutRuleChanges,
        response: { 200: FanoutRule },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { event_kind, relation } = request.params
      return audited(pool, request, changeOf(tenant_id, event_kind, relation), async tx => {
        const row = await selectRule(tx, tenant_id, event_kind, relation)
        if (row === undefined) throw notFound(`rule for "${event_kind}" and "${relation}"`)
        return toRule(await upsertRule(tx, tenant_id, event_kind, relation, { ...row, ...request.body }))
      })
    },
  )
  app.delete(
    path,
    {
      config: { scope: 'topics:write' },
      schema: {
        tags,
        summary: 'Remove a rule; the built-in one that it replaced applies again',
        params: FanoutRuleParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { event_kind, relation } = request.params
      const subject = { type, id: `${event_kind}/${relation}`, action: 'delete' }
      await audited(pool, request, subject, async tx => {
        const row = await deleteRule(tx, request.principal.tenant_id, event_kind, relation)
        if (row === undefined) throw notFound(`rule of your own for "${event_kind}" and "${relation}"`)
        return toRule(row)
      })
      return reply.status(204).send(null)
    },
  )
}

function changeOf(tenantId: string, eventKind: string, relation: string) {
  const before = async (tx: Client) => {
    const row = await selectRule(tx, tenantId, eventKind, relation)
    return row && toRule(row)
  }
  return { type, id: `${eventKind}/${relation}`, before }
}

function toRule(row: RuleRow): FanoutRule {
  return { ...row, updated_at: row.updated_at?.toISOString() ?? null }
}

function unknownRelation(relation: string): Refusal {
  return new Refusal('invalid_request', `There is no relation "${relation}".`, [
    { field: 'relation', message: 'Expected a built-in relation, or one that you have added.' },
  ])
}
