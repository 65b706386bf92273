/** The links below a mail: one to leave, one to choose. */
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { linkTo, pageLink, signToken } from '../signed-links/signed-links.ts'
import type { MessageRoute } from './message-route.ts'

export interface MailLinks {
  /** Asks before it unsubscribes; one POST does it at once (RFC 8058). */
  unsubscribe: string
  /** The person's own page. */
  preferences: string
  /** Built-in ones when absent. */
  labels?: LinkLabels
}

/** What stands on them. */
export interface LinkLabels {
  unsubscribe: string
  preferences: string
}

type LinkedRoute = Pick<
  MessageRoute,
  'tenant_id' | 'notification_id' | 'channel' | 'user_id' | 'category' | 'critical'
>

export type LinksOf = (route: LinkedRoute) => MailLinks | null

const DAY_MS = 86_400_000
/** Mails are read late, and an unsubscribe that does not work becomes a complaint. */
const LEAST_DAYS = 365
/**
 * A repeat has to say the same: services that know its id refuse it with other words. So the end follows from the time
 * of the notification, which is in its id, and moves in long steps from there for what is sent much later: a number
 * that is none of weeks, months or years, as what people plan ahead would be repeated right at the step.
 */
const STEP_DAYS = 200

export function createMailLinks(keyring: Keyring, publicUrl: string, now: () => number): LinksOf {
  return route => {
    const { tenant_id, user_id, channel, category } = route
    if (publicUrl === '' || user_id === null || !canBeLeft(route)) return null
    const expiresAt = endFrom(timeIn(route.notification_id), now())
    const claim = { tenant_id, user_id, channel, category }
    return {
      unsubscribe: linkTo(publicUrl, 'unsubscribe', signToken(keyring, 'unsubscribe', claim, expiresAt)),
      preferences: pageLink(keyring, publicUrl, { tenant_id, user_id }, expiresAt),
    }
  }
}

/** Where a simulated message would have links. */
export function createSampleLinks(publicUrl: string): LinksOf {
  return route => (canBeLeft(route) ? sampleLinks(publicUrl) : null)
}

/** Like the real ones, but leading nowhere: who may look at a message may not act for its reader. */
export function sampleLinks(publicUrl: string): MailLinks | null {
  if (publicUrl === '') return null
  return {
    unsubscribe: linkTo(publicUrl, 'unsubscribe', 'sample'),
    preferences: linkTo(publicUrl, 'preferences', 'sample'),
  }
}

/** Mail to a person of which nothing is critical. */
function canBeLeft({ channel, user_id, critical }: LinkedRoute): boolean {
  return channel === 'email' && user_id !== null && !critical
}

function endFrom(accepted: number, now: number): Date {
  const step = STEP_DAYS * DAY_MS
  const steps = Math.max(1, Math.ceil((now - accepted) / step))
  return new Date(accepted + steps * step + LEAST_DAYS * DAY_MS)
}

/** A UUIDv7 begins with its milliseconds. */
function timeIn(notificationId: string): number {
  return Number.parseInt(notificationId.replace('-', '').slice(0, 12), 16)
}
