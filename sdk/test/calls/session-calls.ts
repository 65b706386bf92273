/** The methods about signing in, and about who operates a tenant. */
import { type Call, id } from './call.ts'

const signIn = { email: 'ada@example.com', password: 'four random horses' }
const invitation = { email: 'bob@example.com', role: 'viewer' } as const

export const SESSION_CALLS: Call[] = [
  ['session.create', c => c.session.create(signIn), 'POST /v1/session', signIn],
  ['session.get', c => c.session.get(), 'GET /v1/session'],
  ['session.update', c => c.session.update({ tenant_id: id }), 'PATCH /v1/session', { tenant_id: id }],
  ['session.delete', c => c.session.delete(), 'DELETE /v1/session'],
  ['sessions.list', c => c.sessions.list(), 'GET /v1/sessions'],
  ['sessions.delete', c => c.sessions.delete(id), `DELETE /v1/sessions/${id}`],
  ['sessions.deleteOthers', c => c.sessions.deleteOthers(), 'DELETE /v1/sessions'],
  ['account.update', c => c.account.update({ name: 'Ada' }), 'PUT /v1/account', { name: 'Ada' }],
  ['members.list', c => c.members.list(), 'GET /v1/members'],
  [
    'members.update',
    c => c.members.update(id, { role: 'admin' }),
    `PATCH /v1/members/${id}`,
    { role: 'admin' },
  ],
  ['members.delete', c => c.members.delete(id), `DELETE /v1/members/${id}`],
  ['invitations.list', c => c.invitations.list(), 'GET /v1/invitations'],
  ['invitations.create', c => c.invitations.create(invitation), 'POST /v1/invitations', invitation],
  ['invitations.delete', c => c.invitations.delete(id), `DELETE /v1/invitations/${id}`],
  ['invitations.read', c => c.invitations.read({ token: 't' }), 'POST /v1/invitations/read', { token: 't' }],
  [
    'invitations.accept',
    c => c.invitations.accept({ token: 't', name: 'Bob' }),
    'POST /v1/invitations/accept',
    { token: 't', name: 'Bob' },
  ],
]
