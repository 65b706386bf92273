/** The SQL of restores. */
import type { Executor } from '../../platform/database/pool.ts'

export interface RestoreRow {
  id: string
  backup_id: string
  restored_to: Date | null
  restored_at: Date
}

export interface NewRestore {
  backup_id: string
  restored_to: Date | null
}

export type Decision = 'released' | 'discarded'

const RESTORE = 'id, backup_id, restored_to, created_at as restored_at'

/** A second one takes the place of the first: whoever restores again has not decided yet. */
export async function insertRestore(
  db: Executor,
  { backup_id, restored_to }: NewRestore,
): Promise<RestoreRow> {
  const { rows } = await db.query<RestoreRow>(
    `insert into restores (backup_id, restored_to, created_at) values ($1, $2, clock_timestamp())
     on conflict ((true)) where decision is null
     do update set id = excluded.id, backup_id = excluded.backup_id, restored_to = excluded.restored_to, created_at = excluded.created_at
     returning ${RESTORE}`,
    [backup_id, restored_to],
  )
  return rows[0]!
}

export async function selectUndecided(db: Executor): Promise<RestoreRow | undefined> {
  const { rows } = await db.query<RestoreRow>(`select ${RESTORE} from restores where decision is null`)
  return rows[0]
}

export async function storeDecision(db: Executor, id: string, decision: Decision): Promise<void> {
  await db.query('update restores set decision = $2, decided_at = now() where id = $1 and decision is null', [
    id,
    decision,
  ])
}

export interface HeldWork {
  /** Messages that were due, by channel. */
  routes: Record<string, number>
  /** Webhooks, runs of scripts and the like that were due. */
  outbox: number
  /** Large audiences that were still being turned into messages. */
  expansions: number
  /** Events that were not read by somebody. */
  events: number
}

/** Asked by a person, and seldom. */
export async function selectHeldWork(db: Executor, restoredAt: Date): Promise<HeldWork> {
  const { rows } = await db.query<HeldWork>(
    `select
       (select coalesce(jsonb_object_agg(channel, due), '{}') from (
         select channel, count(*)::integer as due from routes
         where next_attempt_at <= $1 and created_at <= $1 group by channel) r) as routes,
       (select count(*)::integer from outbox where next_attempt_at <= $1 and created_at <= $1) as outbox,
       (select count(*)::integer from expansions where created_at <= $1) as expansions,
       (select coalesce(sum(lag), 0)::integer from (
         select max(head_id - last_event_id) as lag from domain_events_processed
         where last_event_id < head_id group by tenant_id) e) as events`,
    [restoredAt],
  )
  return rows[0]!
}
