/** What the settings and states of providers mean, in words. */
import type { Provider, TestAnswer } from '@carillon/contract'

export type ProviderChannel = Provider['channel']

export const CHANNEL_NAMES: Record<ProviderChannel, string> = {
  email: 'Email',
  sms: 'SMS',
  push: 'Push',
  chat: 'Chat',
  webhook: 'Webhook',
}
export const PROVIDER_CHANNELS = Object.keys(CHANNEL_NAMES) as ProviderChannel[]

export const BREAKERS: Record<Provider['breaker']['state'], string> = {
  closed: 'Working',
  half_open: 'Being tried',
  open: 'Paused after errors',
}

export const UNCERTAIN_POLICIES: Record<Provider['uncertain_policy'], { label: string; help: string }> = {
  resend: {
    label: 'Send it again',
    help: 'With the same id: services that know it send nothing twice, others may.',
  },
  ask: {
    label: 'Ask the service first',
    help: 'It is sent again only if the service says that it never got it.',
  },
  hold: {
    label: 'Hold it',
    help: 'It becomes a dead letter, and an operator decides.',
  },
}

/** How a service answered a test. */
export const OUTCOMES: Record<TestAnswer['outcome'], string> = {
  sent: 'Accepted',
  retry: 'Failed for now',
  rate_limited: 'Too many messages',
  permanent: 'Refused',
  config: 'Set up wrongly',
  uncertain: 'No answer',
  lost: 'Lost',
  postponed: 'Postponed',
  skipped: 'Skipped',
  cancelled: 'Cancelled',
  expired: 'Expired',
}

export const sayRate = (perMinute: number | null): string =>
  perMinute === null ? 'No limit' : `${perMinute.toLocaleString('en')} a minute`

/** The order in which they are tried. */
export const byPriority = (a: Provider, b: Provider): number =>
  b.priority - a.priority || a.created_at.localeCompare(b.created_at)
