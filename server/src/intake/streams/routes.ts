/** /v1/streams */
import { PageOf, PageQuery, Stream, StreamChanges } from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { selectStreams } from './queries.ts'
import { forgetStream, getStream, pauseStream, toStream } from './streams.ts'

const StreamParams = z.object({ name: z.string().min(1).max(50) })
const tags = ['streams']

export function streamRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/streams',
    {
      config: { scope: 'streams:read' },
      schema: {
        tags,
        summary: 'Streams that intents are read from, by name',
        querystring: PageQuery,
        response: { 200: PageOf(Stream) },
      },
    },
    async request => {
      const { limit, cursor } = request.query
      const after = decodeCursor(cursor, ['text'])
      const rows = await selectStreams(pool, request.principal.tenant_id, { after, limit: limit + 1 })
      return toPage(rows, limit, row => [row.name], toStream)
    },
  )
  app.get(
    '/v1/streams/:name',
    {
      config: { scope: 'streams:read' },
      schema: { tags, summary: 'One stream', params: StreamParams, response: { 200: Stream } },
    },
    async request => getStream(pool, request.principal.tenant_id, request.params.name),
  )
  app.patch(
    '/v1/streams/:name',
    {
      config: { scope: 'streams:write' },
      schema: {
        tags,
        summary: 'Pause or resume reading; what is added meanwhile waits in the stream',
        params: StreamParams,
        body: StreamChanges,
        response: { 200: Stream },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { name } = request.params
      const before = (tx: Client) => getStream(tx, tenant_id, name)
      return audited(pool, request, { type: 'stream', id: name, before }, tx =>
        pauseStream(tx, tenant_id, name, request.body.is_paused),
      )
    },
  )
  app.delete(
    '/v1/streams/:name',
    {
      config: { scope: 'streams:write' },
      schema: {
        tags,
        summary: 'Forget a stream that is in no settings any more; nothing happens to the stream itself',
        params: StreamParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { tenant_id } = request.principal
      const { name } = request.params
      await audited(pool, request, { type: 'stream', id: name, action: 'delete' }, tx =>
        forgetStream(tx, tenant_id, name),
      )
      return reply.status(204).send(null)
    },
  )
}
