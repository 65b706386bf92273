import { beforeAll } from 'vitest'
import { fill, useOwnFullDatabase } from '../../../test/full-database.ts'
import { describePlans } from '../../../test/plans.ts'
import { selectWatchesOfPerson } from '../../people/watches/queries.ts'
import { selectParticipants, selectThreads } from '../threads/queries.ts'
import { countWatchers, selectMembers, selectTopics } from '../topics/queries.ts'
import {
  selectSubscription,
  selectSubscriptionsOfPerson,
  selectSubscriptionsOfThread,
  selectWasTold,
} from './queries.ts'

const full = useOwnFullDatabase()

beforeAll(() =>
  fill(full.pool, full.tenantId, [
    `insert into topics (tenant_id, topic) select $tenant, 'many' || n from generate_series(1, $rows) n`,
    `insert into topic_members (tenant_id, topic, user_id)
       select $tenant, 'many' || n % 50, 'u' || n from generate_series(1, $rows) n`,
    `insert into threads (tenant_id, kind, id, topic)
       select $tenant, 'pr', n::text, 'many' || n % 1000 from generate_series(1, $rows) n`,
    `insert into thread_participants (tenant_id, thread_kind, thread_id, relation, user_id)
       select $tenant, 'pr', (n % 1000)::text, 'assignee', 'u' || n from generate_series(1, $rows) n`,
    `insert into notification_threads (tenant_id, user_id, thread_kind, thread_id, subscribed, reason)
       select $tenant, 'u' || n, 'pr', (n % 1000)::text, true, 'manual' from generate_series(1, $rows) n`,
  ]),
)

describePlans(full, [
  [
    'checking that a person was told of a thread',
    'notifications_thread_coalesce',
    db => selectWasTold(db, full.tenantId, ['pr', '5'], 'u5'),
  ],
  ['topics', 'topics_pkey', db => selectTopics(db, full.tenantId, 'many5', 21)],
  ['members of a topic', 'topic_members_pkey', db => selectMembers(db, full.tenantId, 'many5', '', 21)],
  ['the watchers of a topic', 'watches_pkey', db => countWatchers(db, full.tenantId, 'many5'), ['S001-14']],
  [
    'the watches of a person',
    'watches_user',
    db => selectWatchesOfPerson(db, full.tenantId, 'u5', '', 21),
    ['S001-14'],
  ],
  ['threads', 'threads_pkey', db => selectThreads(db, full.tenantId, { after: ['', ''], limit: 21 })],
  [
    'threads of a topic',
    'threads_topic',
    db => selectThreads(db, full.tenantId, { topic: 'many5', after: ['', ''], limit: 21 }),
  ],
  [
    'the participants of a thread',
    'thread_participants_pkey',
    db => selectParticipants(db, full.tenantId, ['pr', '5'], ['', ''], 21),
  ],
  [
    'the followers of a thread',
    'notification_threads_thread',
    db => selectSubscriptionsOfThread(db, full.tenantId, ['pr', '5'], '', 21),
    ['S001-13'],
  ],
  [
    'what a person follows',
    'notification_threads_pkey',
    db => selectSubscriptionsOfPerson(db, full.tenantId, 'u5', ['', ''], 21),
  ],
  [
    'what a person chose about a thread',
    'notification_threads_(pkey|thread)',
    db => selectSubscription(db, full.tenantId, ['pr', '5'], 'u5'),
  ],
])
