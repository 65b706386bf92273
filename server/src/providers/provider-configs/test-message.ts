/** Sends a test message through one provider, at once and without the queue, to see whether its settings work. */

import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { TestAnswer } from '@carillon/contract'
import type { Message } from '../../content/messages/message.ts'
import { normalAddress } from '../../people/addresses/addresses.ts'
import { devicesForSending } from '../../people/devices/devices.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import type { Candidate } from './candidate.ts'
import type { ProviderDirectory } from './directory.ts'
import { type ProviderConfigRow, selectProviderConfig } from './queries.ts'

export async function sendTestMessage(
  parts: { pool: Pool; directory: ProviderDirectory },
  tenantId: string,
  id: string,
  to: { address: string; user_id?: string | undefined },
): Promise<TestAnswer> {
  const row = await selectProviderConfig(parts.pool, tenantId, id)
  if (row === undefined) throw notFound(`provider ${id}`)
  const candidates = await parts.directory.peekCandidates(tenantId, row.channel)
  const candidate = candidates.find(each => each.id === row.id)
  if (candidate === undefined)
    throw new Refusal('not_active', `It is not used: messages go through "${candidates[0]?.name}".`)
  if (candidate.unavailable !== undefined) throw new Refusal('not_active', candidate.unavailable.text)
  const address = to.address === '' ? '' : await normalAddress(parts.pool, row.channel, to.address, 'address')
  await refuseOverRate(candidate)
  const devices = to.user_id === undefined ? [] : await devicesForSending(parts.pool, tenantId, to.user_id)
  const start = performance.now()
  const outcome = await candidate.provider.send(
    testMessage(tenantId, row, { ...to, address }, devices),
    AbortSignal.timeout(row.timeout_seconds * 1000),
  )
  return {
    outcome: outcome.kind,
    message: outcome.kind === 'sent' ? (outcome.response ?? '') : outcome.message,
    provider_message_id: outcome.kind === 'sent' ? (outcome.provider_message_id ?? '') : '',
    duration_ms: Math.round(performance.now() - start),
  }
}

/** The service counts test messages like all others. */
async function refuseOverRate({ name, reserve }: Candidate): Promise<void> {
  const waitMs = await reserve?.()
  if (waitMs === undefined) return
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  const detail = `The rate limit of the provider "${name}" is used up; try again in ${seconds} seconds.`
  throw new Refusal('provider_rate_limited', detail, undefined, seconds)
}

function testMessage(
  tenantId: string,
  row: ProviderConfigRow,
  to: { address: string; user_id?: string | undefined },
  devices: Message['devices'],
): Message {
  const text = `This is a test message from Carillon through "${row.name}". If you can read it, the provider works.`
  const notificationId = randomUUID()
  return {
    tenant_id: tenantId,
    notification_id: notificationId,
    route_id: `${row.channel}:test`,
    message_id: `${notificationId}.test`,
    channel: row.channel,
    notification_type: 'test',
    recipient_ref: to.user_id === undefined ? `address:${to.address}` : `user:${to.user_id}`,
    user_id: to.user_id ?? null,
    address: to.address,
    locale: 'en',
    subject: 'A test message from Carillon',
    text,
    html: row.channel === 'email' ? `<p>${text.replaceAll('"', '&quot;').replaceAll('<', '&lt;')}</p>` : null,
    payload: {},
    expires_at: null,
    unsubscribe_url: null,
    reply_to: null,
    reason: '',
    thread: null,
    topic: null,
    devices,
    request_id: '',
    traceparent: '',
  }
}
