/**
 * The answer of a script to whoever called its address. Scripts are written by tenants and served from our own origin, so
 * nothing that they answer may act there as a page, a script or a style, or tell a proxy in front of us what to do.
 */
import { z } from 'zod'

export interface Reply {
  status: number
  headers: Record<string, string>
  body: string
}

/** No origin of its own, nothing loaded, never framed; with `nosniff`, which every answer has, it is only what it says. */
export const REPLY_POLICY =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const MAX_BODY_BYTES = 256 * 1024
const MAX_HEADERS = 50

const ScriptReply = z.strictObject({
  status: z.number().int().min(200).max(599),
  headers: z.record(z.string(), z.string()).optional(),
  body: z
    .string()
    .refine(body => Buffer.byteLength(body) <= MAX_BODY_BYTES)
    .optional(),
})

const PLAIN = 'text/plain; charset=utf-8'
const JSON_TYPE = 'application/json; charset=utf-8'
const ALLOWED = /^(content-type|location|cache-control|retry-after|x-[a-z0-9-]{1,100})$/
/** Some x- headers are instructions: for proxies to send another file, for browsers, or our own. */
const RESERVED =
  /^x-(accel-.*|envoy-.*|sendfile.*|lighttpd-.*|litespeed-.*|reproxy-.*|content-type-options|frame-options|request-id)$/
const VALUE = /^[\t\x20-\x7e]{1,2000}$/
/** What a page of our origin could load as a script or a style, and answers within the answer, with headers of their own. */
const EXECUTABLE = /(java|ecma|live)script|jscript|css|multipart/i
const BODILESS = [204, 205, 304]

/** A result of the shape {status, headers, body} is the answer itself; any other is answered as JSON. */
export function toReply(resultJson: string): Reply {
  const reply = ScriptReply.safeParse(JSON.parse(resultJson))
  if (!reply.success) return { status: 200, headers: { 'content-type': JSON_TYPE }, body: resultJson }
  const { status, headers = {}, body = '' } = reply.data
  return {
    status,
    headers: { 'content-type': PLAIN, ...allowedHeaders(headers) },
    body: BODILESS.includes(status) ? '' : body,
  }
}

function allowedHeaders(headers: Record<string, string>): Record<string, string> {
  const allowed = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name, value]) => ALLOWED.test(name) && !RESERVED.test(name) && VALUE.test(value))
    .filter(([name, value]) => name !== 'content-type' || !EXECUTABLE.test(value))
    .filter(([name, value]) => name !== 'location' || isPlace(value))
  return Object.fromEntries(allowed.slice(0, MAX_HEADERS))
}

/** A path or an address of the web, and no `javascript:` that a careless client would follow. */
function isPlace(location: string): boolean {
  const base = 'https://example.com'
  return URL.canParse(location, base) && /^https?:$/.test(new URL(location, base).protocol)
}
