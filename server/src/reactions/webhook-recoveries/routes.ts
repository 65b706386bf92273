/** /v1/webhooks/{id}/recoveries */
import { RecoverWebhook, WebhookRecovery } from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import type { Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import { getRecovery, startRecovery } from './recoveries.ts'

const tags = ['webhooks']

export function webhookRecoveryRoutes(app: App, pool: Pool, onDue: () => void): void {
  app.post(
    '/v1/webhooks/:id/recoveries',
    {
      config: { scope: 'webhook_deliveries:write' },
      schema: {
        tags,
        summary: 'Send again everything that failed since a given time',
        params: z.object({ id: z.uuid() }),
        body: RecoverWebhook,
        response: { 202: WebhookRecovery },
      },
    },
    async (request, reply) => {
      const recovery = await audited(pool, request, { type: 'webhook_recovery' }, tx =>
        startRecovery(tx, request.principal.tenant_id, request.params.id, request.body),
      )
      onDue()
      return reply.status(202).send(recovery)
    },
  )
  app.get(
    '/v1/webhooks/:id/recoveries/:recovery_id',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        tags,
        summary: 'The progress of a recovery',
        params: z.object({ id: z.uuid(), recovery_id: z.uuid() }),
        response: { 200: WebhookRecovery },
      },
    },
    async request =>
      getRecovery(pool, request.principal.tenant_id, request.params.id, request.params.recovery_id),
  )
}
