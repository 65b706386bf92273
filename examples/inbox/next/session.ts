/** Stands in for the sign-in of your product: whoever has this cookie is Ada. */
const SESSIONS = new Map([['session-of-ada', 'ada']])

/** Never believe the page about who it is: the inbox of whoever is named here can be read. */
export function signedIn(request: Request): string | undefined {
  const [, session = ''] = /(?:^|; )session=([^;]+)/.exec(request.headers.get('cookie') ?? '') ?? []
  return SESSIONS.get(session)
}
