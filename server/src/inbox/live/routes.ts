/** GET /v1/inbox/stream */
import { Readable } from 'node:stream'
import { InboxStreamQuery } from '@carillon/contract'
import { z } from 'zod'
import type { Principal } from '../../platform/calls/principal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import { readState } from '../notifications/inbox.ts'
import { inboxOwner } from '../notifications/owner.ts'
import { isVersion, refuseWrongVersion } from '../notifications/version.ts'
import type { LiveHub } from './hub.ts'

/** What a client that does not read may leave waiting here. */
const MOST_UNREAD_BYTES = 64 * 1024
/** A key may be revoked: whoever streams with one has to show it again from time to time. */
const KEY_STREAM_MS = 600_000

export function inboxStreamRoutes(app: App, { pool, live }: { pool: Pool; live: LiveHub }): void {
  app.addHook('preClose', async () => live.close())
  app.get(
    '/v1/inbox/stream',
    {
      // A stream without its body would be one that nobody reads.
      exposeHeadRoute: false,
      config: { scope: 'inbox:read', person: true, tokenInQuery: true, isStream: true },
      schema: {
        tags: ['inbox'],
        summary: 'A person’s inbox live, as server-sent events',
        querystring: InboxStreamQuery,
        response: {
          200: {
            description: 'Events `inbox`; at the end `expired`, `revoked` or `closing`',
            content: { 'text/event-stream': { schema: z.string() } },
          },
        },
      },
    },
    async (request, reply) => {
      const owner = inboxOwner(request)
      const { last_event_id, max_seconds } = request.query
      refuseWrongVersion('last_event_id', last_event_id)
      if (request.principal.person === undefined) await readState(pool, owner)
      const sent = request.headers['last-event-id']
      const { stream, write, end } = openStream()
      const connection = {
        ...owner,
        ...lifeOf(request.principal, max_seconds),
        // A browser repeats whatever id it has; one that is no version is the same as none.
        seen: typeof sent === 'string' && isVersion(sent) ? sent : last_event_id,
        write,
        end,
      }
      live.open(connection)
      stream.once('close', () => live.leave(connection))
      return (
        reply
          .type('text/event-stream; charset=utf-8')
          .header('cache-control', 'no-cache, no-transform')
          .header('x-accel-buffering', 'no')
          // Kept open for another request, it would hold up a process that stops.
          .header('connection', 'close')
          // The schema describes text, which is what a client receives.
          .send(stream as unknown as string)
      )
    },
  )
}

/** Text that is written over time, and whether anybody reads it. */
function openStream() {
  const stream = new Readable({ read() {} })
  let isOpen = true
  return {
    stream,
    write(text: string): boolean {
      if (!isOpen || stream.destroyed) return false
      stream.push(text)
      return stream.readableLength < MOST_UNREAD_BYTES
    },
    end(): void {
      if (isOpen) stream.push(null)
      isOpen = false
    },
  }
}

function lifeOf({ person, session, tenant_id }: Principal, maxSeconds: number | undefined) {
  const asked = maxSeconds === undefined ? Number.POSITIVE_INFINITY : Date.now() + maxSeconds * 1000
  if (person === undefined)
    return {
      token: undefined,
      session: session && { id: session.id, tenant_id },
      endsMs: Math.min(asked, Date.now() + KEY_STREAM_MS),
    }
  const { user_id, epoch, issuedMs, expiresMs } = person
  return { token: { tenant_id, user_id, epoch, issuedMs, expiresMs }, endsMs: Math.min(asked, expiresMs) }
}
