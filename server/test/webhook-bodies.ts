/** Every webhook body that a test sends must be exactly what the contract says. */
import { VisibilityQuestion, WebhookBatch, WebhookCloudEvent, WebhookEvent } from '@carillon/contract'
import { z } from 'zod'
import { refuseDifference } from '../src/platform/http/answers.ts'
import type { HttpClient, HttpRequest } from '../src/platform/outgoing/http-client.ts'

const BODIES: Record<string, z.ZodType> = {
  'application/json': z.union([WebhookBatch, WebhookEvent, VisibilityQuestion]),
  'application/cloudevents+json': WebhookCloudEvent,
  'application/cloudevents-batch+json': z.array(WebhookCloudEvent),
}

/** The same client, telling of bodies that are not their schema. Requests that are no webhooks pass. */
export function checkWebhookBodies(http: HttpClient, onWrong: (error: unknown) => void): HttpClient {
  return {
    send(request, options) {
      try {
        if (request.headers?.['webhook-id'] !== undefined) refuseWrongRequest(request)
      } catch (error) {
        onWrong(error)
      }
      return http.send(request, options)
    },
    close: () => http.close(),
  }
}

function refuseWrongRequest({ headers = {}, body }: HttpRequest): void {
  refuseWrongBody(headers['content-type'] ?? '', String(body))
}

/** Throws when the body is not exactly what the contract says about the media type. */
export function refuseWrongBody(mediaType: string, body: string): void {
  const schema = BODIES[mediaType]
  if (schema === undefined) throw new Error(`there is no schema of webhooks sent as ${mediaType}`)
  refuseDifference(schema, JSON.parse(body), 'the body of a webhook')
}
