/** The rows that are there before anything happens: people, the catalog, topics and threads. */
import { CATEGORIES, KINDS, PEOPLE, TOPICS, threadTitle, topicOf } from './cast.ts'
import type { Row } from './rows.ts'

/** As many as the happenings name. */
const THREADS = 90

export function settingRows(since: string): Record<string, Row[]> {
  const times = { created_at: since, updated_at: since }
  return {
    tenants: [{ name: '' }],
    tenant_settings: [{ thread_kinds: ['issue'] }],
    users: PEOPLE.map(person => ({ ...person, ...times })),
    categories: CATEGORIES.map((category, position) => ({ ...category, position, ...times })),
    notification_types: KINDS.map(kind => ({
      name: kind.name,
      description: kind.description,
      category: kind.category,
      producers: [kind.producer],
      audience_kinds: ['users'],
      channels: kind.channels,
      required_fields: kind.required,
      critical: kind.critical ?? false,
      ...(kind.digest && { digest: kind.digest }),
      ...times,
    })),
    topics: TOPICS.map(topic => ({
      topic,
      title: topic.replace('-', ' '),
      url: '',
      visibility: 'public',
      ...times,
    })),
    threads: Array.from({ length: THREADS }, (_, i) => ({
      kind: 'issue',
      id: `${topicOf(i)}/${1000 + i}`,
      topic: topicOf(i),
      title: threadTitle(i),
      url: '',
      author_id: PEOPLE[i % PEOPLE.length]!.id,
      ...times,
    })),
    watches: PEOPLE.flatMap(({ id }, i) =>
      TOPICS.filter((_, t) => (i + t) % 2 === 0).map((topic, t) => ({
        topic,
        user_id: id,
        level: t === 0 ? 'all' : 'participating',
        ...times,
      })),
    ),
    // Without them nobody would be told of the discussions, as only the built-in kinds of events have rules.
    fanout_rules: [
      ...['author', 'commenter', 'subscribed', 'watching'].map(relation => ({
        relation,
        channels: ['in_app', 'email'],
        passes_mute: false,
        notification_type: 'comment.created',
      })),
      {
        relation: 'mention',
        channels: ['in_app', 'email', 'push'],
        passes_mute: true,
        notification_type: 'mention',
      },
    ].map(rule => ({ event_kind: 'comment.created', ...rule, ...times })),
    suppressions: [
      {
        channel: 'email',
        address: 'old.address@example.com',
        reason: 'hard_bounce',
        detail: '550 5.1.1 No such mailbox',
      },
      { channel: 'email', address: 'not.me@example.com', reason: 'complaint', detail: 'Reported as spam' },
    ].map(row => ({ ...row, created_at: since })),
  }
}
