/** /playground: a page for whoever has just started Carillon, and what that page asks for. Switched off, there is none. */
import {
  Accepted,
  EmittedEvent,
  PlaygroundOutcome,
  PlaygroundStage,
  PlaygroundTokenInput,
  UserToken,
} from '@carillon/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { readToken, signToken } from '../../content/signed-links/signed-links.ts'
import type { Limiter } from '../../oversight/limits/limiter.ts'
import { createRequestLimit } from '../../oversight/limits/routes.ts'
import { findTenant } from '../../oversight/tenants/operators.ts'
import { FIRST_TENANT } from '../../oversight/tenants/tenants.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import { sendDocument } from '../../platform/pages/document.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { AllowedEvent, AllowedIntent } from './allowed.ts'
import { ACTOR, PEOPLE, TOPIC } from './cast.ts'
import { type ExitParts, findExits, usedChannels } from './exits.ts'
import { type FrameOf, findCaptured, outcomeOfEvent, outcomeOfIntent } from './outcome.ts'
import type { OwnCaller, OwnCalls } from './own-calls.ts'
import { MAIL_POLICY, playgroundPage } from './page.ts'
import { clearStage, isSet, setStage } from './stage.ts'
import { actingFor, countedAs, findVisitor, type Visitor } from './visitors.ts'

export interface PlaygroundParts extends ExitParts {
  pool: Pool
  keyring: Keyring
  limiter: Limiter
  caller: OwnCaller
  /** Counts a token that we did not sign as a wrong key. */
  countWrong(token: string, address: string): Promise<unknown>
  now?: () => number
}

const FRAME_MS = 10 * 60_000
const TOKEN_SECONDS = 3600
const config = { scope: 'public', unaudited: 'what it does goes through the API, which records it' } as const
const Params = z.object({ id: z.uuid() })

interface Visit {
  visitor: Visitor
  calls: OwnCalls
}

export function playgroundRoutes(app: App, parts: PlaygroundParts): void {
  const { pool, keyring, caller, now = Date.now } = parts
  const admit = createRequestLimit(parts.limiter)
  const visits = new WeakMap<FastifyRequest, Visit>()
  // Before anything else is said about the request.
  const visited = {
    config,
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      visits.set(request, await enter(request, reply))
    },
  }
  const visitOf = (request: unknown): Visit => visits.get(request as FastifyRequest)!

  app.get('/playground', { config, schema: { hide: true } }, async (_request, reply) =>
    sendDocument(reply, playgroundPage()),
  )

  app.get(
    '/playground/stage',
    { ...visited, schema: { hide: true, response: { 200: PlaygroundStage } } },
    async request => {
      const { visitor, calls } = visitOf(request)
      const { tenant, expires_at } = visitor
      return {
        tenant: tenant.name,
        is_first_tenant: tenant.name === FIRST_TENANT,
        topic: TOPIC,
        people: PEOPLE,
        actor: ACTOR,
        is_set: await isSet(calls),
        ...(await findExits(parts, calls, tenant.id)),
        expires_at: expires_at.toISOString(),
      }
    },
  )
  app.delete('/playground/stage', { ...visited, schema: { hide: true } }, async (request, reply) => {
    const { calls } = visitOf(request)
    await clearStage(calls)
    return reply.status(204).send(null)
  })

  app.post(
    '/playground/events',
    { ...visited, schema: { hide: true, body: AllowedEvent, response: { 202: EmittedEvent } } },
    async (request, reply) => {
      const { visitor, calls } = visitOf(request)
      await prepare(visitor, calls)
      return reply.status(202).send(await calls.post<EmittedEvent>('/v1/events', request.body))
    },
  )
  app.get(
    '/playground/events/:id',
    { ...visited, schema: { hide: true, params: Params, response: { 200: PlaygroundOutcome } } },
    async request => {
      const { visitor, calls } = visitOf(request)
      return outcomeOfEvent(calls, request.params.id, framesOf(visitor))
    },
  )

  app.post(
    '/playground/intents',
    { ...visited, schema: { hide: true, body: AllowedIntent, response: { 202: Accepted } } },
    async (request, reply) => {
      const { visitor, calls } = visitOf(request)
      const used = await prepare(visitor, calls)
      const at = request.body.channels.findIndex(channel => !used.includes(channel))
      if (at >= 0) throw realProvider(`channels.${at}`, request.body.channels[at]!)
      return reply.status(202).send(await calls.post<Accepted>('/v1/intents', request.body))
    },
  )
  app.get(
    '/playground/intents/:id',
    { ...visited, schema: { hide: true, params: Params, response: { 200: PlaygroundOutcome } } },
    async request => {
      const { visitor, calls } = visitOf(request)
      return outcomeOfIntent(calls, request.params.id, framesOf(visitor))
    },
  )

  app.post(
    '/playground/tokens',
    { ...visited, schema: { hide: true, body: PlaygroundTokenInput, response: { 201: UserToken } } },
    async (request, reply) => {
      const { calls } = visitOf(request)
      const { user_id } = request.body
      if (!PEOPLE.some(({ id }) => id === user_id)) throw notFound(`user "${user_id}" in the playground`)
      const token = await calls.post<UserToken>(`/v1/users/${user_id}/token`, { ttl_seconds: TOKEN_SECONDS })
      return reply.status(201).send(token)
    },
  )

  // A frame sends no header, so its address is the proof: for one mail, and for minutes.
  app.get(
    '/playground/mails/:token',
    { config, schema: { hide: true, params: z.object({ token: z.string() }) } },
    async (request, reply) => {
      const claim = readToken(keyring, 'captured_mail', request.params.token, now())
      if (claim === undefined || claim === 'expired') throw notFound('such mail, or its address has expired')
      const visitor = { tenant: await findTenant(pool, claim.tenant_id), expires_at: new Date() }
      const calls = callsOf(visitor, request)
      const { html } = await findCaptured(calls, claim.notification_id, claim.message_id)
      return reply.header('content-security-policy', MAIL_POLICY).type('text/html; charset=utf-8').send(html)
    },
  )

  /** Lets in whoever has the operator's link, for its tenant. */
  async function enter(request: FastifyRequest, reply: FastifyReply): Promise<Visit> {
    const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    const visitor = token === undefined ? undefined : await findVisitor(pool, keyring, token, now())
    if (visitor === undefined) {
      if (token !== undefined) await parts.countWrong(token, request.ip)
      throw new Refusal('unauthenticated', 'This needs the link that “npx carillon playground” prints.')
    }
    await admit(countedAs(visitor), reply)
    return { visitor, calls: callsOf(visitor, request) }
  }

  const callsOf = (visitor: Visitor, { ip }: FastifyRequest): OwnCalls =>
    caller.callsOf(app.inject.bind(app), actingFor(visitor), ip)

  /** The channels that may be used; throws where something would leave the machine. */
  async function prepare({ tenant }: Visitor, calls: OwnCalls) {
    const found = await findExits(parts, calls, tenant.id)
    if (found.exits.length > 0) throw new Refusal('not_active', `Nothing is sent. ${found.exits.join(' ')}`)
    const used = usedChannels(found)
    await setStage(calls, used)
    return used
  }

  const framesOf =
    ({ tenant }: Visitor): FrameOf =>
    ({ notification_id, message_id }) => {
      const claim = { tenant_id: tenant.id, notification_id, message_id }
      return `playground/mails/${signToken(keyring, 'captured_mail', claim, new Date(now() + FRAME_MS))}`
    }
}

function realProvider(field: string, channel: string): Refusal {
  const message = `A real provider sends ${channel} here, so the playground does not use it.`
  return new Refusal('invalid_request', `${field}: ${message}`, [{ field, message }])
}
