/** The SQL of what each kind of trigger has of its own: one table per kind, in the words of the contract. */
import type { TRIGGER_CONFIGS, TriggerKind } from '@carillon/contract'
import type { z } from 'zod'
import type { Client } from '../../platform/database/pool.ts'

/** A kind together with its configuration. */
export type Configured = {
  [Kind in TriggerKind]: { kind: Kind; config: z.output<(typeof TRIGGER_CONFIGS)[Kind]> }
}[TriggerKind]

const of = (table: string) => `from ${table} d where d.tenant_id = t.tenant_id and d.trigger_id = t.id`

/** The configuration of a row `t` of triggers. */
export const CONFIG = `case t.kind
  when 'kv' then (
    select jsonb_build_object('collection', d.collection_glob, 'ops', d.ops) ${of('kv_trigger_details')})
  when 'cron' then (
    select jsonb_build_object('cron', d.cron, 'timezone', d.timezone, 'misfire_policy', d.misfire_policy)
    ${of('cron_trigger_details')})
  when 'event' then (
    select jsonb_build_object('event_kind', d.event_kind_glob, 'topic', d.topic) ${of('event_trigger_details')})
  when 'queue' then (select jsonb_build_object('queue', d.queue_glob) ${of('queue_trigger_details')})
  when 'email' then (select jsonb_build_object('address', d.address_glob) ${of('email_trigger_details')})
  when 'http' then (select jsonb_build_object('methods', d.methods) ${of('http_trigger_details')})
  when 'dead_letter' then (
    select jsonb_build_object('source', d.source, 'trigger_id', d.source_trigger_id, 'script_id', d.source_script_id)
    ${of('dead_letter_trigger_details')})
  end`

/** What a kind keeps beside its configuration. */
export const STATE = `case t.kind
  when 'cron' then (
    select jsonb_build_object('next_run_at', iso(d.next_run_at), 'last_run_at', iso(d.last_run_at))
    ${of('cron_trigger_details')})
  when 'http' then (select jsonb_build_object('url_hint', d.hint) ${of('http_trigger_details')})
  else '{}' end`

/** The address of a new http trigger. */
export interface Address {
  token_hash: Buffer
  hint: string
}

const INSERT: Record<TriggerKind, string> = {
  kv: 'insert into kv_trigger_details (tenant_id, trigger_id, collection_glob, ops) values ($1, $2, $3, $4)',
  cron: `insert into cron_trigger_details (tenant_id, trigger_id, cron, timezone, misfire_policy)
    values ($1, $2, $3, $4, $5)`,
  event: `insert into event_trigger_details (tenant_id, trigger_id, event_kind_glob, topic) values ($1, $2, $3, $4)`,
  queue: 'insert into queue_trigger_details (tenant_id, trigger_id, queue_glob) values ($1, $2, $3)',
  email: 'insert into email_trigger_details (tenant_id, trigger_id, address_glob) values ($1, $2, $3)',
  http: `insert into http_trigger_details (tenant_id, trigger_id, methods, token_hash, hint)
    values ($1, $2, $3, $4, $5)`,
  dead_letter: `insert into dead_letter_trigger_details (tenant_id, trigger_id, source, source_trigger_id, source_script_id)
    values ($1, $2, $3, $4, $5)`,
}

const UPDATE: Record<TriggerKind, string> = {
  kv: 'update kv_trigger_details set collection_glob = $3, ops = $4 where tenant_id = $1 and trigger_id = $2',
  cron: `update cron_trigger_details set cron = $3, timezone = $4, misfire_policy = $5
    where tenant_id = $1 and trigger_id = $2`,
  event: `update event_trigger_details set event_kind_glob = $3, topic = $4 where tenant_id = $1 and trigger_id = $2`,
  queue: 'update queue_trigger_details set queue_glob = $3 where tenant_id = $1 and trigger_id = $2',
  email: 'update email_trigger_details set address_glob = $3 where tenant_id = $1 and trigger_id = $2',
  http: 'update http_trigger_details set methods = $3 where tenant_id = $1 and trigger_id = $2',
  dead_letter: `update dead_letter_trigger_details set source = $3, source_trigger_id = $4, source_script_id = $5
    where tenant_id = $1 and trigger_id = $2`,
}

interface TriggerKey {
  tenant_id: string
  id: string
}

/** In the transaction that inserts the trigger: neither is ever there alone. Only an http trigger has an address. */
export async function insertDetails(
  tx: Client,
  { tenant_id, id }: TriggerKey,
  configured: Configured,
  address?: Address,
): Promise<void> {
  const ofAddress = address === undefined ? [] : [address.token_hash, address.hint]
  await tx.query(INSERT[configured.kind], [tenant_id, id, ...valuesOf(configured), ...ofAddress])
}

export async function updateDetails(
  tx: Client,
  { tenant_id, id }: TriggerKey,
  configured: Configured,
): Promise<void> {
  await tx.query(UPDATE[configured.kind], [tenant_id, id, ...valuesOf(configured)])
}

function valuesOf({ kind, config }: Configured): unknown[] {
  switch (kind) {
    case 'kv':
      return [config.collection, config.ops]
    case 'cron':
      return [config.cron, config.timezone, config.misfire_policy]
    case 'event':
      return [config.event_kind, config.topic]
    case 'queue':
      return [config.queue]
    case 'email':
      return [config.address]
    case 'http':
      return [config.methods]
    case 'dead_letter':
      return [config.source, config.trigger_id, config.script_id]
  }
}

export async function updateAddress(
  tx: Client,
  { tenant_id, id }: TriggerKey,
  { token_hash, hint }: Address,
): Promise<void> {
  await tx.query(
    'update http_trigger_details set token_hash = $3, hint = $4 where tenant_id = $1 and trigger_id = $2',
    [tenant_id, id, token_hash, hint],
  )
}
