/**
 * A tenant with two weeks behind it. The past is written as the file of an export and imported, since nothing but an import
 * may say that something happened before now; what happens after it goes through Carillon like everything else.
 */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PublishTemplate, TemplateInput } from '@carillon/contract'
import { publishTemplate } from '../../content/templates/publish.ts'
import { saveTemplate } from '../../content/templates/templates.ts'
import { createApiKey } from '../../oversight/api-keys/api-keys.ts'
import { shareTenant } from '../../oversight/members/members.ts'
import { resumeTenant } from '../../oversight/tenants/operators.ts'
import { FIRST_TENANT, findTenantByName } from '../../oversight/tenants/tenants.ts'
import type { Principal } from '../../platform/calls/principal.ts'
import { type Client, type Connection, type Pool, transaction } from '../../platform/database/pool.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { writeExport } from '../exports/file.ts'
import { importTenant } from '../exports/import-tenant.ts'
import type { ReleaseNumbers } from '../exports/refusals.ts'
import { rollUpTenant } from '../metrics/rollup.ts'
import { createChance } from './chance.ts'
import { happenings } from './history.ts'
import { playLive } from './live.ts'
import { type Row, rowsOf } from './rows.ts'
import { settingRows } from './setting.ts'
import { TEMPLATES } from './templates.ts'

export interface DemoOptions {
  /** The import has a connection of its own. */
  client: Connection
  pool: Pool
  keyring: Keyring
  release: ReleaseNumbers
  name: string
  days: number
  perDay: number
  now: number
  onProgress(done: number, total: number): void
}

export interface Demo {
  tenant: { id: string; name: string }
  notifications: number
  rows: number
  /** Shown once. */
  api_key: string
  /** How many of the dashboard's people see it. */
  members: number
}

const DAY = 86_400_000
const SEED = 20_261_118

export async function makeDemo(options: DemoOptions): Promise<Demo> {
  const { pool, client, keyring, release, name, onProgress } = options
  if (await findTenantByName(pool, name))
    throw new Error(`There is a tenant named ${name} already: give another --name, or delete it first.`)
  const tables = writePast(options)
  const folder = await mkdtemp(join(tmpdir(), 'carillon-demo-'))
  try {
    const path = join(folder, 'demo.ndjson')
    const tenantOfFile = { id: randomUUID(), name }
    await writeExport(path, {
      tenant: tenantOfFile,
      release: release.number,
      tables,
      now: new Date(options.now),
    })
    const { tenant, rows } = await importTenant(client, {
      path,
      release,
      keyring,
      passphrase: async () => '',
      as: undefined,
      onProgress,
    })
    const opened = await transaction(pool, tx => open(tx, tenant.id))
    await playLive(pool, name, createChance(SEED))
    await rollUpTenant(pool, tenant.id)
    return { tenant, notifications: tables.records!.length, rows, ...opened }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function writePast({ days, perDay, now }: DemoOptions): Record<string, Row[]> {
  const chance = createChance(SEED)
  const tables: Record<string, Row[]> = settingRows(new Date(now - days * DAY).toISOString())
  for (const happening of happenings({ days, perDay, now }, chance)) {
    for (const [table, rows] of Object.entries(rowsOf(happening, now, chance))) {
      tables[table] ??= []
      tables[table].push(...rows)
    }
  }
  return tables
}

/** Lets it work: what an import brings is suspended. Whoever operates the first tenant operates this one too. */
async function open(tx: Client, tenantId: string): Promise<Pick<Demo, 'api_key' | 'members'>> {
  await resumeTenant(tx, tenantId)
  const { key, id } = await createApiKey(tx, tenantId, { name: 'demo', scopes: null, role: 'owner' })
  const principal: Principal = {
    tenant_id: tenantId,
    api_key_id: id,
    user_id: null,
    scopes: ['admin'],
    producers: null,
    expires_at: null,
    requests_per_minute: null,
    notifications_per_day: null,
    quota: { requests_per_minute: null, is_storage_full: false },
  }
  for (const { key: template, input } of TEMPLATES) {
    await saveTemplate(tx, principal, template, TemplateInput.parse(input))
    await publishTemplate(tx, principal, template, PublishTemplate.parse({}))
  }
  const first = await findTenantByName(tx, FIRST_TENANT)
  return { api_key: key, members: first === undefined ? 0 : await shareTenant(tx, first.id, tenantId) }
}
