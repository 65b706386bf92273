/**
 * Sends one message through the best available provider. The next one is tried as long as the message has not been refused
 * for good and cannot have arrived.
 */
import type { ProviderCall } from '@carillon/contract'
import type { Message } from '../../content/messages/message.ts'
import type { Outcome } from '../../providers/services/provider.ts'
import { type Obstacle, type Postpone, postpone, type Skip, skip } from '../gates/obstacle.ts'
import { callProvider } from './call-provider.ts'
import type { Candidate } from './candidate.ts'
import { type DeviceOutcomes, mergeDeviceOutcomes, settledDevices } from './device-outcomes.ts'

/** Long, as it does not pass by itself: a provider has to be switched on or set up, or another process takes the route. */
const UNAVAILABLE_DELAY_MS = 15_000

export type SendResult =
  | { kind: 'outcome'; outcome: Outcome; candidate: Candidate; calls: ProviderCall[] }
  | { kind: 'obstacle'; obstacle: Obstacle; calls: ProviderCall[] }

export async function sendThrough(
  candidates: Candidate[],
  message: Message,
  signal: AbortSignal,
): Promise<SendResult> {
  const calls: ProviderCall[] = []
  let last: { outcome: Outcome; candidate: Candidate } | undefined
  let shortestWaitMs: number | undefined
  let unavailable: string | undefined
  let devices: DeviceOutcomes = {}

  for (const candidate of candidates) {
    const missing = withoutSettled(message, devices)
    if (!canReach(candidate, missing)) continue
    if (candidate.unavailable !== undefined) {
      unavailable ??= candidate.unavailable.text
      continue
    }
    const result = await callProvider(candidate, missing, signal)
    if (result.kind === 'unavailable') unavailable ??= result.text
    if (result.kind === 'down') shortestWaitMs = Math.min(shortestWaitMs ?? result.waitMs, result.waitMs)
    if (result.kind === 'rate_used_up') {
      if (last !== undefined) break
      return { kind: 'obstacle', obstacle: rateUsedUp(candidate, result.waitMs), calls }
    }
    if (result.kind !== 'called') continue
    calls.push(result.call)
    devices = mergeDeviceOutcomes(devices, result.outcome)
    last = { outcome: { ...result.outcome, ...devices }, candidate }
    if (!mayTryAnother(result.outcome)) break
  }

  if (last !== undefined) return { kind: 'outcome', ...last, calls }
  return { kind: 'obstacle', obstacle: noneAdmits({ shortestWaitMs, unavailable }), calls }
}

/** Another provider of the same kind is not asked to send to them again. */
function withoutSettled(message: Message, outcomes: DeviceOutcomes): Message {
  const settled = settledDevices(outcomes)
  if (settled.length === 0) return message
  return { ...message, devices: message.devices.filter(({ id }) => !settled.includes(id)) }
}

/** Then another provider may succeed. Not after `uncertain`: the message may already have arrived. */
function mayTryAnother(outcome: Outcome): boolean {
  return outcome.kind === 'retry' || outcome.kind === 'rate_limited' || outcome.kind === 'config'
}

/** For simulation too, as are the other reasons why no provider takes a message. */
export function rateUsedUp({ name }: Candidate, waitMs: number): Postpone<'provider_rate'> {
  return postpone('provider_rate', `The rate limit of "${name}" is used up.`, waitMs)
}

export function noneAdmits(refused: {
  /** Of the breakers that are open. */
  shortestWaitMs: number | undefined
  /** Why a provider cannot be used. */
  unavailable: string | undefined
}): Postpone<'provider_down' | 'no_provider'> | Skip {
  if (refused.shortestWaitMs !== undefined) {
    const text = 'Every provider of the channel is failing; waiting for one to recover.'
    return postpone('provider_down', text, refused.shortestWaitMs)
  }
  if (refused.unavailable !== undefined) {
    return postpone('no_provider', refused.unavailable, UNAVAILABLE_DELAY_MS)
  }
  return NO_DEVICE
}

const NO_DEVICE: Skip = skip('no_device', 'The person has no device that a provider of this channel reaches.')

export function canReach({ devices }: Candidate, message: Message): boolean {
  return devices === undefined || message.devices.some(device => device.kind === devices)
}
