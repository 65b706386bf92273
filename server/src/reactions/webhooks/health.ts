/** The health of endpoints: counts their failed deliveries, and disables those that are gone or keep failing. */
import { raiseSystemEvent } from '../../oversight/system-events/system-events.ts'
import type { Client } from '../../platform/database/pool.ts'
import { type HealthChange, updateHealth, type WebhookRow } from './queries.ts'
import { DISABLED_EVENT } from './webhooks.ts'

/** A delivery that arrived or failed for good. */
export interface EndedDelivery {
  tenant_id: string
  webhook_id: string
  arrived: boolean
  /** The receiver answered 410: it does not exist any more. */
  gone: boolean
  trigger_depth: number
}

/** Expects them in the order in which they ended, and the transaction that stores them. */
export async function countEndedDeliveries(tx: Client, ended: EndedDelivery[]): Promise<void> {
  const changes = new Map<string, HealthChange>()
  for (const { tenant_id, webhook_id, arrived, gone } of ended) {
    const change = changes.get(webhook_id) ?? {
      tenant_id,
      webhook_id,
      arrived: false,
      failures: 0,
      gone: false,
    }
    if (arrived) Object.assign(change, { arrived: true, failures: 0 })
    else change.failures++
    change.gone ||= gone
    changes.set(webhook_id, change)
  }
  const disabled = changes.size === 0 ? [] : await updateHealth(tx, [...changes.values()])
  for (const webhook of disabled) {
    const depths = ended
      .filter(({ webhook_id }) => webhook_id === webhook.id)
      .map(entry => entry.trigger_depth)
    await raiseDisabledEvent(tx, webhook, Math.max(...depths) + 1)
  }
}

async function raiseDisabledEvent(tx: Client, webhook: WebhookRow, depth: number): Promise<void> {
  const why =
    webhook.disabled_reason === 'gone'
      ? 'the receiver answered 410 Gone'
      : `${webhook.consecutive_failures} deliveries in a row failed`
  await raiseSystemEvent(tx, {
    tenant_id: webhook.tenant_id,
    event_type: DISABLED_EVENT,
    subject: webhook.id,
    severity: 'high',
    description: `The webhook to ${new URL(webhook.url).origin} was disabled: ${why}. Enable it when the receiver works again, then recover what failed.`,
    details: { webhook_id: webhook.id, reason: webhook.disabled_reason, trigger_depth: depth },
  })
}
