/** The SQL of relations and fan-out rules: those of the tenant over the built-in ones. */
import type { FanoutRule, Relation } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

export type RelationRow = Omit<Relation, 'updated_at'> & { updated_at: Date | null }
export type RuleRow = Omit<FanoutRule, 'updated_at'> & { updated_at: Date | null }
export type RuleSettings = Pick<FanoutRule, 'channels' | 'passes_mute' | 'notification_type'>

const RELATIONS = `(
  select o.name, o.priority, o.reason, false as is_built_in, o.updated_at from relations o where o.tenant_id = $1
  union all
  select b.name, b.priority, b.reason, true, null from builtin_relations() b
  where not exists (select from relations o where o.tenant_id = $1 and o.name = b.name)
) r`

const RULES = `(
  select o.event_kind, o.relation, o.channels, o.passes_mute, o.notification_type, false as is_built_in, o.updated_at
  from fanout_rules o where o.tenant_id = $1
  union all
  select b.event_kind, b.relation, b.channels, b.passes_mute, null, true, null from builtin_fanout_rules() b
  where not exists (
    select from fanout_rules o where o.tenant_id = $1 and o.event_kind = b.event_kind and o.relation = b.relation)
) r`

/** Those that decide first before the others. */
export async function selectRelations(db: Executor, tenantId: string): Promise<RelationRow[]> {
  const { rows } = await db.query<RelationRow>(`select * from ${RELATIONS} order by priority, name`, [
    tenantId,
  ])
  return rows
}

export async function selectRelation(
  db: Executor,
  tenantId: string,
  name: string,
): Promise<RelationRow | undefined> {
  const { rows } = await db.query<RelationRow>(`select * from ${RELATIONS} where name = $2`, [tenantId, name])
  return rows[0]
}

/** So that two new ones cannot both be the last that fits. */
export async function lockRelations(tx: Executor, tenantId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended(format('relations %s', $1::text), 0))`, [
    tenantId,
  ])
}

/** undefined if it would be one more than `most`; changes of the built-in ones do not count. */
export async function upsertRelation(
  db: Executor,
  tenantId: string,
  name: string,
  { priority, reason }: Pick<Relation, 'priority' | 'reason'>,
  most: number,
): Promise<RelationRow | undefined> {
  const { rows } = await db.query<RelationRow>(
    `insert into relations (tenant_id, name, priority, reason)
     select $1, $2, $3, $4
     where exists (select from builtin_relations() b where b.name = $2) or (
       select count(*) from relations o where o.tenant_id = $1 and o.name <> $2
         and not exists (select from builtin_relations() b where b.name = o.name)) < $5
     on conflict (tenant_id, name) do update set priority = excluded.priority, reason = excluded.reason,
       updated_at = now()
     returning name, priority, reason, false as is_built_in, updated_at`,
    [tenantId, name, priority, reason, most],
  )
  return rows[0]
}

export async function deleteRelation(
  db: Executor,
  tenantId: string,
  name: string,
): Promise<RelationRow | undefined> {
  const { rows } = await db.query<RelationRow>(
    `delete from relations where tenant_id = $1 and name = $2
     returning name, priority, reason, false as is_built_in, updated_at`,
    [tenantId, name],
  )
  return rows[0]
}

export async function selectRules(
  db: Executor,
  tenantId: string,
  after: unknown[],
  limit: number,
): Promise<RuleRow[]> {
  const { rows } = await db.query<RuleRow>(
    `select * from ${RULES} where (event_kind, relation) > ($2, $3) order by event_kind, relation limit $4`,
    [tenantId, ...after, limit],
  )
  return rows
}

/** Those that decide about a kind of events, in that order; rules without channels decide too, but reach nobody. */
export async function selectRulesFor(db: Executor, tenantId: string, kind: string): Promise<RuleRow[]> {
  const { rows } = await db.query<RuleRow>(
    `select f.event_kind, f.relation, f.channels, f.passes_mute, f.notification_type, f.is_builtin as is_built_in,
       o.updated_at
     from rules_for($1, $2) f
     left join fanout_rules o
       on not f.is_builtin and o.tenant_id = $1 and o.event_kind = f.event_kind and o.relation = f.relation`,
    [tenantId, kind],
  )
  return rows
}

export async function selectRule(
  db: Executor,
  tenantId: string,
  eventKind: string,
  relation: string,
): Promise<RuleRow | undefined> {
  const { rows } = await db.query<RuleRow>(`select * from ${RULES} where event_kind = $2 and relation = $3`, [
    tenantId,
    eventKind,
    relation,
  ])
  return rows[0]
}

const RULE =
  'event_kind, relation, channels, passes_mute, notification_type, false as is_built_in, updated_at'

export async function upsertRule(
  db: Executor,
  tenantId: string,
  eventKind: string,
  relation: string,
  { channels, passes_mute, notification_type }: RuleSettings,
): Promise<RuleRow> {
  const { rows } = await db.query<RuleRow>(
    `insert into fanout_rules (tenant_id, event_kind, relation, channels, passes_mute, notification_type)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (tenant_id, event_kind, relation) do update set channels = excluded.channels,
       passes_mute = excluded.passes_mute, notification_type = excluded.notification_type, updated_at = now()
     returning ${RULE}`,
    [tenantId, eventKind, relation, channels, passes_mute, notification_type],
  )
  return rows[0]!
}

export async function deleteRule(
  db: Executor,
  tenantId: string,
  eventKind: string,
  relation: string,
): Promise<RuleRow | undefined> {
  const { rows } = await db.query<RuleRow>(
    `delete from fanout_rules where tenant_id = $1 and event_kind = $2 and relation = $3 returning ${RULE}`,
    [tenantId, eventKind, relation],
  )
  return rows[0]
}
