/** The numbers that a tenant's user tokens carry. Counting up ends the tokens of all epochs but the last. */
import type { UserTokenEpoch } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

interface EpochRow {
  epoch: number
  rotated_at: Date | null
  void_before: Date | null
}

const EPOCH =
  'user_token_epoch as epoch, user_token_rotated_at as rotated_at, user_tokens_void_before as void_before'

export async function rotateUserTokens(db: Executor, tenantId: string): Promise<UserTokenEpoch> {
  const { rows } = await db.query<EpochRow>(
    `update tenants set user_token_epoch = user_token_epoch + 1, user_token_rotated_at = clock_timestamp()
     where id = $1 returning ${EPOCH}`,
    [tenantId],
  )
  return toEpoch(rows[0]!)
}

export async function voidTokensOfTenant(db: Executor, tenantId: string): Promise<UserTokenEpoch> {
  const { rows } = await db.query<EpochRow>(
    `update tenants set user_tokens_void_before = clock_timestamp() where id = $1 returning ${EPOCH}`,
    [tenantId],
  )
  return toEpoch(rows[0]!)
}

export async function epochOf(db: Executor, tenantId: string): Promise<UserTokenEpoch> {
  const { rows } = await db.query<EpochRow>(`select ${EPOCH} from tenants where id = $1`, [tenantId])
  return toEpoch(rows[0]!)
}

function toEpoch({ epoch, rotated_at, void_before }: EpochRow): UserTokenEpoch {
  return {
    epoch,
    rotated_at: rotated_at?.toISOString() ?? null,
    void_before: void_before?.toISOString() ?? null,
  }
}
