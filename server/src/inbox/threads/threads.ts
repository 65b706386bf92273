/** Threads: the rules without HTTP. */
import type { Participant, Thread } from '@carillon/contract'
import { refuseUnknownUser } from '../../people/users/unknown-user.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import type { Client, Executor } from '../../platform/database/pool.ts'
import {
  ensureTopic,
  insertThread,
  type ParticipantRow,
  selectThread,
  selectThreadKinds,
  type ThreadRow,
  type ThreadSettings,
  upsertThread,
} from './queries.ts'

export const noThread = (kind: string, id: string) => notFound(`thread "${kind}/${id}"`)

export async function findThread(
  db: Executor,
  tenantId: string,
  kind: string,
  id: string,
): Promise<Thread | undefined> {
  const row = await selectThread(db, tenantId, kind, id)
  return row && toThread(row)
}

/** Makes it if it does not exist, with nothing known of it. */
export async function ensureThread(tx: Client, tenantId: string, kind: string, id: string): Promise<void> {
  await insertThread(tx, { tenant_id: tenantId, kind, id })
}

/** The topic is made if it does not exist; the author has to. */
export async function putThread(
  tx: Client,
  tenantId: string,
  kind: string,
  id: string,
  settings: ThreadSettings,
): Promise<Thread> {
  await refuseUnknownKind(tx, tenantId, kind)
  if (settings.topic !== null) await ensureTopic(tx, tenantId, settings.topic)
  const write = upsertThread(tx, tenantId, kind, id, settings)
  return toThread(await write.catch(error => refuseUnknownUser(error, settings.author_id ?? '', 'author_id')))
}

async function refuseUnknownKind(tx: Client, tenantId: string, kind: string): Promise<void> {
  const kinds = await selectThreadKinds(tx, tenantId)
  if (kinds.includes(kind)) return
  const known = kinds.length === 0 ? 'there are none' : `one of ${kinds.join(', ')}`
  throw new Refusal('invalid_request', `"${kind}" is no kind of thread.`, [
    { field: 'kind', message: `Expected one of the tenant’s thread_kinds: ${known}.` },
  ])
}

export function toThread(row: ThreadRow): Thread {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() }
}

export function toParticipant(row: ParticipantRow): Participant {
  return { ...row, created_at: row.created_at.toISOString() }
}
