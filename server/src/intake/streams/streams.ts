/** Streams as the API shows them: what the processes that read them have reported, and whether they shall read. */
import type { Stream } from '@carillon/contract'
import { resolveSystemEvents } from '../../oversight/system-events/system-events.ts'
import { notFound } from '../../platform/calls/refusal.ts'
import type { Client, Executor } from '../../platform/database/pool.ts'
import { deleteStream, type StreamRow, selectStream, updatePause } from './queries.ts'
import { UNREADABLE } from './readability.ts'

export async function getStream(db: Executor, tenantId: string, name: string): Promise<Stream> {
  const row = await selectStream(db, tenantId, name)
  if (row === undefined) throw notFound(`stream "${name}"`)
  return toStream(row)
}

/** Every process that reads it notices within a second. */
export async function pauseStream(
  tx: Client,
  tenantId: string,
  name: string,
  isPaused: boolean,
): Promise<Stream> {
  await updatePause(tx, tenantId, name, isPaused)
  return getStream(tx, tenantId, name)
}

/** For a stream that is in no settings any more; one that is read comes back with the next report. */
export async function forgetStream(tx: Client, tenantId: string, name: string): Promise<Stream> {
  const stream = await getStream(tx, tenantId, name)
  await deleteStream(tx, tenantId, name)
  await resolveSystemEvents(tx, tenantId, UNREADABLE, name)
  return stream
}

export function toStream(row: StreamRow): Stream {
  return {
    name: row.name,
    kind: row.kind,
    place: row.place,
    group: row.group_name,
    status: row.status,
    waiting: row.waiting === null ? null : Number(row.waiting),
    oldest_at: row.oldest_at?.toISOString() ?? null,
    last_read_at: row.last_read_at?.toISOString() ?? null,
    last_error: row.last_error,
    paused_at: row.paused_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  }
}
