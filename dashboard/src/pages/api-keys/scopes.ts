/** What keys may do, in words. Typed against the contract, so that a new scope cannot be forgotten here. */
import type { KeyRole, Scope } from '@carillon/contract'

export const SCOPE_WORDS: Record<Scope, string> = {
  admin: 'Everything inside the tenant, also what later versions add',
  instance: 'Create, limit and delete tenants, see the whole instance, configure mail servers',
  'intents:write': 'Send notifications and simulate them',
  'records:read': 'Notifications, their messages, attempts and explanations',
  'records:write': 'Cancel notifications',
  'dead_letters:read': 'Look at dead letters',
  'dead_letters:write': 'Replay and resolve dead letters',
  'types:read': 'Notification types and categories',
  'types:write': 'Change types and categories',
  'users:read': 'People and their devices',
  'users:write': 'Create, change and delete people and devices',
  'preferences:read': 'What people want, and the defaults',
  'preferences:write': 'Change preferences and defaults',
  'events:read': 'Events, and how far their consumers have read',
  'events:write': 'Tell what happened, move consumers, change rules',
  'topics:read': 'Topics, threads, watches and subscriptions',
  'topics:write': 'Change topics, threads, watches and subscriptions',
  'inbox:read': 'What people have in their inbox',
  'inbox:write': 'Mark, save, snooze and hide it for them',
  'user_tokens:write': 'Create tokens for people’s browsers, and revoke them',
  'email_log:read': 'What was mailed to whom, and when',
  'providers:read': 'Providers, without their secrets',
  'providers:write': 'Create, change, test and delete providers',
  'suppressions:read': 'Addresses to which nothing more is sent',
  'suppressions:write': 'Add and remove suppressions',
  'schedules:read': 'What is sent repeatedly, and when',
  'schedules:write': 'Create, change and delete schedules',
  'streams:read': 'Streams that intents are read from',
  'streams:write': 'Pause, resume and forget streams',
  'triggers:read': 'What runs when something happens',
  'triggers:write': 'Create, change and delete triggers',
  'scripts:read': 'Scripts, their versions and runs',
  'scripts:write': 'Save, test and delete scripts',
  'scripts:invoke': 'Run a script, with the caller’s own scopes',
  'kv:read': 'What scripts and applications remember',
  'kv:write': 'Change what scripts and applications remember',
  'queues:write': 'Put messages into queues',
  'inbound_emails:write': 'Hand in mails that triggers react to',
  'templates:read': 'Templates, branding and translations',
  'templates:write': 'Save, publish, roll back and delete templates',
  'webhooks:read': 'Webhooks without their secrets, and deliveries',
  'webhooks:write': 'Create, change and delete webhooks',
  'webhook_deliveries:write': 'Send a sample event, send deliveries again',
  'captured_messages:read': 'What the capture provider kept, including content',
  'system_events:read': 'Events for operators',
  'system_events:write': 'Resolve events for operators',
  'api_keys:read': 'Keys, without the keys themselves',
  'api_keys:write': 'Create keys with at most one’s own scopes, and revoke keys',
  'tenant:read': 'The tenant’s settings',
  'tenant:write': 'Change limits, retention and budgets',
  'audit_logs:read': 'Who changed what, from where',
  'limits:write': 'Check whether something may be tried once more',
  'metrics:read': 'Figures per hour and day, the overview',
}

const AREAS: Record<string, string[]> = {
  Sending: ['intents', 'records', 'dead_letters', 'events', 'limits'],
  People: ['users', 'preferences', 'topics', 'inbox', 'user_tokens', 'email_log'],
  Content: ['types', 'templates', 'schedules'],
  Automation: ['triggers', 'scripts', 'kv', 'queues', 'inbound_emails'],
  Delivery: ['providers', 'webhooks', 'webhook_deliveries', 'suppressions', 'streams', 'captured_messages'],
  Oversight: ['metrics', 'system_events', 'audit_logs', 'api_keys', 'tenant'],
}

const scopes = Object.keys(SCOPE_WORDS) as Scope[]
const areaOf = (scope: Scope): string | undefined =>
  Object.keys(AREAS).find(area => AREAS[area]!.includes(scope.split(':')[0]!))

/** Grouped for a list to choose from. What belongs nowhere else, such as admin, comes last. */
export const SCOPE_AREAS: { title: string; scopes: Scope[] }[] = [
  ...Object.keys(AREAS).map(title => ({ title, scopes: scopes.filter(scope => areaOf(scope) === title) })),
  { title: 'All of it', scopes: scopes.filter(scope => areaOf(scope) === undefined) },
]

export const ROLES: { value: KeyRole; label: string; help: string }[] = [
  { value: 'viewer', label: 'Viewer', help: 'Reads everything but the audit log.' },
  {
    value: 'operator',
    label: 'Operator',
    help: 'Keeps things running: reads, cancels, replays, redelivers, resolves, suppresses, pauses streams.',
  },
  { value: 'admin', label: 'Admin', help: 'Configures everything except the tenant’s own settings.' },
  { value: 'owner', label: 'Owner', help: 'May do everything inside the tenant.' },
]

/** In a few words. */
export function sayScopes(given: readonly Scope[] | null): string {
  if (given === null || given.length === 0) return 'Nothing'
  if (given.includes('admin')) return given.includes('instance') ? 'Everything, all tenants' : 'Everything'
  const rest = given.length - 2
  return given.slice(0, 2).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
