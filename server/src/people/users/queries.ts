/** The SQL of users. */
import type { Executor } from '../../platform/database/pool.ts'

export interface UserRow {
  id: string
  email: string | null
  username: string | null
  phone: string | null
  /** Where chat messages for the person go. */
  chat_address: string | null
  locale: string
  timezone: string
  created_at: Date
  updated_at: Date
}

const USER = 'id, email, username, phone, chat_address, locale, timezone, created_at, updated_at'

export async function upsertUser(
  db: Executor,
  tenantId: string,
  user: Omit<UserRow, 'created_at' | 'updated_at'>,
): Promise<{ row: UserRow; hasMoved: boolean }> {
  const { rows } = await db.query<UserRow & { timezone_before: string | null }>(
    `insert into users (tenant_id, id, email, username, phone, locale, timezone, chat_address)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (tenant_id, id) do update set email = excluded.email, username = excluded.username,
       phone = excluded.phone, locale = excluded.locale, timezone = excluded.timezone,
       chat_address = excluded.chat_address, updated_at = now()
     returning ${USER}, (select u.timezone from users u where u.tenant_id = $1 and u.id = $2) as timezone_before`,
    [tenantId, user.id, user.email, user.username, user.phone, user.locale, user.timezone, user.chat_address],
  )
  // The statement's own change is not visible to its subquery.
  const { timezone_before, ...row } = rows[0]!
  return { row, hasMoved: timezone_before !== null && timezone_before !== row.timezone }
}

/** What waits for the person's quiet hours or digest: those are at other times in another zone. */
export async function askGatesAgain(db: Executor, tenantId: string, userId: string): Promise<void> {
  await db.query('select ask_gates_again($1, $2)', [tenantId, userId])
}

export async function selectUser(db: Executor, tenantId: string, id: string): Promise<UserRow | undefined> {
  const { rows } = await db.query<UserRow>(`select ${USER} from users where tenant_id = $1 and id = $2`, [
    tenantId,
    id,
  ])
  return rows[0]
}

export async function selectUsers(
  db: Executor,
  tenantId: string,
  query: { email?: string | undefined; username?: string | undefined; afterId: string; limit: number },
): Promise<UserRow[]> {
  const { rows } = await db.query<UserRow>(
    `select ${USER} from users
     where tenant_id = $1 and id > $2 and ($3::text is null or lower(email) = lower(coalesce(normal_address('email', $3), $3)))
       and ($4::text is null or username = $4)
     order by id limit $5`,
    [tenantId, query.afterId, query.email ?? null, query.username ?? null, query.limit],
  )
  return rows
}

export async function deleteUser(db: Executor, tenantId: string, id: string): Promise<UserRow | undefined> {
  const { rows } = await db.query<UserRow>(
    `delete from users where tenant_id = $1 and id = $2 returning ${USER}`,
    [tenantId, id],
  )
  return rows[0]
}
