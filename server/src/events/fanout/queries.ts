/** The SQL of fan-out; the rules are in server/functions/fanout. */
import type { AppliedRule, FanoutOutcome } from '@carillon/contract'
import type { Client, Executor } from '../../platform/database/pool.ts'

export interface FannedOut {
  last_user: string
  people: number
  routes: number
  is_done: boolean
  was_repeat: boolean | null
  /** null if they are many. */
  told: string[] | null
}

export interface Portion {
  after: string
  most: number
  /** Of those up to `until`, who may see it; null if nobody was asked. */
  visible: string[] | null
  until: string | null
  isRepeat: boolean | null
}

export async function fanOut(
  tx: Client,
  tenantId: string,
  eventId: string,
  { after, most, visible, until, isRepeat }: Portion,
): Promise<FannedOut> {
  const { rows } = await tx.query<FannedOut>('select * from fan_out($1, $2, $3, $4, $5, $6, $7)', [
    tenantId,
    eventId,
    after,
    most,
    visible,
    until,
    isRepeat,
  ])
  return rows[0]!
}

/** Who would be looked at next, before rules about mutes and members: those that a tenant's own server is asked about. */
export async function selectPeople(
  db: Executor,
  tenantId: string,
  eventId: string,
  { after, most }: Pick<Portion, 'after' | 'most'>,
): Promise<{ topic: string | null; people: string[] }> {
  const { rows } = await db.query<{ topic: string | null; people: string[] | null }>(
    `select s.topic, (
       select array_agg(p.user_id order by p.user_id)
       from event_people($1, $2, s.topic, array(
         select r.relation from domain_events e, rules_for($1, e.kind) r where e.tenant_id = $1 and e.event_id = $2
       ), $3, null, $4) p
       where not s.is_gone
     ) as people
     from event_scope($1, $2) s`,
    [tenantId, eventId, after, most],
  )
  const { topic, people } = rows[0]!
  return { topic, people: people ?? [] }
}

/** The ids of those events whose kind has a rule; one query for many. */
export async function selectRuled(
  db: Executor,
  tenantId: string,
  events: { event_id: string; kind: string }[],
): Promise<Set<string>> {
  const kinds = [...new Set(events.map(({ kind }) => kind))]
  const { rows } = await db.query<{ kind: string }>(
    `select k.kind from unnest($2::text[]) as k (kind) where exists (select from rules_for($1, k.kind))`,
    [tenantId, kinds],
  )
  const ruled = new Set(rows.map(({ kind }) => kind))
  return new Set(events.filter(({ kind }) => ruled.has(kind)).map(({ event_id }) => event_id))
}

export interface PersonRow {
  user_id: string
  relations: string[]
  relation: string | null
  outcome: Exclude<FanoutOutcome, 'no_relation'>
  /** On which they are told. */
  channels: string[]
}

export async function selectDecisions(
  db: Executor,
  tenantId: string,
  eventId: string,
  { after, until, most, visible }: Omit<Portion, 'isRepeat'>,
): Promise<PersonRow[]> {
  const { rows } = await db.query<PersonRow>('select * from explain_fanout($1, $2, $3, $4, $5, $6)', [
    tenantId,
    eventId,
    after,
    until,
    most,
    visible,
  ])
  return rows
}

export interface ScopeRow {
  /** That of the event, or of its thread. */
  topic: string | null
  /** Only members of the topic may see it. */
  members_only: boolean | null
  /** Topic or thread do not exist. */
  is_gone: boolean
}

export async function selectScope(db: Executor, tenantId: string, eventId: string): Promise<ScopeRow> {
  const { rows } = await db.query<ScopeRow>('select topic, members_only, is_gone from event_scope($1, $2)', [
    tenantId,
    eventId,
  ])
  return rows[0]!
}

export async function selectAppliedRules(
  db: Executor,
  tenantId: string,
  kind: string,
): Promise<AppliedRule[]> {
  const { rows } = await db.query<AppliedRule>(
    `select relation, reason, channels, passes_mute, notification_type, event_kind, is_builtin as is_built_in
     from rules_for($1, $2)`,
    [tenantId, kind],
  )
  return rows
}
