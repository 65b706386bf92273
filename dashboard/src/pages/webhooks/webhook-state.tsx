/** How a webhook stands, in one word, and what to do about it in a sentence. */
import type { Webhook } from '@carillon/contract'
import { Notice } from '../../ui/problem.tsx'
import { Status, type Tone } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'

export function stateOf(webhook: Webhook): { status: string; label: string; tone?: Tone } {
  if (webhook.disabled_at !== null) return { status: 'dead', label: 'Disabled' }
  if (!webhook.is_active) return { status: 'inactive', label: 'Switched off' }
  if (webhook.is_paused) return { status: 'paused', label: 'Paused' }
  if (webhook.consecutive_failures > 0) return { status: 'retrying', label: 'Failing', tone: 'warn' }
  return { status: 'active', label: 'Active' }
}

export const WebhookStatus = ({ webhook }: { webhook: Webhook }) => <Status {...stateOf(webhook)} />

export function WebhookNotice({ webhook }: { webhook: Webhook }) {
  const { disabled_at, disabled_reason, disable_after, is_active, is_paused, waiting } = webhook
  if (disabled_at !== null)
    return (
      <Notice tone="bad">
        Disabled <Time value={disabled_at} />:{' '}
        {disabled_reason === 'gone'
          ? 'the receiver answered 410, which means that it does not exist any more.'
          : `${disable_after ?? 'too many'} deliveries in a row had failed for good.`}{' '}
        Events are kept for seven days. When the receiver works again, enable it and send again what failed.
      </Notice>
    )
  if (!is_active)
    return (
      <Notice tone="info">
        It is switched off and gets no events. They are kept for seven days, so that they can be sent later.
      </Notice>
    )
  if (is_paused)
    return (
      <Notice tone="warn">
        It is paused:{' '}
        {waiting === 0 ? 'events wait until it continues.' : `${waiting.toLocaleString('en')} events wait.`}
      </Notice>
    )
  return null
}
