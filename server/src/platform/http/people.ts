/**
 * Routes for people: besides API keys they serve user tokens, each for the person it was made for. Who that is comes from
 * the token, so a person need not be named; and where one is, it has to be the same. All of it happens here, before any
 * handler, so that no route can forget it.
 */
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { z } from 'zod'
import type { Principal } from '../calls/principal.ts'
import { Refusal } from '../calls/refusal.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Also serves user tokens, for what is the person's own. The route names the person as user_id or in /v1/users/:id. */
    person?: true
    /** A user token may be in the query, since a browser's EventSource cannot send headers. */
    tokenInQuery?: true
    /** Where requests name the person; found out from the route's schemas. */
    namesPersonIn?: 'path' | 'query' | 'body'
  }
}

export function admitPeople(app: FastifyInstance): void {
  app.addHook('onRoute', route => {
    if (route.config?.person !== true) return
    route.config.namesPersonIn = placeOf(route)
    // For the documentation.
    route.schema = { ...route.schema, security: [{ api_key: [] }, { user_token: [] }] }
  })
  app.addHook('preValidation', async request => {
    const person = request.principal?.person
    if (person !== undefined) actOnlyFor(person.user_id, request)
  })
}

/** A person without the route's consent is refused here; a key needs the scope as always. */
export function refuseElsewhere(request: FastifyRequest, { person }: Principal): void {
  if (person === undefined || request.routeOptions.config.person === true) return
  throw new Refusal(
    'forbidden',
    'A user token reaches only the inbox, preferences and subscriptions of its person.',
  )
}

function placeOf({ url, method, schema = {} }: RouteOptions): 'path' | 'query' | 'body' {
  if (/^\/v1\/users\/:id(\/|$)|\/:user_id(\/|$)/.test(url)) return 'path'
  if (hasUserId(schema.body)) return 'body'
  if (hasUserId(schema.querystring)) return 'query'
  throw new Error(`${method} ${url} is for people, but nothing in it says for whom`)
}

const hasUserId = (schema: unknown) => schema instanceof z.ZodObject && 'user_id' in schema.shape

type Named = Record<string, unknown>

function actOnlyFor(userId: string, request: FastifyRequest): void {
  const { url = '', config } = request.routeOptions
  const params = request.params as Named
  const inPath = url.startsWith('/v1/users/:id') ? params.id : params.user_id
  const query = request.query as Named
  const body = isObject(request.body) ? request.body : undefined
  for (const named of [inPath, query.user_id, body?.user_id])
    if (named !== undefined && named !== userId)
      throw new Refusal('forbidden', 'A user token reaches only what is its own person’s.')
  if (config.namesPersonIn === 'query') query.user_id = userId
  if (config.namesPersonIn !== 'body') return
  if (request.body === undefined || request.body === null) request.body = { user_id: userId }
  else if (body !== undefined) body.user_id = userId
}

function isObject(value: unknown): value is Named {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
