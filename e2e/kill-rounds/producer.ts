/** Well-behaved producers: whatever was not answered is sent again under the same key until it is. */
import { setTimeout as delay } from 'node:timers/promises'
import { CarillonConnectionError, CarillonError, createClient } from '@carillon/sdk'
import type { Plan } from './plan.ts'

export interface Sending {
  plan: Plan
  /** What every request for it was answered: an id, or why there was none. */
  answers: string[]
  /** Requests that got no usable answer. */
  unanswered: number
  /** Every id ever returned for this key; more than one would be two notifications. */
  ids: Set<string>
  refusal?: string
  /** When it was first sent, and when it was first answered, by the clock that PostgreSQL uses too. */
  startedAt: number
  answeredAt?: number
}

export interface Producer {
  readonly sendings: Sending[]
  send(plan: Plan): Promise<void>
  /** Sends an answered one again, like a producer that lost its own state. */
  repeat(sending: Sending): Promise<void>
  /** Sends this many per second until stop(), unless too many are waiting for an answer. */
  start(next: () => Plan, perSecond: number): void
  /** Resolves when everything sent is answered. */
  stop(): Promise<void>
}

const MAX_WAITING = 200
const TICK_MS = 20
const FIRST_PAUSE_MS = 50
const MAX_PAUSE_MS = 500
const ANSWER_TIMEOUT_MS = 60_000

export function createProducer(url: string, apiKey: string, timeoutMs = 5_000): Producer {
  // Without retries by the client, so that every unanswered request is seen and counted here.
  const client = createClient({ url, apiKey, retries: 0, timeoutMs })
  const sendings: Sending[] = []
  const waiting = new Set<Promise<unknown>>()
  let timer: NodeJS.Timeout | undefined
  let giveUpAt = Number.POSITIVE_INFINITY

  async function send(plan: Plan): Promise<void> {
    const sending: Sending = { plan, answers: [], unanswered: 0, ids: new Set(), startedAt: Date.now() }
    sendings.push(sending)
    await repeatUntilAnswered(sending)
  }

  async function repeatUntilAnswered(sending: Sending): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS
    while (Date.now() < giveUpAt) {
      try {
        const { key, intent } = sending.plan
        const answer = await client.intents.send(intent, { idempotencyKey: key })
        sending.answeredAt ??= Date.now()
        sending.ids.add(answer.notification_id)
        sending.answers.push(answer.notification_id)
        return
      } catch (error) {
        sending.answers.push((error as Error).message)
        if (!isTemporary(error)) {
          sending.refusal = (error as Error).message
          return
        }
        sending.unanswered++
        await delay(pauseMs)
        pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)
      }
    }
    sending.refusal = `no answer within ${ANSWER_TIMEOUT_MS} ms after the last fault`
  }

  return {
    sendings,
    send,
    repeat: repeatUntilAnswered,
    start(next, perSecond) {
      let owed = 0
      timer = setInterval(() => {
        owed = Math.min(owed + (perSecond * TICK_MS) / 1000, perSecond)
        for (; owed >= 1 && waiting.size < MAX_WAITING; owed--) {
          const sent: Promise<unknown> = send(next()).finally(() => waiting.delete(sent))
          waiting.add(sent)
        }
      }, TICK_MS)
    },
    async stop() {
      clearInterval(timer)
      giveUpAt = Date.now() + ANSWER_TIMEOUT_MS
      await Promise.all(waiting)
    },
  }
}

/** The server is down or busy, or its database is. Anything else is a refusal and must not happen here. */
function isTemporary(error: unknown): boolean {
  if (error instanceof CarillonConnectionError) return true
  return error instanceof CarillonError && (error.status === 503 || error.status === 429)
}
