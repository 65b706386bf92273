/**
 * Lets the pages of a tenant's own origins call the routes for people with user tokens. No cookies are involved, so a page
 * elsewhere could do nothing with an answer it may read; the list keeps it from reading one at all. API keys have no place
 * in a browser, so what they ask for is never readable there.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../calls/principal.ts'

export interface Origins {
  /** Whether any tenant lets pages of this origin call. */
  isKnownOrigin(origin: string): Promise<boolean>
}

const PREFLIGHT_SECONDS = 600
const READABLE =
  'etag, last-modified, ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, x-poll-interval, x-request-id'
const SENDABLE =
  'authorization, cache-control, content-type, if-match, if-modified-since, if-none-match, last-event-id'

export function serveBrowsers(app: FastifyInstance, { isKnownOrigin }: Origins): void {
  const methods = new Map<string, string[]>()

  app.addHook('onRoute', ({ url, method, config }) => {
    if (config?.person !== true) return
    const known = methods.get(url)
    const added = [method].flat().filter(name => !known?.includes(name))
    if (known !== undefined) known.push(...added)
    else {
      methods.set(url, added)
      const config = { scope: 'public', unaudited: 'it changes nothing' } as const
      app.options(url, { schema: { hide: true }, config }, answerPreflight)
    }
  })

  /** It carries no token yet, so it is enough that some tenant knows the origin; the call itself is judged by its own. */
  async function answerPreflight(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { origin } = request.headers
    reply.header('vary', 'Origin')
    if (origin !== undefined && (await isKnownOrigin(origin)))
      reply
        .header('access-control-allow-origin', origin)
        .header('access-control-allow-methods', methods.get(request.routeOptions.url ?? '')!.join(', '))
        .header('access-control-allow-headers', SENDABLE)
        .header('access-control-max-age', PREFLIGHT_SECONDS)
    return reply.status(204).send()
  }

  // Before anything can be refused: a page has to see that its token has expired.
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers
    if (request.routeOptions.config?.person !== true) return
    reply.header('vary', 'Origin')
    if (origin !== undefined && (await isKnownOrigin(origin))) allow(reply, origin)
  })
}

/** Once it is known who calls, only the origins of that tenant count. */
export function judgeOrigin(reply: FastifyReply, { person }: Principal): void {
  const { origin } = reply.request.headers
  if (origin === undefined || person?.origins.includes(origin)) return
  reply.removeHeader('access-control-allow-origin')
  reply.removeHeader('access-control-expose-headers')
}

function allow(reply: FastifyReply, origin: string): void {
  reply.header('access-control-allow-origin', origin)
  reply.header('access-control-expose-headers', READABLE)
}
