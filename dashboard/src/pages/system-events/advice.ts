/** What to do about the events that Carillon itself raises, and where. */
import type { SystemEvent } from '@carillon/contract'

interface Advice {
  text: string
  to?: string
  label?: string
}

const ADVICE: Record<string, Advice> = {
  backup_overdue: { text: 'Look why no full backup was made, then make one: npx carillon backup.' },
  backup_archive_failing: { text: 'Check the place where the log is archived: is it full, or away?' },
  instance_restored: { text: 'Decide what happens to what was due when the backup was made.' },
  provider_down: {
    text: 'Check that the service can be reached. What waits is sent when it recovers, and this resolves itself.',
    to: '/providers',
    label: 'Providers',
  },
  provider_missing: {
    text: 'A provider cannot be used by this process: it is switched off, or its secret cannot be opened.',
    to: '/providers',
    label: 'Providers',
  },
  secrets_unreadable: {
    text: 'The master key of this process does not open what was stored. Start it with the right one.',
  },
  provider_account_refused: {
    text: 'The service refuses the account. Correct the credentials.',
    to: '/providers',
    label: 'Providers',
  },
  devices_refused: {
    text: 'Many devices were refused. Check that the credentials belong to the app.',
    to: '/providers',
    label: 'Providers',
  },
  push_credentials_refused: {
    text: 'The push service refuses the credentials. Renew them.',
    to: '/providers',
    label: 'Providers',
  },
  webhook_disabled: {
    text: 'The endpoint failed for too long. Mend it, switch it on, then recover what it missed.',
    to: '/webhooks',
    label: 'Webhooks',
  },
  dead_letters: {
    text: 'Work was given up. Look at the causes, mend them, then replay.',
    to: '/dead-letters',
    label: 'Dead letters by cause',
  },
  dead_letters_expiring: {
    text: 'Replay or ignore the open letters before they are deleted, or keep them longer.',
    to: '/dead-letters',
    label: 'Dead letters by cause',
  },
  completion_refused: {
    text: 'An outcome could not be stored. The message may have arrived: look before you replay.',
  },
  schedule_failed: {
    text: 'See why it could not be sent, then send it.',
    to: '/schedules',
    label: 'Schedules',
  },
  trigger_failed: { text: 'See the trigger’s runs.', to: '/triggers', label: 'Triggers' },
  event_consumer_stuck: {
    text: 'A consumer does not get past an event. See its error.',
    to: '/event-consumers',
    label: 'Event consumers',
  },
  stream_unreadable: { text: 'Nobody can read a stream. Check that it can be reached.' },
  invariant_violated: { text: 'Stored rows contradict each other. Keep the details and report it.' },
  sending_paused: { text: 'The operator of the instance suspended the tenant. Ask there.' },
  quota_exceeded: {
    text: 'Ask the operator of the instance for more, or send less.',
    to: '/settings',
    label: 'Settings',
  },
  api_key_revoked: { text: 'Nothing, if you meant it.', to: '/api-keys', label: 'API keys' },
  api_key_recovered: {
    text: 'An owner’s key was made on the server’s machine. Make sure that you know who did it.',
    to: '/api-keys',
    label: 'API keys',
  },
  wrong_api_keys: {
    text: 'Find out who calls with wrong keys; somebody may be guessing, or a key has expired.',
    to: '/api-keys',
    label: 'API keys',
  },
}

export const adviceFor = ({ event_type }: Pick<SystemEvent, 'event_type'>): Advice =>
  ADVICE[event_type] ?? {
    text: 'Your application or a script raised it. Take care of it, then resolve it.',
  }

/** How often it was raised while it was open. */
export function countOf({ details }: Pick<SystemEvent, 'details'>): number {
  return typeof details.count === 'number' ? details.count : 1
}

export function lastSeenOf({ details, created_at }: Pick<SystemEvent, 'details' | 'created_at'>): string {
  return typeof details.last_raised_at === 'string' ? details.last_raised_at : created_at
}
