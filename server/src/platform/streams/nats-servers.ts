/** Where NATS is and who we are there, from one text: nats://user:password@a:4222,nats://b:4222?credentials=/run/user.creds */

export interface NatsServers {
  servers: string[]
  isTls: boolean
  user: string | undefined
  password: string | undefined
  token: string | undefined
  /** A file made by nsc, with a JWT and its seed. */
  credentialsFile: string | undefined
}

const EXPECTED =
  'Expected addresses such as nats://a:4222,nats://b:4222 or tls://…, with user:password@ or token@ if needed, and ?credentials=<file> at the end'

/** Throws with a message that contains no secret. */
export function parseNatsServers(text: string): NatsServers {
  const urls = text.split(',').map(part => toUrl(part.trim()))
  const options = urls.map(url => url.searchParams)
  const unknown = options.flatMap(params => [...params.keys()]).find(name => name !== 'credentials')
  // What follows the ? of a password that is not encoded looks like an option, so its name is not repeated.
  if (unknown !== undefined) throw new Error(`${EXPECTED}.`)
  const withUser = urls.find(url => url.username !== '')
  const name = withUser && decodeURIComponent(withUser.username)
  const password = withUser?.password ? decodeURIComponent(withUser.password) : undefined
  return {
    servers: urls.map(url => url.host),
    isTls: urls.some(url => url.protocol === 'tls:'),
    user: password === undefined ? undefined : name,
    password,
    token: password === undefined ? name : undefined,
    credentialsFile:
      options.map(params => params.get('credentials')).find(file => file !== null) ?? undefined,
  }
}

function toUrl(text: string): URL {
  try {
    const url = new URL(text)
    decodeURIComponent(url.username + url.password)
    if (['nats:', 'tls:'].includes(url.protocol) && url.hostname !== '') return url
  } catch {
    // It is told below.
  }
  throw new Error(`${EXPECTED}.`)
}
