/** What a script sees of a call to the address of its http trigger. */
import { Refusal } from '../../platform/calls/refusal.ts'
import { isDeeperThan, MAX_DEPTH } from '../../platform/text/json-text.ts'
import { toStorableJson } from '../../platform/text/storable-json.ts'

export interface HookCall {
  method: string
  query: unknown
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

/** The caller's credentials, which are not the script's to know, and what belongs to the connection. */
const WITHHELD = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'proxy-authenticate',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** A body takes this twice, as text and as JSON, and escapes may make it longer. */
const MAX_EVENT_BYTES = 1024 * 1024

/** The `data` of the event, as JSON text. */
export function dataOf({ method, query, headers, body }: HookCall): string {
  const text = new TextDecoder().decode(body)
  const data = toStorableJson({
    method,
    query,
    headers: shownHeaders(headers),
    body: text,
    json: isJson(headers['content-type']) ? parsed(text) : null,
  })
  if (Buffer.byteLength(data) <= MAX_EVENT_BYTES) return data
  throw new Refusal('payload_too_large', `As an event the request takes more than ${MAX_EVENT_BYTES} bytes.`)
}

/** Names are in lower case already; of several with the same name, Node has made one. */
function shownHeaders(headers: HookCall['headers']): Record<string, string> {
  const ofConnection = String(headers.connection ?? '')
    .toLowerCase()
    .split(/\s*,\s*/)
  const shown = Object.entries(headers).filter(
    ([name]) => !WITHHELD.has(name) && !ofConnection.includes(name),
  )
  return Object.fromEntries(shown.map(([name, value]) => [name, [value].flat().join(', ')]))
}

function isJson(type: string | string[] | undefined): boolean {
  return /^[^;]*[/+]json\s*(;|$)/i.test(String(type))
}

/** null if it cannot be read: the script still has the text. */
function parsed(text: string): unknown {
  if (isDeeperThan(MAX_DEPTH, text)) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
