/** The methods about inboxes. */
import { type Call, id } from './call.ts'

export const INBOX_CALLS: Call[] = [
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
    c => c.notifications.create({ type: 'maintenance', title: 'Down' }, { idempotencyKey: 'a' }),
    'POST /v1/notifications',
    { type: 'maintenance', title: 'Down', idempotency_key: 'a' },
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
    'savedFilters.update',
    c => c.savedFilters.update('ada', 'to do', { position: 2 }),
    'PATCH /v1/saved-filters/to%20do?user_id=ada',
    { position: 2 },
  ],
  [
    'savedFilters.delete',
    c => c.savedFilters.delete('ada', 'to do'),
    'DELETE /v1/saved-filters/to%20do?user_id=ada',
  ],
]
