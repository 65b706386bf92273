/** /v1/users/{id}/preferences and the tenant's defaults at /v1/preferences */
import { DefaultPreferences, Name, OptOut, OptOutQuery, PageOf, Preferences } from '@carillon/contract'
import { z } from 'zod'
import type { Pool } from '../db/pool.ts'
import { decodeCursor, toPage } from '../http/page.ts'
import type { App } from '../http/server.ts'
import { getDefaults, getPreferences, putDefaults, putPreferences } from './preferences.ts'
import { selectOptOuts } from './queries.ts'

const UserParams = z.object({ id: Name(200) })

export function preferenceRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/users/:id/preferences',
    {
      config: { scope: 'preferences:read' },
      schema: {
        tags: ['preferences'],
        summary: 'What a user wants',
        params: UserParams,
        response: { 200: Preferences },
      },
    },
    async request => getPreferences(pool, request.principal.tenant_id, request.params.id),
  )
  app.put(
    '/v1/users/:id/preferences',
    {
      config: { scope: 'preferences:write' },
      schema: {
        tags: ['preferences'],
        summary: 'Replace what a user wants, as a whole',
        params: UserParams,
        body: Preferences,
        response: { 200: Preferences },
      },
    },
    async request => putPreferences(pool, request.principal.tenant_id, request.params.id, request.body),
  )
  app.get(
    '/v1/preferences',
    {
      config: { scope: 'preferences:read' },
      schema: {
        tags: ['preferences'],
        summary: 'What holds for users who have not chosen',
        response: { 200: DefaultPreferences },
      },
    },
    async request => getDefaults(pool, request.principal.tenant_id),
  )
  app.put(
    '/v1/preferences',
    {
      config: { scope: 'preferences:write' },
      schema: {
        tags: ['preferences'],
        summary: 'Replace the defaults, as a whole',
        body: DefaultPreferences,
        response: { 200: DefaultPreferences },
      },
    },
    async request => putDefaults(pool, request.principal.tenant_id, request.body),
  )
  app.get(
    '/v1/preferences/opt-outs',
    {
      config: { scope: 'preferences:read' },
      schema: {
        tags: ['preferences'],
        summary: 'Who switched a channel off',
        querystring: OptOutQuery,
        response: { 200: PageOf(OptOut) },
      },
    },
    async request => {
      const { channel, limit, cursor } = request.query
      const afterUser = String(decodeCursor(cursor, ['text'])?.[0] ?? '')
      const rows = await selectOptOuts(pool, request.principal.tenant_id, channel, afterUser, limit + 1)
      return toPage(
        rows,
        limit,
        row => [row.user_id],
        row => ({ ...row, updated_at: row.updated_at.toISOString() }),
      )
    },
  )
}
