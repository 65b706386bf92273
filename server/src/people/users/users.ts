/** Users: recipients and operators, identified by the caller's own ids. */
import type { User, UserChanges, UserInput } from '@carillon/contract'
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
  const { email, phone, chat_address } = await withNormalAddresses(db, input)
  return storeUser(db, tenantId, {
    id,
    email: email ?? null,
    username: input.username ?? null,
    phone: phone ?? null,
    chat_address: chat_address ?? null,
    locale: input.locale ?? '',
    timezone: input.timezone ?? 'UTC',
  })
}

/** What is not given stays as it is. */
export async function changeUser(
  tx: Client,
  tenantId: string,
  id: string,
  changes: UserChanges,
): Promise<User> {
  const row = await selectUser(tx, tenantId, id)
  if (row === undefined) throw noUser(id)
  const given = await withNormalAddresses(tx, changes)
  return storeUser(tx, tenantId, { ...row, ...given })
}

async function withNormalAddresses<Fields extends Pick<UserChanges, 'email' | 'phone' | 'chat_address'>>(
  db: Executor,
  fields: Fields,
): Promise<Fields> {
  const { email, phone, chat_address } = fields
  return {
    ...fields,
    ...(email && { email: await normalAddress(db, 'email', email, 'email') }),
    ...(phone && { phone: await normalAddress(db, 'sms', phone, 'phone') }),
    ...(chat_address && {
      chat_address: await normalAddress(db, 'chat', chat_address, 'chat_address'),
    }),
  }
}

async function storeUser(
  db: Executor,
  tenantId: string,
  user: Omit<UserRow, 'created_at' | 'updated_at'>,
): Promise<User> {
  try {
    const { row, hasMoved } = await upsertUser(db, tenantId, user)
    if (hasMoved) await askGatesAgain(db, tenantId, user.id)
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
  if (row === undefined) throw noUser(id)
  return toUser(row)
}

export const noUser = (id: string): Refusal => notFound(`user "${id}"`)

export function toUser(row: UserRow): User {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() }
}
