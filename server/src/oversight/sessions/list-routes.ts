/** /v1/sessions: everywhere that an account is signed in. */
import { type OpenSession, OpenSessions } from '@carillon/contract'
import { z } from 'zod'
import { notFound } from '../../platform/calls/refusal.ts'
import { type Pool, transaction } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import { deviceOf } from './device.ts'
import { deleteSessions, type OpenSessionRow, selectSessions } from './queries.ts'
import { COOKIE, signedIn } from './routes.ts'
import { recordForSession } from './sessions.ts'

const tags = ['sessions']
const SessionParams = z.object({ id: z.uuid() })

export function sessionListRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/sessions',
    {
      config: { scope: 'session' },
      schema: {
        tags,
        summary: 'Your sessions, those used last first',
        security: COOKIE,
        response: { 200: OpenSessions },
      },
    },
    async request => {
      const session = signedIn(request)
      const rows = await selectSessions(pool, session)
      return { data: rows.map(row => toOpenSession(row, session.session_id)) }
    },
  )
  app.delete(
    '/v1/sessions/:id',
    {
      config: { scope: 'session' },
      schema: {
        tags,
        summary: 'End one of your sessions',
        security: COOKIE,
        params: SessionParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const session = signedIn(request)
      const { id } = request.params
      await transaction(pool, async tx => {
        const [ended] = await deleteSessions(tx, session, { id })
        if (ended === undefined) throw notFound(`session ${id}`)
        const before = toOpenSession(ended, session.session_id)
        await recordForSession(tx, request, session, { type: 'session', id, action: 'revoke', before })
      })
      return reply.status(204).send(null)
    },
  )
  app.delete(
    '/v1/sessions',
    {
      config: { scope: 'session' },
      schema: {
        tags,
        summary: 'End all of your sessions but this one',
        security: COOKIE,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const session = signedIn(request)
      await transaction(pool, async tx => {
        const ended = await deleteSessions(tx, session, { except: session.session_id })
        const after = { ended: ended.length }
        await recordForSession(tx, request, session, { type: 'session', id: null, action: 'revoke', after })
      })
      return reply.status(204).send(null)
    },
  )
}

function toOpenSession(row: OpenSessionRow, currentId: string): OpenSession {
  return {
    id: row.id,
    device: deviceOf(row.user_agent),
    ip_address: row.ip_address,
    created_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    current: row.id === currentId,
  }
}
