/** Users: recipients and operators, identified by the caller's own ids. */
import type { User, UserInput } from '@carillon/contract'
import { refuseLockOut } from '../../oversight/api-keys/owners.ts'
import type { Principal } from '../../platform/calls/principal.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import { isDatabaseError } from '../../platform/database/errors.ts'
import type { Client, Executor } from '../../platform/database/pool.ts'
import { normalAddress } from '../addresses/addresses.ts'
import { askGatesAgain, deleteUser, selectUser, type UserRow, upsertUser } from './queries.ts'

export async function findUser(db: Executor, tenantId: string, id: string): Promise<User | undefined> {
  const row = await selectUser(db, tenantId, id)
  return row && toUser(row)
}

export async function putUser(db: Executor, tenantId: string, id: string, input: UserInput): Promise<User> {
  try {
    const { row, hasMoved } = await upsertUser(db, tenantId, {
      id,
      email: input.email ? await normalAddress(db, 'email', input.email, 'email') : null,
      username: input.username ?? null,
      phone: input.phone ? await normalAddress(db, 'sms', input.phone, 'phone') : null,
      locale: input.locale ?? '',
      timezone: input.timezone ?? 'UTC',
    })
    if (hasMoved) await askGatesAgain(db, tenantId, id)
    return toUser(row)
  } catch (error) {
    if (!isDatabaseError(error, 'unique_violation')) throw error
    const field = error.constraint === 'users_username_key' ? 'username' : 'email'
    throw new Refusal('already_exists', `Another user has this ${field}.`, [{ field, message: 'Taken.' }])
  }
}

/** Also deletes everything that belongs to the user, their keys too; returns the deleted user. */
export async function removeUser(tx: Client, principal: Principal, id: string): Promise<User> {
  await refuseLockOut(tx, principal, key => key.user_id === id)
  const row = await deleteUser(tx, principal.tenant_id, id)
  if (row === undefined) throw notFound(`user "${id}"`)
  return toUser(row)
}

export function toUser(row: UserRow): User {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() }
}
