/** Reads streams in the process of a test, and says what became of their entries. */

import type { TestCarillon } from '../../../test/carillon.ts'
import { loadConfig } from '../../platform/config/config.ts'
import type { StreamSetting } from '../../platform/config/stream-settings.ts'
import { createIngest, type IngestOptions } from './ingest.ts'

export const FLAT = {
  notification_type: 'order_paid',
  producer: 'shop',
  audience_kind: 'user',
  recipient_user_ids_json: '["ada"]',
  idempotency_key: 'order-1',
  occurred_at_ms: '1767225600000',
  payload_json: '{"order": 1,  "total": 1.50}',
}

export const INTENT = {
  notification_type: 'order_paid',
  audience: { kind: 'users', user_ids: ['ada'] },
  payload: { order: 1 },
}

export const CLOUD_EVENT = {
  specversion: '1.0',
  id: 'e-1',
  source: '/shop',
  type: 'order_paid',
  audience: 'users:ada',
  data: { order: 1 },
}

/** Nested more deeply than it could be written again. */
export const DEEP_WITH_ATTACHMENTS = `{"email": {"attachments": "hidden"}, "a": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`

export interface Reading {
  /** Entries by outcome. */
  counts: Record<string, number>
  errors: string[]
  stop(): Promise<void>
}

export function settingsOf(...streams: object[]): StreamSetting[] {
  return loadConfig({ CARILLON_STREAMS: JSON.stringify(streams) }).CARILLON_STREAMS
}

let processes = 0
let running: (() => Promise<void>)[] = []

/** Before the streams themselves go. */
export async function stopReading(): Promise<void> {
  await Promise.all(running.map(stop => stop()))
  running = []
}

/** As one process does it; several of them share a group. */
export async function readStreams(
  carillon: TestCarillon,
  streams: object[],
  options: Partial<IngestOptions> = {},
): Promise<Reading> {
  const counts: Record<string, number> = {}
  const errors: string[] = []
  const services = createIngest({
    pool: carillon.pool,
    settings: settingsOf(...streams),
    owner: `test-${process.pid}-${++processes}`,
    leaseMs: 30_000,
    shutdownMs: 2000,
    statements: 3,
    reportMs: 200,
    onAccepted: () => {},
    onBatch: () => {},
    onSettled: (_stream, as, count) => {
      counts[as] = (counts[as] ?? 0) + count
    },
    onTrimmed: (_stream, count) => {
      counts.trimmed = (counts.trimmed ?? 0) + count
    },
    onMissingTenant: ({ tenant }) => errors.push(`no tenant ${tenant}`),
    onError: part => error => errors.push(`${part}: ${(error as Error).message}`),
    ...options,
  })
  for (const service of services) await service.start()
  const stop = async () => void (await Promise.all(services.map(service => service.stop())))
  running.push(stop)
  return { counts, errors, stop }
}

/** What the database knows of the entries: one row each, if all is well. */
export async function entriesOf(carillon: TestCarillon): Promise<Record<string, string>> {
  const { rows } = await carillon.pool.query<{ id: string; kept_as: string }>(
    `select source_entry_id as id, string_agg(kept_as, ',' order by kept_as) as kept_as from (
       select source_entry_id, 'record' as kept_as from records where source_entry_id is not null
       union all select source_entry_id, failure_code from malformed_intents) e group by 1`,
  )
  return Object.fromEntries(rows.map(({ id, kept_as }) => [id, kept_as]))
}
