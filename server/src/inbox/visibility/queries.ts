/** The SQL of visibility checks. */
import type { Executor } from '../../platform/database/pool.ts'

export interface VisibilityCheckRow {
  tenant_id: string
  id: string
  url: string
  secrets: string
  timeout_ms: number
  created_at: Date
  updated_at: Date
}

const CHECK = 'tenant_id, id, url, secrets, timeout_ms, created_at, updated_at'

export async function upsertCheck(
  db: Executor,
  tenantId: string,
  { id, url, secrets, timeout_ms }: Pick<VisibilityCheckRow, 'id' | 'url' | 'secrets' | 'timeout_ms'>,
): Promise<VisibilityCheckRow> {
  const { rows } = await db.query<VisibilityCheckRow>(
    `insert into visibility_checks (tenant_id, id, url, secrets, timeout_ms) values ($1, $2, $3, $4, $5)
     on conflict (tenant_id) do update set id = excluded.id, url = excluded.url, secrets = excluded.secrets,
       timeout_ms = excluded.timeout_ms, updated_at = now()
     returning ${CHECK}`,
    [tenantId, id, url, secrets, timeout_ms],
  )
  return rows[0]!
}

export async function selectCheck(db: Executor, tenantId: string): Promise<VisibilityCheckRow | undefined> {
  const { rows } = await db.query<VisibilityCheckRow>(
    `select ${CHECK} from visibility_checks where tenant_id = $1`,
    [tenantId],
  )
  return rows[0]
}

export async function deleteCheck(db: Executor, tenantId: string): Promise<VisibilityCheckRow | undefined> {
  const { rows } = await db.query<VisibilityCheckRow>(
    `delete from visibility_checks where tenant_id = $1 returning ${CHECK}`,
    [tenantId],
  )
  return rows[0]
}
