/** /v1/saved-filters */
import {
  InboxOwnerQuery,
  MAX_SAVED_FILTERS,
  Name,
  SavedFilter,
  SavedFilterChanges,
  SavedFilterInput,
} from '@carillon/contract'
import { z } from 'zod'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import { type Pool, transaction } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import { readFilter } from '../notifications/filter.ts'
import { readState } from '../notifications/inbox.ts'
import { inboxOwner } from '../notifications/owner.ts'
import {
  changeSavedFilter,
  deleteSavedFilter,
  lockPerson,
  type SavedFilterRow,
  selectSavedFilters,
  upsertSavedFilter,
} from './queries.ts'

const SavedFilterParams = z.object({ name: Name(100) })

const UNAUDITED = 'How people look at their own inbox changes nothing for anybody else.'

export function savedFilterRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/saved-filters',
    {
      config: { scope: 'inbox:read', person: true },
      schema: {
        tags: ['inbox'],
        summary: 'The filters that a person has saved, in their order',
        querystring: InboxOwnerQuery,
        response: { 200: z.object({ data: z.array(SavedFilter) }) },
      },
    },
    async request => {
      const owner = inboxOwner(request)
      await readState(pool, owner)
      return { data: (await selectSavedFilters(pool, owner)).map(toSavedFilter) }
    },
  )
  app.put(
    '/v1/saved-filters/:name',
    {
      config: { scope: 'inbox:write', person: true, unaudited: UNAUDITED },
      schema: {
        tags: ['inbox'],
        summary: 'Save a filter under a name, or replace it',
        params: SavedFilterParams,
        querystring: InboxOwnerQuery,
        body: SavedFilterInput,
        response: { 200: SavedFilter },
      },
    },
    async request => {
      const owner = inboxOwner(request)
      readFilter('query', request.body.query)
      return transaction(pool, async tx => {
        if (!(await lockPerson(tx, owner))) throw notFound(`user "${owner.userId}"`)
        const row = await upsertSavedFilter(tx, owner, request.params.name, request.body, MAX_SAVED_FILTERS)
        if (row === undefined) throw tooMany()
        return toSavedFilter(row)
      })
    },
  )
  app.patch(
    '/v1/saved-filters/:name',
    {
      config: { scope: 'inbox:write', person: true, unaudited: UNAUDITED },
      schema: {
        tags: ['inbox'],
        summary: 'Change the given fields of a saved filter',
        params: SavedFilterParams,
        querystring: InboxOwnerQuery,
        body: SavedFilterChanges,
        response: { 200: SavedFilter },
      },
    },
    async request => {
      const owner = inboxOwner(request)
      const { name } = request.params
      if (request.body.query !== undefined) readFilter('query', request.body.query)
      const row = await changeSavedFilter(pool, owner, name, request.body)
      if (row === undefined) throw missing(name)
      return toSavedFilter(row)
    },
  )
  app.delete(
    '/v1/saved-filters/:name',
    {
      config: { scope: 'inbox:write', person: true, unaudited: UNAUDITED, whenFull: true },
      schema: {
        tags: ['inbox'],
        summary: 'Remove a saved filter',
        params: SavedFilterParams,
        querystring: InboxOwnerQuery,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { name } = request.params
      if (!(await deleteSavedFilter(pool, inboxOwner(request), name))) throw missing(name)
      return reply.status(204).send(null)
    },
  )
}

const missing = (name: string) => notFound(`saved filter "${name}"`)

function toSavedFilter(row: SavedFilterRow): SavedFilter {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() }
}

function tooMany(): Refusal {
  const message = `A person can save ${MAX_SAVED_FILTERS} filters; delete one first.`
  return new Refusal('too_many_items', message, [{ field: 'name', message }])
}
