/** The methods about topics, threads and rules. */
import type { Call } from './call.ts'

const thread = { kind: 'issue', id: 'a/1' }
const OF_THREAD = '/v1/threads/issue/a%2F1'
const visibilityCheck = { url: 'https://shop.example/may-see' }

export const THREAD_CALLS: Call[] = [
  ['topics.put', c => c.topics.put('repo/1', { title: 'T' }), 'PUT /v1/topics/repo%2F1', { title: 'T' }],
  ['topics.update', c => c.topics.update('repo', { title: 'T' }), 'PATCH /v1/topics/repo', { title: 'T' }],
  ['topics.get', c => c.topics.get('repo'), 'GET /v1/topics/repo'],
  ['topics.list', c => c.topics.list({ limit: 1 }), 'GET /v1/topics?limit=1'],
  ['topics.delete', c => c.topics.delete('repo'), 'DELETE /v1/topics/repo'],
  [
    'topics.putMember',
    c => c.topics.putMember('repo', 'a b', { role: 'owner' }),
    'PUT /v1/topics/repo/members/a%20b',
    { role: 'owner' },
  ],
  ['topics.members', c => c.topics.members('repo', { limit: 1 }), 'GET /v1/topics/repo/members?limit=1'],
  ['topics.removeMember', c => c.topics.removeMember('repo', 'ada'), 'DELETE /v1/topics/repo/members/ada'],
  ['threads.put', c => c.threads.put(thread, { title: 'T' }), `PUT ${OF_THREAD}`, { title: 'T' }],
  ['threads.update', c => c.threads.update(thread, { title: 'T' }), `PATCH ${OF_THREAD}`, { title: 'T' }],
  ['threads.get', c => c.threads.get(thread), `GET ${OF_THREAD}`],
  ['threads.list', c => c.threads.list({ topic: 'repo' }), 'GET /v1/threads?topic=repo'],
  ['threads.delete', c => c.threads.delete(thread), `DELETE ${OF_THREAD}`],
  [
    'threads.addParticipant',
    c => c.threads.addParticipant(thread, 'assignee', 'ada'),
    `PUT ${OF_THREAD}/participants/assignee/ada`,
  ],
  ['threads.participants', c => c.threads.participants(thread), `GET ${OF_THREAD}/participants`],
  [
    'threads.removeParticipant',
    c => c.threads.removeParticipant(thread, 'assignee', 'ada'),
    `DELETE ${OF_THREAD}/participants/assignee/ada`,
  ],
  [
    'threads.subscribe',
    c => c.threads.subscribe(thread, { user_id: 'ada', subscribed: false }),
    `PUT ${OF_THREAD}/subscription`,
    { user_id: 'ada', subscribed: false },
  ],
  [
    'threads.subscription',
    c => c.threads.subscription(thread, 'ada'),
    `GET ${OF_THREAD}/subscription?user_id=ada`,
  ],
  [
    'threads.forgetSubscription',
    c => c.threads.forgetSubscription(thread, 'ada'),
    `DELETE ${OF_THREAD}/subscription?user_id=ada`,
  ],
  ['threads.subscriptions', c => c.threads.subscriptions(thread), `GET ${OF_THREAD}/subscriptions`],
  ['threads.subscriptionsOf', c => c.threads.subscriptionsOf('a b'), 'GET /v1/users/a%20b/subscriptions'],
  ['relations.list', c => c.relations.list(), 'GET /v1/relations'],
  [
    'relations.put',
    c => c.relations.put('payer', { priority: 5, reason: 'payer' }),
    'PUT /v1/relations/payer',
    { priority: 5, reason: 'payer' },
  ],
  ['relations.delete', c => c.relations.delete('payer'), 'DELETE /v1/relations/payer'],
  ['fanoutRules.list', c => c.fanoutRules.list(), 'GET /v1/fanout-rules'],
  [
    'fanoutRules.put',
    c => c.fanoutRules.put('invoice_*', 'payer', { channels: ['email'] }),
    'PUT /v1/fanout-rules/invoice_*/payer',
    { channels: ['email'] },
  ],
  [
    'fanoutRules.delete',
    c => c.fanoutRules.delete('invoice_paid', 'payer'),
    'DELETE /v1/fanout-rules/invoice_paid/payer',
  ],
  [
    'visibilityCheck.put',
    c => c.visibilityCheck.put(visibilityCheck),
    'PUT /v1/visibility-check',
    visibilityCheck,
  ],
  ['visibilityCheck.get', c => c.visibilityCheck.get(), 'GET /v1/visibility-check'],
  ['visibilityCheck.delete', c => c.visibilityCheck.delete(), 'DELETE /v1/visibility-check'],
  [
    'fanoutRules.update',
    c => c.fanoutRules.update('invoice_*', 'author', { passes_mute: true }),
    'PATCH /v1/fanout-rules/invoice_*/author',
    { passes_mute: true },
  ],
  [
    'visibilityCheck.update',
    c => c.visibilityCheck.update({ timeout_ms: 500 }),
    'PATCH /v1/visibility-check',
    { timeout_ms: 500 },
  ],
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
  ['topics.watchesOf', c => c.topics.watchesOf('a b'), 'GET /v1/users/a%20b/watches'],
  ['topics.unwatch', c => c.topics.unwatch('repo', 'ada'), 'DELETE /v1/topics/repo/watch?user_id=ada'],
]
