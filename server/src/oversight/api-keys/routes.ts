/** /v1/api-keys */
import { ApiKey, ApiKeyQuery, CreatedApiKey, NewApiKey, PageOf } from '@carillon/contract'
import { z } from 'zod'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { audited } from '../audit-logs/audit-logs.ts'
import {
  createApiKey,
  findApiKey,
  type KeyDirectory,
  limitsFor,
  type RevokedApiKey,
  refuseEscalation,
  revokeApiKey,
  toApiKey,
} from './api-keys.ts'
import { selectApiKeys } from './queries.ts'

const KeyParams = z.object({ id: z.uuid() })

export function apiKeyRoutes(app: App, pool: Pool, keys: Pick<KeyDirectory, 'forget'>): void {
  app.get(
    '/v1/api-keys',
    {
      config: { scope: 'api_keys:read' },
      schema: {
        tags: ['api keys'],
        summary: 'API keys, newest first',
        querystring: ApiKeyQuery,
        response: { 200: PageOf(ApiKey) },
      },
    },
    async request => {
      const { limit, cursor, ...filter } = request.query
      const after = decodeCursor(cursor, ['time', 'uuid'])
      const page = { after, limit: limit + 1 }
      const rows = await selectApiKeys(pool, request.principal.tenant_id, { ...filter, ...page })
      return toPage(rows, limit, row => [row.created_at.toISOString(), row.id], toApiKey)
    },
  )
  app.post(
    '/v1/api-keys',
    {
      config: { scope: 'api_keys:write' },
      schema: {
        tags: ['api keys'],
        summary: 'Create a key; it is shown only once',
        body: NewApiKey,
        response: { 201: CreatedApiKey },
      },
    },
    async (request, reply) => {
      refuseEscalation(request.principal, request.body)
      const key = await audited(pool, request, { type: 'api_key' }, tx =>
        createApiKey(tx, request.principal.tenant_id, request.body, limitsFor(request.principal)),
      )
      return reply.status(201).send(key)
    },
  )
  app.delete(
    '/v1/api-keys/:id',
    {
      config: { scope: 'api_keys:write' },
      schema: {
        tags: ['api keys'],
        summary: 'Revoke a key; if it has no user, the triggers that it registered are removed',
        params: KeyParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { tenant_id } = request.principal
      const { id } = request.params
      const subject = {
        type: 'api_key',
        id,
        action: 'revoke',
        before: (tx: Client) => findApiKey(tx, tenant_id, id),
        after: ({ apiKey, removedTriggers }: RevokedApiKey) =>
          removedTriggers.length === 0 ? apiKey : { ...apiKey, removed_triggers: removedTriggers },
      }
      const { hash } = await audited(pool, request, subject, tx => revokeApiKey(tx, request.principal, id))
      keys.forget(hash)
      return reply.status(204).send(null)
    },
  )
}
