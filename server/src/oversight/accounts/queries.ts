/** The SQL of accounts. They are of the instance: no statement names a tenant. */
import type { Executor } from '../../platform/database/pool.ts'

export interface AccountRow {
  id: string
  /** null until the first owner has given one. */
  email: string | null
  name: string
  password_hash: string | null
  link_number: number
  /** Manages the instance too, as an owner. */
  is_operator: boolean
  created_at: Date
}

const ACCOUNT = 'id, email, name, password_hash, link_number, is_operator, created_at'

export async function insertAccount(
  db: Executor,
  account: Pick<AccountRow, 'id' | 'email' | 'name' | 'password_hash' | 'is_operator'>,
): Promise<AccountRow> {
  const { rows } = await db.query<AccountRow>(
    `insert into accounts (id, email, name, password_hash, is_operator)
     values ($1, $2, $3, $4, $5) returning ${ACCOUNT}`,
    [account.id, account.email, account.name, account.password_hash, account.is_operator],
  )
  return rows[0]!
}

export async function selectAccount(db: Executor, id: string): Promise<AccountRow | undefined> {
  const { rows } = await db.query<AccountRow>(`select ${ACCOUNT} from accounts where id = $1`, [id])
  return rows[0]
}

export async function selectAccountByEmail(db: Executor, email: string): Promise<AccountRow | undefined> {
  const { rows } = await db.query<AccountRow>(`select ${ACCOUNT} from accounts where email = $1`, [email])
  return rows[0]
}

export async function makeOperator(db: Executor, id: string): Promise<void> {
  await db.query('update accounts set is_operator = true, updated_at = now() where id = $1', [id])
}

/** Nobody else adds one until the transaction ends. */
export async function lockAccounts(tx: Executor): Promise<void> {
  await tx.query('lock table accounts in share row exclusive mode')
}

/** Two are enough to know whether there are others. */
export async function selectFirstAccounts(db: Executor): Promise<AccountRow[]> {
  const { rows } = await db.query<AccountRow>(`select ${ACCOUNT} from accounts limit 2`)
  return rows
}

/** Only if its password is still the one that was checked. */
export async function updateAccount(
  db: Executor,
  { id, password_hash }: Pick<AccountRow, 'id' | 'password_hash'>,
  changed: Pick<AccountRow, 'email' | 'name' | 'password_hash'>,
): Promise<AccountRow | undefined> {
  const { rows } = await db.query<AccountRow>(
    `update accounts set email = $3, name = $4, password_hash = $5, updated_at = now(),
       link_number = link_number + case when password_hash is distinct from $5 then 1 else 0 end
     where id = $1 and password_hash is not distinct from $2 returning ${ACCOUNT}`,
    [id, password_hash, changed.email, changed.name, changed.password_hash],
  )
  return rows[0]
}

/** Whether its password is still the one that was checked; if so, nobody changes it until the transaction ends. */
export async function holdPassword(
  tx: Executor,
  { id, password_hash }: Pick<AccountRow, 'id' | 'password_hash'>,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    'select from accounts where id = $1 and password_hash is not distinct from $2 for share',
    [id, password_hash],
  )
  return rowCount === 1
}

/** Of two who use links of the same number, one gets the account. */
export async function useLinkNumber(
  db: Executor,
  id: string,
  linkNumber: number,
): Promise<AccountRow | undefined> {
  const { rows } = await db.query<AccountRow>(
    `update accounts set link_number = link_number + 1 where id = $1 and link_number = $2 returning ${ACCOUNT}`,
    [id, linkNumber],
  )
  return rows[0]
}

export async function deleteAccount(db: Executor, id: string): Promise<void> {
  await db.query('delete from accounts where id = $1', [id])
}

export interface ListedAccountRow {
  id: string
  email: string | null
  name: string
  /** Each with the role, such as `default (owner)`. */
  tenants: string[]
  has_password: boolean
  last_seen_at: Date | null
  created_at: Date
}

export async function selectAccounts(db: Executor): Promise<ListedAccountRow[]> {
  const { rows } = await db.query<ListedAccountRow>(
    `select a.id, a.email, a.name, a.password_hash is not null as has_password, a.created_at,
       array(select format('%s (%s)', t.name, m.role) from members m join tenants t on t.id = m.tenant_id
         where m.account_id = a.id order by t.name) as tenants,
       (select max(s.last_seen_at) from sessions s where s.account_id = a.id) as last_seen_at
     from accounts a order by a.email nulls first`,
  )
  return rows
}
