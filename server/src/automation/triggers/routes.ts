/** /v1/triggers */
import {
  CreatedHttpTrigger,
  CreatedTrigger,
  NewTrigger,
  PageOf,
  Trigger,
  TriggerChanges,
  TriggerQuery,
} from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { selectTriggers } from './queries.ts'
import { changeTrigger, createTrigger, removeTrigger, rotateUrl } from './registration.ts'
import { getTrigger, toTrigger } from './triggers.ts'

const TriggerParams = z.object({ id: z.uuid() })
const tags = ['triggers']
const type = 'trigger'

/** An address is as good as a key, so the audit log does not have it. */
function withoutUrl(trigger: CreatedTrigger): object {
  return { ...trigger, url: undefined }
}

export function triggerRoutes(app: App, { pool, publicUrl }: { pool: Pool; publicUrl: string }): void {
  app.get(
    '/v1/triggers',
    {
      config: { scope: 'triggers:read' },
      schema: {
        tags,
        summary: 'Triggers, newest first',
        querystring: TriggerQuery,
        response: { 200: PageOf(Trigger) },
      },
    },
    async request => {
      const { limit, cursor, ...filter } = request.query
      const page = { after: decodeCursor(cursor, ['uuid']), limit: limit + 1 }
      const rows = await selectTriggers(pool, request.principal.tenant_id, { ...filter, ...page })
      return toPage(rows, limit, row => [row.id], toTrigger)
    },
  )
  app.post(
    '/v1/triggers',
    {
      config: { scope: 'triggers:write' },
      schema: {
        tags,
        summary: 'Run a script when something happens; it runs as the caller',
        body: NewTrigger,
        response: { 201: CreatedTrigger },
      },
    },
    async (request, reply) => {
      const trigger = await audited(pool, request, { type, after: withoutUrl }, tx =>
        createTrigger(tx, request.principal, request.body, publicUrl),
      )
      return reply.status(201).send(trigger)
    },
  )
  app.get(
    '/v1/triggers/:id',
    {
      config: { scope: 'triggers:read' },
      schema: { tags, summary: 'One trigger', params: TriggerParams, response: { 200: Trigger } },
    },
    async request => getTrigger(pool, request.principal.tenant_id, request.params.id),
  )
  app.patch(
    '/v1/triggers/:id',
    {
      config: { scope: 'triggers:write' },
      schema: {
        tags,
        summary:
          'Change a trigger; with another script, configuration or mode it runs as the caller from then on',
        params: TriggerParams,
        body: TriggerChanges,
        response: { 200: Trigger },
      },
    },
    async request => {
      const { id } = request.params
      const before = (tx: Client) => getTrigger(tx, request.principal.tenant_id, id)
      return audited(pool, request, { type, id, before }, tx =>
        changeTrigger(tx, request.principal, id, request.body),
      )
    },
  )
  app.delete(
    '/v1/triggers/:id',
    {
      config: { scope: 'triggers:write' },
      schema: {
        tags,
        summary: 'Remove a trigger; events that still wait for it become dead letters',
        params: TriggerParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      await audited(pool, request, { type, id, action: 'delete' }, tx =>
        removeTrigger(tx, request.principal.tenant_id, id),
      )
      return reply.status(204).send(null)
    },
  )
  app.post(
    '/v1/triggers/:id/rotate-url',
    {
      config: { scope: 'triggers:write' },
      schema: {
        tags,
        summary: 'Give an http trigger another address; the old one stops working at once',
        params: TriggerParams,
        response: { 200: CreatedHttpTrigger },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { id } = request.params
      const before = (tx: Client) => getTrigger(tx, tenant_id, id)
      const subject = { type, id, action: 'rotate_url', before, after: withoutUrl }
      return audited(pool, request, subject, tx => rotateUrl(tx, tenant_id, id, publicUrl))
    },
  )
}
