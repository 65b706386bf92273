/** The form of a webhook, and what it sends. */
import type { Webhook, WebhookEventType } from '@carillon/contract'
import { listOf, listText } from '../../ui/list-text.ts'
import { numberOf, numberText } from '../../ui/number-text.ts'
import { type Pairs, recordOf } from '../../ui/pairs.ts'

export interface WebhookDraft {
  url: string
  description: string
  events: WebhookEventType[]
  notification_types: string
  categories: string
  event_kinds: string
  /** undefined: those that are set stay. */
  headers: Pairs | undefined
  payload_mode: Webhook['payload_mode']
  format: Webhook['format']
  ordering: Webhook['ordering']
  batch_size: string
  batch_seconds: string
  disable_after: string
  retry_count: string
  backoff: Webhook['backoff']
  retry_base_seconds: string
  retry_cap_seconds: string
  timeout_seconds: string
  rate_limit: string
}

/** Where the API's errors are shown. */
export const WEBHOOK_FIELDS = [
  'url',
  'description',
  'events',
  'user_id',
  'notification_types',
  'categories',
  'event_kinds',
  'headers',
  'payload_mode',
  'format',
  'ordering',
  'batch_size',
  'batch_seconds',
  'disable_after',
  'retry_count',
  'backoff',
  'retry_base_ms',
  'retry_cap_ms',
  'timeout_seconds',
  'rate_limit',
]

export const webhookDraft = (webhook?: Webhook): WebhookDraft => ({
  url: webhook?.url ?? '',
  description: webhook?.description ?? '',
  events: webhook?.events ?? ['notification.failed', 'notification.dead_lettered'],
  notification_types: listText(webhook?.notification_types ?? []),
  categories: listText(webhook?.categories ?? []),
  event_kinds: listText(webhook?.event_kinds ?? []),
  headers: webhook ? undefined : [],
  payload_mode: webhook?.payload_mode ?? 'full',
  format: webhook?.format ?? 'standard',
  ordering: webhook?.ordering ?? 'none',
  batch_size: numberText(webhook?.batch_size ?? 1),
  batch_seconds: numberText(webhook?.batch_seconds ?? 0),
  disable_after: numberText(webhook ? webhook.disable_after : 50),
  retry_count: numberText(webhook?.retry_count ?? 3),
  backoff: webhook?.backoff ?? 'exponential',
  retry_base_seconds: numberText((webhook?.retry_base_ms ?? 30_000) / 1000),
  retry_cap_seconds: numberText((webhook?.retry_cap_ms ?? 86_400_000) / 1000),
  timeout_seconds: numberText(webhook?.timeout_seconds ?? 10),
  rate_limit: numberText(webhook?.rate_limit),
})

const millis = (text: string): number => {
  const seconds = numberOf(text)
  return typeof seconds === 'number' ? Math.round(seconds * 1000) : (seconds as unknown as number)
}

export function webhookValues(draft: WebhookDraft) {
  const { retry_base_seconds, retry_cap_seconds, headers, ...rest } = draft
  return {
    ...rest,
    url: draft.url.trim(),
    notification_types: listOf(draft.notification_types),
    categories: listOf(draft.categories),
    event_kinds: listOf(draft.event_kinds),
    ...(headers && { headers: recordOf(headers) }),
    batch_size: numberOf(draft.batch_size) ?? 1,
    batch_seconds: numberOf(draft.batch_seconds) ?? 0,
    disable_after: numberOf(draft.disable_after),
    retry_count: numberOf(draft.retry_count) ?? 0,
    retry_base_ms: millis(retry_base_seconds),
    retry_cap_ms: millis(retry_cap_seconds),
    timeout_seconds: numberOf(draft.timeout_seconds) ?? 10,
    rate_limit: numberOf(draft.rate_limit),
  }
}
