/** /v1/invitations */
import {
  CreatedInvitation,
  InvitationAcceptance,
  Invitations,
  InvitationToken,
  NewInvitation,
  ReadInvitation,
  Session,
} from '@carillon/contract'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { SignedIn } from '../../platform/calls/signed-in.ts'
import type { App } from '../../platform/http/server.ts'
import { refuseForeignPage, refuseForgery, sessionTokenOf } from '../../platform/http/session-cookie.ts'
import { audited } from '../audit-logs/audit-logs.ts'
import { answerWithSession } from '../sessions/routes.ts'
import { findSession } from '../sessions/sessions.ts'
import { type AcceptParts, accept } from './accept.ts'
import { invite, readInvitation, toInvitation, withdraw } from './invitations.ts'
import { selectInvitations } from './queries.ts'

const tags = ['members']
const InvitationParams = z.object({ id: z.uuid() })

export interface InvitationRouteParts extends AcceptParts {
  /** Where people reach this API; '' when it is not public. */
  publicUrl: string
  isPublicHttps: boolean
}

export function invitationRoutes(app: App, parts: InvitationRouteParts): void {
  const { pool, publicUrl } = parts

  app.get(
    '/v1/invitations',
    {
      config: { scope: 'api_keys:read' },
      schema: { tags, summary: 'Invitations that are open, newest first', response: { 200: Invitations } },
    },
    async request => ({
      data: (await selectInvitations(pool, request.principal.tenant_id)).map(toInvitation),
    }),
  )
  app.post(
    '/v1/invitations',
    {
      config: { scope: 'api_keys:write' },
      schema: {
        tags,
        summary: 'Invite somebody to the tenant; the link is shown only once',
        body: NewInvitation,
        response: { 201: CreatedInvitation },
      },
    },
    async (request, reply) => {
      const { principal, body } = request
      const url = publicUrl || `${request.protocol}://${request.host}`
      const after = ({ url: _, ...invitation }: CreatedInvitation) => invitation
      const created = await audited(pool, request, { type: 'invitation', action: 'create', after }, tx =>
        invite(tx, principal, body, url),
      )
      return reply.status(201).send(created)
    },
  )
  app.delete(
    '/v1/invitations/:id',
    {
      config: { scope: 'api_keys:write' },
      schema: {
        tags,
        summary: 'Withdraw an invitation',
        params: InvitationParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      await audited(pool, request, { type: 'invitation', id, action: 'delete' }, tx =>
        withdraw(tx, request.principal.tenant_id, id),
      )
      return reply.status(204).send(null)
    },
  )
  app.post(
    '/v1/invitations/read',
    {
      config: { scope: 'public', unaudited: 'it changes nothing' },
      schema: {
        tags,
        summary: 'What an invitation is for, by the token of its link',
        security: [],
        body: InvitationToken,
        response: { 200: ReadInvitation },
      },
    },
    async request => readInvitation(pool, request.body.token),
  )
  app.post(
    '/v1/invitations/accept',
    {
      config: { scope: 'public' },
      schema: {
        tags,
        summary: 'Become a member by the token of a link, and sign in',
        security: [],
        body: InvitationAcceptance,
        response: { 201: Session },
      },
    },
    async (request, reply) => {
      refuseForeignPage(request)
      const opened = await accept(parts, request, await ownSession(request), request.body)
      return answerWithSession(parts, reply, opened)
    },
  )

  /** Whoever is signed in already need not give their password. */
  async function ownSession(request: FastifyRequest): Promise<SignedIn | undefined> {
    const token = sessionTokenOf(request, parts)
    if (token === undefined) return undefined
    refuseForgery(request)
    return findSession(pool, token)
  }
}
