/** /v1/relations */
import { Relation, RelationInput, RelationName } from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import {
  deleteRelation,
  lockRelations,
  type RelationRow,
  selectRelation,
  selectRelations,
  upsertRelation,
} from './queries.ts'

const RelationParams = z.object({ name: RelationName })
const tags = ['fan-out rules']
const type = 'relation'
/** As many as an event can name. With the built-in ones, each has a bit of its own in fan_out(). */
const MAX_RELATIONS = 50

export function relationRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/relations',
    {
      config: { scope: 'topics:read' },
      schema: {
        tags,
        summary: 'Relations of people to events, in the order in which they decide',
        response: { 200: z.object({ data: z.array(Relation) }) },
      },
    },
    async request => ({ data: (await selectRelations(pool, request.principal.tenant_id)).map(toRelation) }),
  )
  app.put(
    '/v1/relations/:name',
    {
      config: { scope: 'topics:write' },
      schema: {
        tags,
        summary: 'Add a relation, or change a built-in one',
        params: RelationParams,
        body: RelationInput,
        response: { 200: Relation },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { name } = request.params
      const before = async (tx: Client) => {
        const row = await selectRelation(tx, tenant_id, name)
        return row && toRelation(row)
      }
      return audited(pool, request, { type, id: name, before }, async tx => {
        await lockRelations(tx, tenant_id)
        const row = await upsertRelation(tx, tenant_id, name, request.body, MAX_RELATIONS)
        if (row === undefined) throw tooMany()
        return toRelation(row)
      })
    },
  )
  app.delete(
    '/v1/relations/:name',
    {
      config: { scope: 'topics:write' },
      schema: {
        tags,
        summary: 'Remove a relation; a built-in one that was changed is as it was',
        params: RelationParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { name } = request.params
      await audited(pool, request, { type, id: name, action: 'delete' }, async tx => {
        const row = await deleteRelation(tx, request.principal.tenant_id, name)
        if (row === undefined) throw notFound(`relation "${name}" of your own`)
        return toRelation(row)
      })
      return reply.status(204).send(null)
    },
  )
}

function tooMany(): Refusal {
  const message = `A tenant can have ${MAX_RELATIONS} relations of its own; delete one first.`
  return new Refusal('too_many_items', message, [{ field: 'name', message }])
}

function toRelation(row: RelationRow): Relation {
  return { ...row, updated_at: row.updated_at?.toISOString() ?? null }
}
