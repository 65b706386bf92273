/** The SQL of search: one statement per kind, each of which finds a few rows by index. */
import type { SearchKind } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

/**
 * $2: what was asked for; $3: the id that it may be; $4: the pattern of what begins with it, which the database puts into
 * lower case as it does the names: each locale knows other letters; $5: how many are wanted.
 */
export interface Needle {
  text: string
  uuid: string | null
  prefix: string
  limit: number
}

export interface FoundRow {
  id: string
  title: string
  subtitle: string
  at: Date | null
}

export async function selectFound(
  db: Executor,
  tenantId: string,
  kind: SearchKind,
  { text, uuid, prefix, limit }: Needle,
): Promise<FoundRow[]> {
  const { rows } = await db.query<FoundRow>(`${ASKED} ${FIND[kind]}`, [tenantId, text, uuid, prefix, limit])
  return rows
}

/** Says of which type the values are that a statement does not need. */
const ASKED = 'with asked as (select $1::uuid, $2::text, $3::uuid, $4::text, $5::integer)'

const line = (...parts: string[]) =>
  `concat_ws(' · ', ${parts.map(part => `nullif(${part}, '')`).join(', ')})`

const USER = `id, ${line('username', 'email')} as subtitle, created_at`
const usersBy = (
  column: string,
) => `(select ${USER} from users where tenant_id = $1 and lower(${column}) like lower($4)
  order by lower(${column}) using ~<~ limit $5)`

const RECORD =
  'notification_id::text as id, notification_type as title, idempotency_key as subtitle, accepted_at as at'
const recordsIn = (table: string) => `
  (select ${RECORD} from ${table} where tenant_id = $1 and notification_id = $3)
  union (select ${RECORD} from ${table} where tenant_id = $1 and idempotency_key = $2 limit $5)`

const EVENT = `event_id::text as id, kind as title, ${line('topic', "thread_kind || ' ' || thread_id", 'producer')} as subtitle,
  occurred_at as at`

/** What has a uuid and a name. */
const named = (table: string, subtitle: string, owner = 'tenant_id = $1') => `
  (select id::text as id, name as title, ${subtitle} as subtitle, created_at as at from ${table}
    where tenant_id = $1 and lower(name) like lower($4) order by lower(name) using ~<~ limit $5)
  union (select id::text, name, ${subtitle}, created_at from ${table} where id = $3 and ${owner})
  order by title`

export const FIND: Record<SearchKind, string> = {
  user: `select id, id as title, subtitle, created_at as at from (
      ${usersBy('id')} union ${usersBy('email')} union ${usersBy('username')}
    ) u order by id <> $2, id limit $5`,
  record: `${recordsIn('records')} union ${recordsIn('records_archive')} order by at desc limit $5`,
  // keys are unique per producer, of which there are few: the index is skipped through from one to the next
  event: `, recursive_producers as (
      with recursive p (producer) as (
        (select producer from domain_events where tenant_id = $1 and idempotency_key is not null order by producer limit 1)
        union all
        select (select e.producer from domain_events e
          where e.tenant_id = $1 and e.idempotency_key is not null and e.producer > p.producer order by e.producer limit 1)
        from p where p.producer is not null
      )
      select producer from p where producer is not null limit 1000
    )
    (select ${EVENT} from domain_events where tenant_id = $1 and event_id = $3)
    union (select e.* from recursive_producers p cross join lateral (
      select ${EVENT} from domain_events where tenant_id = $1 and producer = p.producer and idempotency_key = $2
    ) e limit $5)`,
  dead_letter: `select id::text as id, ${line('notification_type', 'source', 'op')} as title, left(failure_message, 200) as subtitle,
      created_at as at from dead_letters where tenant_id = $1 and id = $3`,
  notification_type: `select name as id, name as title, left(description, 200) as subtitle, null::timestamptz as at
    from notification_types where tenant_id = $1 and lower(name) like lower($4) order by lower(name) using ~<~ limit $5`,
  template: `select name as id, name as title, string_agg(distinct channel, ', ' order by channel) as subtitle,
      max(updated_at) as at
    from (select * from notification_templates where tenant_id = $1 and lower(name) like lower($4)
      order by lower(name) using ~<~ limit $5 * 20) t group by name order by name limit $5`,
  provider: named('provider_configs', line('kind', 'channel'), '(tenant_id = $1 or tenant_id is null)'),
  webhook: `select id::text as id, url as title, left(description, 200) as subtitle, created_at as at
    from notification_webhooks where tenant_id = $1 and id = $3`,
  trigger: named('triggers', 'kind'),
  script: named('scripts', 'left(description, 200)'),
  topic: `select topic as id, coalesce(nullif(title, ''), topic) as title, topic as subtitle, created_at as at
    from topics where tenant_id = $1 and lower(topic) like lower($4) order by lower(topic) using ~<~ limit $5`,
  thread: `select kind || ':' || id as id, coalesce(nullif(title, ''), kind || ' ' || id) as title,
      ${line('topic', "kind || ' ' || id")} as subtitle, created_at as at
    from threads where tenant_id = $1 and kind = split_part($2, ':', 1) and id = substr($2, strpos($2, ':') + 1)`,
}
