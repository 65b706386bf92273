/** The links in a mail's footer: one to unsubscribe, one to the preference page. */
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { linkTo, preferencePageLink, signToken, type ThreadClaim } from '../signed-links/signed-links.ts'
import { type MessageRoute, timeOfId } from './message-route.ts'

export interface MailLinks {
  /**
   * GET shows a page that asks first; POST unsubscribes at once (RFC 8058). From the thread, if the mail is about one, else
   * from the category. null if that is required.
   */
  unsubscribe: string | null
  /** The person's own preference page. */
  preferences: string
  /** The built-in labels if absent. */
  labels?: LinkLabels
}

export interface LinkLabels {
  unsubscribe: string
  preferences: string
}

type LinkedRoute = Pick<
  MessageRoute,
  'tenant_id' | 'notification_id' | 'channel' | 'user_id' | 'category' | 'required' | 'critical' | 'about'
>

export type LinksOf = (route: LinkedRoute) => MailLinks | null

const DAY_MS = 86_400_000
/** Mails are read late, and a broken unsubscribe link leads to a spam complaint. */
const MIN_VALID_DAYS = 365
/**
 * A repeat needs the same content, links included: services that know its id refuse it with different content. So the
 * expiry is derived from the time in the notification's id, and moves from there in long steps for what is sent much
 * later. The step is not a whole number of weeks, months or years: people schedule by those, and a repeat of such a
 * message could fall on the other side of a step.
 */
const STEP_DAYS = 200

export function createMailLinks(keyring: Keyring, publicUrl: string, now: () => number): LinksOf {
  return route => {
    const { tenant_id, user_id, channel, category } = route
    if (publicUrl === '' || user_id === null || !hasLinks(route)) return null
    const expiresAt = expiryFor(timeOfId(route.notification_id), now())
    const person = { tenant_id, user_id }
    const thread = route.about?.thread
    const unsubscribe = thread
      ? threadLink(
          keyring,
          publicUrl,
          { ...person, thread_kind: thread.kind, thread_id: thread.id },
          expiresAt,
        )
      : linkTo(
          publicUrl,
          'unsubscribe',
          signToken(keyring, 'unsubscribe', { ...person, channel, category }, expiresAt),
        )
    return {
      unsubscribe: route.required ? null : unsubscribe,
      preferences: preferencePageLink(keyring, publicUrl, person, expiresAt),
    }
  }
}

/** Sample links where a simulated message would have real ones. */
export function createSampleLinks(publicUrl: string): LinksOf {
  return route => {
    const links = hasLinks(route) ? sampleLinks(publicUrl) : null
    return links && route.required ? { ...links, unsubscribe: null } : links
  }
}

/** Like the real ones, but they lead nowhere: whoever may see a message may not act for its recipient. */
export function sampleLinks(publicUrl: string): MailLinks | null {
  if (publicUrl === '') return null
  return {
    unsubscribe: linkTo(publicUrl, 'unsubscribe', 'sample'),
    preferences: linkTo(publicUrl, 'preferences', 'sample'),
  }
}

/** Below the other one: the page that it leads to knows threads, which preferences do not. */
function threadLink(keyring: Keyring, base: string, claim: ThreadClaim, expiresAt: Date): string {
  return linkTo(base, 'unsubscribe/thread', signToken(keyring, 'thread', claim, expiresAt))
}

/** Only mail to a user, and nothing critical. */
function hasLinks({ channel, user_id, critical }: LinkedRoute): boolean {
  return channel === 'email' && user_id !== null && !critical
}

function expiryFor(acceptedAt: number, now: number): Date {
  const stepMs = STEP_DAYS * DAY_MS
  const steps = Math.max(1, Math.ceil((now - acceptedAt) / stepMs))
  return new Date(acceptedAt + steps * stepMs + MIN_VALID_DAYS * DAY_MS)
}

/** No link that was signed before `now`, in a mail or by the API, is valid longer than this. */
export function longestLinkEnd(now: Date): Date {
  return new Date(now.getTime() + (STEP_DAYS + MIN_VALID_DAYS) * DAY_MS)
}
