/** /v1/suppressions */
import { Channel, NewSuppression, PageOf, Suppression, SuppressionQuery } from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import { notFound } from '../../platform/calls/refusal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { normalAddress } from '../addresses/addresses.ts'
import { deleteSuppression, insertSuppression, type SuppressionRow, selectSuppressions } from './queries.ts'

const tags = ['suppressions']

export function suppressionRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/suppressions',
    {
      config: { scope: 'suppressions:read' },
      schema: {
        tags,
        summary: 'List suppressed addresses',
        querystring: SuppressionQuery,
        response: { 200: PageOf(Suppression) },
      },
    },
    async request => {
      const { limit, cursor, ...filter } = request.query
      const after = decodeCursor(cursor, ['time', 'text', 'text'])
      const rows = await selectSuppressions(pool, request.principal.tenant_id, {
        ...filter,
        after,
        limit: limit + 1,
      })
      return toPage(
        rows,
        limit,
        row => [row.created_at.toISOString(), row.channel, row.address],
        toSuppression,
      )
    },
  )
  app.post(
    '/v1/suppressions',
    {
      config: { scope: 'suppressions:write' },
      schema: { tags, summary: 'Suppress an address', body: NewSuppression, response: { 201: Suppression } },
    },
    async (request, reply) => {
      const { channel } = request.body
      const address = await normalAddress(pool, channel, request.body.address, 'address')
      const suppression = await audited(pool, request, auditSubject(channel, address), async tx =>
        toSuppression(
          await insertSuppression(tx, request.principal.tenant_id, {
            ...request.body,
            address,
            reason: 'manual',
          }),
        ),
      )
      return reply.status(201).send(suppression)
    },
  )
  app.delete(
    '/v1/suppressions',
    {
      config: { scope: 'suppressions:write' },
      schema: {
        tags,
        summary: 'Lift a suppression',
        querystring: z.strictObject({ channel: Channel, address: z.string().min(1).max(500) }),
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { channel, address } = request.query
      await audited(pool, request, { ...auditSubject(channel, address), action: 'delete' }, async tx => {
        const row = await deleteSuppression(tx, request.principal.tenant_id, channel, address)
        if (row === undefined) throw notFound(`suppression of ${address} on ${channel}`)
        return toSuppression(row)
      })
      return reply.status(204).send(null)
    },
  )
}

const auditSubject = (channel: string, address: string) => ({
  type: 'suppression',
  id: `${channel}:${address.toLowerCase()}`,
})

function toSuppression(row: SuppressionRow): Suppression {
  return { ...row, created_at: row.created_at.toISOString() }
}
