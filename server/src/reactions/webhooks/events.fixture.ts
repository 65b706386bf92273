/** Shared by the tests of webhook events: causing them, and reading what waits to be sent. */
import type { WebhookEventType } from '@carillon/contract'
import type { TestCarillon } from '../../../test/carillon.ts'
import { refuseWrongBody } from '../../../test/webhook-bodies.ts'
import { raiseSystemEvent } from '../../oversight/system-events/system-events.ts'
import type { Outcome } from '../../providers/services/provider.ts'

/** A row of the outbox. */
export interface WaitingEvent {
  op: WebhookEventType
  target_id: string
  payload: string
  context: Record<string, unknown>
  ordering_key: string | null
  trigger_depth: number
}

export const toAda = { audience: { kind: 'users', user_ids: ['ada'] }, channels: ['email'] }
export const ENDPOINT = 'https://example.com/hook'

/** Events that wait for a webhook. Fails unless every body is exactly what the contract says. */
export async function waitingFor(carillon: TestCarillon, target: string): Promise<WaitingEvent[]> {
  const { rows } = await carillon.pool.query<WaitingEvent>(
    'select * from outbox where target_id = $1 order by seq',
    [target],
  )
  for (const { context, payload } of rows) refuseWrongBody(String(context.content_type), payload)
  return rows
}

export async function deliver(
  carillon: TestCarillon,
  outcome: Outcome | ((message: unknown) => Outcome | Promise<Outcome>),
  id: string,
  ...to: string[]
): Promise<void> {
  const worker = carillon.deliver(typeof outcome === 'function' ? outcome : () => outcome)
  await carillon.settled(id, ...to)
  await worker.stop()
}

export function raise(carillon: TestCarillon, event_type: string, details: object = { channel: 'email' }) {
  return raiseSystemEvent(carillon.pool, {
    tenant_id: carillon.tenantId,
    event_type,
    subject: 'x',
    severity: 'high',
    description: 'Something happened.',
    details: details as Record<string, unknown>,
  })
}
