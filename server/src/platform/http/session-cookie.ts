/**
 * The cookie of a session. A browser sends it by itself, also when another site makes it ask, so a request with it needs two
 * proofs of coming from the dashboard: a header that no form or link can set and CORS never allows, and what the browser
 * says about where the request comes from.
 */
import { SESSION_COOKIE, SESSION_HEADER } from '@carillon/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../calls/refusal.ts'

export function sessionTokenOf({ headers }: FastifyRequest): string | undefined {
  const parts = headers.cookie?.split(';').map(part => part.trim()) ?? []
  const own = parts.find(part => part.startsWith(`${SESSION_COOKIE}=`))
  return own?.slice(SESSION_COOKIE.length + 1) || undefined
}

export function refuseForgery(request: FastifyRequest): void {
  refuseForeignPage(request)
  if (request.headers[SESSION_HEADER] === '1') return
  const message = `Send ${SESSION_HEADER}: 1 with every request that has a session.`
  throw new Refusal('csrf', message, [{ field: SESSION_HEADER, message: 'Expected 1.' }])
}

/** Browsers say where a request comes from; `none` is somebody who typed the address. */
export function refuseForeignPage({ headers, method }: FastifyRequest): void {
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || (site === 'none' && method === 'GET')) return
  throw new Refusal('csrf', 'A page of another site made this request.')
}

export interface CookieOptions {
  /** The API is reached by https, whatever a proxy in front of it makes of that. */
  isPublicHttps: boolean
}

/** null forgets it. */
export function setSessionCookie(
  reply: FastifyReply,
  session: { token: string; expires_at: Date } | null,
  { isPublicHttps }: CookieOptions,
): void {
  const seconds =
    session === null ? 0 : Math.max(0, Math.floor((session.expires_at.getTime() - Date.now()) / 1000))
  const isSecure = isPublicHttps || reply.request.protocol === 'https'
  reply.header(
    'set-cookie',
    [
      `${SESSION_COOKIE}=${session?.token ?? ''}`,
      `Max-Age=${seconds}`,
      'Path=/',
      'HttpOnly',
      'SameSite=Strict',
      ...(isSecure ? ['Secure'] : []),
    ].join('; '),
  )
}
