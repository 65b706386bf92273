/** /v1/session: who is signed in with this browser. */
import { Session, SessionChange, SignIn } from '@carillon/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { SignedIn } from '../../platform/calls/signed-in.ts'
import { type App, tenantOf } from '../../platform/http/server.ts'
import { refuseForeignPage, setSessionCookie } from '../../platform/http/session-cookie.ts'
import { membershipOf } from '../members/members.ts'
import { deleteSessions, updateChosenTenant } from './queries.ts'
import { describeSession, findSession, notAMember, type OpenedSession } from './sessions.ts'
import { type SignInParts, signIn } from './sign-in.ts'

const tags = ['sessions']

export interface SessionRouteParts extends SignInParts {
  isPublicHttps: boolean
}

export function sessionRoutes(app: App, parts: SessionRouteParts): void {
  const { pool } = parts

  app.post(
    '/v1/session',
    {
      config: { scope: 'public' },
      schema: {
        tags,
        summary: 'Sign in to the dashboard; the answer sets a cookie',
        security: [],
        body: SignIn,
        response: { 201: Session },
      },
    },
    async (request, reply) => {
      refuseForeignPage(request)
      return answerWithSession(parts, reply, await signIn(parts, request, request.body))
    },
  )
  app.get(
    '/v1/session',
    {
      config: { scope: 'session' },
      schema: { tags, summary: 'Who is signed in', security: COOKIE, response: { 200: Session } },
    },
    async request => describeSession(pool, signedIn(request), tenantOf(request)),
  )
  app.patch(
    '/v1/session',
    {
      config: { scope: 'session', unaudited: 'it changes only what the session looks at' },
      schema: {
        tags,
        summary: 'Look at another tenant from now on',
        security: COOKIE,
        body: SessionChange,
        response: { 200: Session },
      },
    },
    async request => {
      const session = signedIn(request)
      const { tenant_id } = request.body
      await chooseTenant(session, tenant_id)
      return describeSession(pool, { ...session, chosen_tenant_id: tenant_id }, tenant_id)
    },
  )
  app.delete(
    '/v1/session',
    {
      config: { scope: 'session', unaudited: 'it ends nothing but itself' },
      schema: { tags, summary: 'Sign out', security: COOKIE, response: { 204: z.null() } },
    },
    async (request, reply) => {
      const session = signedIn(request)
      await deleteSessions(pool, session, { id: session.session_id })
      setSessionCookie(reply, null, parts)
      return reply.status(204).send(null)
    },
  )

  async function chooseTenant({ session_id, account, api_key }: SignedIn, tenantId: string): Promise<void> {
    if (account === null && api_key?.tenant_id === tenantId) return
    const membership = account && (await membershipOf(pool, account.id, { wanted: tenantId, chosen: null }))
    if (!membership) throw notAMember(tenantId, 'tenant_id')
    await updateChosenTenant(pool, session_id, tenantId)
  }
}

/** For the documentation. */
export const COOKIE = [{ session: [] }]

/** The routes that ask for it need a session. */
export function signedIn({ signedIn }: FastifyRequest): SignedIn {
  if (signedIn === undefined) throw new Refusal('unauthenticated', 'Nobody is signed in.')
  return signedIn
}

export async function answerWithSession(
  { pool, isPublicHttps }: Pick<SessionRouteParts, 'pool' | 'isPublicHttps'>,
  reply: FastifyReply,
  opened: OpenedSession,
): Promise<FastifyReply> {
  setSessionCookie(reply, opened, { isPublicHttps })
  const session = await findSession(pool, opened.token)
  if (session === undefined) throw new Refusal('unauthenticated', 'The session ended at once.')
  return reply.status(201).send(await describeSession(pool, session, undefined))
}
