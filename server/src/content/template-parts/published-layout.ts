/**
 * The layout `default` as it was last published, which mails without a template use. Other parts need no published form:
 * the versions of templates hold copies of them.
 */
import type { Executor } from '../../platform/database/pool.ts'
import { DEFAULT_LAYOUT_NAME } from './template-parts.ts'

export interface PublishedLayout {
  source: string
  /** null until it is published. */
  published_source: string | null
}

export interface PlainMailRow<Compiled> {
  published_at: Date
  /** null if it has not changed since `knownAt`. */
  plain_mail: Compiled | null
}

/** The tenant's own; undefined if it uses the built-in one. Locked: nobody publishes it until the transaction ends. */
export async function lockDefaultLayout(
  db: Executor,
  tenantId: string,
): Promise<PublishedLayout | undefined> {
  const { rows } = await db.query<PublishedLayout>(
    `select source, published_source from template_parts
     where tenant_id = $1 and kind = 'layout' and name = $2 for update`,
    [tenantId, DEFAULT_LAYOUT_NAME],
  )
  return rows[0]
}

export async function storePublishedLayout(
  db: Executor,
  tenantId: string,
  source: string,
  plainMail: unknown,
): Promise<void> {
  await db.query(
    `update template_parts set published_source = $3, plain_mail = $4, published_at = clock_timestamp()
     where tenant_id = $1 and kind = 'layout' and name = $2`,
    [tenantId, DEFAULT_LAYOUT_NAME, source, JSON.stringify(plainMail)],
  )
}

/** The mail without a template in the tenant's published layout; undefined if there is none. */
export async function loadPlainMail<Compiled>(
  db: Executor,
  tenantId: string,
  knownAt: Date | undefined,
): Promise<PlainMailRow<Compiled> | undefined> {
  const { rows } = await db.query<PlainMailRow<Compiled>>(
    `select published_at, case when published_at is distinct from $3 then plain_mail end as plain_mail
     from template_parts
     where tenant_id = $1 and kind = 'layout' and name = $2 and plain_mail is not null`,
    [tenantId, DEFAULT_LAYOUT_NAME, knownAt ?? null],
  )
  return rows[0]
}
