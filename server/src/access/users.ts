/** Users: recipients and operators, by the caller's own ids. */
import type { User, UserInput } from '@carillon/contract'
import { isDatabaseError } from '../db/errors.ts'
import type { Executor } from '../db/pool.ts'
import { Refusal } from '../refusal.ts'
import { type UserRow, upsertUser } from './queries.ts'

export async function putUser(db: Executor, tenantId: string, id: string, input: UserInput): Promise<User> {
  try {
    return toUser(
      await upsertUser(db, tenantId, {
        id,
        email: input.email ?? null,
        username: input.username ?? null,
        phone: input.phone ?? null,
        locale: input.locale ?? '',
        timezone: input.timezone ?? 'UTC',
      }),
    )
  } catch (error) {
    if (!isDatabaseError(error, 'unique_violation')) throw error
    const field = error.constraint === 'users_username_key' ? 'username' : 'email'
    throw new Refusal('already_exists', `Another user has this ${field}.`, [{ field, message: 'Taken.' }])
  }
}

export function toUser(row: UserRow): User {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() }
}
