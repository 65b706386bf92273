/**
 * The audit log: who changed what. Every changing route does its work inside audited(), so that the change and its row
 * are one transaction: there is no change without a row, and no row without a change.
 */
import type { AuditLog } from '@carillon/contract'
import ipaddr from 'ipaddr.js'
import { uuidv7 } from 'uuidv7'
import type { Principal } from '../../platform/calls/principal.ts'
import { type Client, type Executor, type Pool, transaction } from '../../platform/database/pool.ts'
import { changesBetween } from './changes.ts'
import { type AuditLogRow, insertAuditLog, lockResource } from './queries.ts'

/** What the audit log takes from an HTTP request. */
export interface AuditedRequest {
  principal: Principal
  id: string
  ip: string
  headers: { 'user-agent'?: string | undefined }
  /** Set here; the server's tests refuse a changing route that left it unset. */
  isAudited: boolean
}

export interface Subject<Result> {
  type: string
  /** Omitted when the change creates the resource: then it is the result's id. null: the change concerns many. */
  id?: string | null
  /** Default: create or update, depending on whether it existed. A `delete` must return what was deleted. */
  action?: string
  /** The resource as the API shows it, read before the change. */
  before?: (tx: Client) => Promise<object | undefined>
  /** The resource after the change, if the result is not the resource itself. */
  after?: (result: Result) => object
}

export function audited<Result>(
  pool: Pool,
  request: AuditedRequest,
  subject: Subject<Result>,
  change: (tx: Client) => Promise<Result>,
): Promise<Result> {
  request.isAudited = true
  const { principal } = request
  return transaction(pool, async tx => {
    if (subject.id) await lockResource(tx, principal.tenant_id, subject.type, subject.id)
    const stateBefore = await subject.before?.(tx)
    const result = await change(tx)
    const shown = subject.after === undefined ? result : subject.after(result)
    const [before, after] = subject.action === 'delete' ? [shown, undefined] : [stateBefore, shown]
    await recordChange(tx, principal.tenant_id, {
      ...actorOf(principal),
      ...placeOf(request),
      type: subject.type,
      id: subject.id === undefined ? (result as { id: string }).id : subject.id,
      action: subject.action,
      before,
      after,
    })
    return result
  })
}

/** An account is named itself, not the key in whose name it acts. */
function actorOf({ user_id, api_key_id, session }: Principal) {
  if (!session?.account) return { user_id, api_key_id }
  return { account_id: session.account.id, account_email: session.account.email }
}

/** Where a change came from. */
export function placeOf({ ip, headers, id }: Omit<AuditedRequest, 'principal' | 'isAudited'>) {
  return { ip_address: toAddress(ip), user_agent: headers['user-agent'] ?? null, request_id: id }
}

export interface Change extends Partial<Omit<AuditLogRow, 'id' | 'action'>> {
  type: string
  id: string | null
  action: string | undefined
  before?: unknown
  after?: unknown
}

/** Also for changes made by no request, such as creating the first tenant: they have no actor. */
export async function recordChange(db: Executor, tenantId: string, change: Change): Promise<void> {
  const { old_values, new_values } = changesBetween(change.before, change.after)
  await insertAuditLog(db, tenantId, {
    id: uuidv7(),
    user_id: change.user_id ?? null,
    api_key_id: change.api_key_id ?? null,
    account_id: change.account_id ?? null,
    account_email: change.account_email ?? null,
    action: change.action ?? (old_values === null ? 'create' : 'update'),
    resource_type: change.type,
    resource_id: change.id,
    ip_address: change.ip_address ?? null,
    user_agent: change.user_agent ?? null,
    request_id: change.request_id ?? null,
    old_values: old_values && JSON.stringify(old_values),
    new_values: new_values && JSON.stringify(new_values),
  })
}

export function toAuditLog(row: AuditLogRow): AuditLog {
  return { ...row, created_at: row.created_at.toISOString() }
}

/**
 * An IPv4-mapped address becomes plain IPv4; a zone is dropped, as it means something on one machine only. There is none
 * if the connection was lost before anybody asked for it, whatever the types say.
 */
export function toAddress(ip: string | undefined): string | null {
  const [address = ''] = ip?.split('%') ?? []
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : null
}
