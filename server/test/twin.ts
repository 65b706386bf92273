/** Gives another tenant the rows of the first, under the same ids: whoever forgets the tenant changes both. */
import { type Pool, transaction } from '../src/platform/database/pool.ts'

/** Of the instance: an id alone identifies their rows. */
const LEFT_OUT = [
  'admin_system_events',
  'provider_configs',
  'provider_health',
  'provider_callbacks',
  'recent_sends',
]
/** What says whose tenant it is, nobody else has. */
const OWN: Record<string, string> = {
  'api_keys.key_hash': "encode(sha256(('twin' || x.key_hash)::bytea), 'hex')",
  'http_trigger_details.token_hash': "sha256('twin'::bytea || x.token_hash)",
  'invitations.token_hash': "encode(sha256(('twin' || x.token_hash)::bytea), 'hex')",
}

/** Gives what makes the twin anew, as often as it is called: all statements at once, since there are many. */
export async function prepareTwin(pool: Pool, first: string, twin: string): Promise<() => Promise<unknown>> {
  const { rows: tables } = await pool.query<{ name: string; columns: string[] }>(
    `select c.relname as name, array_agg(a.attname::text) filter (where a.attgenerated = '') as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'carillon'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname <> all ($1)
     group by c.relname having bool_or(a.attname = 'tenant_id')`,
    [LEFT_OUT],
  )
  const statements = tables.flatMap(({ name, columns }) => {
    const values = columns.map(column =>
      column === 'tenant_id' ? `'${twin}'` : (OWN[`${name}.${column}`] ?? `x.${column}`),
    )
    return [
      ...(name === 'audit_logs' ? [] : [`delete from ${name} where tenant_id = '${twin}'`]),
      `insert into ${name} (${columns}) overriding system value
       select ${values} from ${name} x where tenant_id = '${first}' on conflict do nothing`,
    ]
  })
  return () =>
    transaction(pool, tx =>
      tx.query(['set local session_replication_role = replica', ...statements].join(';')),
    )
}
