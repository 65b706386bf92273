/** /v1/events */
import {
  DomainEvent,
  EmittedEvent,
  EventBatch,
  EventBatchAnswer,
  EventQuery,
  EventSimulation,
  MAX_EVENT_BATCH_ITEMS,
  NewEvent,
  PageOf,
} from '@carillon/contract'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { CLOUD_EVENT, CLOUD_EVENT_BATCH } from '../../intake/cloud-events/cloud-event.ts'
import { cloudEventIn, cloudEventsIn } from '../../intake/cloud-events/request.ts'
import { routesReadableBy } from '../../intake/intents/readable-routes.ts'
import { answeredInWordsOf, submittedItems, toSubmitted } from '../../intake/intents/submitted.ts'
import { defaultProducer, mayProduceAs } from '../../platform/calls/principal.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { wholeText } from '../../platform/text/json-spans.ts'
import { validTraceparent } from '../../platform/tracing/traceparent.ts'
import type { EventWriter } from './append.ts'
import { appendBatch } from './batch.ts'
import { eventOf } from './cloud-event.ts'
import { getEvent, toDomainEvent } from './domain-events.ts'
import { type CheckedEvent, checkEvent, type EventOrigin, type SubmittedEvent } from './event.ts'
import { selectEvents } from './queries.ts'

const EventParams = z.object({ event_id: z.uuid() })
const tags = ['events']
const RECORDED = 'an event is stored as itself, with its producer'
const MAX_BATCH_BODY_BYTES = 16 * 1024 * 1024

export interface DomainEventParts {
  writer: EventWriter
  simulate: (event: CheckedEvent) => Promise<EventSimulation>
}

export function domainEventRoutes(app: App, pool: Pool, { writer, simulate }: DomainEventParts): void {
  app.post(
    '/v1/events',
    {
      config: { scope: 'events:write', unaudited: RECORDED, judgesDepth: true, jsonTypes: [CLOUD_EVENT] },
      schema: {
        tags,
        summary: 'Say what happened; whoever should know is found out afterwards',
        body: NewEvent,
        response: { 200: EmittedEvent, 202: EmittedEvent },
      },
      // checkEvent() validates instead: it has an error code for each kind of mistake.
      validatorCompiler: () => value => ({ value }),
    },
    async (request, reply) => {
      const submitted = submittedIn(request)
      const answer = await answeredInWordsOf(submitted, async () =>
        writer.append(checkEvent(submitted, originOf(request))),
      )
      return reply.status(answer.duplicate ? 200 : 202).send(answer)
    },
  )

  app.post(
    '/v1/events/batch',
    {
      config: {
        scope: 'events:write',
        unaudited: RECORDED,
        judgesDepth: true,
        jsonTypes: [CLOUD_EVENT_BATCH],
      },
      bodyLimit: MAX_BATCH_BODY_BYTES,
      schema: {
        tags,
        summary: 'Say that many things happened, in this order; each gets its own answer',
        body: z.strictObject({ events: z.array(NewEvent).min(1).max(MAX_EVENT_BATCH_ITEMS) }),
        response: { 200: EventBatchAnswer },
      },
      validatorCompiler: () => value => ({ value }),
    },
    async request => {
      const origin = originOf(request)
      if (origin.idempotencyKey !== undefined) throw refuseSharedKey()
      return appendBatch(writer, batchItems(request), origin)
    },
  )

  app.post(
    '/v1/events/simulate',
    {
      config: {
        scope: 'events:write',
        unaudited: 'it is rolled back',
        judgesDepth: true,
        jsonTypes: [CLOUD_EVENT],
      },
      schema: {
        tags,
        summary: 'Who would be told of an event, how and why, or why not; nothing is stored or sent',
        body: NewEvent,
        response: { 200: EventSimulation },
      },
      validatorCompiler: () => value => ({ value }),
    },
    async request => {
      const submitted = submittedIn(request)
      const simulation = await answeredInWordsOf(submitted, async () =>
        simulate(checkEvent(submitted, originOf(request))),
      )
      const people = simulation.people.map(person => ({
        ...person,
        routes: routesReadableBy(request.principal, person.routes),
      }))
      return { ...simulation, people }
    },
  )

  app.get(
    '/v1/events',
    {
      config: { scope: 'events:read' },
      schema: {
        tags,
        summary: 'Events, newest first',
        querystring: EventQuery,
        response: { 200: PageOf(DomainEvent) },
      },
    },
    async request => {
      const { limit, cursor, ...filter } = request.query
      const after = decodeCursor(cursor, ['uuid'])
      const rows = await selectEvents(pool, request.principal.tenant_id, { filter, after, limit: limit + 1 })
      return toPage(rows, limit, row => [row.event_id], toDomainEvent)
    },
  )

  app.get(
    '/v1/events/:event_id',
    {
      config: { scope: 'events:read' },
      schema: { tags, summary: 'One event', params: EventParams, response: { 200: DomainEvent } },
    },
    async request => getEvent(pool, request.principal.tenant_id, request.params.event_id),
  )
}

function originOf(request: FastifyRequest): EventOrigin {
  const key = request.headers['idempotency-key']
  return {
    tenant_id: request.principal.tenant_id,
    defaultProducer: defaultProducer(request.principal),
    allowsProducer: producer => mayProduceAs(request.principal, producer),
    idempotencyKey: typeof key === 'string' ? key : undefined,
    traceparent: validTraceparent(request.headers.traceparent),
    requestId: request.id,
  }
}

function refuseSharedKey(): Refusal {
  const message = 'One Idempotency-Key header cannot cover many events; give each its own idempotency_key.'
  return new Refusal('invalid_request', message, [{ field: 'idempotency_key', message }])
}

/** An event, or a CloudEvent that is one. */
function submittedIn(request: FastifyRequest): SubmittedEvent {
  const event = cloudEventIn(request)
  if (event !== undefined) return eventOf(event)
  return toSubmitted(request.rawBody, wholeText(request.rawBody), request.body)
}

function batchItems(request: FastifyRequest): SubmittedEvent[] {
  const cloudEvents = cloudEventsIn(request)
  if (cloudEvents !== undefined) {
    refuseTooMany(cloudEvents.length)
    return cloudEvents.map(eventOf)
  }
  const parsed = EventBatch.safeParse(request.body)
  if (!parsed.success) {
    throw new Refusal('invalid_request', 'events: Expected {"events": [ … ]} with at least one item.', [
      { field: 'events', message: 'Expected an array with at least one event.' },
    ])
  }
  const { events } = parsed.data
  refuseTooMany(events.length)
  return submittedItems(request.rawBody, 'events', events)
}

function refuseTooMany(count: number): void {
  if (count <= MAX_EVENT_BATCH_ITEMS) return
  const message = `A batch may have at most ${MAX_EVENT_BATCH_ITEMS} items; this one has ${count}.`
  throw new Refusal('too_many_items', message, [{ field: 'events', message }])
}
