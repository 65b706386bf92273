/** The SQL of sessions. They are of the instance: a token says whose it is before any tenant is known. */
import type { Executor } from '../../platform/database/pool.ts'

/** Unused for so long, it ends; and in any case so long after it began. */
const IDLE = "interval '14 days'"
const LONGEST = "interval '90 days'"

export interface NewSession {
  id: string
  token_hash: string
  account_id: string | null
  chosen_tenant_id: string | null
  api_key: { tenant_id: string; id: string } | null
  by_link: boolean
  ip_address: string | null
  user_agent: string | null
}

export async function insertSession(db: Executor, session: NewSession): Promise<Date> {
  const { rows } = await db.query<{ expires_at: Date }>(
    `insert into sessions (id, token_hash, account_id, chosen_tenant_id, tenant_id, api_key_id, by_link, ip_address,
       user_agent, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + ${IDLE}) returning expires_at`,
    [
      ...[session.id, session.token_hash, session.account_id, session.chosen_tenant_id],
      ...[session.api_key?.tenant_id ?? null, session.api_key?.id ?? null, session.by_link],
      ...[session.ip_address, session.user_agent],
    ],
  )
  return rows[0]!.expires_at
}

export interface UsedSessionRow {
  id: string
  account_id: string | null
  chosen_tenant_id: string | null
  tenant_id: string | null
  api_key_id: string | null
  expires_at: Date
  is_prolonged: boolean
  needs_password: boolean
  email: string | null
  name: string | null
  is_operator: boolean | null
}

/** Finds a session by the hash of its token, unless its key has ended, and moves its end while it is used, at most once a minute. */
export async function useSession(db: Executor, hash: string): Promise<UsedSessionRow | undefined> {
  const { rows } = await db.query<UsedSessionRow>(
    `with found as (
       select id, account_id, chosen_tenant_id, tenant_id, api_key_id, by_link, last_seen_at, expires_at
       from sessions s where token_hash = $1 and expires_at > now()
         and (api_key_id is null or exists (select from api_keys k where k.tenant_id = s.tenant_id and k.id = s.api_key_id
           and k.is_active and (k.expires_at is null or k.expires_at > now())))
     ),
     prolonged as (
       update sessions s set last_seen_at = now(), expires_at = least(now() + ${IDLE}, s.created_at + ${LONGEST})
       from found f where s.id = f.id and f.last_seen_at < now() - interval '1 minute' returning s.expires_at
     )
     select f.id, f.account_id, f.chosen_tenant_id, f.tenant_id, f.api_key_id,
       coalesce(p.expires_at, f.expires_at) as expires_at, p.expires_at is not null as is_prolonged,
       f.account_id is not null and (f.by_link or a.password_hash is null) as needs_password, a.email, a.name, a.is_operator
     from found f left join prolonged p on true left join accounts a on a.id = f.account_id`,
    [hash],
  )
  return rows[0]
}

/** Whose sessions are meant: those of an account, or of a key. */
export interface SessionOwner {
  account: { id: string } | null
  api_key: { tenant_id: string; id: string } | null
}

const OWNED_BY = {
  account: 'account_id = $1 and $2::uuid is null',
  api_key: 'tenant_id = $1 and api_key_id = $2',
} as const

function ownedBy({ account, api_key }: SessionOwner): { where: string; values: (string | null)[] } {
  if (account !== null) return { where: OWNED_BY.account, values: [account.id, null] }
  return { where: OWNED_BY.api_key, values: [api_key!.tenant_id, api_key!.id] }
}

export interface OpenSessionRow {
  id: string
  ip_address: string | null
  user_agent: string | null
  created_at: Date
  last_seen_at: Date
  expires_at: Date
}

export async function selectSessions(db: Executor, owner: SessionOwner): Promise<OpenSessionRow[]> {
  const { where, values } = ownedBy(owner)
  const { rows } = await db.query<OpenSessionRow>(
    `select id, host(ip_address) as ip_address, user_agent, created_at, last_seen_at, expires_at from sessions
     where ${where} and expires_at > now() order by last_seen_at desc, id desc`,
    values,
  )
  return rows
}

/** The one of that id, or all except one. */
export async function deleteSessions(
  db: Executor,
  owner: SessionOwner,
  which: { id: string } | { except: string | null },
): Promise<OpenSessionRow[]> {
  const { where, values } = ownedBy(owner)
  const { rows } = await db.query<OpenSessionRow>(
    `delete from sessions where ${where} and ${'id' in which ? 'id = $3' : 'id is distinct from $3'}
     returning id, host(ip_address) as ip_address, user_agent, created_at, last_seen_at, expires_at`,
    [...values, 'id' in which ? which.id : which.except],
  )
  return rows
}

export async function updateChosenTenant(db: Executor, id: string, tenantId: string): Promise<void> {
  await db.query('update sessions set chosen_tenant_id = $2 where id = $1', [id, tenantId])
}

/** Its account has chosen a password. */
export async function settleSession(db: Executor, id: string): Promise<void> {
  await db.query('update sessions set by_link = false where id = $1', [id])
}

/** The ids of those that may look at their tenant no more. */
export async function selectEnded(
  db: Executor,
  held: { id: string; tenant_id: string }[],
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select h.id from unnest($1::uuid[], $2::uuid[]) h (id, tenant_id)
     where not exists (
       select from sessions s
       join tenants t on t.id = h.tenant_id and t.suspended_at is null
       left join members m on m.tenant_id = h.tenant_id and m.account_id = s.account_id
       left join api_keys k on k.tenant_id = s.tenant_id and k.id = s.api_key_id and k.is_active
         and (k.expires_at is null or k.expires_at > now())
       where s.id = h.id and s.expires_at > now() and num_nonnulls(m.account_id, k.id) > 0)`,
    [held.map(({ id }) => id), held.map(({ tenant_id }) => tenant_id)],
  )
  return rows.map(({ id }) => id)
}
