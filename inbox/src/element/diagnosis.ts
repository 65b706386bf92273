/** Why nothing has ever come, for the developer of the page: browsers only say that a call has failed. */

const PATIENCE_MS = 5_000

export async function diagnose(url: string): Promise<string> {
  const origin = location.origin
  return (await answers(url))
    ? `${url} answers, but lets no page of ${origin} read it. Add ${origin} to cors_origins of the tenant that the ` +
        'token is of, and make sure that the address is that of Carillon.'
    : `Nothing answers at ${url}. Is that where Carillon runs? The attribute url says so, else the address of the ` +
        'script; and a Content-Security-Policy of the page has to allow it in connect-src.'
}

/** Whether anything does, be it unreadable. */
async function answers(url: string): Promise<boolean> {
  try {
    await fetch(url, { mode: 'no-cors', signal: AbortSignal.timeout(PATIENCE_MS) })
    return true
  } catch {
    return false
  }
}
