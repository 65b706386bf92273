/** What is not executed as it is written in the docs, and why. Everything else is. */

/** Commands that are only read by a shell, by how they begin. */
export const NOT_RUN: { command: string; reason: string }[] = [
  { command: 'npm start', reason: 'runs until it is stopped; first-run.test.ts starts the same program' },
  {
    command: 'CARILLON_ALLOWED_NETWORKS=127.0.0.0/8 npm start',
    reason: 'likewise; this is how docs.test.ts starts it',
  },
  {
    command: "CARILLON_STREAMS='",
    reason: 'likewise; docs.test.ts starts it with streams of its own',
  },
  { command: 'npm test', reason: 'is what runs this' },
  { command: 'npm install @carillon/server', reason: 'tarballs.prove.ts installs it' },
  { command: 'npx carillon start', reason: 'like npm start' },
  { command: 'npx carillon playground', reason: 'needs the data folder; browser/playground.test.ts runs it' },
  { command: 'npx carillon providers test', reason: 'would call Postmark' },
  {
    command: 'npx carillon import shop.ndjson.gz',
    reason: 'is for another instance; exports.test.ts imports into one',
  },
  {
    command: 'export CARILLON_BACKUP_DIR=',
    reason: 'is for the next start; backup.prove.ts starts one with these settings',
  },
  { command: 'npx carillon backup', reason: 'needs those settings; backup.prove.ts runs it' },
  { command: 'npx carillon restore', reason: 'likewise; and would hold back what the other documents send' },
  {
    command: 'sudo -u postgres',
    reason: 'is for the machine of a PostgreSQL with pgBackRest; prove/parts/pgbackrest.ts runs it there',
  },
  { command: 'WEBHOOK_SECRET=', reason: 'runs until it is stopped; examples.test.ts runs it' },
]

/** Statements in SQL that give what a name in angle brackets stands for; the first row's only column. */
export const STANDS_FOR: Record<string, Record<string, string>> = {
  'README.md': {
    notification_id: 'select notification_id from carillon.records order by accepted_at desc limit 1',
  },
  'docs/guides/webhooks.md': {
    id: 'select id from carillon.notification_webhooks order by created_at limit 1',
    delivery: 'select id from carillon.webhook_deliveries order by created_at limit 1',
  },
  'docs/guides/stream-output.md': {
    nats_id: "select id from carillon.notification_webhooks where url = 'stream:nats'",
    redis_id: "select id from carillon.notification_webhooks where url = 'stream:redis'",
    tenant_id: 'select id from carillon.tenants order by created_at limit 1',
  },
  'docs/operations/audit-logs.md': {
    id: "select resource_id from carillon.audit_logs where resource_type = 'provider' limit 1",
  },
  'docs/operations/moving-a-tenant.md': { shop: "select id from carillon.tenants where name = 'shop'" },
  'docs/operations/limits.md': { tenant_id: 'select id from carillon.tenants order by created_at limit 1' },
  'docs/operations/system-events.md': {
    id: 'select id from carillon.admin_system_events order by id desc limit 1',
  },
  'docs/reference/roles.md': { tenant: 'select name from carillon.tenants order by created_at limit 1' },
  'docs/operations/dead-letters.md': {
    id: `select id from carillon.dead_letters where resolved_at is null
      and tenant_id = (select id from carillon.tenants where name = 'default') order by created_at limit 1`,
  },
}

/** SQL that brings about what a document starts from, or takes back what others must not run into. */
export const BEFORE: Record<string, { statement: string; reason: string }> = {
  'docs/operations/dead-letters.md': {
    statement: `select carillon.notify('{"notification_type": "order_shipped", "channels": ["email"], "payload": {},
      "audience": {"kind": "addresses", "channel": "email", "addresses": ["ada@example.com"]}}')`,
    reason:
      'what lacks the fields of its template, here that of docs/guides/templates.md, becomes a dead letter',
  },
}
export const AFTER: Record<string, { statement: string; reason: string }> = {
  'README.md': {
    statement: 'delete from carillon.provider_configs',
    reason: 'the mails of the guides would go to Postmark',
  },
  'docs/guides/preferences.md': {
    statement: 'delete from carillon.notification_preferences',
    reason: 'at night, the mails of the other documents would wait for the end of Ada’s quiet hours',
  },
  'docs/guides/stream-output.md': {
    statement: "delete from carillon.notification_webhooks where url like 'stream:%'",
    reason: 'the guide to webhooks means the first one there is',
  },
  'docs/guides/thread-mails.md': {
    statement: 'delete from carillon.notification_preferences',
    reason: 'the other documents would miss mails that Ada switched off',
  },
  'docs/operations/moving-a-tenant.md': {
    statement: "delete from carillon.tenants where name = 'shop'",
    reason: 'the other documents take the first tenant for the only one',
  },
  'docs/operations/limits.md': {
    statement: `update carillon.tenants set requests_per_minute = null, notifications_per_day = null`,
    reason: 'the other documents would share the limits',
  },
}

/** Blocks of other languages: what is done with them instead. */
export const LANGUAGES: Record<string, string> = {
  json: 'parsed',
  '': 'is no code',
  text: 'is no code',
  html: 'is part of a template, and those are published in examples/templates',
  liquid: 'is part of a template',
  http: 'is a request of somebody else',
  ini: 'configures other programs',
  python: 'needs psycopg; parsed where there is a Python',
}
