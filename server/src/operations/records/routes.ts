/** /v1/records */
import {
  CancelAnswer,
  ExplainQuery,
  Explanation,
  PageOf,
  PageQuery,
  RecordDetail,
  RecordQuery,
  Route,
  Record as WireRecord,
} from '@carillon/contract'
import { z } from 'zod'
import { selectRecordRoutes, toRoute } from '../../delivery/routes/list.ts'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { decodeCursor, encodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { explainRecord } from './explain.ts'
import { selectRecords } from './list-queries.ts'
import { cancel, getRecord, toRecord } from './records.ts'

const RecordParams = z.object({ id: z.uuid() })

export function recordRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/records',
    {
      config: { scope: 'records:read' },
      schema: {
        tags: ['records'],
        summary: 'Accepted intents, newest first',
        querystring: RecordQuery,
        response: { 200: PageOf(WireRecord) },
      },
    },
    async request => {
      const { limit, cursor, ...filter } = request.query
      const after = decodeCursor(cursor, ['time', 'uuid'])
      const rows = await selectRecords(pool, request.principal.tenant_id, {
        ...filter,
        after,
        limit: limit + 1,
      })
      return toPage(rows, limit, row => [row.accepted_at.toISOString(), row.notification_id], toRecord)
    },
  )
  app.get(
    '/v1/records/:id',
    {
      config: { scope: 'records:read' },
      schema: {
        tags: ['records'],
        summary: 'One record with its payload and route counts',
        params: RecordParams,
        response: { 200: RecordDetail },
      },
    },
    async request => getRecord(pool, request.principal.tenant_id, request.params.id),
  )
  app.get(
    '/v1/records/:id/routes',
    {
      config: { scope: 'records:read' },
      schema: {
        tags: ['records'],
        summary: 'The routes of a record',
        params: RecordParams,
        querystring: PageQuery,
        response: { 200: PageOf(Route) },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      await getRecord(pool, tenant_id, request.params.id)
      const { limit, cursor } = request.query
      const after = decodeCursor(cursor, ['text'])
      const rows = await selectRecordRoutes(pool, tenant_id, request.params.id, { after, limit: limit + 1 })
      return toPage(rows, limit, row => [row.route_id], toRoute)
    },
  )
  app.get(
    '/v1/records/:id/explain',
    {
      config: { scope: 'records:read' },
      schema: {
        tags: ['records'],
        summary: 'Every decision in order, per person',
        params: RecordParams,
        querystring: ExplainQuery,
        response: { 200: Explanation },
      },
    },
    async request => {
      const { limit, cursor, user_id } = request.query
      const page = { after: decodeCursor(cursor, ['text']), limit, user_id }
      const { explanation, lastRouteId } = await explainRecord(
        pool,
        request.principal.tenant_id,
        request.params.id,
        page,
      )
      return { ...explanation, next_cursor: lastRouteId === undefined ? null : encodeCursor([lastRouteId]) }
    },
  )
  app.post(
    '/v1/records/:id/cancel',
    {
      config: { scope: 'records:write' },
      schema: {
        tags: ['records'],
        summary: 'Cancel what has not been sent yet',
        params: RecordParams,
        response: { 200: CancelAnswer },
      },
    },
    async request => {
      const { id } = request.params
      return audited(pool, request, { type: 'record', id, action: 'cancel' }, tx =>
        cancel(tx, request.principal.tenant_id, id),
      )
    },
  )
}
