/** A person may have devices of several kinds, each reached through another provider: all of them get the message. */
import type { Device, Message } from '../../content/messages/message.ts'
import type { Outcome } from '../../providers/services/provider.ts'
import type { Candidate } from './candidate.ts'
import { mergeDeviceOutcomes } from './device-outcomes.ts'
import { type SendResult, sendThrough } from './send.ts'

type Called = Extract<SendResult, { kind: 'outcome' }>

/** Providers that are not for one kind of devices get the message as a whole, and only if they are the best choice. */
export async function sendPush(
  candidates: Candidate[],
  message: Message,
  signal: AbortSignal,
): Promise<SendResult> {
  const kinds = candidates[0]?.devices === undefined ? [] : kindsReached(candidates, message.devices)
  if (kinds.length < 2) return sendThrough(candidates, message, signal)
  const results = await Promise.all(
    kinds.map(kind =>
      sendThrough(
        candidates.filter(({ devices }) => devices === kind),
        { ...message, devices: message.devices.filter(device => device.kind === kind) },
        signal,
      ),
    ),
  )
  return combine(results)
}

function kindsReached(candidates: Candidate[], devices: Device[]): string[] {
  const wanted = new Set<string>(devices.map(({ kind }) => kind))
  return [...new Set(candidates.flatMap(each => each.devices ?? []))].filter(kind => wanted.has(kind))
}

/** What may still succeed comes first, so that it is tried again; then what has succeeded. */
const DECIDES_FIRST = ['rate_limited', 'retry', 'config', 'uncertain', 'sent', 'permanent'] as const

function combine(results: SendResult[]): SendResult {
  const calls = results.flatMap(result => result.calls)
  const called = results.filter(result => result.kind === 'outcome')
  const deciding = DECIDES_FIRST.flatMap(kind => called.filter(({ outcome }) => outcome.kind === kind))[0]
  const waiting = results.find(({ kind, ...more }) => kind === 'obstacle' && isWait(more))
  if (deciding === undefined) return { ...(waiting ?? results[0]!), calls }
  const outcome: Outcome = {
    ...(waitsForOthers(deciding, waiting) ?? deciding.outcome),
    ...mergeDeviceOutcomes(...called.map(({ outcome }) => outcome)),
  }
  return { kind: 'outcome', outcome, candidate: deciding.candidate, calls }
}

function isWait(result: object): boolean {
  return 'obstacle' in result && (result as { obstacle: { kind: string } }).obstacle.kind === 'postpone'
}

/** One kind is done, and another one's provider is failing or over its rate: the rest is tried again. */
function waitsForOthers({ outcome }: Called, waiting: SendResult | undefined): Outcome | undefined {
  const isDone = outcome.kind === 'sent' || outcome.kind === 'permanent'
  if (!isDone || waiting?.kind !== 'obstacle' || waiting.obstacle.kind !== 'postpone') return undefined
  return { kind: 'retry', message: waiting.obstacle.text, retry_after_ms: waiting.obstacle.delay_ms }
}
