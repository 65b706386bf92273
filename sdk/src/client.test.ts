import { expect, test } from 'vitest'
import { startReceiver } from '../test/receiver.ts'
import { THREAD_CALLS } from '../test/thread-calls.ts'
import { type Client, createClient } from './client.ts'

const id = '0198c0de-0000-7000-8000-000000000001'
const key = { name: 'a b', channel: 'email', locale: 'pt-BR' } as const
const intent = {
  notification_type: 'welcome',
  audience: { kind: 'users' as const, user_ids: ['ada'] },
  payload: { title: 'Hello' },
}

/** What each method puts on the wire: [call, "METHOD url", body]. */
const CALLS: [name: string, call: (client: Client) => Promise<unknown>, wire: string, body?: unknown][] = [
  [
    'intents.send',
    c => c.intents.send(intent, { idempotencyKey: 'k1' }),
    'POST /v1/intents',
    { ...intent, idempotency_key: 'k1' },
  ],
  [
    'intents.sendBatch',
    c => c.intents.sendBatch({ intents: [intent] }),
    'POST /v1/intents/batch',
    { intents: [intent] },
  ],
  ['intents.simulate', c => c.intents.simulate(intent), 'POST /v1/intents/simulate', intent],
  [
    'records.list',
    c => c.records.list({ notification_type: 'a b', limit: 5 }),
    'GET /v1/records?notification_type=a+b&limit=5',
  ],
  ['records.get', c => c.records.get(id), `GET /v1/records/${id}`],
  ['records.routes', c => c.records.routes(id, { limit: 2 }), `GET /v1/records/${id}/routes?limit=2`],
  [
    'records.explain',
    c => c.records.explain(id, { user_id: 'ada' }),
    `GET /v1/records/${id}/explain?user_id=ada`,
  ],
  [
    'events.explain',
    c => c.events.explain(id, { user_id: 'ada' }),
    `GET /v1/events/${id}/explain?user_id=ada`,
  ],
  ['events.simulate', c => c.events.simulate({ kind: 'k' }), 'POST /v1/events/simulate', { kind: 'k' }],
  ['records.cancel', c => c.records.cancel(id), `POST /v1/records/${id}/cancel`],
  ['routes.list', c => c.routes.list({ status: 'dead' }), 'GET /v1/routes?status=dead'],
  [
    'routes.attempts',
    c => c.routes.attempts({ notification_id: id, route_id: 'email:ada@example.com' }),
    `GET /v1/routes/attempts?notification_id=${id}&route_id=email%3Aada%40example.com`,
  ],
  ['malformedIntents.list', c => c.malformedIntents.list(), 'GET /v1/malformed-intents'],
  ['deadLetters.list', c => c.deadLetters.list({ state: 'all' }), 'GET /v1/dead-letters?state=all'],
  ['deadLetters.count', c => c.deadLetters.count({ source: 'kv' }), 'GET /v1/dead-letters/count?source=kv'],
  ['deadLetters.get', c => c.deadLetters.get(id), `GET /v1/dead-letters/${id}`],
  ['deadLetters.replay', c => c.deadLetters.replay(id), `POST /v1/dead-letters/${id}/replay`],
  ['deadLetters.resolve', c => c.deadLetters.resolve(id), `POST /v1/dead-letters/${id}/resolve`, {}],
  [
    'deadLetters.replayAll',
    c => c.deadLetters.replayAll({ filter: { channel: 'email' }, dry_run: true }),
    'POST /v1/dead-letters/replay',
    { filter: { channel: 'email' }, dry_run: true },
  ],
  ['webhooks.list', c => c.webhooks.list(), 'GET /v1/webhooks'],
  ['webhooks.get', c => c.webhooks.get(id), `GET /v1/webhooks/${id}`],
  [
    'webhooks.create',
    c => c.webhooks.create({ url: 'https://a.b', events: ['notification.sent'] }),
    'POST /v1/webhooks',
    { url: 'https://a.b', events: ['notification.sent'] },
  ],
  [
    'webhooks.update',
    c => c.webhooks.update(id, { is_paused: true }),
    `PATCH /v1/webhooks/${id}`,
    { is_paused: true },
  ],
  ['webhooks.delete', c => c.webhooks.delete(id), `DELETE /v1/webhooks/${id}`],
  ['webhooks.rotate', c => c.webhooks.rotate(id), `POST /v1/webhooks/${id}/rotate`, {}],
  [
    'webhooks.test',
    c => c.webhooks.test(id, { event_type: 'notification.read' }),
    `POST /v1/webhooks/${id}/test`,
    { event_type: 'notification.read' },
  ],
  [
    'webhooks.deliveries',
    c => c.webhooks.deliveries(id, { status: 'failed' }),
    `GET /v1/webhooks/${id}/deliveries?status=failed`,
  ],
  ['webhooks.delivery', c => c.webhooks.delivery(id, id), `GET /v1/webhooks/${id}/deliveries/${id}`],
  [
    'webhooks.redeliver',
    c => c.webhooks.redeliver(id, id),
    `POST /v1/webhooks/${id}/deliveries/${id}/redeliver`,
  ],
  [
    'webhooks.recover',
    c => c.webhooks.recover(id, { since: '2026-01-01T00:00:00Z', rate_limit: 60 }),
    `POST /v1/webhooks/${id}/recoveries`,
    { since: '2026-01-01T00:00:00Z', rate_limit: 60 },
  ],
  ['webhooks.recovery', c => c.webhooks.recovery(id, id), `GET /v1/webhooks/${id}/recoveries/${id}`],
  ['users.put', c => c.users.put('ada', { locale: 'en' }), 'PUT /v1/users/ada', { locale: 'en' }],
  ['users.get', c => c.users.get('team/ada ü'), 'GET /v1/users/team%2Fada%20%C3%BC'],
  ['users.list', c => c.users.list({ email: 'a@b.c' }), 'GET /v1/users?email=a%40b.c'],
  ['users.update', c => c.users.update('ada', { phone: null }), 'PATCH /v1/users/ada', { phone: null }],
  ['users.delete', c => c.users.delete('ada'), 'DELETE /v1/users/ada'],
  [
    'userTokens.create',
    c => c.userTokens.create('ada', { ttl_seconds: 60 }),
    'POST /v1/users/ada/token',
    { ttl_seconds: 60 },
  ],
  ['userTokens.revoke', c => c.userTokens.revoke('ada'), 'POST /v1/users/ada/tokens/revoke'],
  ['userTokens.revokeAll', c => c.userTokens.revokeAll(), 'POST /v1/user-tokens/revoke'],
  ['userTokens.rotate', c => c.userTokens.rotate(), 'POST /v1/user-tokens/rotate'],
  ['preferences.get', c => c.preferences.get('ada'), 'GET /v1/users/ada/preferences'],
  [
    'preferences.put',
    c => c.preferences.put('ada', { categories: { news: { email: false } } }),
    'PUT /v1/users/ada/preferences',
    { categories: { news: { email: false } } },
  ],
  [
    'preferences.update',
    c => c.preferences.update('ada', { categories: { news: { email: null } } }),
    'PATCH /v1/users/ada/preferences',
    { categories: { news: { email: null } } },
  ],
  [
    'preferences.createLink',
    c => c.preferences.createLink('ada', { expires_in_seconds: 600 }),
    'POST /v1/users/ada/preference-links',
    { expires_in_seconds: 600 },
  ],
  ['preferences.getDefaults', c => c.preferences.getDefaults(), 'GET /v1/preferences'],
  [
    'preferences.putDefaults',
    c => c.preferences.putDefaults({ channels: { sms: { frequency_cap: 3 } } }),
    'PUT /v1/preferences',
    { channels: { sms: { frequency_cap: 3 } } },
  ],
  [
    'preferences.updateDefaults',
    c => c.preferences.updateDefaults({ channels: { sms: { frequency_cap: null } } }),
    'PATCH /v1/preferences',
    { channels: { sms: { frequency_cap: null } } },
  ],
  [
    'preferences.optOuts',
    c => c.preferences.optOuts({ channel: 'sms', limit: 2 }),
    'GET /v1/preferences/opt-outs?channel=sms&limit=2',
  ],
  [
    'notificationTypes.put',
    c => c.notificationTypes.put('welcome', { channels: ['email'] }),
    'PUT /v1/notification-types/welcome',
    { channels: ['email'] },
  ],
  ['notificationTypes.get', c => c.notificationTypes.get('welcome'), 'GET /v1/notification-types/welcome'],
  ['notificationTypes.list', c => c.notificationTypes.list(), 'GET /v1/notification-types'],
  [
    'notificationTypes.update',
    c => c.notificationTypes.update('welcome', { critical: true }),
    'PATCH /v1/notification-types/welcome',
    { critical: true },
  ],
  ['notificationTypes.delete', c => c.notificationTypes.delete('w'), 'DELETE /v1/notification-types/w'],
  ['emailLog.list', c => c.emailLog.list({ user_id: 'ada' }), 'GET /v1/email-log?user_id=ada'],
  ['inbox.list', c => c.inbox.list('a b', { q: 'is:unread' }), 'GET /v1/inbox?user_id=a+b&q=is%3Aunread'],
  ['inbox.get', c => c.inbox.get('ada', id), `GET /v1/inbox/${id}?user_id=ada`],
  ['inbox.unreadCount', c => c.inbox.unreadCount('ada'), 'GET /v1/inbox/unread-count?user_id=ada'],
  ['inbox.changes', c => c.inbox.changes('ada', '1:1:'), 'GET /v1/inbox/changes?user_id=ada&since=1%3A1%3A'],
  ['inbox.groups', c => c.inbox.groups('ada', 'topic'), 'GET /v1/inbox/groups?user_id=ada&by=topic'],
  [
    'inbox.act',
    c => c.inbox.act('ada', id, 'read', { seen_version: '1:1:' }),
    `POST /v1/inbox/${id}/read?user_id=ada`,
    { seen_version: '1:1:' },
  ],
  [
    'inbox.snooze',
    c => c.inbox.snooze('ada', id, '2030-01-01T00:00:00Z'),
    `POST /v1/inbox/${id}/snooze?user_id=ada`,
    { until: '2030-01-01T00:00:00Z' },
  ],
  [
    'inbox.answer',
    c => c.inbox.answer('ada', id, 'approve'),
    `POST /v1/inbox/${id}/answer?user_id=ada`,
    { action: 'approve' },
  ],
  [
    'inbox.bulk',
    c => c.inbox.bulk('ada', { action: 'done', ids: [id] }),
    'POST /v1/inbox/actions?user_id=ada',
    { action: 'done', ids: [id] },
  ],
  [
    'inbox.readAll',
    c => c.inbox.readAll('ada', { q: 'topic:docs' }),
    'POST /v1/inbox/read-all?user_id=ada',
    { q: 'topic:docs' },
  ],
  ['notifications.list', c => c.notifications.list({ limit: 5 }), 'GET /v1/notifications?limit=5'],
  [
    'notifications.create',
    c => c.notifications.create({ type: 'maintenance', title: 'Down' }),
    'POST /v1/notifications',
    { type: 'maintenance', title: 'Down' },
  ],
  ['notifications.delete', c => c.notifications.delete(id), `DELETE /v1/notifications/${id}`],
  ['savedFilters.list', c => c.savedFilters.list('ada'), 'GET /v1/saved-filters?user_id=ada'],
  [
    'savedFilters.put',
    c => c.savedFilters.put('ada', 'to do', { query: 'is:unread' }),
    'PUT /v1/saved-filters/to%20do?user_id=ada',
    { query: 'is:unread' },
  ],
  [
    'savedFilters.delete',
    c => c.savedFilters.delete('ada', 'to do'),
    'DELETE /v1/saved-filters/to%20do?user_id=ada',
  ],
  [
    'categories.put',
    c => c.categories.put('orders', { name: 'Your orders' }),
    'PUT /v1/categories/orders',
    { name: 'Your orders' },
  ],
  ['categories.get', c => c.categories.get('a b'), 'GET /v1/categories/a%20b'],
  ['categories.list', c => c.categories.list(), 'GET /v1/categories'],
  [
    'categories.update',
    c => c.categories.update('orders', { required: true }),
    'PATCH /v1/categories/orders',
    { required: true },
  ],
  ['categories.delete', c => c.categories.delete('orders'), 'DELETE /v1/categories/orders'],
  [
    'topics.watch',
    c => c.topics.watch('repo/1', { user_id: 'ada', level: 'all' }),
    'PUT /v1/topics/repo%2F1/watch',
    { user_id: 'ada', level: 'all' },
  ],
  ['topics.watches', c => c.topics.watches('repo', { limit: 1 }), 'GET /v1/topics/repo/watches?limit=1'],
  [
    'topics.updateWatch',
    c => c.topics.updateWatch('repo/1', { user_id: 'ada', level: 'ignore' }),
    'PATCH /v1/topics/repo%2F1/watch',
    { user_id: 'ada', level: 'ignore' },
  ],
  ['topics.unwatch', c => c.topics.unwatch('repo', 'ada'), 'DELETE /v1/topics/repo/watch?user_id=ada'],
  ...THREAD_CALLS,
  ['schedules.list', c => c.schedules.list({ limit: 5 }), 'GET /v1/schedules?limit=5'],
  ['schedules.get', c => c.schedules.get(id), `GET /v1/schedules/${id}`],
  [
    'schedules.create',
    c => c.schedules.create({ name: 'n', cron: '@daily', intent }),
    'POST /v1/schedules',
    { name: 'n', cron: '@daily', intent },
  ],
  [
    'schedules.update',
    c => c.schedules.update(id, { is_active: false }),
    `PATCH /v1/schedules/${id}`,
    { is_active: false },
  ],
  ['schedules.delete', c => c.schedules.delete(id), `DELETE /v1/schedules/${id}`],
  [
    'schedules.preview',
    c => c.schedules.preview({ cron: '0 9 * * 1', timezone: 'Europe/Berlin' }),
    'GET /v1/schedules/preview?cron=0+9+*+*+1&timezone=Europe%2FBerlin',
  ],
  ['schedules.nextRuns', c => c.schedules.nextRuns(id, 3), `GET /v1/schedules/${id}/preview?count=3`],
  ['runs.list', c => c.runs.list({ status: 'failed', kind: 'kv' }), 'GET /v1/runs?status=failed&kind=kv'],
  ['runs.get', c => c.runs.get(id), `GET /v1/runs/${id}`],
  [
    'scripts.invoke',
    c => c.scripts.invoke(id, { input: [1] }),
    `POST /v1/scripts/${id}/invoke`,
    { input: [1], mode: 'sync' },
  ],
  ['scripts.invokeLater', c => c.scripts.invokeLater(id), `POST /v1/scripts/${id}/invoke`, { mode: 'async' }],
  ['abandonedExecutions.list', c => c.abandonedExecutions.list(), 'GET /v1/abandoned-executions'],
  ['kv.collections', c => c.kv.collections({ limit: 5 }), 'GET /v1/kv?limit=5'],
  ['kv.list', c => c.kv.list('c', { prefix: 'a/' }), 'GET /v1/kv/c?prefix=a%2F'],
  ['kv.get', c => c.kv.get('c', 'a/b %'), 'GET /v1/kv/c/a%2Fb%20%25'],
  [
    'kv.set',
    c => c.kv.set('c', 'k', { value: null, ttl_seconds: 60, version: 7 }),
    'PUT /v1/kv/c/k',
    { value: null, ttl_seconds: 60, version: 7 },
  ],
  ['kv.delete', c => c.kv.delete('c', 'k'), 'DELETE /v1/kv/c/k'],
  ['events.list', c => c.events.list({ kind: 'k' }), 'GET /v1/events?kind=k'],
  ['events.get', c => c.events.get(id), `GET /v1/events/${id}`],
  [
    'events.emit',
    c => c.events.emit({ kind: 'k' }, { idempotencyKey: 'a' }),
    'POST /v1/events',
    { kind: 'k', idempotency_key: 'a' },
  ],
  [
    'events.emitBatch',
    c => c.events.emitBatch({ events: [{ kind: 'k' }] }),
    'POST /v1/events/batch',
    { events: [{ kind: 'k' }] },
  ],
  ['events.consumers', c => c.events.consumers(), 'GET /v1/event-consumers'],
  [
    'events.resetConsumer',
    c => c.events.resetConsumer('webhooks', 7),
    'POST /v1/event-consumers/webhooks/reset',
    { to_event_id: 7 },
  ],
  [
    'queues.send',
    c => c.queues.send('orders', { message: 1, delay_seconds: 5 }),
    'POST /v1/queues/orders',
    { message: 1, delay_seconds: 5 },
  ],
  ['scripts.list', c => c.scripts.list({ name: 'n' }), 'GET /v1/scripts?name=n'],
  ['scripts.get', c => c.scripts.get(id), `GET /v1/scripts/${id}`],
  [
    'scripts.create',
    c => c.scripts.create({ name: 'n', source: 'log(1)' }),
    'POST /v1/scripts',
    { name: 'n', source: 'log(1)' },
  ],
  [
    'scripts.update',
    c => c.scripts.update(id, { source: 'log(2)' }),
    `PATCH /v1/scripts/${id}`,
    { source: 'log(2)' },
  ],
  ['scripts.delete', c => c.scripts.delete(id), `DELETE /v1/scripts/${id}`],
  ['scripts.versions', c => c.scripts.versions(id, { limit: 1 }), `GET /v1/scripts/${id}/versions?limit=1`],
  ['scripts.version', c => c.scripts.version(id, 3), `GET /v1/scripts/${id}/versions/3`],
  [
    'scripts.rollBack',
    c => c.scripts.rollBack(id, { version: 3 }),
    `POST /v1/scripts/${id}/rollback`,
    { version: 3 },
  ],
  [
    'scripts.test',
    c => c.scripts.test(id, { event: { kind: 'cron' } }),
    `POST /v1/scripts/${id}/test`,
    { event: { kind: 'cron' } },
  ],
  [
    'scripts.testSource',
    c => c.scripts.testSource({ source: 'log(1)' }),
    'POST /v1/scripts/test',
    { source: 'log(1)' },
  ],
  ['scripts.types', c => c.scripts.types(), 'GET /v1/scripts/types'],
  ['triggers.list', c => c.triggers.list({ kind: 'kv', limit: 5 }), 'GET /v1/triggers?kind=kv&limit=5'],
  ['triggers.get', c => c.triggers.get(id), `GET /v1/triggers/${id}`],
  [
    'triggers.create',
    c => c.triggers.create({ name: 'n', kind: 'queue', script_id: id, config: { queue: 'q' } }),
    'POST /v1/triggers',
    { name: 'n', kind: 'queue', script_id: id, config: { queue: 'q' } },
  ],
  [
    'triggers.update',
    c => c.triggers.update(id, { is_enabled: false }),
    `PATCH /v1/triggers/${id}`,
    { is_enabled: false },
  ],
  ['triggers.delete', c => c.triggers.delete(id), `DELETE /v1/triggers/${id}`],
  ['triggers.rotateUrl', c => c.triggers.rotateUrl(id), `POST /v1/triggers/${id}/rotate-url`],
  [
    'inboundEmails.receive',
    c => c.inboundEmails.receive('Subject: x', { to: ['a@x.io', 'b@x.io'] }),
    'POST /v1/inbound-emails?to=a%40x.io&to=b%40x.io',
    { raw: 'Subject: x' },
  ],
  ['devices.list', c => c.devices.list('ada'), 'GET /v1/users/ada/devices'],
  [
    'auditLogs.export',
    async c => JSON.parse((await c.auditLogs.export({ format: 'csv' }).next()).value ?? ''),
    'GET /v1/audit-logs/export?format=csv',
  ],
  ['auditLogs.list', c => c.auditLogs.list({ user_id: 'ada' }), 'GET /v1/audit-logs?user_id=ada'],
  ['metrics.list', c => c.metrics.list({ period: 'day' }), 'GET /v1/metrics?period=day'],
  ['metrics.overview', c => c.metrics.overview(), 'GET /v1/metrics/overview'],
  [
    'limits.check',
    c => c.limits.check({ key: 'k', limit: 2 }),
    'POST /v1/limits/check',
    { key: 'k', limit: 2 },
  ],
  [
    'devices.register',
    c => c.devices.register('ada', { kind: 'fcm', token: 't' }),
    'POST /v1/users/ada/devices',
    { kind: 'fcm', token: 't' },
  ],
  ['devices.delete', c => c.devices.delete('ada', id), `DELETE /v1/users/ada/devices/${id}`],
  ['providers.list', c => c.providers.list(), 'GET /v1/providers'],
  ['providers.kinds', c => c.providers.kinds(), 'GET /v1/provider-kinds'],
  ['providers.get', c => c.providers.get(id), `GET /v1/providers/${id}`],
  [
    'providers.create',
    c => c.providers.create({ name: 'mail', kind: 'postmark' }),
    'POST /v1/providers',
    { name: 'mail', kind: 'postmark' },
  ],
  [
    'providers.update',
    c => c.providers.update(id, { priority: 1 }),
    `PATCH /v1/providers/${id}`,
    { priority: 1 },
  ],
  ['providers.delete', c => c.providers.delete(id), `DELETE /v1/providers/${id}`],
  [
    'providers.test',
    c => c.providers.test(id, { address: 'a@b.c' }),
    `POST /v1/providers/${id}/test`,
    { address: 'a@b.c' },
  ],
  ['suppressions.list', c => c.suppressions.list({ channel: 'sms' }), 'GET /v1/suppressions?channel=sms'],
  [
    'suppressions.add',
    c => c.suppressions.add({ channel: 'email', address: 'a@b.c' }),
    'POST /v1/suppressions',
    { channel: 'email', address: 'a@b.c' },
  ],
  [
    'suppressions.remove',
    c => c.suppressions.remove('email', 'a@b.c'),
    'DELETE /v1/suppressions?channel=email&address=a%40b.c',
  ],
  ['templates.list', c => c.templates.list({ name: 'welcome' }), 'GET /v1/templates?name=welcome'],
  ['templates.get', c => c.templates.get(key), 'GET /v1/templates/a%20b/email/pt-BR'],
  [
    'templates.put',
    c => c.templates.put(key, { subject: 's', body: 'b' }),
    'PUT /v1/templates/a%20b/email/pt-BR',
    { subject: 's', body: 'b' },
  ],
  [
    'templates.update',
    c => c.templates.update(key, { is_active: false }),
    'PATCH /v1/templates/a%20b/email/pt-BR',
    { is_active: false },
  ],
  ['templates.delete', c => c.templates.delete(key), 'DELETE /v1/templates/a%20b/email/pt-BR'],
  ['templates.publish', c => c.templates.publish(key), 'POST /v1/templates/a%20b/email/pt-BR/publish', {}],
  [
    'templates.rollBack',
    c => c.templates.rollBack(key, { version: 3, replace_waiting: true }),
    'POST /v1/templates/a%20b/email/pt-BR/rollback',
    { version: 3, replace_waiting: true },
  ],
  [
    'templates.versions',
    c => c.templates.versions(key, { limit: 1 }),
    'GET /v1/templates/a%20b/email/pt-BR/versions?limit=1',
  ],
  ['templates.version', c => c.templates.version(key, 3), 'GET /v1/templates/a%20b/email/pt-BR/versions/3'],
  [
    'templates.preview',
    c => c.templates.preview(key, { data: { order: 1 } }),
    'POST /v1/templates/a%20b/email/pt-BR/preview',
    { data: { order: 1 } },
  ],
  [
    'templates.previewText',
    c => c.templates.previewText({ channel: 'sms', template: { body: 'Hi' } }),
    'POST /v1/templates/preview',
    { channel: 'sms', template: { body: 'Hi' } },
  ],
  ['templateParts.list', c => c.templateParts.list(), 'GET /v1/template-parts'],
  ['templateParts.get', c => c.templateParts.get('layout', 'x'), 'GET /v1/template-parts/layout/x'],
  [
    'templateParts.put',
    c => c.templateParts.put('partial', 'x', { source: 's' }),
    'PUT /v1/template-parts/partial/x',
    { source: 's' },
  ],
  [
    'templateParts.update',
    c => c.templateParts.update('partial', 'x', { source: 't' }),
    'PATCH /v1/template-parts/partial/x',
    { source: 't' },
  ],
  ['templateParts.delete', c => c.templateParts.delete('layout', 'x'), 'DELETE /v1/template-parts/layout/x'],
  [
    'templateParts.publish',
    c => c.templateParts.publish('layout', 'x', { replace_waiting: true }),
    'POST /v1/template-parts/layout/x/publish',
    { replace_waiting: true },
  ],
  ['branding.get', c => c.branding.get(), 'GET /v1/branding'],
  ['branding.update', c => c.branding.update({ name: 'Shop' }), 'PATCH /v1/branding', { name: 'Shop' }],
  ['translations.list', c => c.translations.list(), 'GET /v1/translations'],
  [
    'translations.update',
    c => c.translations.update('de', { messages: { hello: null } }),
    'PATCH /v1/translations/de',
    { messages: { hello: null } },
  ],
  ['translations.get', c => c.translations.get('de'), 'GET /v1/translations/de'],
  [
    'translations.put',
    c => c.translations.put('de', { messages: { a: 'b' } }),
    'PUT /v1/translations/de',
    { messages: { a: 'b' } },
  ],
  ['translations.delete', c => c.translations.delete('de'), 'DELETE /v1/translations/de'],
  [
    'capturedMessages.list',
    c => c.capturedMessages.list({ channel: 'sms' }),
    'GET /v1/captured-messages?channel=sms',
  ],
  [
    'systemEvents.list',
    c => c.systemEvents.list({ severity: 'high' }),
    'GET /v1/system-events?severity=high',
  ],
  [
    'systemEvents.raise',
    c => c.systemEvents.raise({ event_type: 't', severity: 'low', description: 'd' }),
    'POST /v1/system-events',
    { event_type: 't', severity: 'low', description: 'd' },
  ],
  ['systemEvents.resolve', c => c.systemEvents.resolve(7), 'POST /v1/system-events/7/resolve', {}],
  ['apiKeys.list', c => c.apiKeys.list({ cursor: 'abc' }), 'GET /v1/api-keys?cursor=abc'],
  [
    'apiKeys.create',
    c => c.apiKeys.create({ name: 'ci', scopes: ['records:read'] }),
    'POST /v1/api-keys',
    { name: 'ci', scopes: ['records:read'] },
  ],
  ['apiKeys.delete', c => c.apiKeys.delete(id), `DELETE /v1/api-keys/${id}`],
  ['tenant.get', c => c.tenant.get(), 'GET /v1/tenant'],
  [
    'tenant.update',
    c => c.tenant.update({ accept_unknown_types: true }),
    'PATCH /v1/tenant',
    { accept_unknown_types: true },
  ],
  ['tenants.list', c => c.tenants.list(), 'GET /v1/tenants'],
  ['tenants.create', c => c.tenants.create({ name: 'shop' }), 'POST /v1/tenants', { name: 'shop' }],
  ['tenants.get', c => c.tenants.get('t'), 'GET /v1/tenants/t'],
  [
    'tenants.update',
    c => c.tenants.update('t', { quota: { storage_mb: 5 } }),
    'PATCH /v1/tenants/t',
    { quota: { storage_mb: 5 } },
  ],
  ['tenants.suspend', c => c.tenants.suspend('t'), 'POST /v1/tenants/t/suspend', {}],
  ['tenants.resume', c => c.tenants.resume('t'), 'POST /v1/tenants/t/resume'],
  ['tenants.delete', c => c.tenants.delete('t', { grace_days: 7 }), 'DELETE /v1/tenants/t?grace_days=7'],
  ['health.live', c => c.health.live(), 'GET /healthz'],
  ['health.ready', c => c.health.ready(), 'GET /readyz'],
]

const OTHER_ANSWERS: Record<string, unknown> = {
  'health.ready': { ready: true, report: { answer: 1 } },
  'scripts.types': '{"answer":1}',
}

test.each(CALLS)('%s sends the request the API expects', async (name, call, wire, body) => {
  const receiver = await startReceiver({ json: { answer: 1 } })
  const answer = await call(createClient({ url: receiver.url, apiKey: 'ck_test' }))

  expect(answer).toEqual(OTHER_ANSWERS[name] ?? { answer: 1 })
  expect(receiver.requests).toHaveLength(1)
  const [request] = receiver.requests
  expect(`${request?.method} ${request?.url}`).toBe(wire)
  expect(request?.body).toEqual(body)
  expect(request?.headers.authorization).toBe('Bearer ck_test')
  expect(request?.headers['content-type']).toBe(body === undefined ? undefined : 'application/json')
})

test('every method of the client is in the table above', () => {
  const client = createClient({ url: 'http://127.0.0.1:1' })
  const methods = Object.entries(client).flatMap(([noun, group]) =>
    Object.keys(group).map(method => `${noun}.${method}`),
  )
  const iterators = methods.filter(method => /\.all/.test(method))
  expect(CALLS.map(([name]) => name).sort()).toEqual(methods.filter(m => !iterators.includes(m)).sort())
})

test('a path in the url is kept', async () => {
  const receiver = await startReceiver({ json: {} })
  await createClient({ url: `${receiver.url}/carillon/`, apiKey: 'k' }).tenant.get()
  expect(receiver.requests[0]?.url).toBe('/carillon/v1/tenant')
})

test('an answer without a body is undefined', async () => {
  const receiver = await startReceiver({ status: 204 })
  await expect(createClient({ url: receiver.url, apiKey: 'k' }).users.delete('ada')).resolves.toBeUndefined()
})

test.each(['', '.', '..'])(
  'the id %j, which would address something else, is refused before sending',
  async odd => {
    const receiver = await startReceiver({ json: {} })
    const client = createClient({ url: receiver.url, apiKey: 'k' })
    await expect(client.users.delete(odd)).rejects.toThrow(TypeError)
    await expect(client.records.allRoutes(odd).next()).rejects.toThrow(TypeError)
    expect(receiver.requests).toEqual([])
  },
)

test.each([
  [{ url: 'localhost:8420' }, 'http:// or https://'],
  [{ url: 'nonsense' }, 'http:// or https://'],
  [{ url: 'http://user:pw@host' }, 'must not contain a user'],
  [{ url: 'http://host', apiKey: 'two\nlines' }, 'printable characters'],
  [{ url: 'http://host', timeoutMs: 0 }, 'timeoutMs'],
  [{ url: 'http://host', retries: -1 }, 'retries'],
])('a client with %j is not created', (options, complaint) => {
  expect(() => createClient(options)).toThrow(complaint)
})
