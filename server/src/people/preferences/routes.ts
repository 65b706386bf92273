/** /v1/users/{id}/preferences and the tenant's defaults at /v1/preferences */
import {
  DefaultPreferences,
  DefaultPreferencesChanges,
  DefaultPreferencesInput,
  Name,
  OptOut,
  OptOutQuery,
  PageOf,
  PreferenceLink,
  PreferenceLinkInput,
  Preferences,
  PreferencesChanges,
  PreferencesInput,
} from '@carillon/contract'
import { z } from 'zod'
import { preferencePageLink } from '../../content/signed-links/signed-links.ts'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { changeDefaults, changePreferences } from './changes.ts'
import { getDefaults, getPreferences, putDefaults, putPreferences } from './preferences.ts'
import { selectOptOuts } from './queries.ts'

const UserParams = z.object({ id: Name(200) })

export interface PreferenceParts {
  pool: Pool
  keyring: Keyring
  /** '' if not set; links then use the address that the request was sent to. */
  publicUrl: string
}

export function preferenceRoutes(app: App, { pool, keyring, publicUrl }: PreferenceParts): void {
  app.get(
    '/v1/users/:id/preferences',
    {
      config: { scope: 'preferences:read', person: true },
      schema: {
        tags: ['preferences'],
        summary: 'A user’s preferences',
        params: UserParams,
        response: { 200: Preferences },
      },
    },
    async request => getPreferences(pool, request.principal.tenant_id, request.params.id),
  )
  app.put(
    '/v1/users/:id/preferences',
    {
      config: { scope: 'preferences:write', person: true },
      schema: {
        tags: ['preferences'],
        summary: 'Replace all of a user’s preferences',
        params: UserParams,
        body: PreferencesInput,
        response: { 200: Preferences },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { id } = request.params
      const before = (tx: Client) => getPreferences(tx, tenant_id, id)
      return audited(pool, request, { type: 'preferences', id, action: 'update', before }, tx =>
        putPreferences(tx, tenant_id, id, request.body),
      )
    },
  )
  app.patch(
    '/v1/users/:id/preferences',
    {
      config: { scope: 'preferences:write', person: true },
      schema: {
        tags: ['preferences'],
        summary: 'Change the given preferences of a user',
        params: UserParams,
        body: PreferencesChanges,
        response: { 200: Preferences },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { id } = request.params
      const before = (tx: Client) => getPreferences(tx, tenant_id, id)
      return audited(pool, request, { type: 'preferences', id, action: 'update', before }, tx =>
        changePreferences(tx, tenant_id, id, request.body),
      )
    },
  )
  app.post(
    '/v1/users/:id/preference-links',
    {
      config: { scope: 'preferences:write', unaudited: 'it changes nothing' },
      schema: {
        tags: ['preferences'],
        summary: 'A signed link to the user’s own preference page',
        params: UserParams,
        body: PreferenceLinkInput,
        response: { 201: PreferenceLink },
      },
    },
    async (request, reply) => {
      const { tenant_id } = request.principal
      await getPreferences(pool, tenant_id, request.params.id)
      const base = publicUrl || `${request.protocol}://${request.host}`
      const expiresAt = new Date(Date.now() + request.body.expires_in_seconds * 1000)
      const url = preferencePageLink(keyring, base, { tenant_id, user_id: request.params.id }, expiresAt)
      return reply.status(201).send({ url, expires_at: expiresAt.toISOString() })
    },
  )
  app.get(
    '/v1/preferences',
    {
      config: { scope: 'preferences:read' },
      schema: {
        tags: ['preferences'],
        summary: 'The default preferences, for what users have not chosen',
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
        summary: 'Replace all default preferences',
        body: DefaultPreferencesInput,
        response: { 200: DefaultPreferences },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const before = (tx: Client) => getDefaults(tx, tenant_id)
      const subject = { type: 'default_preferences', id: tenant_id, action: 'update', before }
      return audited(pool, request, subject, tx => putDefaults(tx, tenant_id, request.body))
    },
  )
  app.patch(
    '/v1/preferences',
    {
      config: { scope: 'preferences:write' },
      schema: {
        tags: ['preferences'],
        summary: 'Change the given default preferences',
        body: DefaultPreferencesChanges,
        response: { 200: DefaultPreferences },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const before = (tx: Client) => getDefaults(tx, tenant_id)
      const subject = { type: 'default_preferences', id: tenant_id, action: 'update', before }
      return audited(pool, request, subject, tx => changeDefaults(tx, tenant_id, request.body))
    },
  )
  app.get(
    '/v1/preferences/opt-outs',
    {
      config: { scope: 'preferences:read' },
      schema: {
        tags: ['preferences'],
        summary: 'List users who switched a channel off',
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
