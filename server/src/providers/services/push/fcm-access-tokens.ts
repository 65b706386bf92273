/** Google's access tokens: a signed assertion is exchanged for one, which then serves for about an hour. */
import { createPrivateKey } from 'node:crypto'
import { SignJWT } from 'jose'
import { z } from 'zod'
import { startDeadline } from '../../../platform/outgoing/deadline.ts'
import type { HttpAnswer, HttpClient, HttpRequest } from '../../../platform/outgoing/http-client.ts'
import { jsonIn, judgeAnswer, judgeFailure } from '../http-provider.ts'
import type { Outcome } from '../provider.ts'
import { isPrivateKey } from './private-key.ts'

/** What we need of the JSON file that Google gives out for a service account. */
export const ServiceAccount = z.object({
  project_id: z.string().min(1),
  private_key_id: z.string().optional(),
  private_key: z.string().refine(pem => isPrivateKey(pem, 'rsa'), 'expected an RSA private key in PEM form'),
  client_email: z.string().min(1),
  token_uri: z.url({ protocol: /^https?$/ }).default('https://oauth2.googleapis.com/token'),
})
export type ServiceAccount = z.infer<typeof ServiceAccount>

export interface AccessTokens {
  /** A token, or why there is none. */
  current(signal: AbortSignal): Promise<{ token: string } | Outcome>
  /** The service no longer takes this one. */
  forget(token: string): void
  close(): void
}

export interface AccessTokenOptions {
  account: ServiceAccount
  http: HttpClient
  timeoutMs: number
  now: () => number
}

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'
const LIFETIME_SECONDS = 3600
/** Long enough for a request under way to arrive with a token that is still good. */
const MARGIN_MS = 60_000

export function createAccessTokens(options: AccessTokenOptions): AccessTokens {
  const { account, http, timeoutMs, now } = options
  const key = createPrivateKey(account.private_key)
  const closing = new AbortController()
  let held: { token: string; until: number } | undefined
  let exchanging: Promise<{ token: string } | Outcome> | undefined

  async function exchange(): Promise<{ token: string } | Outcome> {
    try {
      const request = tokenRequest(account, await signAssertion())
      const answer = await http.send(request, { signal: closing.signal, timeoutMs })
      const token = jsonIn(answer, 'access_token')
      if (answer.status >= 300 || token === undefined) return judgeRefusal(answer, now)
      held = { token, until: now() + Number(jsonIn(answer, 'expires_in') ?? 0) * 1000 - MARGIN_MS }
      return { token }
    } catch (error) {
      const outcome = judgeFailure(error)
      // Whatever became of the exchange, no message has left yet.
      return outcome.kind === 'uncertain' ? { kind: 'retry', message: outcome.message } : outcome
    }
  }

  function signAssertion(): Promise<string> {
    const issuedAt = Math.floor(now() / 1000)
    const kid = account.private_key_id
    return new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(kid !== undefined && { kid }) })
      .setIssuer(account.client_email)
      .setAudience(account.token_uri)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + LIFETIME_SECONDS)
      .sign(key)
  }

  return {
    async current(signal) {
      if (signal.aborted) return { kind: 'retry', message: 'the attempt was aborted before it began' }
      if (held !== undefined && held.until > now()) return held
      // All who wait share one exchange, and one of them giving up does not end it for the others.
      exchanging ??= exchange().finally(() => {
        exchanging = undefined
      })
      const deadline = startDeadline(signal)
      try {
        return await deadline.race(exchanging)
      } catch (error) {
        return { kind: 'retry', message: (error as Error).message }
      } finally {
        deadline.clear()
      }
    },
    forget(token) {
      if (held?.token === token) held = undefined
    },
    close: () => closing.abort(),
  }
}

function tokenRequest(account: ServiceAccount, assertion: string): HttpRequest {
  const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion })
  return {
    method: 'POST',
    url: account.token_uri,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: body.toString(),
  }
}

/** A refused assertion is a matter of the key or its rights, never of the message. */
function judgeRefusal(answer: HttpAnswer, now: () => number): Outcome {
  const outcome = judgeAnswer(answer, [], undefined, now)
  if (outcome.kind === 'sent')
    return { kind: 'retry', message: 'the token endpoint answered without a token' }
  const message = `no access token: ${outcome.message}`
  return outcome.kind === 'permanent' ? { kind: 'config', message } : { ...outcome, message }
}
