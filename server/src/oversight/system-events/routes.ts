/** /v1/system-events */
import { NewSystemEvent, PageOf, ResolveSystemEvent, SystemEvent, SystemEventQuery } from '@carillon/contract'
import { z } from 'zod'
import { isPermitted } from '../../platform/calls/principal.ts'
import { notFound } from '../../platform/calls/refusal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { audited } from '../audit-logs/audit-logs.ts'
import { resolveSystemEventRow, selectSystemEvents } from './queries.ts'
import { raiseSystemEvent, toSystemEvent } from './system-events.ts'

export function systemEventRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/system-events',
    {
      config: { scope: 'system_events:read' },
      schema: {
        tags: ['system events'],
        summary: 'Events for operators, newest first',
        querystring: SystemEventQuery,
        response: { 200: PageOf(SystemEvent) },
      },
    },
    async request => {
      const { limit, cursor, severity, event_type, state } = request.query
      const rows = await selectSystemEvents(pool, request.principal.tenant_id, {
        wholeInstance: isPermitted(request.principal, 'instance'),
        severity,
        event_type,
        resolved: state === 'all' ? null : state === 'resolved',
        after: decodeCursor(cursor, ['time', 'integer']),
        limit: limit + 1,
      })
      return toPage(rows, limit, row => [row.created_at.toISOString(), row.id], toSystemEvent)
    },
  )
  app.post(
    '/v1/system-events',
    {
      config: { scope: 'system_events:write' },
      schema: {
        tags: ['system events'],
        summary: 'Raise an event, or count it on the open one',
        body: NewSystemEvent,
        response: { 201: SystemEvent },
      },
    },
    async (request, reply) => {
      const { tenant_id } = request.principal
      const { event_type, subject = '' } = request.body
      const change = { type: 'system_event', id: `${event_type}/${subject}`, action: 'raise' }
      const raised = await audited(pool, request, change, tx =>
        raiseSystemEvent(tx, { ...request.body, tenant_id }),
      )
      return reply.status(201).send(raised)
    },
  )
  app.post(
    '/v1/system-events/:id/resolve',
    {
      config: { scope: 'system_events:write' },
      schema: {
        tags: ['system events'],
        summary: 'Mark as handled',
        params: z.object({ id: z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER) }),
        body: ResolveSystemEvent,
        response: { 200: SystemEvent },
      },
    },
    async request => {
      const { tenant_id, user_id } = request.principal
      const resolvedBy = request.body.resolved_by ?? user_id
      const wholeInstance = isPermitted(request.principal, 'instance')
      const { id } = request.params
      const subject = { type: 'system_event', id: String(id), action: 'resolve' }
      return audited(pool, request, subject, async tx => {
        const row = await resolveSystemEventRow(tx, tenant_id, id, resolvedBy, wholeInstance)
        if (row === undefined) throw notFound(`system event ${id}`)
        return toSystemEvent(row)
      })
    },
  )
}
