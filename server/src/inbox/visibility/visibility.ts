/**
 * Asks a tenant's own server who may see something, if the tenant has given its address: a POST, signed like webhooks
 * (Standard Webhooks), that is answered with those of the people who may. Without an answer nobody is told and whoever asks
 * tries again later: what must not be seen cannot be taken back.
 */
import { VisibilityAnswer, type VisibilityQuestion } from '@carillon/contract'
import { Webhook as Signer } from 'standardwebhooks'
import { uuidv7 } from 'uuidv7'
import type { Executor } from '../../platform/database/pool.ts'
import { createMemory } from '../../platform/memory/remember.ts'
import type { HttpClient } from '../../platform/outgoing/http-client.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { selectCheck, type VisibilityCheckRow } from './queries.ts'
import { signingSecretOf } from './visibility-check.ts'

export interface Visibility {
  /** Whether the tenant wants to be asked. */
  isAsked(tenantId: string): Promise<boolean>
  /** Those of the people who may see it: all of them if the tenant does not want to be asked. Throws without an answer. */
  ask(tenantId: string, question: VisibilityQuestion): Promise<string[]>
}

export interface VisibilityParts {
  pool: Executor
  keyring: Keyring
  http: HttpClient
  rememberMs?: number
}

/** A thousand ids of the greatest length, each of them escaped. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024

export function createVisibility({ pool, keyring, http, rememberMs = 1000 }: VisibilityParts): Visibility {
  const known = createMemory<VisibilityCheckRow | undefined>({ forMs: rememberMs, now: Date.now })
  const find = (tenantId: string) => known.get(tenantId, () => selectCheck(pool, tenantId))
  return {
    async isAsked(tenantId) {
      return (await find(tenantId)) !== undefined
    },
    async ask(tenantId, question) {
      const check = await find(tenantId)
      if (check === undefined || question.user_ids.length === 0) return question.user_ids
      const visible = new Set(await post(http, check, signingSecretOf(keyring, check), question))
      // Nobody gets in whom we did not ask about.
      return question.user_ids.filter(id => visible.has(id))
    },
  }
}

async function post(
  http: HttpClient,
  check: VisibilityCheckRow,
  secret: string,
  question: VisibilityQuestion,
): Promise<string[]> {
  const body = JSON.stringify(question)
  const id = uuidv7()
  const at = new Date()
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Signer(secret).sign(id, at, body),
  }
  const options = {
    signal: new AbortController().signal,
    timeoutMs: check.timeout_ms,
    maxAnswerBytes: MAX_ANSWER_BYTES,
  }
  const answer = await http.send({ method: 'POST', url: check.url, headers, body }, options)
  if (answer.status !== 200)
    throw new Error(`The visibility check answered ${answer.status}; 200 is expected.`)
  const parsed = VisibilityAnswer.safeParse(parse(answer.body))
  if (!parsed.success) throw new Error('The visibility check did not answer with {"visible": [user ids]}.')
  return parsed.data.visible
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
