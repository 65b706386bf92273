/** What became of one message: sent, skipped with a reason, or dead after its attempts. */
import type { AttemptOutcome, Channel, FailureReason, ProviderCall } from '@carillon/contract'
import type { Person } from './cast.ts'
import type { Chance } from './chance.ts'
import type { Fate } from './history.ts'

export interface Try {
  /** Milliseconds after it was accepted. */
  afterMs: number
  tookMs: number
  outcome: AttemptOutcome
  provider: string
  message: string
  calls: ProviderCall[]
}

export interface Delivery {
  status: 'sent' | 'skipped' | 'dead'
  reason: string
  tries: Try[]
  failure?: { reason: FailureReason; classification: string; hint: string }
}

const PROVIDERS: Record<Exclude<Channel, 'webhook'>, string> = {
  in_app: 'in_app',
  email: 'ses-eu',
  sms: 'twilio',
  push: 'fcm',
  chat: 'slack',
}
const TIMED_OUT = 'No answer within 30 s.'

const sent = (provider: string, afterMs: number, tookMs: number): Try => ({
  afterMs,
  tookMs,
  outcome: 'sent',
  provider,
  message: '',
  calls: [],
})

const skipped = (reason: string): Delivery => ({ status: 'skipped', reason, tries: [] })

export function deliver(channel: Channel, person: Person, fate: Fate | undefined, chance: Chance): Delivery {
  const provider = PROVIDERS[channel as keyof typeof PROVIDERS]
  if (channel === 'email' && fate !== undefined) return inTheBadHour(fate, chance)
  const reason = skipReason(channel, person, chance)
  if (reason !== undefined) return skipped(reason)
  if (channel === 'sms' && chance.is(0.02)) return wrongNumber(chance)
  const wait = Math.floor(20 + 160 * chance.next() ** 3 + (chance.is(0.03) ? 2_000 : 0))
  const took = channel === 'in_app' ? chance.between(1, 6) : chance.between(40, 420)
  return { status: 'sent', reason: '', tries: [sent(provider, wait, took)] }
}

function skipReason(channel: Channel, { phone }: Person, chance: Chance): string | undefined {
  if (channel === 'sms' && phone === null) return 'no_address'
  if (channel === 'push' && chance.is(0.25)) return 'no_device'
  if (channel === 'email' && chance.is(0.06)) return 'channel_disabled'
  if (channel === 'email' && chance.is(0.02)) return 'category_off'
  if (channel !== 'in_app' && chance.is(0.01)) return 'frequency_cap'
  return undefined
}

/** Most went out through the second provider or on a later try; some were given up. */
function inTheBadHour(fate: Fate, chance: Chance): Delivery {
  const timedOut: ProviderCall = {
    provider: 'ses-eu',
    outcome: 'retry',
    message: TIMED_OUT,
    duration_ms: 30_000,
  }
  if (fate === 'second provider') {
    const second: ProviderCall = {
      provider: 'mailgun',
      outcome: 'sent',
      message: '',
      duration_ms: chance.between(90, 400),
    }
    const took = timedOut.duration_ms + second.duration_ms
    return {
      status: 'sent',
      reason: '',
      tries: [{ ...sent('mailgun', 40, took), calls: [timedOut, second] }],
    }
  }
  const failed = (afterMs: number): Try => ({
    ...sent('ses-eu', afterMs, 30_000),
    outcome: 'retry',
    message: TIMED_OUT,
  })
  const waits = [40, 45_000, 130_000, 320_000, 700_000, 1_500_000, 3_100_000]
  if (fate === 'later') {
    const count = chance.between(1, 4)
    const last = waits[count]!
    return {
      status: 'sent',
      reason: '',
      tries: [...waits.slice(0, count).map(failed), sent('ses-eu', last, 260)],
    }
  }
  return {
    status: 'dead',
    reason: '',
    tries: waits.map(failed),
    failure: {
      reason: 'max_retries_exceeded',
      classification: 'retry',
      hint: 'The provider did not answer. Replay as soon as it works again.',
    },
  }
}

function wrongNumber(chance: Chance): Delivery {
  const message = 'Twilio 21211: The “To” number is not a valid phone number.'
  return {
    status: 'dead',
    reason: '',
    tries: [{ ...sent('twilio', 60, chance.between(80, 300)), outcome: 'permanent', message }],
    failure: {
      reason: 'permanent_failure',
      classification: 'permanent',
      hint: 'Correct the address of the recipient, then replay. Otherwise it will fail again.',
    },
  }
}
