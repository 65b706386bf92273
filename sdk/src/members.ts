/** Who operates a tenant: its members, and invitations to become one. */
import type {
  CreatedInvitation,
  Invitation,
  InvitationAcceptance,
  InvitationToken,
  Member,
  MemberChange,
  NewInvitation,
  ReadInvitation,
  Session,
} from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { wholeList } from './pages.ts'
import { path } from './path.ts'

export function createMembers(send: Send) {
  return {
    ...wholeList<Member>(send, '/v1/members'),

    /** Takes effect at once, also in open sessions. */
    update(accountId: string, change: MemberChange, options?: CallOptions): Promise<Member> {
      return send({ method: 'PATCH', path: path`/v1/members/${accountId}`, body: change, ...options })
    },

    async delete(accountId: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/members/${accountId}`, ...options })
    },
  }
}

export function createInvitations(send: Send) {
  return {
    ...wholeList<Invitation>(send, '/v1/invitations'),

    /** The answer has the link, which cannot be read again. */
    create(invitation: NewInvitation, options?: CallOptions): Promise<CreatedInvitation> {
      return send({ method: 'POST', path: '/v1/invitations', body: invitation, ...options })
    },

    async delete(id: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/invitations/${id}`, ...options })
    },

    /** What the link is for. */
    read(token: InvitationToken, options?: CallOptions): Promise<ReadInvitation> {
      return send({ method: 'POST', path: '/v1/invitations/read', body: token, keyless: true, ...options })
    },

    /** Becomes a member, with a new account or one that exists, and signs in. */
    accept(acceptance: InvitationAcceptance, options?: CallOptions): Promise<Session> {
      const call = { method: 'POST', path: '/v1/invitations/accept', keyless: true } as const
      return send({ ...call, body: acceptance, ...options })
    },
  }
}
