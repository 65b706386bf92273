/** GET /v1/notification-settings */
import { InboxOwnerQuery, NotificationSettings } from '@carillon/contract'
import type { Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import { acceptedLanguages } from '../../platform/pages/accept-headers.ts'
import { inboxOwner } from '../notifications/owner.ts'
import { type PushKeyOf, readSettings } from './settings.ts'

export function notificationSettingRoutes(app: App, pool: Pool, pushKeyOf: PushKeyOf): void {
  app.get(
    '/v1/notification-settings',
    {
      config: { scope: 'preferences:read', person: true },
      schema: {
        tags: ['preferences'],
        summary: 'All that a person decides about: categories, channels, preferences and defaults',
        querystring: InboxOwnerQuery,
        response: { 200: NotificationSettings },
      },
    },
    async request => {
      const languages = acceptedLanguages(request.headers['accept-language'])
      return readSettings(pool, inboxOwner(request), languages, pushKeyOf)
    },
  )
}
