/** A person may have several devices: each gets the message, and their results are combined into one outcome. */

import type { Device, DeviceKind, Message } from '../../../content/messages/message.ts'
import { createRedactor } from '../../../platform/outgoing/redact.ts'
import { judgeFailure, withoutSecrets } from '../http-provider.ts'
import { type Fault, faultOf, type Outcome } from '../provider.ts'
import type { Failure } from '../recovery-hint.ts'

/**
 * What became of the message on one device; `gone`: the app or the subscription no longer exists (`since` when, if the
 * service says so); `rejected`: the service does not accept its token, which may be because of our settings.
 */
export type DeviceOutcome = Outcome | { kind: 'gone'; message: string; since?: Date } | Rejected

interface Rejected {
  kind: 'rejected'
  message: string
}

export interface DeviceResult {
  device: Device
  outcome: DeviceOutcome
}

/** Sends to every device of the kind at once. */
export async function sendToDevices(
  message: Message,
  kind: DeviceKind,
  sendOne: (device: Device) => Promise<DeviceOutcome>,
): Promise<Outcome> {
  return combine(
    await Promise.all(
      devicesOf(message, kind).map(async device => ({
        device,
        outcome: await sendOne(device).catch(judgeFailure),
      })),
    ),
  )
}

export function devicesOf(message: Message, kind: DeviceKind): Device[] {
  return message.devices.filter(device => device.kind === kind)
}

/** Removes keys and device tokens: services often echo what they were sent. */
export function redacted(outcome: DeviceOutcome, secrets: string[]): DeviceOutcome {
  if (outcome.kind !== 'gone' && outcome.kind !== 'rejected') return withoutSecrets(outcome, secrets)
  return { ...outcome, message: createRedactor(secrets)(outcome.message) }
}

/** The repeat for devices that may still get it leaves out those that have it, so that none rings twice. */
export function combine(results: DeviceResult[]): Outcome {
  const idsOf = (kind: DeviceOutcome['kind']) =>
    results.filter(({ outcome }) => outcome.kind === kind).map(({ device }) => device.id)
  const [reached, gone, rejected] = [idsOf('sent'), idsOf('gone'), idsOf('rejected')]
  const since = results.flatMap(({ device, outcome }) =>
    outcome.kind === 'gone' && outcome.since !== undefined ? [[device.id, outcome.since.toISOString()]] : [],
  )
  return {
    ...verdictOn(results),
    ...(reached.length > 0 && { reached_devices: reached }),
    ...(gone.length > 0 && { gone_devices: gone }),
    ...(since.length > 0 && { gone_since: Object.fromEntries(since) }),
    ...(rejected.length > 0 && { rejected_devices: rejected }),
  }
}

/** When nothing was sent, the outcome that is most likely to change decides. */
const MOST_HOPEFUL_FIRST = ['rate_limited', 'retry', 'config', 'uncertain', 'permanent'] as const
/**
 * What is worth a repeat for one device when another one has the message. Settings that are wrong for one device, while the
 * same account reaches another, are about the device.
 */
const WORTH_A_REPEAT: DeviceOutcome['kind'][] = ['rate_limited', 'retry', 'uncertain']

function verdictOn(results: DeviceResult[]): Outcome {
  const outcomes = results.map(({ outcome }) => outcome)
  const sent = outcomes.filter(outcome => outcome.kind === 'sent')
  const isPartial = sent.length > 0 && outcomes.some(({ kind }) => WORTH_A_REPEAT.includes(kind))
  const count = `sent to ${sent.length} of ${outcomes.length} ${outcomes.length === 1 ? 'device' : 'devices'}`
  if (sent.length > 0 && !isPartial) {
    const id = sent.find(outcome => outcome.provider_message_id !== undefined)?.provider_message_id
    return {
      kind: 'sent',
      response: [count, ...failuresIn(results)].join('; '),
      ...(id !== undefined && { provider_message_id: id }),
    }
  }
  const kind = MOST_HOPEFUL_FIRST.find(
    candidate =>
      outcomes.some(outcome => outcome.kind === candidate) &&
      (!isPartial || WORTH_A_REPEAT.includes(candidate)),
  )
  const failures = [...(isPartial ? [count] : []), ...failuresIn(results)].join('; ')
  if (kind === undefined)
    return { kind: 'permanent', message: failures === '' ? 'no device left' : `no device left: ${failures}` }
  const waitMs = longestWaitMs(outcomes)
  const fault = commonFault(outcomes.filter(outcome => outcome.kind === kind) as Failure[])
  return {
    kind,
    message: failures,
    ...(isDelay(kind) && waitMs !== undefined && { retry_after_ms: waitMs }),
    ...(fault !== faultOf({ kind, message: '' }) && { fault }),
  }
}

/** If any device's failure is the provider's fault, the provider is failing. */
function commonFault(failures: Failure[]): Fault {
  const faults = failures.map(faultOf)
  return faults.includes('provider') ? 'provider' : faults[0]!
}

function failuresIn(results: DeviceResult[]): string[] {
  return results.flatMap(({ device, outcome }) =>
    outcome.kind === 'sent' ? [] : [`device ${device.id}: ${outcome.message}`],
  )
}

function isDelay(kind: string): boolean {
  return kind === 'retry' || kind === 'rate_limited'
}

function longestWaitMs(outcomes: DeviceOutcome[]): number | undefined {
  const waits = outcomes.flatMap(outcome =>
    'retry_after_ms' in outcome ? [outcome.retry_after_ms ?? 0] : [],
  )
  return waits.length > 0 ? Math.max(...waits) : undefined
}
