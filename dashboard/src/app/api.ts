/** The one client of the dashboard. Everything it shows and does goes through the public API. */
import { CarillonError, type Client, createClient } from '@carillon/sdk'

const TENANT = 'carillon-tenant'

/** Which tenant the calls of this tab are about, also after a reload: another tab may have chosen another one since. */
let tenantId = sessionStorage.getItem(TENANT) ?? undefined
export const chooseTenant = (id: string | undefined): void => {
  tenantId = id
  if (id === undefined) sessionStorage.removeItem(TENANT)
  else sessionStorage.setItem(TENANT, id)
}

/** Called when the server says that nobody is signed in any more. */
let onSignedOut = (): void => {}
export const whenSignedOut = (listener: () => void): void => {
  onSignedOut = listener
}

/** The cookie signs in, and a header that other sites cannot set shows that it was this page that asked. */
async function fetchWithSession(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const headers = new Headers(init?.headers)
  headers.delete('authorization')
  headers.set('x-carillon-dashboard', '1')
  if (tenantId !== undefined) headers.set('x-carillon-tenant', tenantId)
  const response = await fetch(input, { ...init, headers, credentials: 'same-origin' })
  if (response.status === 401 && !String(input).endsWith('/v1/session')) onSignedOut()
  return response
}

export const api: Client = createClient({
  url: location.origin,
  // Never sent; without one, the client would not even ask.
  apiKey: 'session',
  retries: 1,
  fetch: fetchWithSession,
})

/** What went wrong, in the API's own words. */
export function wordsOf(error: unknown): string {
  if (error instanceof CarillonError) return error.detail || error.title
  return error instanceof Error ? error.message : String(error)
}

export const isProblem = (error: unknown, status: number): boolean =>
  error instanceof CarillonError && error.status === status
