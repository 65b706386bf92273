/**
 * The cookie of a session. A browser sends it by itself, also when another site makes it ask, so a request with it needs two
 * proofs of coming from the dashboard: a header that no form or link can set and CORS never allows, and what the browser
 * says about where the request comes from.
 */
import { SESSION_COOKIE, SESSION_HEADER } from '@carillon/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../calls/refusal.ts'

export interface CookieOptions {
  /** The API is reached by https, whatever a proxy in front of it makes of that. */
  isPublicHttps: boolean
}

/** Under https only the name that browsers guard is read: another host of the domain could have set the plain one. */
export function sessionTokenOf(request: FastifyRequest, options: CookieOptions): string | undefined {
  const name = cookieName(isSecure(request, options))
  const parts = request.headers.cookie?.split(';').map(part => part.trim()) ?? []
  const own = parts.find(part => part.startsWith(`${name}=`))
  return own?.slice(name.length + 1) || undefined
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

/** null forgets it. */
export function setSessionCookie(
  reply: FastifyReply,
  session: { token: string; expires_at: Date } | null,
  options: CookieOptions,
): void {
  const seconds =
    session === null ? 0 : Math.max(0, Math.floor((session.expires_at.getTime() - Date.now()) / 1000))
  const isGuarded = isSecure(reply.request, options)
  reply.header(
    'set-cookie',
    [
      `${cookieName(isGuarded)}=${session?.token ?? ''}`,
      `Max-Age=${seconds}`,
      'Path=/',
      'HttpOnly',
      'SameSite=Strict',
      ...(isGuarded ? ['Secure'] : []),
    ].join('; '),
  )
}

function isSecure(request: FastifyRequest, { isPublicHttps }: CookieOptions): boolean {
  return isPublicHttps || request.protocol === 'https'
}

/** Browsers take a name with this prefix only from the very host, over https, and for all of its paths. */
function cookieName(isGuarded: boolean): string {
  return isGuarded ? `__Host-${SESSION_COOKIE}` : SESSION_COOKIE
}
