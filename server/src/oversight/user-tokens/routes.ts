/** /v1/users/{id}/token and what ends tokens */
import { Name, UserToken, UserTokenEpoch, UserTokenInput } from '@carillon/contract'
import { z } from 'zod'
import { notFound } from '../../platform/calls/refusal.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { audited } from '../audit-logs/audit-logs.ts'
import { epochOf, rotateUserTokens, voidTokensOfTenant } from '../tenants/token-epochs.ts'
import { voidTokensOfUser } from './queries.ts'
import { issueToken } from './user-tokens.ts'

const tags = ['user tokens']
const UserParams = z.object({ id: Name(200) })

export function userTokenRoutes(app: App, { pool, keyring }: { pool: Pool; keyring: Keyring }): void {
  app.post(
    '/v1/users/:id/token',
    {
      config: {
        scope: 'user_tokens:write',
        unaudited: 'it changes nothing, and is asked for with every page',
        whenFull: true,
      },
      schema: {
        tags,
        summary: 'A token with which a person’s browser reaches what is theirs; it is shown only once',
        params: UserParams,
        body: UserTokenInput,
        response: { 201: UserToken },
      },
    },
    async (request, reply) => {
      const holder = { tenant_id: request.principal.tenant_id, user_id: request.params.id }
      return reply.status(201).send(await issueToken(pool, keyring, holder, request.body.ttl_seconds))
    },
  )
  app.post(
    '/v1/users/:id/tokens/revoke',
    {
      config: { scope: 'user_tokens:write', whenFull: true },
      schema: {
        tags,
        summary: 'End all tokens that a person has by now',
        params: UserParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      await audited(
        pool,
        request,
        { type: 'user_token', id, action: 'revoke', after: () => ({}) },
        async tx => {
          if (!(await voidTokensOfUser(tx, request.principal.tenant_id, id))) throw notFound(`user "${id}"`)
        },
      )
      return reply.status(204).send(null)
    },
  )
  changeAll('/v1/user-tokens/rotate', 'rotate', rotateUserTokens, {
    summary: 'Begin another epoch; tokens of the one before it work until they expire, older ones no more',
  })
  changeAll('/v1/user-tokens/revoke', 'revoke', voidTokensOfTenant, {
    summary: 'End all tokens of all people at once',
  })

  function changeAll(
    path: string,
    action: string,
    change: (tx: Client, tenantId: string) => Promise<UserTokenEpoch>,
    { summary }: { summary: string },
  ): void {
    app.post(
      path,
      {
        config: { scope: 'user_tokens:write', whenFull: true },
        schema: { tags, summary, response: { 200: UserTokenEpoch } },
      },
      async request => {
        const { tenant_id: id } = request.principal
        const before = (tx: Client) => epochOf(tx, id)
        const subject = { type: 'user_tokens', id, action, before }
        return audited(pool, request, subject, tx => change(tx, id))
      },
    )
  }
}
