/** Signing in to the dashboard: the session of this browser, the account's own, and all of its sessions. */
import type { Account, AccountChanges, OpenSession, Session, SessionChange, SignIn } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { wholeList } from './pages.ts'
import { path } from './path.ts'

/** The session is a cookie, so these calls are of use in a browser, on a page of the server's own origin. */
export function createSession(send: Send) {
  return {
    /** Signs in; the answer sets the cookie. */
    create(signIn: SignIn, options?: CallOptions): Promise<Session> {
      return send({ method: 'POST', path: '/v1/session', body: signIn, keyless: true, ...options })
    },

    get(options?: CallOptions): Promise<Session> {
      return send({ method: 'GET', path: '/v1/session', keyless: true, ...options })
    },

    /** Requests are about another tenant from now on. */
    update(change: SessionChange, options?: CallOptions): Promise<Session> {
      return send({ method: 'PATCH', path: '/v1/session', body: change, keyless: true, ...options })
    },

    /** Signs out. */
    async delete(options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: '/v1/session', keyless: true, ...options })
    },
  }
}

/** Everywhere the account is signed in. */
export function createSessions(send: Send) {
  return {
    ...wholeList<OpenSession>(send, '/v1/sessions'),

    async delete(id: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/sessions/${id}`, ...options })
    },

    /** All but the one that asks. */
    async deleteOthers(options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: '/v1/sessions', ...options })
    },
  }
}

/** The account that is signed in. */
export function createAccount(send: Send) {
  return {
    /** A new password ends all other sessions. */
    update(changes: AccountChanges, options?: CallOptions): Promise<Account> {
      return send({ method: 'PUT', path: '/v1/account', body: changes, repeatable: false, ...options })
    },
  }
}
