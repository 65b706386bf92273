/** /v1/dead-letters */
import {
  DeadLetter,
  DeadLetterCount,
  DeadLetterCountQuery,
  DeadLetterDetail,
  DeadLetterGroupQuery,
  DeadLetterGroups,
  DeadLetterQuery,
  PageOf,
  ReplayAnswer,
  ReplayDeadLetter,
  ReplayDeadLetters,
  ResolveAnswer,
  ResolveDeadLetter,
  ResolveDeadLetters,
} from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import {
  findDeadLetter,
  getDeadLetter,
  type LetterRoutes,
  replayDeadLetter,
  replayMatching,
  resolveDeadLetter,
  resolveMatching,
  toDeadLetter,
} from './dead-letters.ts'
import { groupDeadLetters } from './groups.ts'
import { countOpenDeadLetters, selectDeadLetters } from './queries.ts'
import { replayToAddress } from './readdress.ts'

const LetterParams = z.object({ id: z.uuid() })
const tags = ['dead letters']
const type = 'dead_letter'

export interface DeadLetterParts {
  pool: Pool
  routes: LetterRoutes
  onDue: () => void
}

export function deadLetterRoutes(app: App, { pool, routes, onDue }: DeadLetterParts): void {
  app.get(
    '/v1/dead-letters',
    {
      config: { scope: 'dead_letters:read' },
      schema: {
        tags,
        summary: 'Dead letters, newest first',
        querystring: DeadLetterQuery,
        response: { 200: PageOf(DeadLetter) },
      },
    },
    async request => {
      const { limit, cursor, state, ...filter } = request.query
      const after = decodeCursor(cursor, ['time', 'uuid'])
      const rows = await selectDeadLetters(pool, request.principal.tenant_id, {
        filter,
        state,
        after,
        limit: limit + 1,
      })
      return toPage(rows, limit, row => [row.created_at.toISOString(), row.id], toDeadLetter)
    },
  )
  app.get(
    '/v1/dead-letters/count',
    {
      config: { scope: 'dead_letters:read' },
      schema: {
        tags,
        summary: 'Number of open dead letters',
        querystring: DeadLetterCountQuery,
        response: { 200: DeadLetterCount },
      },
    },
    async request => ({
      open: await countOpenDeadLetters(pool, request.principal.tenant_id, request.query),
    }),
  )
  app.get(
    '/v1/dead-letters/groups',
    {
      config: { scope: 'dead_letters:read' },
      schema: {
        tags,
        summary: 'Dead letters by what they failed for, the largest group first',
        querystring: DeadLetterGroupQuery,
        response: { 200: DeadLetterGroups },
      },
    },
    async request => {
      const { state, ...filter } = request.query
      return groupDeadLetters(pool, request.principal.tenant_id, state, filter)
    },
  )
  app.get(
    '/v1/dead-letters/:id',
    {
      config: { scope: 'dead_letters:read' },
      schema: {
        tags,
        summary: 'One dead letter with its payload and attempts',
        params: LetterParams,
        response: { 200: DeadLetterDetail },
      },
    },
    async request => getDeadLetter(pool, routes, request.principal.tenant_id, request.params.id),
  )
  app.post(
    '/v1/dead-letters/:id/replay',
    {
      config: { scope: 'dead_letters:write' },
      schema: {
        tags,
        summary: 'Send it again with a fresh budget of attempts, to another address if one is given',
        params: LetterParams,
        body: ReplayDeadLetter,
        response: { 200: DeadLetter },
      },
    },
    async request => {
      const { tenant_id, user_id } = request.principal
      const { id } = request.params
      const { address } = request.body
      const before = (tx: Client) => findDeadLetter(tx, tenant_id, id)
      const letter = await audited(pool, request, { type, id, action: 'replay', before }, tx =>
        address === undefined
          ? replayDeadLetter(tx, routes, tenant_id, id, user_id)
          : replayToAddress(tx, routes, tenant_id, { id, address, by: user_id }),
      )
      onDue()
      return letter
    },
  )
  app.post(
    '/v1/dead-letters/:id/resolve',
    {
      config: { scope: 'dead_letters:write' },
      schema: {
        tags,
        summary: 'Close it without sending it again',
        params: LetterParams,
        body: ResolveDeadLetter,
        response: { 200: DeadLetter },
      },
    },
    async request => {
      const { tenant_id, user_id } = request.principal
      const { id } = request.params
      const before = (tx: Client) => findDeadLetter(tx, tenant_id, id)
      return audited(pool, request, { type, id, action: 'resolve', before }, tx =>
        resolveDeadLetter(tx, tenant_id, id, request.body, user_id),
      )
    },
  )
  app.post(
    '/v1/dead-letters/replay',
    {
      config: { scope: 'dead_letters:write' },
      schema: {
        tags,
        summary: 'Replay the open dead letters that match a filter',
        body: ReplayDeadLetters,
        response: { 200: ReplayAnswer },
      },
    },
    async request => {
      const { tenant_id, user_id } = request.principal
      const after = (answer: ReplayAnswer) => ({ filter: request.body.filter, ...answer })
      const answer = await audited(pool, request, { type, id: null, action: 'replay', after }, tx =>
        replayMatching(tx, routes, tenant_id, request.body, user_id),
      )
      if (answer.replayed > 0) onDue()
      return answer
    },
  )
  app.post(
    '/v1/dead-letters/resolve',
    {
      config: { scope: 'dead_letters:write' },
      schema: {
        tags,
        summary: 'Close the open dead letters that match a filter without sending them again',
        body: ResolveDeadLetters,
        response: { 200: ResolveAnswer },
      },
    },
    async request => {
      const { tenant_id, user_id } = request.principal
      const after = (answer: ResolveAnswer) => ({ filter: request.body.filter, ...answer })
      return audited(pool, request, { type, id: null, action: 'resolve', after }, tx =>
        resolveMatching(tx, tenant_id, request.body, user_id),
      )
    },
  )
}
