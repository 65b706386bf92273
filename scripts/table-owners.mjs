/** The room of each table: only there are its rows written, so all that can happen to one is read in one place. */
export const TABLE_OWNERS = {
  admin_system_events: 'oversight/system-events',
  api_keys: 'oversight/api-keys',
  audit_logs: 'oversight/audit-logs',
  branding: 'content/branding',
  captured_messages: 'providers/captured-messages',
  daily_sends: 'people/daily-caps',
  dead_letters: 'reactions/dead-letters',
  default_preferences: 'people/preferences',
  digests: 'delivery/digests',
  expansions: 'planning/expansions',
  limit_counters: 'oversight/limits',
  malformed_intents: 'intake/intents',
  master_keys: 'platform/secrets',
  notification_metrics: 'operations/metrics',
  notification_preferences: 'people/preferences',
  notification_templates: 'content/templates',
  notification_types: 'planning/notification-types',
  notification_webhooks: 'reactions/webhooks',
  notifications: 'inbox/notifications',
  outbox: 'reactions/outbox',
  provider_callbacks: 'delivery/callbacks',
  provider_configs: 'providers/provider-configs',
  provider_health: 'providers/provider-configs',
  rate_limits: 'oversight/limits',
  recent_sends: 'platform/rates',
  records: 'intake/intents',
  releases: 'platform/database',
  route_attempts: 'delivery/routes',
  routes: 'delivery/routes',
  schedules: 'intake/schedules',
  suppressions: 'people/suppressions',
  template_parts: 'content/template-parts',
  template_versions: 'content/templates',
  tenants: 'oversight/tenants',
  throttles: 'delivery/throttles',
  time_zones: 'platform/time',
  translations: 'content/translations',
  user_devices: 'people/devices',
  users: 'people/users',
  watches: 'people/watches',
  webhook_deliveries: 'reactions/webhook-deliveries',
  webhook_recoveries: 'reactions/webhook-recoveries',
}

/** Who else may write, by file: the tables ('*' where the name is put in when it runs), and why not their room. */
export const EXCEPTIONS = {
  'server/functions/intents/accept_intents.sql': {
    tables: ['routes', 'expansions'],
    reason:
      'a batch of records gets its routes in the same statement; a second one made accepting up to 1.4 times slower',
  },
  'server/functions/tenants/tenant_rows.sql': {
    tables: ['*'],
    reason:
      'deleting a tenant is the cascade of the foreign keys in portions; the names of the tables come from the catalog',
  },
  'server/src/platform/secrets/sealed-rows.ts': {
    tables: ['*'],
    reason: 'a new master key goes through every table that keeps secrets, the same way',
  },
}
