/** The SQL of invitations. */
import type { KeyRole, Scope } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

export interface InvitationRow {
  tenant_id: string
  id: string
  email: string
  role: KeyRole
  /** Of whoever invited. */
  api_key_id: string
  created_at: Date
  expires_at: Date
}

const INVITATION = 'tenant_id, id, email, role, api_key_id, created_at, expires_at'

/** Inviting somebody again makes the link before worthless. */
export async function upsertInvitation(
  db: Executor,
  tenantId: string,
  invitation: Pick<InvitationRow, 'id' | 'email' | 'role' | 'api_key_id'> & {
    token_hash: string
    hours: number
  },
): Promise<InvitationRow> {
  const { rows } = await db.query<InvitationRow>(
    `insert into invitations (tenant_id, id, email, role, token_hash, expires_at, api_key_id)
     values ($1, $2, $3, $4, $5, now() + make_interval(hours => $6), $7)
     on conflict (tenant_id, email) do update set id = excluded.id, role = excluded.role,
       token_hash = excluded.token_hash, expires_at = excluded.expires_at, api_key_id = excluded.api_key_id,
       created_at = now()
     returning ${INVITATION}`,
    [
      ...[tenantId, invitation.id, invitation.email, invitation.role],
      ...[invitation.token_hash, invitation.hours, invitation.api_key_id],
    ],
  )
  return rows[0]!
}

export async function selectInvitations(db: Executor, tenantId: string): Promise<InvitationRow[]> {
  const { rows } = await db.query<InvitationRow>(
    `select ${INVITATION} from invitations where tenant_id = $1 and expires_at > now() order by created_at desc, id desc`,
    [tenantId],
  )
  return rows
}

export async function deleteInvitation(
  db: Executor,
  tenantId: string,
  id: string,
): Promise<InvitationRow | undefined> {
  const { rows } = await db.query<InvitationRow>(
    `delete from invitations where tenant_id = $1 and id = $2 and expires_at > now() returning ${INVITATION}`,
    [tenantId, id],
  )
  return rows[0]
}

/** The link says which tenant it is for. */
export async function selectByToken(
  db: Executor,
  hash: string,
): Promise<(InvitationRow & { tenant_name: string }) | undefined> {
  const { rows } = await db.query<InvitationRow & { tenant_name: string }>(
    `select i.tenant_id, i.id, i.email, i.role, i.api_key_id, i.created_at, i.expires_at, t.name as tenant_name
     from invitations i join tenants t on t.id = i.tenant_id where i.token_hash = $1 and i.expires_at > now()`,
    [hash],
  )
  return rows[0]
}

/** Of two who accept at once, one gets it. */
export async function takeByToken(db: Executor, hash: string): Promise<InvitationRow | undefined> {
  const { rows } = await db.query<InvitationRow>(
    `delete from invitations where token_hash = $1 and expires_at > now() returning ${INVITATION}`,
    [hash],
  )
  return rows[0]
}

/** What an inviter's key may do; of a member's, what the role may. Undefined once it has ended. */
export async function selectInviter(
  db: Executor,
  tenantId: string,
  apiKeyId: string,
): Promise<{ scopes: Scope[] | null; role: KeyRole | null } | undefined> {
  const { rows } = await db.query<{ scopes: Scope[] | null; role: KeyRole | null }>(
    `select k.scopes, m.role from api_keys k
     left join members m on m.tenant_id = k.tenant_id and m.api_key_id = k.id
     where k.tenant_id = $1 and k.id = $2 and k.is_active and (k.expires_at is null or k.expires_at > now())`,
    [tenantId, apiKeyId],
  )
  return rows[0]
}
