/** POST /v1/intents, POST /v1/intents/batch, POST /v1/intents/simulate, GET /v1/malformed-intents */
import {
  Accepted,
  Batch,
  BatchAnswer,
  BatchItem,
  Intent,
  MAX_ATTACHMENT_BYTES,
  MAX_BATCH_ITEMS,
  MalformedIntent,
  MalformedIntentQuery,
  PageOf,
  Simulation,
} from '@carillon/contract'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Limiter } from '../../oversight/limits/limiter.ts'
import { defaultProducer, mayProduceAs } from '../../platform/calls/principal.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import { setLimitHeaders } from '../../platform/http/rate-limit-headers.ts'
import type { App } from '../../platform/http/server.ts'
import { wholeText } from '../../platform/text/json-spans.ts'
import { validTraceparent } from '../../platform/tracing/traceparent.ts'
import { CLOUD_EVENT, CLOUD_EVENT_BATCH } from '../cloud-events/cloud-event.ts'
import { intentOf } from '../cloud-events/intent-of.ts'
import { cloudEventIn, cloudEventsIn } from '../cloud-events/request.ts'
import type { Acceptor } from './accept.ts'
import { acceptBatch } from './batch.ts'
import { withinDailyLimit } from './daily-limit.ts'
import { type CheckedIntent, checkIntent, type IntentOrigin, type SubmittedIntent } from './intent.ts'
import { type MalformedIntentRow, selectMalformedIntents } from './queries.ts'
import { routesReadableBy } from './readable-routes.ts'
import { answeredInWordsOf, submittedItems, toSubmitted } from './submitted.ts'

const MAX_BATCH_BODY_BYTES = 32 * 1024 * 1024
/** The largest payload and attachments, which are a third longer in Base64. */
const MAX_INTENT_BODY_BYTES = 1024 * 1024 + Math.ceil((MAX_ATTACHMENT_BYTES * 4) / 3)
const RECORDED = 'an intent is stored as a record'

export interface IntakeParts {
  simulate: (intent: CheckedIntent) => Promise<Simulation>
  limiter?: Limiter
}

export function intakeRoutes(app: App, pool: Pool, acceptor: Acceptor, parts: IntakeParts): void {
  const { simulate, limiter } = parts
  app.post(
    '/v1/intents',
    {
      config: { scope: 'intents:write', unaudited: RECORDED, judgesDepth: true, jsonTypes: [CLOUD_EVENT] },
      bodyLimit: MAX_INTENT_BODY_BYTES,
      schema: {
        tags: ['intents'],
        summary: 'Say that something happened and who should know',
        body: Intent,
        response: { 200: Accepted, 202: Accepted },
      },
      // checkIntent() validates instead: it has an error code for each kind of mistake.
      validatorCompiler: () => value => ({ value }),
    },
    async (request, reply) => {
      const submitted = submittedIn(request)
      const answer = await answeredInWordsOf(submitted, async () => {
        const intent = checkIntent(submitted, originOf(request))
        return withinDailyLimit(
          limiter,
          request.principal,
          1,
          acceptor,
          limited => limited.accept(intent),
          allowance => setLimitHeaders(reply, allowance),
        )
      })
      return reply.status(answer.duplicate ? 200 : 202).send(answer)
    },
  )

  app.post(
    '/v1/intents/batch',
    {
      config: {
        scope: 'intents:write',
        unaudited: RECORDED,
        judgesDepth: true,
        jsonTypes: [CLOUD_EVENT_BATCH],
      },
      bodyLimit: MAX_BATCH_BODY_BYTES,
      schema: {
        tags: ['intents'],
        summary: 'Submit many intents; each gets its own answer',
        body: Batch.extend({ intents: z.array(BatchItem).min(1).max(MAX_BATCH_ITEMS) }),
        response: { 200: BatchAnswer },
      },
      validatorCompiler: () => value => ({ value }),
    },
    async (request, reply) => {
      const origin = originOf(request)
      if (origin.idempotencyKey !== undefined) throw refuseSharedKey()
      const items = batchItems(request)
      return withinDailyLimit(
        limiter,
        request.principal,
        items.length,
        acceptor,
        limited => acceptBatch(pool, limited, items, origin),
        allowance => setLimitHeaders(reply, allowance),
      )
    },
  )

  app.post(
    '/v1/intents/simulate',
    {
      config: {
        scope: 'intents:write',
        unaudited: 'it is rolled back',
        judgesDepth: true,
        jsonTypes: [CLOUD_EVENT],
      },
      bodyLimit: MAX_INTENT_BODY_BYTES,
      schema: {
        tags: ['intents'],
        summary: 'Who would get what, how and when, or why not; nothing is stored or sent',
        body: Intent,
        response: { 200: Simulation },
      },
      validatorCompiler: () => value => ({ value }),
    },
    async request => {
      const submitted = submittedIn(request)
      const simulation = await answeredInWordsOf(submitted, async () =>
        simulate(checkIntent(submitted, originOf(request))),
      )
      const people = simulation.people.map(({ recipient_ref, routes }) => ({
        recipient_ref,
        routes: routesReadableBy(request.principal, routes),
      }))
      return { ...simulation, people }
    },
  )

  app.get(
    '/v1/malformed-intents',
    {
      config: { scope: 'records:read' },
      schema: {
        tags: ['intents'],
        summary: 'Intents that could not be accepted, newest first',
        querystring: MalformedIntentQuery,
        response: { 200: PageOf(MalformedIntent) },
      },
    },
    async request => {
      const { limit, cursor, ...filter } = request.query
      const after = decodeCursor(cursor, ['time', 'text', 'text'])
      const rows = await selectMalformedIntents(pool, request.principal.tenant_id, {
        ...filter,
        after,
        limit: limit + 1,
      })
      return toPage(
        rows,
        limit,
        row => [row.recorded_at.toISOString(), row.source_entry_id, row.producer],
        toMalformedIntent,
      )
    },
  )
}

function originOf(request: FastifyRequest): IntentOrigin {
  const key = request.headers['idempotency-key']
  return {
    tenant_id: request.principal.tenant_id,
    source: 'http',
    defaultProducer: defaultProducer(request.principal),
    allowsProducer: producer => mayProduceAs(request.principal, producer),
    idempotencyKey: typeof key === 'string' ? key : undefined,
    traceparent: validTraceparent(request.headers.traceparent),
    requestId: request.id,
  }
}

function refuseSharedKey(): Refusal {
  const message = 'One Idempotency-Key header cannot cover many intents; give each its own idempotency_key.'
  return new Refusal('invalid_request', message, [{ field: 'idempotency_key', message }])
}

/** An intent, or a CloudEvent that is one. */
function submittedIn(request: FastifyRequest): SubmittedIntent {
  const event = cloudEventIn(request)
  if (event !== undefined) return intentOf(event)
  return toSubmitted(request.rawBody, wholeText(request.rawBody), request.body)
}

function batchItems(request: FastifyRequest): SubmittedIntent[] {
  const events = cloudEventsIn(request)
  if (events !== undefined) {
    refuseTooMany(events.length)
    return events.map(intentOf)
  }
  const parsed = Batch.safeParse(request.body)
  if (!parsed.success) {
    throw new Refusal('invalid_request', 'intents: Expected {"intents": [ … ]} with at least one item.', [
      { field: 'intents', message: 'Expected an array with at least one intent.' },
    ])
  }
  refuseTooMany(parsed.data.intents.length)
  return submittedItems(request.rawBody, 'intents', parsed.data.intents)
}

function refuseTooMany(count: number): void {
  if (count <= MAX_BATCH_ITEMS) return
  const message = `A batch may have at most ${MAX_BATCH_ITEMS} items; this one has ${count}.`
  throw new Refusal('too_many_items', message, [{ field: 'intents', message }])
}

function toMalformedIntent(row: MalformedIntentRow): MalformedIntent {
  const { tenant_id: _, ...shown } = row
  return { ...shown, recorded_at: row.recorded_at.toISOString() }
}
