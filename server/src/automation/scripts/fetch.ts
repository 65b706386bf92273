/**
 * http.fetch of scripts: through the guard that all outgoing HTTP goes through, without redirects, a few calls per run,
 * and only if the tenant allows it, since a script can carry anywhere what it gets to see.
 */
import type { SampleResponse } from '@carillon/contract'
import { type HttpClient, HttpFailure } from '../../platform/outgoing/http-client.ts'
import { activeSpan } from '../../platform/tracing/active-span.ts'
import type { Arguments } from './calls.ts'

export type FetchRequest = Arguments<'http.fetch'>

export interface FetchedAnswer {
  status: number
  headers: Record<string, string>
  text: string
}

/** Throws at once, and not later, what no run may ask for: that counts as a call that was refused. */
export type ScriptFetch = (request: FetchRequest, signal: AbortSignal) => Promise<FetchedAnswer>

const MAX_FETCHES = 10
const MAX_ANSWER_BYTES = 256 * 1024
const MAX_HEADERS = 50
/** They say how the message is framed and where it goes, which is not for the script to decide. */
const FRAMING =
  /^(host|connection|content-length|transfer-encoding|keep-alive|upgrade|expect|te|trailer|http2-settings|proxy-.*)$/
const NOT_ALLOWED =
  'http.fetch: this tenant does not allow scripts to call other services. A key with the scope "tenant:write" can allow ' +
  'it: PATCH /v1/tenant {"script_http_allowed": true}'

/** The fetch of one run. */
export function createScriptFetch(parts: {
  http: HttpClient
  isAllowed: () => Promise<boolean>
}): ScriptFetch {
  const admit = createAdmission()
  // The script's thread knows nothing of the span that the run belongs to.
  const span = activeSpan()
  return (request, signal) => {
    const admitted = admit(request)
    const sent = () => send(admitted, request.timeout_ms, signal)
    return span === undefined ? sent() : span.run(sent)
  }

  async function send(checked: Admitted, timeoutMs: number, signal: AbortSignal): Promise<FetchedAnswer> {
    if (!(await parts.isAllowed())) throw new Error(NOT_ALLOWED)
    const answer = await parts.http
      .send(checked, { signal, timeoutMs, maxAnswerBytes: MAX_ANSWER_BYTES })
      .catch(error => {
        const reason = error instanceof HttpFailure ? error.message : `invalid request: ${error.message}`
        throw new Error(`http.fetch: ${checked.url.host}: ${reason}`)
      })
    // A script cannot tell the beginning of a text from all of it.
    if (answer.brokenOff !== undefined)
      throw new Error(`http.fetch: ${checked.url.host}: the answer broke off: ${answer.brokenOff}`)
    const fetched = { status: answer.status, headers: answer.headers, text: answer.body }
    // Measured as the script gets it.
    if (Buffer.byteLength(JSON.stringify(fetched)) > MAX_ANSWER_BYTES)
      throw new Error(`http.fetch: the answer has more than ${MAX_ANSWER_BYTES} bytes.`)
    return fetched
  }
}

/** The fetch of a test, in which nothing leaves this process. */
export function createSampleFetch(responses: Record<string, SampleResponse>): ScriptFetch {
  const admit = createAdmission()
  return request => answerTo(request.url, admit(request).url)

  async function answerTo(given: string, url: URL): Promise<FetchedAnswer> {
    const found = [given, url.href].find(address => Object.hasOwn(responses, address))
    if (found === undefined)
      throw new Error(
        `http.fetch: nothing is fetched in a test, and it has no answer for ${url.href}; give one in "responses".`,
      )
    const { status, headers, body, json } = responses[found]!
    return { status, headers, text: body ?? (json === undefined ? '' : JSON.stringify(json)) }
  }
}

type Admitted = Parameters<HttpClient['send']>[0] & { url: URL }

/** Refuses what no run may ask for, and counts. */
function createAdmission() {
  let count = 0
  return ({ method, url: address, headers: given, body }: FetchRequest): Admitted => {
    const url = URL.canParse(address) ? new URL(address) : undefined
    if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
      throw new Error('http.fetch: url: Expected an address that begins with https:// or http://')
    if (url.username !== '' || url.password !== '')
      throw new Error('http.fetch: url: Send user and password in the header authorization.')
    if (method === 'GET' && body !== undefined) throw new Error('http.fetch: body: A GET has none.')
    const headers = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]),
    )
    const framing = Object.keys(headers).find(name => FRAMING.test(name))
    if (framing !== undefined) throw new Error(`http.fetch: headers: "${framing}" cannot be set.`)
    if (Object.keys(headers).length > MAX_HEADERS)
      throw new Error(`http.fetch: headers: More than ${MAX_HEADERS}.`)
    if (++count > MAX_FETCHES) throw new Error(`http.fetch: more than ${MAX_FETCHES} calls in one run.`)
    return { method, url, headers, ...(body !== undefined && { body }) }
  }
}
