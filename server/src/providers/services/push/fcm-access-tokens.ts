/** Google's access tokens: a signed assertion is exchanged for one, which is then valid for about an hour. */
import { createPrivateKey } from 'node:crypto'
import { SignJWT } from 'jose'
import { z } from 'zod'
import { startDeadline } from '../../../platform/outgoing/deadline.ts'
import type { HttpAnswer, HttpClient, HttpRequest } from '../../../platform/outgoing/http-client.ts'
import { jsonIn, judgeAnswer, judgeFailure } from '../http-provider.ts'
import { isPrivateKey } from '../private-key.ts'
import type { Outcome } from '../provider.ts'

/** What we need from the JSON file that Google issues for a service account. */
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
  /** To be called when the service no longer accepts this token. */
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
const ASSERTION_LIFETIME_SECONDS = 3600
/** A token is replaced this long before it expires, so that it is still valid when a request arrives. */
const EXPIRY_MARGIN_MS = 60_000

export function createAccessTokens(options: AccessTokenOptions): AccessTokens {
  const { account, http, timeoutMs, now } = options
  const key = createPrivateKey(account.private_key)
  const closing = new AbortController()
  let cached: { token: string; usableUntilMs: number } | undefined
  let exchanging: Promise<{ token: string } | Outcome> | undefined

  async function exchange(): Promise<{ token: string } | Outcome> {
    try {
      const request = tokenRequest(account, await signAssertion())
      const answer = await http.send(request, { signal: closing.signal, timeoutMs })
      const token = jsonIn(answer, 'access_token')
      if (answer.status >= 300 || token === undefined) return judgeRefusal(answer, now)
      const expiresInMs = Number(jsonIn(answer, 'expires_in') ?? 0) * 1000
      cached = { token, usableUntilMs: now() + expiresInMs - EXPIRY_MARGIN_MS }
      return { token }
    } catch (error) {
      const outcome = judgeFailure(error)
      // Whatever became of the exchange, no message has left yet.
      return outcome.kind === 'uncertain' ? { kind: 'retry', message: outcome.message } : outcome
    }
  }

  function signAssertion(): Promise<string> {
    const issuedAtSeconds = Math.floor(now() / 1000)
    const kid = account.private_key_id
    return new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(kid !== undefined && { kid }) })
      .setIssuer(account.client_email)
      .setAudience(account.token_uri)
      .setIssuedAt(issuedAtSeconds)
      .setExpirationTime(issuedAtSeconds + ASSERTION_LIFETIME_SECONDS)
      .sign(key)
  }

  return {
    async current(signal) {
      if (signal.aborted) return { kind: 'retry', message: 'the attempt was aborted before it began' }
      if (cached !== undefined && cached.usableUntilMs > now()) return cached
      // All callers share one exchange; when one of them gives up, it continues for the others.
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
      if (cached?.token === token) cached = undefined
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

/** A refused assertion is about the key or its permissions, never about the message. */
function judgeRefusal(answer: HttpAnswer, now: () => number): Outcome {
  const outcome = judgeAnswer(answer, [], undefined, now)
  if (outcome.kind === 'sent')
    return { kind: 'retry', message: 'the token endpoint answered without a token' }
  const message = `no access token: ${outcome.message}`
  return outcome.kind === 'permanent' ? { kind: 'config', message } : { ...outcome, message }
}
