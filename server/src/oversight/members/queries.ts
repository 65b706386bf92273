/** The SQL of members. */
import type { KeyRole } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

export interface MemberRow {
  tenant_id: string
  account_id: string
  role: KeyRole
  api_key_id: string
  email: string | null
  name: string
  created_at: Date
  last_seen_at: Date | null
}

export interface Membership {
  tenant_id: string
  role: KeyRole
  api_key_id: string
}

/** Undefined if it belongs to that tenant already. */
export async function insertMember(
  db: Executor,
  tenantId: string,
  member: Pick<MemberRow, 'account_id' | 'role' | 'api_key_id'>,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into members (tenant_id, account_id, role, api_key_id) values ($1, $2, $3, $4)
     on conflict (tenant_id, account_id) do nothing`,
    [tenantId, member.account_id, member.role, member.api_key_id],
  )
  return rowCount === 1
}

const MEMBER = `select m.tenant_id, m.account_id, m.role, m.api_key_id, a.email, a.name, m.created_at,
    (select max(s.last_seen_at) from sessions s where s.account_id = m.account_id) as last_seen_at
  from members m join accounts a on a.id = m.account_id`

export async function selectMembers(db: Executor, tenantId: string): Promise<MemberRow[]> {
  const { rows } = await db.query<MemberRow>(
    `${MEMBER} where m.tenant_id = $1 order by m.created_at, m.account_id`,
    [tenantId],
  )
  return rows
}

export async function selectMember(
  db: Executor,
  tenantId: string,
  accountId: string,
): Promise<MemberRow | undefined> {
  const { rows } = await db.query<MemberRow>(`${MEMBER} where m.tenant_id = $1 and m.account_id = $2`, [
    tenantId,
    accountId,
  ])
  return rows[0]
}

/** The tenant's owners, held in the same order by everybody until the transaction ends. */
export async function lockOwners(tx: Executor, tenantId: string): Promise<string[]> {
  const { rows } = await tx.query<{ account_id: string }>(
    `select account_id from members where tenant_id = $1 and role = 'owner' order by account_id for update`,
    [tenantId],
  )
  return rows.map(row => row.account_id)
}

export async function updateRole(
  tx: Executor,
  tenantId: string,
  accountId: string,
  role: KeyRole,
): Promise<void> {
  await tx.query(
    'update members set role = $3, updated_at = now() where tenant_id = $1 and account_id = $2',
    [tenantId, accountId, role],
  )
}

export async function deleteMember(tx: Executor, tenantId: string, accountId: string): Promise<void> {
  await tx.query('delete from members where tenant_id = $1 and account_id = $2', [tenantId, accountId])
}

/** The wanted tenant; without one that which was looked at last, or the first, but rather one that is not suspended. */
export async function selectMembership(
  db: Executor,
  accountId: string,
  { wanted, chosen }: { wanted: string | undefined; chosen: string | null },
): Promise<Membership | undefined> {
  const { rows } = await db.query<Membership>(
    `select m.tenant_id, m.role, m.api_key_id from members m join tenants t on t.id = m.tenant_id
     where m.account_id = $1 and ($2::uuid is null or m.tenant_id = $2)
     order by t.suspended_at is not null, m.tenant_id is distinct from $3, m.created_at, m.tenant_id limit 1`,
    [accountId, wanted ?? null, chosen],
  )
  return rows[0]
}

export interface OwnTenant {
  id: string
  name: string
  role: KeyRole
}

export async function selectTenantsOf(db: Executor, accountId: string): Promise<OwnTenant[]> {
  const { rows } = await db.query<OwnTenant>(
    `select t.id, t.name, m.role from members m join tenants t on t.id = m.tenant_id
     where m.account_id = $1 order by t.name, t.id`,
    [accountId],
  )
  return rows
}
