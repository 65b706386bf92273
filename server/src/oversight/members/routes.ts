/** /v1/members: who operates the tenant. */
import { Member, MemberChange, Members } from '@carillon/contract'
import { z } from 'zod'
import type { Client, Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import { audited } from '../audit-logs/audit-logs.ts'
import { changeRole, getMember, removeMember, toMember } from './members.ts'
import { selectMembers } from './queries.ts'

const tags = ['members']
const MemberParams = z.object({ account_id: z.uuid() })

export function memberRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/members',
    {
      config: { scope: 'api_keys:read' },
      schema: { tags, summary: 'The accounts that belong to the tenant', response: { 200: Members } },
    },
    async request => ({ data: (await selectMembers(pool, request.principal.tenant_id)).map(toMember) }),
  )
  app.patch(
    '/v1/members/:account_id',
    {
      config: { scope: 'api_keys:write', whenFull: true },
      schema: {
        tags,
        summary: 'Give a member another role, which takes effect at once',
        params: MemberParams,
        body: MemberChange,
        response: { 200: Member },
      },
    },
    async request => {
      const { account_id: id } = request.params
      const { principal } = request
      const before = (tx: Client) => getMember(tx, principal.tenant_id, id)
      return audited(pool, request, { type: 'member', id, before }, tx =>
        changeRole(tx, principal, id, request.body.role),
      )
    },
  )
  app.delete(
    '/v1/members/:account_id',
    {
      config: { scope: 'api_keys:write' },
      schema: {
        tags,
        summary: 'Remove a member, with the triggers that it registered; its account stays',
        params: MemberParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { account_id: id } = request.params
      await audited(pool, request, { type: 'member', id, action: 'delete' }, tx =>
        removeMember(tx, request.principal, id),
      )
      return reply.status(204).send(null)
    },
  )
}
