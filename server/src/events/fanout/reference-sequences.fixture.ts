/** Random sequences of actions on the reference model, and the same as SQL. */
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Pool } from '../../platform/database/pool.ts'
import { Model, type ModelEvent } from './reference-model.fixture.ts'

export const ACTIONS = 500
const AT_ONCE = 4
const PEOPLE = Array.from({ length: 10 }, (_, n) => `p${n}`)
const TOPICS = ['t0', 't1', 't2']
const THREADS = Array.from({ length: 6 }, (_, n) => `i${n}`)
const KINDS = [
  ...['issue_created', 'issue_comment_created', 'issue_comment_created', 'issue_comment_created'],
  ...[
    'issue_assigned',
    'issue_closed',
    'review_requested',
    'review_submitted',
    'check_failed',
    'repo_archived',
  ],
  'issue_labelled',
]

/** The sequences of these seeds end as the model says. */
export async function expectSameEnd(pool: Pool, seeds: readonly number[]): Promise<void> {
  const check = async (seed: number) => {
    const { model, sql, tenantId } = play(seed)
    await pool.query(sql)
    expect({ seed, ...(await read(pool, tenantId)) }).toEqual({ seed, ...expected(model) })
  }
  // Tenants do not meet, so several at once.
  for (let i = 0; i < seeds.length; i += AT_ONCE) await Promise.all(seeds.slice(i, i + AT_ONCE).map(check))
}

/** A sequence of actions on the model, and the same as one script. The tenant is its own. */
function play(seed: number) {
  const random = mulberry32(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const some = (most: number) => Array.from({ length: Math.floor(random() * (most + 1)) }, () => pick(PEOPLE))
  const tenantId = randomUUID()
  const t = `'${tenantId}'`
  const model = new Model(PEOPLE)
  const events: ModelEvent[] = []
  const sql = [
    `insert into tenants (id, name) values (${t}, 'seed ${seed}')`,
    `insert into users (tenant_id, id, email) select ${t}, 'p' || n, 'p' || n || '@x.io' from generate_series(0, 9) n`,
    `insert into topics (tenant_id, topic) select ${t}, 't' || n from generate_series(0, 2) n`,
  ]
  for (const [n, thread] of THREADS.entries()) {
    const [topic, author] = [TOPICS[n % 3]!, pick(PEOPLE)]
    model.topicOf.set(thread, topic)
    model.authors.set(thread, author)
    sql.push(`insert into threads (tenant_id, kind, id, topic, author_id)
      values (${t}, 'issue', '${thread}', '${topic}', '${author}')`)
  }

  const fanOut = (event: ModelEvent) => {
    model.happen(event)
    sql.push(
      `select fan_out(${t}, event_id, '', 5000) from domain_events where tenant_id = ${t} and id = ${event.n}`,
    )
  }
  const actions: (() => void)[] = [
    () => {
      const thread = random() < 0.85 ? pick(THREADS) : null
      const named = { mention: some(2), assignee: some(1), reviewer: some(1) }
      const topic = thread === null ? (random() < 0.8 ? pick(TOPICS) : null) : model.topicOf.get(thread)!
      const actor = random() < 0.9 ? pick(PEOPLE) : null
      const event = { n: events.length + 1, kind: pick(KINDS), actor, topic, thread, named }
      events.push(event)
      const written = {
        ...{ kind: event.kind, tenant: `seed ${seed}`, relations: { ...named, watching: [pick(PEOPLE)] } },
        ...(topic !== null && { topic }),
        ...(actor !== null && { actor_id: actor }),
        ...(thread !== null && { thread: { kind: 'issue', id: thread } }),
      }
      sql.push(`select emit_event('${JSON.stringify(written)}')`, `select order_events(${t}, 10)`)
      fanOut(event)
    },
    () => {
      if (events.length > 0) fanOut(pick(events))
    },
    () => {
      const [topic, user, level] = [
        pick(TOPICS),
        pick(PEOPLE),
        pick(['all', 'all', 'participating', 'ignore'] as const),
      ]
      model.watches.set(`${topic}/${user}`, level)
      sql.push(`insert into watches (tenant_id, topic, user_id, level) values (${t}, '${topic}', '${user}', '${level}')
        on conflict (tenant_id, topic, user_id) do update set level = excluded.level`)
    },
    () => {
      const [topic, user] = [pick(TOPICS), pick(PEOPLE)]
      model.watches.delete(`${topic}/${user}`)
      sql.push(`delete from watches where tenant_id = ${t} and topic = '${topic}' and user_id = '${user}'`)
    },
    () => {
      const [thread, user, subscribed] = [pick(THREADS), pick(PEOPLE), random() < 0.5]
      const reason = subscribed ? 'manual' : 'manual_unsubscribe'
      model.choices.set(`${thread}/${user}`, { subscribed, reason, madeBy: null })
      sql.push(`insert into notification_threads (tenant_id, user_id, thread_kind, thread_id, subscribed, reason)
        values (${t}, '${user}', 'issue', '${thread}', ${subscribed}, '${reason}')
        on conflict (tenant_id, user_id, thread_kind, thread_id)
        do update set subscribed = excluded.subscribed, reason = excluded.reason, source_event_id = null`)
    },
    () => {
      const [thread, user] = [pick(THREADS), pick(PEOPLE)]
      model.choices.delete(`${thread}/${user}`)
      sql.push(`delete from notification_threads
        where tenant_id = ${t} and thread_id = '${thread}' and user_id = '${user}'`)
    },
    () => {
      const [thread, user] = [pick(THREADS), pick(PEOPLE)]
      const relation = pick(['assignee', 'reviewer', 'commenter'])
      const isThere = random() < 0.6
      model.participants[isThere ? 'add' : 'delete'](`${thread}/${relation}/${user}`)
      sql.push(
        isThere
          ? `insert into thread_participants (tenant_id, thread_kind, thread_id, relation, user_id)
             values (${t}, 'issue', '${thread}', '${relation}', '${user}') on conflict do nothing`
          : `delete from thread_participants where tenant_id = ${t} and thread_id = '${thread}'
             and relation = '${relation}' and user_id = '${user}'`,
      )
    },
    () => {
      const [topic, user, role] = [pick(TOPICS), pick(PEOPLE), pick(['member', 'owner', undefined] as const)]
      if (role === undefined) model.members.delete(`${topic}/${user}`)
      else model.members.set(`${topic}/${user}`, role)
      sql.push(
        role === undefined
          ? `delete from topic_members where tenant_id = ${t} and topic = '${topic}' and user_id = '${user}'`
          : `insert into topic_members (tenant_id, topic, user_id, role) values (${t}, '${topic}', '${user}', '${role}')
             on conflict (tenant_id, topic, user_id) do update set role = excluded.role`,
      )
    },
    () => {
      const [topic, isPrivate] = [pick(TOPICS), random() < 0.3]
      model.privateTopics[isPrivate ? 'add' : 'delete'](topic)
      const visibility = isPrivate ? 'private' : 'public'
      sql.push(`update topics set visibility = '${visibility}' where tenant_id = ${t} and topic = '${topic}'`)
    },
    () => {
      const user = pick(PEOPLE)
      for (const [key, row] of model.inbox) if (key.startsWith(`${user}/`)) row.isRead = true
      sql.push(`update notifications set is_read = true, read_at = now()
        where tenant_id = ${t} and user_id = '${user}' and not is_read`)
    },
    () => {
      const [user, isOff] = [pick(PEOPLE), random() < 0.3]
      model.inboxOff[isOff ? 'add' : 'delete'](user)
      sql.push(`insert into notification_preferences (tenant_id, user_id, channel, enabled)
        values (${t}, '${user}', 'in_app', ${!isOff})
        on conflict (tenant_id, user_id, channel) do update set enabled = excluded.enabled`)
    },
  ]
  for (let n = 0; n < ACTIONS; n++) (random() < 0.25 ? actions[0]! : pick(actions))()
  return { model, sql: sql.join(';\n'), tenantId }
}

async function read(pool: Pool, tenantId: string) {
  const query = async <Row extends object>(text: string): Promise<Row[]> =>
    (await pool.query<Row>(text, [tenantId])).rows
  const texts = async (text: string) => (await query<{ text: string }>(text)).map(row => row.text).sort()
  return {
    inbox: await texts(
      `select concat_ws('/', user_id, coalesce(thread_id, '#' || source_event_id)) || ' ' || concat_ws(' ', reason, kind,
         case when is_read then 'read' else 'unread' end, event_count, source_event_id) as text
       from notifications where tenant_id = $1`,
    ),
    mails: await texts(
      `select concat_ws('/', e.id, x.user_id, r.reason) as text from records r
       join domain_events e on e.tenant_id = r.tenant_id and e.event_id = r.event_id
       join routes x on x.tenant_id = r.tenant_id and x.notification_id = r.notification_id and x.channel = 'email'
       where r.tenant_id = $1`,
    ),
    choices: await texts(
      `select concat_ws('/', thread_id, user_id) || ' ' || subscribed || ' ' || reason as text from notification_threads
       where tenant_id = $1`,
    ),
    watches: await texts(
      `select concat_ws('/', topic, user_id) || ' ' || level as text from watches where tenant_id = $1`,
    ),
  }
}

function expected(model: Model) {
  return {
    inbox: [...model.inbox]
      .map(
        ([key, row]) =>
          `${key} ${row.reason} ${row.kind} ${row.isRead ? 'read' : 'unread'} ${row.count} ${row.source}`,
      )
      .sort(),
    mails: [...model.mails].sort(),
    choices: [...model.choices]
      .map(([key, { subscribed, reason }]) => `${key} ${subscribed} ${reason}`)
      .sort(),
    watches: [...model.watches].map(([key, level]) => `${key} ${level}`).sort(),
  }
}

/** Random numbers that are the same for the same seed. */
function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
