/** Sessions: who is signed in to the dashboard, for which tenant, and since when. */
import { z } from 'zod'
import { Account, AccountEmail } from './accounts.ts'
import { KeyRole, Scope } from './api-keys.ts'
import { Timestamp } from './common.ts'

/** A session is a cookie of this name. */
export const SESSION_COOKIE = 'carillon_session'
/** Every request with the cookie carries it; no other site can make a browser send it. */
export const SESSION_HEADER = 'x-carillon-dashboard'
/** Which of an account's tenants a request is about. */
export const TENANT_HEADER = 'x-carillon-tenant'

export const SignIn = z.union(
  [
    z.strictObject({ email: AccountEmail, password: z.string().min(1).max(256) }),
    z.strictObject({ api_key: z.string().min(1).max(500) }),
    z.strictObject({ link: z.string().min(1).max(2000) }),
  ],
  { error: 'Expected an email and a password, an api_key, or the link of a printed address.' },
)
export type SignIn = z.input<typeof SignIn>

export const Session = z.object({
  account: Account.nullable().describe('null: signed in with an API key'),
  api_key: z.object({ id: z.uuid(), name: z.string() }).nullable(),
  tenant: z.object({ id: z.uuid(), name: z.string() }),
  role: KeyRole.nullable().describe('In this tenant; null: an API key has scopes only'),
  scopes: z.array(Scope),
  tenants: z
    .array(z.object({ id: z.uuid(), name: z.string(), role: KeyRole }))
    .describe('All that the account belongs to; empty for an API key'),
  expires_at: Timestamp.describe('Unless it is used before'),
  needs_password: z.boolean().describe('Signed in by a link, so the account should get a password now'),
})
export type Session = z.infer<typeof Session>

export const SessionChange = z.strictObject({
  tenant_id: z.uuid().describe('The tenant that requests are about from now on'),
})
export type SessionChange = z.infer<typeof SessionChange>

export const OpenSession = z.object({
  id: z.uuid(),
  device: z.string().describe('The browser and system, in words'),
  ip_address: z.string().nullable(),
  created_at: Timestamp,
  last_seen_at: Timestamp,
  expires_at: Timestamp,
  current: z.boolean(),
})
export type OpenSession = z.infer<typeof OpenSession>

export const OpenSessions = z.object({ data: z.array(OpenSession) })
