/** /v1/threads/{kind}/{id}/participants */
import {
  Name,
  PageOf,
  PageQuery,
  Participant,
  ParticipantRelation,
  ThreadId,
  ThreadKind,
} from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import { refuseUnknownUser } from '../../people/users/unknown-user.ts'
import { notFound } from '../../platform/calls/refusal.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import {
  deleteParticipant,
  insertParticipant,
  selectParticipant,
  selectParticipants,
  selectThread,
} from './queries.ts'
import { noThread, toParticipant } from './threads.ts'

const ThreadParams = z.object({ kind: ThreadKind, id: ThreadId })
const ParticipantParams = ThreadParams.extend({ relation: ParticipantRelation, user_id: Name(200) })
const tags = ['threads']
const path = '/v1/threads/:kind/:id/participants'

export function participantRoutes(app: App, pool: Pool): void {
  app.put(
    `${path}/:relation/:user_id`,
    {
      config: { scope: 'topics:write' },
      schema: {
        tags,
        summary: 'Give a person a lasting relation to a thread, such as assignee',
        params: ParticipantParams,
        response: { 200: Participant },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { kind, id, relation, user_id } = request.params
      const before = async (tx: Client) => {
        const row = await selectParticipant(tx, tenant_id, [kind, id], relation, user_id)
        return row && toParticipant(row)
      }
      return audited(pool, request, { ...subjectOf(request.params), before }, async tx => {
        if ((await selectThread(tx, tenant_id, kind, id)) === undefined) throw noThread(kind, id)
        const write = insertParticipant(tx, tenant_id, [kind, id], relation, user_id)
        return toParticipant(await write.catch(error => refuseUnknownUser(error, user_id)))
      })
    },
  )
  app.get(
    path,
    {
      config: { scope: 'topics:read' },
      schema: {
        tags,
        summary: 'Who takes part in a thread',
        params: ThreadParams,
        querystring: PageQuery,
        response: { 200: PageOf(Participant) },
      },
    },
    async request => {
      const { limit, cursor } = request.query
      const { tenant_id } = request.principal
      const { kind, id } = request.params
      const after = decodeCursor(cursor, ['text', 'text']) ?? ['', '']
      const rows = await selectParticipants(pool, tenant_id, [kind, id], after, limit + 1)
      if (rows.length === 0 && (await selectThread(pool, tenant_id, kind, id)) === undefined)
        throw noThread(kind, id)
      return toPage(rows, limit, row => [row.relation, row.user_id], toParticipant)
    },
  )
  app.delete(
    `${path}/:relation/:user_id`,
    {
      config: { scope: 'topics:write' },
      schema: {
        tags,
        summary: 'Take a relation to a thread away from a person',
        params: ParticipantParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { kind, id, relation, user_id } = request.params
      const subject = { ...subjectOf(request.params), action: 'delete' }
      await audited(pool, request, subject, async tx => {
        const row = await deleteParticipant(tx, request.principal.tenant_id, [kind, id], relation, user_id)
        if (row === undefined) throw notFound(`${relation} "${user_id}" of "${kind}/${id}"`)
        return toParticipant(row)
      })
      return reply.status(204).send(null)
    },
  )
}

function subjectOf({ kind, id, relation, user_id }: z.infer<typeof ParticipantParams>) {
  return { type: 'participant', id: `${kind}/${id}/${relation}/${user_id}` }
}
