/** The client: one group of methods per noun of the API. */
import { createApiKeys } from './api-keys.ts'
import { createAuditLogs } from './audit-logs.ts'
import { createBranding } from './branding.ts'
import { createCapturedMessages } from './captured-messages.ts'
import { createCategories } from './categories.ts'
import { createDeadLetters } from './dead-letters.ts'
import { createDevices } from './devices.ts'
import { createDoctor } from './doctor.ts'
import { createEmailLog } from './email-log.ts'
import { createEvents } from './events.ts'
import { createFanoutRules, createRelations, createVisibilityCheck } from './fanout-rules.ts'
import { createHealth } from './health.ts'
import { createSender } from './http.ts'
import { createInboundEmails } from './inbound-emails.ts'
import { createInbox } from './inbox.ts'
import { createIntents } from './intents.ts'
import { createAbandonedExecutions, createInvocations } from './invocations.ts'
import { createKv } from './kv.ts'
import { createLimits } from './limits.ts'
import { createMalformedIntents } from './malformed-intents.ts'
import { createInvitations, createMembers } from './members.ts'
import { createMetrics } from './metrics.ts'
import { createNotificationTypes } from './notification-types.ts'
import { createNotifications } from './notifications.ts'
import type { ClientOptions } from './options.ts'
import { createPreferences } from './preferences.ts'
import { createProviders } from './providers.ts'
import { createQueues } from './queues.ts'
import { createRecords } from './records.ts'
import { createRoutes } from './routes.ts'
import { createRuns } from './runs.ts'
import { createSavedFilters } from './saved-filters.ts'
import { createSchedules } from './schedules.ts'
import { createScripts } from './scripts.ts'
import { createSearch } from './search.ts'
import { createAccount, createSession, createSessions } from './sessions.ts'
import { createStream } from './stream.ts'
import { createStreams } from './streams.ts'
import { createSuppressions } from './suppressions.ts'
import { createSystemEvents } from './system-events.ts'
import { createTemplateParts } from './template-parts.ts'
import { createTemplates } from './templates.ts'
import { createTenant, createTenants } from './tenants.ts'
import { createThreads } from './threads.ts'
import { createTopics } from './topics.ts'
import { createTranslations } from './translations.ts'
import { createTriggers } from './triggers.ts'
import { createUserTokens } from './user-tokens.ts'
import { createUsers } from './users.ts'
import { createWebhooks } from './webhooks.ts'

export type Client = ReturnType<typeof createClient>

/**
 * A failed call is repeated, with growing waits and honouring Retry-After, only when that cannot do harm: GET, PUT,
 * DELETE, `intents.send` and `events.emit`, after connection errors and after 408, 429, 502, 503 and 504. Other POSTs never are.
 */
export function createClient(options: ClientOptions = {}) {
  const send = createSender(options)
  return {
    intents: createIntents(send),
    events: createEvents(send),
    records: createRecords(send),
    routes: createRoutes(send),
    malformedIntents: createMalformedIntents(send),
    deadLetters: createDeadLetters(send),
    users: createUsers(send),
    userTokens: createUserTokens(send),
    preferences: createPreferences(send),
    notificationTypes: createNotificationTypes(send),
    categories: createCategories(send),
    topics: createTopics(send),
    threads: createThreads(send),
    fanoutRules: createFanoutRules(send),
    relations: createRelations(send),
    visibilityCheck: createVisibilityCheck(send),
    inbox: createInbox(send),
    notifications: createNotifications(send),
    savedFilters: createSavedFilters(send),
    devices: createDevices(send),
    providers: createProviders(send),
    suppressions: createSuppressions(send),
    emailLog: createEmailLog(send),
    schedules: createSchedules(send),
    streams: createStreams(send),
    runs: createRuns(send),
    abandonedExecutions: createAbandonedExecutions(send),
    kv: createKv(send),
    queues: createQueues(send),
    scripts: { ...createScripts(send), ...createInvocations(send) },
    triggers: createTriggers(send),
    inboundEmails: createInboundEmails(send),
    templates: createTemplates(send),
    templateParts: createTemplateParts(send),
    branding: createBranding(send),
    translations: createTranslations(send),
    webhooks: createWebhooks(send),
    capturedMessages: createCapturedMessages(send),
    systemEvents: createSystemEvents(send),
    apiKeys: createApiKeys(send),
    session: createSession(send),
    sessions: createSessions(send),
    account: createAccount(send),
    members: createMembers(send),
    invitations: createInvitations(send),
    auditLogs: createAuditLogs(send, createStream(options)),
    limits: createLimits(send),
    metrics: createMetrics(send),
    search: createSearch(send),
    tenant: createTenant(send),
    tenants: createTenants(send),
    health: createHealth(send),
    doctor: createDoctor(send),
  }
}
