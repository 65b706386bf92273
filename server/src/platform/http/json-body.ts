/** JSON bodies: strict UTF-8, only text that can be stored, and the raw text kept for what must stay byte-exact. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '../calls/refusal.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it arrived. */
    rawBody: string
  }
}

/** Deeper than anything people write; much deeper, and code that walks through it runs out of stack. */
const MAX_DEPTH = 200

export function acceptJsonBodies(app: FastifyInstance): void {
  app.decorateRequest('rawBody', '')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      request.rawBody = decodeUtf8(body)
      if (!request.routeOptions.config.judgesDepth && isDeeperThan(MAX_DEPTH, request.rawBody))
        throw new Refusal('invalid_json', `The body is nested more than ${MAX_DEPTH} levels deep.`)
      return parseJson(request.rawBody)
    },
  )
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

/** Counts brackets outside of strings, without building anything. */
function isDeeperThan(maxDepth: number, text: string): boolean {
  if (text.length <= maxDepth) return false
  let depth = 0
  let isString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) isString = !isString
    else if (isString) at += code === 0x5c ? 1 : 0
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > maxDepth) return true
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return false
}

function parseJson(text: string): unknown {
  // A POST without a body, such as a replay, is fine; routes that need one say which field is missing.
  if (text.trim() === '') return undefined
  if (hasUnstorableEscape(text)) {
    throw new Refusal(
      'unstorable_text',
      'PostgreSQL cannot store \\u0000 or an unpaired surrogate such as \\ud800.',
    )
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Refusal('invalid_json', `The body is not valid JSON: ${(error as Error).message}.`)
  }
}

/** Tests cheaply for the rare suspicious escapes first, and walks through all escapes only if there are any. */
function hasUnstorableEscape(text: string): boolean {
  if (!/\\u(?:0000|d[89a-f])/i.test(text)) return false
  // An even number of backslashes before the u means an escaped backslash, not an escape.
  const escapes = text.matchAll(/\\(?:u([0-9a-fA-F]{4})|.)/g)
  let highPending: number | undefined
  for (const match of escapes) {
    const end = match.index + match[0].length
    const unit = match[1] === undefined ? -1 : Number.parseInt(match[1], 16)
    const isLow = unit >= 0xdc00 && unit <= 0xdfff
    if (unit === 0) return true
    if (highPending !== undefined) {
      if (!isLow || match.index !== highPending) return true
      highPending = undefined
    } else if (isLow) return true
    if (unit >= 0xd800 && unit <= 0xdbff) highPending = end
  }
  return highPending !== undefined
}
