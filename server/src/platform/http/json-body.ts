/** JSON bodies: strict UTF-8, only text that can be stored, and the raw text kept for what must stay byte-exact. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '../calls/refusal.ts'
import { unstorableField } from '../calls/unstorable-field.ts'
import { hasUnstorableEscape, isDeeperThan, MAX_DEPTH } from '../text/json-text.ts'
import { mediaTypeOf } from '../text/media-type.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it arrived. */
    rawBody: string
  }
  interface FastifyContextConfig {
    /** Kinds of JSON that the route reads besides application/json. */
    jsonTypes?: string[]
  }
}

export function acceptJsonBodies(app: FastifyInstance): void {
  app.decorateRequest('rawBody', '')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, readBody)
  app.addContentTypeParser(
    /^application\/[\w.-]+\+json/i,
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      refuseOtherType(request)
      return readBody(request, body)
    },
  )
}

async function readBody(request: FastifyRequest, body: Buffer): Promise<unknown> {
  refuseCompressed(request.headers['content-encoding'])
  request.rawBody = decodeUtf8(body)
  if (!request.routeOptions.config.judgesDepth && isDeeperThan(MAX_DEPTH, request.rawBody))
    throw new Refusal('invalid_json', `The body is nested more than ${MAX_DEPTH} levels deep.`)
  return parseJson(request.rawBody)
}

function refuseOtherType(request: FastifyRequest): void {
  const { jsonTypes = [] } = request.routeOptions.config
  if (jsonTypes.includes(mediaTypeOf(request.headers['content-type']))) return
  const expected = ['application/json', ...jsonTypes].join(' or ')
  throw new Refusal('unsupported_media_type', `The content type must be ${expected} here.`)
}

/** Read as it is, it would be called invalid UTF-8 or JSON, which helps nobody. */
export function refuseCompressed(encoding: string | undefined): void {
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return
  throw new Refusal('unsupported_media_type', 'Send the body as it is, without content-encoding.')
}

function decodeUtf8(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw new Refusal(
      'invalid_utf8',
      'The body contains bytes that are not UTF-8. Encode it as UTF-8 and send it again.',
    )
  }
}

function parseJson(text: string): unknown {
  // A POST without a body, such as a replay, is fine; routes that need one say which field is missing.
  if (text.trim() === '') return undefined
  const body = readJson(text)
  if (!hasUnstorableEscape(text)) return body
  const message = 'PostgreSQL cannot store \\u0000 or an unpaired surrogate such as \\ud800.'
  // A field that is there twice counts once, with what it had last.
  const field = unstorableField(body) ?? 'body'
  throw new Refusal('unstorable_text', `${field}: ${message}`, [{ field, message }])
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Refusal('invalid_json', `The body is not valid JSON: ${(error as Error).message}.`)
  }
}
